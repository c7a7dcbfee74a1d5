import type { CompletionStatus, Dispatch, OfferResult, RefusalReason, Request } from '../model.ts';

export interface SchedulerOptions<R extends Request = Request> {
  /** The time now, ms on any scale; later calls continue it. */
  readonly nowMs: number;
  /** Of the chances that a policy takes (weighted priority); default 1. */
  readonly seed?: number;
  /** Slots that serve, for predictions of waits; default 1. May change with `setSlots`. */
  readonly slots?: number;
  /** Called for each waiting request that the scheduler itself gives up (its wait budget ran out). */
  readonly onRefused?: (request: R, reason: RefusalReason, nowMs: number) => void;
}

export interface TenantSnapshot {
  readonly tenant: string;
  readonly weight: number;
  readonly waiting: number;
  readonly waitingCost: number;
  readonly inFlight: number;
  readonly breaker: 'closed' | 'open' | 'half_open';
}

export interface ClassSnapshot {
  readonly class: string;
  readonly weight: number;
  readonly paused: boolean;
  readonly boosted: boolean;
}

export interface SchedulerSnapshot {
  readonly nowMs: number;
  readonly waiting: number;
  readonly inFlight: number;
  readonly promotedInFlight: number;
  readonly promotions: number;
  /** Σ depth ÷ Σ limit in [0, 1]; 0 where no limit is set. */
  readonly loadRatio: number;
  /** Factor on refill rates by adaptive admission. */
  readonly refillFactor: number;
  /** The rung of the degradation ladder; null: none. */
  readonly level: string | null;
  /** Tenants with something waiting or in flight, in code-unit order. */
  readonly tenants: readonly TenantSnapshot[];
  /** Classes that the policy names, in code-unit order. */
  readonly classes: readonly ClassSnapshot[];
}

/**
 * Who is admitted, who waits, who is next. Pure: time comes in, never goes back on its own, and the same calls give the
 * same answers. Nothing throws for what callers of a gateway do; `EVS_INVARIANT` is for what its code gets wrong.
 */
export interface Scheduler<R extends Request = Request> {
  /** Takes the request into the queue, or says why not. A refused request leaves no trace but in the breaker and quota. */
  offer(request: R, nowMs: number): OfferResult;
  /** The request to serve next, of those that fit `freeSlots` (default: any); null when none may go now. */
  take(nowMs: number, freeSlots?: number): Dispatch<R> | null;
  /** The server needed so much more than was charged until now: a stream that goes on. */
  charge(id: string, cost: number, nowMs: number): void;
  /**
   * A dispatched request has ended. `actualCost` in the policy's unit; null when nobody knows: the estimate stands.
   * False when the id is not in flight: each request is settled once.
   */
  complete(id: string, actualCost: number | null, status: CompletionStatus, nowMs: number): boolean;
  /** A waiting request has gone: it leaves the queue and its cost is not charged. False when it does not wait. */
  cancel(id: string, nowMs: number): boolean;
  /** Controllers do what is due. Called at `nextWakeMs`, or as often as one likes. */
  tick(nowMs: number): void;
  /** When something happens by itself next: a budget runs out, a bucket refills, a controller is due. Infinity: nothing. */
  nextWakeMs(): number;
  /** Of the tenant; holds for later arrivals (drr: from its next turn). Finite, > 0. Throws `EVS_POLICY`. */
  setWeight(tenant: string, weight: number, nowMs: number): void;
  /** How many slots serve from now on; ≥ 0. */
  setSlots(slots: number, nowMs: number): void;
  snapshot(nowMs: number): SchedulerSnapshot;
}
