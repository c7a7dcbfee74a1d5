import { chooseVictim } from '../control/work-stealing.ts';
import { assertInvariant } from '../kernel/index.ts';
import type { RefusalReason } from '../model.ts';
import type { Policy } from '../policy/policy.ts';
import { BinaryHeap } from '../queue/binary-heap.ts';
import { createScheduler } from '../scheduler/create-scheduler.ts';
import type { Scheduler, SchedulerSnapshot } from '../scheduler/scheduler.ts';
import type { SimulatedRequest } from './simulated-request.ts';

export interface WorkerPoolOptions<R extends SimulatedRequest> {
  readonly policy: Policy;
  readonly seed: number;
  readonly nowMs: number;
  /** Of all workers together; each has an equal part. */
  readonly slots: number;
  readonly count: number;
  /** Whether a worker with free slots and nothing of its own to do takes from the longest queue of another. */
  readonly stealing: boolean;
  /** What a service in the light mode takes, in time and cost, of a normal one. */
  readonly lightFactor: number;
  readonly onRefused: (request: R, reason: RefusalReason, nowMs: number) => void;
}

export interface InService<R extends SimulatedRequest> {
  readonly request: R;
  /** Whose slots it holds. */
  readonly worker: Worker<R>;
  /** Whose queue it came from: there it is settled. */
  readonly scheduler: Scheduler<R>;
  readonly dispatchedAtMs: number;
  readonly endsAtMs: number;
  readonly cost: number;
  readonly promoted: boolean;
  readonly order: number;
}

export interface Worker<R extends SimulatedRequest> {
  readonly scheduler: Scheduler<R>;
  slots: number;
  busySlots: number;
  waiting: number;
}

/** Workers with a queue each, and what they serve now. */
export class WorkerPool<R extends SimulatedRequest> {
  readonly #workers: readonly Worker<R>[];
  readonly #stealing: boolean;
  readonly #lightFactor: number;
  readonly #inService = new BinaryHeap<InService<R>>(
    (left, right) => left.endsAtMs < right.endsAtMs || (left.endsAtMs === right.endsAtMs && left.order < right.order),
  );
  #slots: number;
  #busySlots = 0;
  #order = 0;

  constructor({ policy, seed, nowMs, slots, count, stealing, lightFactor, onRefused }: WorkerPoolOptions<R>) {
    this.#slots = slots;
    this.#stealing = stealing && count > 1;
    this.#lightFactor = lightFactor;
    this.#workers = Array.from({ length: count }, (_, index) => ({
      scheduler: createScheduler<R>(policy, { nowMs, seed: seed + index, slots: slots / count, onRefused }),
      slots: slots / count,
      busySlots: 0,
      waiting: 0,
    }));
  }

  get slots(): number {
    return this.#slots;
  }

  get busySlots(): number {
    return this.#busySlots;
  }

  /** The worker whose queue the request goes to. */
  workerOf(request: R): Worker<R> {
    const worker = this.#workers[request.worker ?? 0];
    assertInvariant(worker !== undefined, () => `request ${request.id} is for worker ${request.worker}: there is none`);
    return worker;
  }

  /** The most slots that are free at one worker. */
  largestFree(): number {
    let largest = 0;
    for (const { slots, busySlots } of this.#workers) largest = Math.max(largest, slots - busySlots);
    return largest;
  }

  /** Of the first worker: slots that leave finish what they serve. */
  setSlots(slots: number, nowMs: number): void {
    const worker = this.#workers[0];
    if (worker === undefined) return;
    this.#slots += slots - worker.slots;
    worker.slots = slots;
    worker.scheduler.setSlots(slots, nowMs);
  }

  nextWakeMs(): number {
    let wakeMs = Number.POSITIVE_INFINITY;
    for (const { scheduler } of this.#workers) wakeMs = Math.min(wakeMs, scheduler.nextWakeMs());
    return wakeMs;
  }

  tick(nowMs: number): void {
    for (const { scheduler } of this.#workers) if (scheduler.nextWakeMs() <= nowMs) scheduler.tick(nowMs);
  }

  /** Of the first worker. */
  snapshot(nowMs: number): SchedulerSnapshot {
    const worker = this.#workers[0];
    assertInvariant(worker !== undefined, 'there is at least one worker');
    return worker.scheduler.snapshot(nowMs);
  }

  /** Of what is being served, what ends first (ties: what began first); undefined when nothing is served. */
  firstToEnd(): InService<R> | undefined {
    return this.#inService.peek();
  }

  /** Frees the slots of what `firstToEnd` gave. */
  end({ request, worker }: InService<R>): void {
    this.#inService.pop();
    const slots = request.slots ?? 1;
    worker.busySlots -= slots;
    this.#busySlots -= slots;
  }

  /** Fills free slots with waiting requests, while there are such; each that starts is told. */
  fill(nowMs: number, onStart: (request: R) => void): void {
    for (const worker of this.#workers) {
      for (;;) {
        const freeSlots = worker.slots - worker.busySlots;
        if (freeSlots <= 0) break;
        const started = this.#start(worker, worker, nowMs) ?? (this.#stealing ? this.#steal(worker, nowMs) : null);
        if (started === null) break;
        onStart(started);
      }
    }
  }

  /** From the longest queue; if nothing there may go, or fits, from the next. */
  #steal(thief: Worker<R>, nowMs: number): R | null {
    const waiting = this.#workers.map((worker) => worker.waiting);
    for (;;) {
      const index = chooseVictim(waiting, this.#workers.indexOf(thief));
      const victim = this.#workers[index ?? -1];
      if (index === null || victim === undefined) return null;
      const started = this.#start(victim, thief, nowMs);
      if (started !== null) return started;
      waiting[index] = 0;
    }
  }

  /** Puts the next request of the owner's queue into service at a worker; null when there is none that may go. */
  #start(owner: Worker<R>, worker: Worker<R>, nowMs: number): R | null {
    if (owner.waiting === 0) return null;
    const dispatch = owner.scheduler.take(nowMs, worker.slots - worker.busySlots);
    if (dispatch === null) return null;
    const { request, promoted, mode } = dispatch;
    const slots = request.slots ?? 1;
    owner.waiting--;
    worker.busySlots += slots;
    this.#busySlots += slots;
    const factor = mode === 'light' ? this.#lightFactor : 1;
    this.#inService.push({
      request,
      worker,
      scheduler: owner.scheduler,
      dispatchedAtMs: nowMs,
      endsAtMs: nowMs + request.serviceMs * factor,
      cost: (request.actualCost ?? request.costEstimate ?? 1) * factor,
      promoted,
      order: this.#order++,
    });
    return request;
  }
}
