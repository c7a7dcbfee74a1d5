import type { Request } from '../model.ts';
import type { Span } from './rate-profile.ts';

/** How a client comes back after a refusal. */
export interface RetryPlan {
  /** Attempts in all, the first among them: an integer ≥ 2. */
  readonly maxAttempts: number;
  /** Before the second attempt, ms; > 0. */
  readonly backoffMs: number;
  /** Each further delay is so many times the one before; ≥ 1. */
  readonly backoffFactor: number;
  /** Up to this part of the delay is added by chance; ≥ 0. */
  readonly jitterRatio: number;
  /** Waits at least as long as it was told to. */
  readonly honoursRetryAfter: boolean;
}

/** What the client of a request does by itself. One object for all requests of a load. */
export interface Client {
  /** It leaves the queue when it has waited so long, ms; > 0. Null: never. */
  readonly givesUpAfterMs: number | null;
  readonly retry: RetryPlan | null;
  /** Calls that go to a server within these spans (sorted, disjoint) end with an error. */
  readonly failing: readonly Span[];
}

/** A request of which all is known beforehand, as only a simulation or a record knows it. */
export interface SimulatedRequest extends Request {
  /** On the workload's scale, ms; may be fractional. */
  readonly arrivedAtMs: number;
  /** How long its slots are busy with it, ms; ≥ 0, fractional. */
  readonly serviceMs: number;
  /** What it really takes, in the cost unit of the estimate; ≥ 0. Default: the estimate. */
  readonly actualCost?: number;
  /** What it counts in shares. Default: by their unit 1, its service time × slots, or its cost. */
  readonly shareCost?: number;
  readonly client?: Client;
  /** 1 for the first. Default 1. */
  readonly attempt?: number;
  /** The id of the first attempt. Default: its own. */
  readonly originalId?: string;
  /** Which worker's queue it goes to, from 0; default 0. */
  readonly worker?: number;
}
