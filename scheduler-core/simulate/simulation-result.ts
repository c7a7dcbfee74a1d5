/** Why a figure is null. */
export type Unknown =
  /** Nobody wanted, or got, anything in the measured span. */
  | 'no_demand'
  /** Nothing was in service up to the end of the measured span, so nobody knows how fast the slots are. */
  | 'nothing_served_yet'
  /** No request counts for it. */
  | 'no_samples'
  /** The record does not tell how long requests waited. */
  | 'no_waits'
  /** No request states how long it could wait. */
  | 'no_budgets'
  /** Nobody was refused. */
  | 'none_rejected';

/** Ranks by the rule of `quantileRank`, ms; all null where there are no samples. */
export interface WaitFigures {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
  readonly samples: number;
}

/** One tenant under one policy. Spans as in `SimulationResult`. */
export interface TenantResult {
  readonly tenant: string;
  readonly weight: number;
  /** In the measured span: requests that arrived, of these those taken into the queue, and completions. */
  readonly arrived: number;
  readonly admitted: number;
  readonly completed: number;
  /** Its part of all completions. */
  readonly completed_ratio: number | null;
  readonly completed_ratio_reason?: Unknown;
  readonly rate_rps: number;
  /** Cost of what was completed. */
  readonly completed_cost: number;
  readonly demand_cost: number;
  readonly fair_share_cost: number | null;
  readonly fair_share_reason?: Unknown;
  /** Work done in the span, which is not that of the completions: services reach over its bounds. */
  readonly served_cost: number;
  readonly normalized_share: number | null;
  readonly normalized_share_reason?: Unknown;
  readonly in_share: boolean | null;
  readonly in_share_reason?: Unknown;
  readonly lag_cost: number;
  /** Cost of requests that arrived in the span and that its own quota refused: no demand. */
  readonly quota_refused_cost: number;
  /** Over the whole run. */
  readonly rejected: Readonly<Record<string, number>>;
  readonly given_up: number;
  readonly waiting_at_end: number;
  readonly promotions: number;
  readonly max_sojourn_ms: number | null;
  readonly max_sojourn_reason?: Unknown;
  readonly max_wait_ms: number | null;
  readonly max_wait_reason?: Unknown;
  /** By reason, when the first and the last of `rejected` were. */
  readonly rejected_between_ms: Readonly<Record<string, { readonly first: number; readonly last: number }>>;
  readonly first_rejected_at_ms: number | null;
  readonly first_rejected_reason?: Unknown;
  /** Requests that waited, or had to give up, beyond what they could wait. */
  readonly over_budget: number | null;
  readonly over_budget_reason?: Unknown;
  /** Of requests that arrived in the measured span: see `in_share_p99_wait_ms`. */
  readonly wait_ms: WaitFigures;
  readonly wait_reason?: Unknown;
}

/** How a class's weight moved while controllers held it. */
export interface ClassWeights {
  readonly class: string;
  readonly first: number;
  readonly last: number;
  readonly least: number;
  readonly most: number;
  /** How often it rose after falling or fell after rising. */
  readonly turns: number;
}

/** A span in which something held: a rung of the degradation ladder. */
export interface Episode {
  readonly what: string;
  readonly from_ms: number;
  /** Null: it still held at the end of the run. */
  readonly to_ms: number | null;
}

/** What controllers did, as far as looks at regular times show it. */
export interface ControllerResult {
  readonly sampled_every_ms: number;
  readonly class_weights: readonly ClassWeights[];
  readonly levels: readonly Episode[];
  readonly load_ratio: { readonly max: number; readonly last: number };
  readonly refill_factor: { readonly min: number; readonly max: number; readonly last: number };
}

export interface PolicyResult {
  readonly policy: string;
  readonly jain_index: number | null;
  readonly jain_index_reason?: Unknown;
  readonly min_normalized_share: { readonly value: number; readonly tenant: string } | null;
  readonly min_normalized_share_reason?: Unknown;
  /** p99 of the waits of requests of in-share tenants that arrived in the measured span. */
  readonly in_share_p99_wait_ms: number | null;
  readonly in_share_p99_wait_reason?: Unknown;
  readonly in_share_samples: number;
  /** The same without tenants that their own quota refused in the span: what those meet who kept within theirs. */
  readonly in_share_uncapped_p99_wait_ms: number | null;
  readonly in_share_uncapped_p99_wait_reason?: Unknown;
  /** Slot-time busy ÷ available, over the run. */
  readonly utilization_ratio: number | null;
  readonly utilization_reason?: Unknown;
  /** Slot-time idle while a waiting request would have fitted ÷ available, in the measured span. */
  readonly idle_while_waiting_ratio: number | null;
  readonly idle_while_waiting_reason?: Unknown;
  readonly promotions: number;
  readonly mean_sojourn_ms: number | null;
  readonly mean_sojourn_reason?: Unknown;
  readonly throughput_rps: number;
  readonly capacity_cost: number | null;
  readonly capacity_reason?: Unknown;
  readonly completed_cost: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly given_up: number;
  readonly over_budget: number | null;
  readonly over_budget_reason?: Unknown;
  readonly waiting_at_end: number;
  readonly controllers?: ControllerResult;
  readonly tenants: readonly TenantResult[];
}

/**
 * A simulation under one or more policies, as `simulate --json` prints it. `measured` is the span of shares, rates,
 * arrivals and window figures: arrivals in `[from, to)`, completions in `(from, to]`. Sojourn times (completion −
 * arrival), `promotions`, `utilization_ratio`, `rejected`, `given_up`, `over_budget` are over the whole run, until it
 * drains; utilization over `run`.
 */
export interface SimulationResult {
  readonly scenario: string;
  readonly seed: number;
  /** Of the workload, without retries. */
  readonly requests: number;
  readonly cost_unit: string;
  readonly slots: number;
  readonly measured: { readonly from_ms: number; readonly to_ms: number };
  readonly run: { readonly from_ms: number; readonly to_ms: number };
  readonly policies: readonly PolicyResult[];
}
