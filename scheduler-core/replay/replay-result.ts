import type { SimulationResult } from '../simulate/simulation-result.ts';
import type { ServiceBasis } from './service-times.ts';

/** Why there is no fidelity. */
export type FidelityUnknown =
  /** Nobody said under which policy the log was made. */
  | 'recorded_policy_not_named'
  /** The log does not tell how long requests waited. */
  | 'no_waits';

/** How well a replay under the policy of the log gives back what was recorded. Ratios: null where the recorded is 0. */
export interface Fidelity {
  readonly policy: string;
  readonly wait_p50_error_ratio: number | null;
  readonly wait_p50_error_reason?: 'recorded_zero' | 'no_samples';
  readonly wait_p99_error_ratio: number | null;
  readonly wait_p99_error_reason?: 'recorded_zero' | 'no_samples';
  readonly ks: number | null;
  readonly ks_reason?: 'no_samples';
  readonly w1_over_mean: number | null;
  readonly w1_over_mean_reason?: 'recorded_zero' | 'no_samples';
  readonly jain_recorded: number | null;
  readonly jain_replayed: number | null;
  readonly rejections_recorded: number;
  readonly rejections_replayed: number;
  /** The audit of single decisions. */
  readonly decisions: null;
  readonly decisions_reason: 'not_audited';
  /** Loads that the record has seen; `inside` false: it had more slots in service than the replay. */
  readonly envelope: { readonly load_min: number; readonly load_max: number; readonly inside: boolean } | null;
  readonly envelope_reason?: 'no_span';
}

/** A replay, as `replay --json` prints it: the first policy is `as recorded`. */
export interface ReplayResult extends SimulationResult {
  readonly pool: string;
  readonly service_times: ServiceBasis;
  /** The most slots that the record has in service at once: more than `slots` cannot be. */
  readonly recorded_most_slots: number;
  readonly fidelity: Fidelity | null;
  readonly fidelity_reason?: FidelityUnknown;
}
