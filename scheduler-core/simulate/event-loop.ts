import { assertInvariant } from '../kernel/index.ts';
import { BinaryHeap } from '../queue/binary-heap.ts';
import type { QueueDiscipline, QueueRefusal } from '../queue/scheduler.ts';
import type { SimulatedRequest } from './workload.ts';

interface EndedBase {
  readonly id: string;
  readonly tenant: string;
  /** Times in ms on the workload's scale, fractional; arrival ≤ dispatch ≤ completion. */
  readonly arrivedAtMs: number;
  /** The service it asked for, whether or not it got it. */
  readonly serviceMs: number;
  readonly slots: number;
}

export interface CompletedRequest extends EndedBase {
  readonly outcome: 'admitted';
  readonly reason: null;
  readonly dispatchedAtMs: number;
  readonly completedAtMs: number;
}

export interface RejectedRequest extends EndedBase {
  readonly outcome: 'rejected';
  readonly reason: QueueRefusal;
  readonly dispatchedAtMs: null;
  readonly completedAtMs: null;
}

/** A request of which nothing more is to come: it was served, or refused on arrival. */
export type EndedRequest = CompletedRequest | RejectedRequest;

/** A request that waits (`dispatchedAtMs` null) or is being served. */
export interface OpenRequest {
  readonly request: SimulatedRequest;
  readonly dispatchedAtMs: number | null;
}

export interface EventLoopOptions {
  /** In order of arrival. Read one request ahead; may be endless. */
  readonly arrivals: Iterable<SimulatedRequest>;
  readonly discipline: QueueDiscipline<SimulatedRequest>;
  /** How many slots serve; > 0. No request may need more. */
  readonly slots: number;
}

interface InService {
  readonly request: SimulatedRequest;
  readonly dispatchedAtMs: number;
  readonly completedAtMs: number;
  readonly order: number;
}

/**
 * A discrete-event loop over arrivals, a queue and servers. It moves only when told how far: at once to the end
 * (`runToEnd`), or in steps as real time goes by (`advanceTo`); the steps change nothing in what happens. At one instant
 * completions come before arrivals, and those in order of dispatch. Memory: the waiting requests and the served ones.
 *
 * A request that needs more slots than are free waits at the head, and those behind it with it.
 */
export class EventLoop {
  readonly #arrivals: Iterator<SimulatedRequest>;
  readonly #discipline: QueueDiscipline<SimulatedRequest>;
  readonly #slots: number;
  readonly #inService = new BinaryHeap<InService>(
    (left, right) =>
      left.completedAtMs < right.completedAtMs ||
      (left.completedAtMs === right.completedAtMs && left.order < right.order),
  );
  /** Waiting and served requests in order of arrival, with the time of dispatch. */
  readonly #open = new Map<SimulatedRequest, number | null>();
  /** The next arrival, read ahead; null when there is none. */
  #next: SimulatedRequest | null = null;
  /** Taken from the queue, and waiting for slots. */
  #held: SimulatedRequest | null = null;
  #freeSlots: number;
  #dispatches = 0;

  constructor(options: EventLoopOptions) {
    assertInvariant(options.slots > 0, `slots must be positive, not ${options.slots}`);
    this.#arrivals = options.arrivals[Symbol.iterator]();
    this.#discipline = options.discipline;
    this.#slots = options.slots;
    this.#freeSlots = options.slots;
    this.#next = this.#readArrival();
  }

  /** The requests that ended after the previous step and up to `nowMs` (inclusive), in the order in which they ended. */
  advanceTo(nowMs: number): EndedRequest[] {
    const ended: EndedRequest[] = [];
    for (let request = this.#step(nowMs); request !== null; request = this.#step(nowMs)) ended.push(request);
    return ended;
  }

  /** Every request in the order in which they end, until the arrivals are over and the queue has drained. */
  *runToEnd(): Generator<EndedRequest, void, undefined> {
    const endMs = Number.POSITIVE_INFINITY;
    for (let request = this.#step(endMs); request !== null; request = this.#step(endMs)) yield request;
  }

  /** The requests that wait or are being served now, in order of arrival. The loop must not move meanwhile. */
  *openRequests(): Generator<OpenRequest, void, undefined> {
    for (const [request, dispatchedAtMs] of this.#open) yield { request, dispatchedAtMs };
  }

  /** Goes on to the next request that ends at or before `untilMs`; null when there is none. */
  #step(untilMs: number): EndedRequest | null {
    for (;;) {
      const completion = this.#inService.peek();
      const arrival = this.#next;
      if (completion !== undefined && (arrival === null || completion.completedAtMs <= arrival.arrivedAtMs)) {
        return completion.completedAtMs <= untilMs ? this.#complete(completion) : null;
      }
      if (arrival === null || arrival.arrivedAtMs > untilMs) return null;
      const rejected = this.#arrive(arrival);
      if (rejected !== null) return rejected;
    }
  }

  #complete(served: InService): CompletedRequest {
    const { request, dispatchedAtMs, completedAtMs } = served;
    this.#inService.pop();
    this.#open.delete(request);
    this.#freeSlots += request.slots;
    this.#dispatch(completedAtMs);
    const { id, tenant, arrivedAtMs, serviceMs, slots } = request;
    // Written out: spreading an object here made the whole loop four times slower.
    return {
      id,
      tenant,
      arrivedAtMs,
      serviceMs,
      slots,
      outcome: 'admitted',
      reason: null,
      dispatchedAtMs,
      completedAtMs,
    };
  }

  #arrive(request: SimulatedRequest): RejectedRequest | null {
    assertInvariant(
      request.slots > 0 && request.slots <= this.#slots,
      `a request needs ${request.slots} of ${this.#slots} slots: it would wait for ever`,
    );
    this.#next = this.#readArrival();
    const { refused } = this.#discipline.offer(request, request.arrivedAtMs);
    if (refused !== null) {
      return reject(request, refused);
    }
    this.#open.set(request, null);
    this.#dispatch(request.arrivedAtMs);
    return null;
  }

  /** Puts waiting requests into service while slots are free. */
  #dispatch(nowMs: number): void {
    while (this.#freeSlots > 0) {
      const request = this.#held ?? this.#discipline.take(nowMs);
      if (request === null) return;
      if (request.slots > this.#freeSlots) {
        this.#held = request;
        return;
      }
      this.#held = null;
      this.#freeSlots -= request.slots;
      this.#open.set(request, nowMs);
      const completedAtMs = nowMs + request.serviceMs;
      this.#inService.push({ request, dispatchedAtMs: nowMs, completedAtMs, order: this.#dispatches++ });
    }
  }

  #readArrival(): SimulatedRequest | null {
    const result = this.#arrivals.next();
    if (result.done === true) return null;
    const previousMs = this.#next?.arrivedAtMs ?? Number.NEGATIVE_INFINITY;
    assertInvariant(result.value.arrivedAtMs >= previousMs, 'requests must come in order of arrival');
    return result.value;
  }
}

function reject(
  { id, tenant, arrivedAtMs, serviceMs, slots }: SimulatedRequest,
  reason: QueueRefusal,
): RejectedRequest {
  return {
    id,
    tenant,
    arrivedAtMs,
    serviceMs,
    slots,
    outcome: 'rejected',
    reason,
    dispatchedAtMs: null,
    completedAtMs: null,
  };
}
