import { assertInvariant } from '../kernel/index.ts';
import type { RefusalReason } from '../model.ts';
import { BinaryHeap } from '../queue/binary-heap.ts';
import type { SchedulerSnapshot } from '../scheduler/scheduler.ts';
import { decideNextAttempt, statusOfCall } from './client-behaviour.ts';
import { type EndedRequest, givenUp, refused, served } from './ended-request.ts';
import type { EventLoopOptions, OpenRequest } from './event-loop-options.ts';
import type { SimulatedRequest } from './simulated-request.ts';
import type { SlotChange } from './slot-schedule.ts';
import { SlotMeter, type SlotUsage } from './slot-usage.ts';
import { type InService, WorkerPool } from './worker-pool.ts';

interface Timed<R> {
  readonly request: R;
  readonly atMs: number;
  readonly order: number;
}

/** So many wakes in a row after the last arrival that served nobody: what waits then waits for ever. */
const FRUITLESS_WAKES = 100_000;
const DEFAULT_LIGHT_FACTOR = 0.5;
const NEVER = Number.POSITIVE_INFINITY;

/**
 * A discrete-event loop over arrivals, a scheduler and servers. It moves only when told how far: at once to the end
 * (`runToEnd`), or in steps as real time goes by (`advanceTo`); the steps change nothing in what happens. Memory: the
 * waiting requests, the served ones, and the clients that have patience left.
 *
 * At one instant completions come first (in order of dispatch), then changes of slots, then arrivals (those of the
 * workload before retries); then free slots are filled, so that all that came in the instant is known before anybody is
 * chosen, but for one that would be refused otherwise; then clients give up, then the scheduler does what is due.
 */
export class EventLoop<R extends SimulatedRequest = SimulatedRequest> {
  readonly #arrivals: Iterator<R>;
  readonly #pool: WorkerPool<R>;
  readonly #seed: number;
  readonly #reportsCost: boolean;
  readonly #slotChanges: readonly SlotChange[];
  readonly #mostSlots: number;
  readonly #meter: SlotMeter;
  readonly #retries = new BinaryHeap<Timed<R>>(isBefore);
  readonly #patience = new BinaryHeap<Timed<R>>(isBefore);
  /** Waiting and served requests in order of arrival, with the time of dispatch. */
  readonly #open = new Map<R, number | null>();
  readonly #onStart = (request: R): void => this.#start(request);
  /** Takes what ends. */
  #onEnded: (ended: EndedRequest<R>) => void = () => {};
  /** The next arrival of the workload, read ahead; null when there is none. */
  #next: R | null = null;
  #nowMs: number;
  #waiting = 0;
  #slotChangeIndex = 0;
  #order = 0;
  #fruitlessWakes = 0;

  constructor(options: EventLoopOptions<R>) {
    const { policy, slots, slotChanges = [], workers = { count: 1, stealing: false } } = options;
    assertInvariant(slots > 0, `slots must be positive, not ${slots}`);
    assertInvariant(workers.count === 1 || slotChanges.length === 0, 'slots change with one worker only');
    this.#arrivals = options.arrivals[Symbol.iterator]();
    this.#next = this.#readArrival();
    this.#nowMs = options.nowMs ?? this.#next?.arrivedAtMs ?? 0;
    this.#seed = options.seed ?? 1;
    this.#reportsCost = policy.costUnit !== 'requests';
    this.#slotChanges = slotChanges;
    this.#mostSlots = Math.max(slots / workers.count, ...slotChanges.map((change) => change.slots));
    this.#meter = new SlotMeter(policy, this.#nowMs);
    this.#pool = new WorkerPool<R>({
      policy,
      seed: this.#seed,
      nowMs: this.#nowMs,
      slots,
      ...workers,
      lightFactor: options.lightFactor ?? DEFAULT_LIGHT_FACTOR,
      onRefused: (request, reason, nowMs) => this.#refuseWaiting(request, reason, nowMs),
    });
  }

  /**
   * Goes on to `nowMs` (inclusive; Infinity: until the arrivals are over and the queue has drained) and hands over each
   * request that ends, in the order in which they do.
   */
  run(nowMs: number, onEnded: (ended: EndedRequest<R>) => void): void {
    this.#onEnded = onEnded;
    while (this.#advance(nowMs)) {}
    if (nowMs > this.#nowMs && nowMs < NEVER) this.#moveTo(nowMs);
  }

  /** The requests that ended after the previous step and up to `nowMs`, as `run` hands them over. */
  advanceTo(nowMs: number): EndedRequest<R>[] {
    const ended: EndedRequest<R>[] = [];
    this.run(nowMs, (each) => ended.push(each));
    return ended;
  }

  /** Every request in the order in which they end, until the arrivals are over and the queue has drained. */
  *runToEnd(): Generator<EndedRequest<R>, void, undefined> {
    let ended: EndedRequest<R>[] = [];
    this.#onEnded = (each) => ended.push(each);
    while (this.#advance(NEVER)) {
      if (ended.length === 0) continue;
      yield* ended;
      ended = [];
    }
  }

  /** The requests that wait or are being served now, in order of arrival. The loop must not move meanwhile. */
  *openRequests(): Generator<OpenRequest<R>, void, undefined> {
    for (const [request, dispatchedAtMs] of this.#open) yield { request, dispatchedAtMs };
  }

  /** Time of the last event or step. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Nothing waits, is being served or is to come. */
  isDrained(): boolean {
    return this.#open.size === 0 && this.#next === null && this.#retries.peek() === undefined;
  }

  /** What the scheduler says of itself now; of several workers the first one's. */
  snapshot(): SchedulerSnapshot {
    return this.#pool.snapshot(this.#nowMs);
  }

  /** Slot-time since the start. */
  usage(): SlotUsage {
    return this.#meter.usage();
  }

  /** The next event, if it comes at or before `untilMs`; false when there is none. */
  #advance(untilMs: number): boolean {
    const ending = this.#pool.firstToEnd();
    const endMs = ending?.endsAtMs ?? NEVER;
    const arrivalMs = this.#nextArrivalMs();
    if (ending === undefined && arrivalMs === NEVER && this.#waiting === 0) return false;
    const slotChangeMs = this.#slotChanges[this.#slotChangeIndex]?.atMs ?? NEVER;
    const patienceMs = this.#patience.peek()?.atMs ?? NEVER;
    const wakeMs = Math.max(this.#pool.nextWakeMs(), this.#nowMs);
    const atMs = Math.min(endMs, slotChangeMs, arrivalMs, patienceMs, wakeMs);
    if (atMs > untilMs || atMs === NEVER) return false;
    this.#moveTo(atMs);
    if (ending !== undefined && endMs === atMs) this.#complete(ending);
    else if (slotChangeMs === atMs) this.#changeSlots();
    else if (arrivalMs === atMs) this.#arrive();
    else if (patienceMs === atMs) this.#giveUp();
    else return this.#wake(arrivalMs === NEVER && slotChangeMs === NEVER && ending === undefined);
    this.#fruitlessWakes = 0;
    // What comes in one instant is known before anybody is chosen.
    if (this.#nextArrivalMs() > atMs && !(this.#pool.firstToEnd()?.endsAtMs === atMs)) this.#fill();
    return true;
  }

  #moveTo(nowMs: number): void {
    this.#meter.moveTo(nowMs, this.#pool, this.#waiting);
    this.#nowMs = nowMs;
  }

  /** Fills free slots; whether somebody was served. */
  #fill(): boolean {
    const before = this.#waiting;
    if (before > 0 && this.#pool.busySlots < this.#pool.slots) this.#pool.fill(this.#nowMs, this.#onStart);
    return this.#waiting < before;
  }

  /** False when it has gone on for so long without effect that nothing more can come of it. */
  #wake(isAlone: boolean): boolean {
    const before = this.#waiting;
    this.#pool.tick(this.#nowMs);
    this.#fill();
    this.#fruitlessWakes = this.#waiting === before ? this.#fruitlessWakes + 1 : 0;
    if (this.#fruitlessWakes < FRUITLESS_WAKES) return true;
    assertInvariant(
      this.#pool.nextWakeMs() > this.#nowMs,
      () => `the scheduler wakes at ${this.#nowMs} again and again`,
    );
    return !isAlone;
  }

  #complete(ending: InService<R>): void {
    const { request, scheduler, dispatchedAtMs, cost, promoted } = ending;
    this.#pool.end(ending);
    this.#open.delete(request);
    const status = request.client === undefined ? 'ok' : statusOfCall(request, dispatchedAtMs);
    const isKnown = scheduler.complete(request.id, this.#reportsCost ? cost : null, status, this.#nowMs);
    assertInvariant(isKnown, () => `the scheduler does not know request ${request.id} that it gave out`);
    this.#onEnded(served(request, { dispatchedAtMs, endedAtMs: this.#nowMs, cost, status, promoted }));
  }

  #changeSlots(): void {
    const change = this.#slotChanges[this.#slotChangeIndex++];
    if (change !== undefined) this.#pool.setSlots(change.slots, this.#nowMs);
  }

  /** Of the workload or of a retry. */
  #nextArrivalMs(): number {
    return Math.min(this.#next?.arrivedAtMs ?? NEVER, this.#retries.peek()?.atMs ?? NEVER);
  }

  #arrive(): void {
    const isFresh = this.#next !== null && this.#next.arrivedAtMs <= (this.#retries.peek()?.atMs ?? NEVER);
    const request = isFresh ? this.#next : (this.#retries.pop()?.request ?? null);
    if (request === null) return;
    if (isFresh) this.#next = this.#readArrival();
    const slots = request.slots ?? 1;
    assertInvariant(
      slots > 0 && slots <= this.#mostSlots,
      () => `request ${request.id} needs ${slots} of ${this.#mostSlots} slots: it would wait for ever`,
    );
    const worker = this.#pool.workerOf(request);
    let result = worker.scheduler.offer(request, this.#nowMs);
    // Room may be wanting only because those before it in this instant have not been served yet.
    if (result.refused !== null && this.#fill()) result = worker.scheduler.offer(request, this.#nowMs);
    if (result.refused !== null) {
      this.#refuse(request, result.refused, result.retryAfterMs);
      return;
    }
    this.#open.set(request, null);
    this.#waiting++;
    worker.waiting++;
    this.#meter.waits(request, 1);
    const givesUpAfterMs = request.client?.givesUpAfterMs ?? null;
    if (givesUpAfterMs === null) return;
    this.#patience.push({ request, atMs: this.#nowMs + givesUpAfterMs, order: this.#order++ });
  }

  #start(request: R): void {
    this.#open.set(request, this.#nowMs);
    this.#waiting--;
    this.#meter.waits(request, -1);
  }

  #leave(request: R): void {
    this.#open.delete(request);
    this.#waiting--;
    this.#pool.workerOf(request).waiting--;
    this.#meter.waits(request, -1);
  }

  #refuseWaiting(request: R, reason: RefusalReason, nowMs: number): void {
    assertInvariant(this.#open.get(request) === null, () => `request ${request.id} was refused and does not wait`);
    assertInvariant(nowMs === this.#nowMs, () => `request ${request.id} was refused at ${nowMs}: it is ${this.#nowMs}`);
    this.#leave(request);
    this.#refuse(request, reason, null);
  }

  #refuse(request: R, reason: RefusalReason, retryAfterMs: number | null): void {
    this.#onEnded(refused(request, reason, this.#nowMs));
    if (request.client === undefined) return;
    const next = decideNextAttempt(request, { atMs: this.#nowMs, retryAfterMs }, this.#seed);
    if (next !== null) this.#retries.push({ request: next, atMs: next.arrivedAtMs, order: this.#order++ });
  }

  #giveUp(): void {
    const request = this.#patience.pop()?.request;
    if (request === undefined || this.#open.get(request) !== null) return;
    const { scheduler } = this.#pool.workerOf(request);
    assertInvariant(
      scheduler.cancel(request.id, this.#nowMs),
      () => `request ${request.id} waits and cannot be cancelled`,
    );
    this.#leave(request);
    this.#onEnded(givenUp(request, this.#nowMs));
  }

  #readArrival(): R | null {
    const result = this.#arrivals.next();
    if (result.done === true) return null;
    const previousMs = this.#next?.arrivedAtMs ?? Number.NEGATIVE_INFINITY;
    assertInvariant(result.value.arrivedAtMs >= previousMs, 'requests must come in order of arrival');
    return result.value;
  }
}

function isBefore<R>(left: Timed<R>, right: Timed<R>): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}
