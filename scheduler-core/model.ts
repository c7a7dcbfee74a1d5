/**
 * What a scheduler knows of a request when it arrives. Immutable; a scheduler hands back the very object it was given.
 */
export interface Request {
  /** Identity within the pool. Opaque. */
  readonly id: string;
  /** Who pays for it. Opaque, compared code unit by code unit. */
  readonly tenant: string;
  /** On the caller's time scale, ms; may be fractional. */
  readonly arrivedAtMs: number;
  /** What it is expected to take of the pool, in the pool's cost unit; finite, ≥ 0. */
  readonly costEstimate: number;
  /** How many of the pool's slots it holds while served; > 0. */
  readonly slots: number;
}

/** Arrival order, one queue for all. `totalLimit`: how many requests may wait (an integer ≥ 1, or Infinity). */
export interface FifoPolicy {
  readonly kind: 'fifo';
  readonly totalLimit: number;
}

/** Deficit round robin over one queue per tenant. Limits, quantum and weights as `DeficitRoundRobinQueue` wants them. */
export interface DeficitRoundRobinPolicy {
  readonly kind: 'drr';
  /** Cost granted per round to a tenant of weight 1, in the pool's cost unit; finite, > 0. */
  readonly quantumCost: number;
  /** How many requests of one tenant may wait (an integer ≥ 1, or Infinity). */
  readonly perTenantLimit: number;
  /** Finite, > 0 each. A tenant that is not named has `defaultWeight`. */
  readonly weights: ReadonlyMap<string, number>;
  readonly defaultWeight: number;
}

/** Which requests may wait and who is next. */
export type QueuePolicy = FifoPolicy | DeficitRoundRobinPolicy;
