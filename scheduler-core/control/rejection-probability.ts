import { assertInvariant } from '../kernel/assert.ts';

export interface SuccessRateFigures {
  /** n: requests of the window. */
  readonly requests: number;
  /** s: those that succeeded. */
  readonly successes: number;
  /** The success rate below which requests are rejected, in (0, 1]. */
  readonly threshold: number;
  /** How steeply: 1 linear, larger steeper at first; > 0. */
  readonly aggression: number;
}

/**
 * Rejection by success rate: `P = max(0, (n − s/threshold)/(n + 1))^(1/aggression)`, in [0, 1).
 * Source: Envoy, admission control filter.
 */
export function successRateRejection({ requests, successes, threshold, aggression }: SuccessRateFigures): number {
  assertInvariant(threshold > 0 && aggression > 0, 'threshold and aggression must be > 0');
  return Math.max(0, (requests - successes / threshold) / (requests + 1)) ** (1 / aggression);
}

export interface ClientThrottleFigures {
  /** Requests that the client wanted to send in the window. */
  readonly requests: number;
  /** Those that the server accepted. */
  readonly accepts: number;
  /** K: how many it may send per accepted one; ≥ 1, usually 2. */
  readonly multiplier: number;
}

/**
 * Rejection at the client of a server that is overloaded: `P = max(0, (requests − K · accepts)/(requests + 1))`, in [0, 1).
 * Source: Beyer et al., Site Reliability Engineering, "Handling Overload".
 */
export function clientThrottleRejection({ requests, accepts, multiplier }: ClientThrottleFigures): number {
  return Math.max(0, (requests - multiplier * accepts) / (requests + 1));
}
