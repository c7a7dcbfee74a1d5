/** How a derived figure came to be known, from best to worst. `skewed` (clocks disagree) is found when events are merged. */
export const PROVENANCES = ['measured', 'derived', 'bounded', 'censored', 'absent'] as const;
export type Provenance = (typeof PROVENANCES)[number];

export const OUTCOMES = ['admitted', 'rejected'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const REJECT_REASONS = [
  'quota',
  'queue_full',
  'wait_budget',
  'circuit_open',
  'degraded',
  'unknown_tenant',
  'priority',
  'other',
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

export const STATUSES = ['ok', 'error', 'timeout', 'cancelled'] as const;
export type Status = (typeof STATUSES)[number];

/**
 * What one event says of one request (specification: docs/events.md). `null` means that the event does not say: defaults
 * apply only after all events of a request are merged. Times are epoch milliseconds (UTC).
 */
export interface DecisionEvent {
  readonly requestId: string;
  readonly pool: string;
  readonly tenant: string;
  /** ≥ 1; part of the identity (pool, requestId, attempt, arrivedAtMs), so its default 1 is applied at once. */
  readonly attempt: number;
  readonly arrivedAtMs: number;
  readonly class: string | null;
  readonly outcome: Outcome | null;
  readonly reason: RejectReason | null;
  readonly dispatchedAtMs: number | null;
  readonly completedAtMs: number | null;
  readonly status: Status | null;
  /** In the pool's cost unit, ≥ 0. */
  readonly costEstimate: number | null;
  readonly cost: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly slots: number | null;
  readonly originalRequestId: string | null;
  readonly retryAfterMs: number | null;
  readonly promoted: boolean | null;
  readonly weight: number | null;
  readonly queueDepth: number | null;
  readonly waitBudgetMs: number | null;
  readonly gateway: string | null;
  /** Unknown fields as a JSON object text of at most 4 KiB; null when there are none. */
  readonly labels: string | null;
  /** null = measured. */
  readonly tenantProvenance: Provenance | null;
  /** Provenance of the queue wait (dispatch − arrival); null = measured. */
  readonly waitProvenance: Provenance | null;
}

/** `evenshare.pool.v1`: what a pool can do from `atMs` on. Exactly one of the two figures is not null. */
export interface PoolAnnouncement {
  readonly pool: string;
  readonly atMs: number;
  readonly slots: number | null;
  readonly capacityPerS: number | null;
}

/** `evenshare.coverage.v1`: how many decisions a gateway itself counted in `[fromMs, toMs)`. */
export interface CoverageReport {
  readonly gateway: string;
  readonly pool: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly decisions: number;
}

/** Why a record became no event. Stable; users see it in reports, on `/metrics` and in the dead letters. */
export const RECORD_REJECT_CODES = [
  'not_json',
  'not_object',
  'not_utf8',
  'line_too_long',
  'torn_line',
  'unknown_schema',
  'missing_field',
  'wrong_type',
  'empty_value',
  'value_too_long',
  'control_character',
  'out_of_range',
  'number_precision',
  'unknown_value',
  'time_format',
  'time_unit',
  'in_future',
  'too_late',
  'wrong_columns',
  'store_refused',
] as const;
export type RecordRejectCode = (typeof RECORD_REJECT_CODES)[number];

/** What a record turned out to be. A rejection is a value: it goes to the dead letters, never lost, never thrown. */
export type RecordOutcome =
  | { readonly kind: 'decision'; readonly event: DecisionEvent }
  | { readonly kind: 'pool'; readonly announcement: PoolAnnouncement }
  | { readonly kind: 'coverage'; readonly report: CoverageReport }
  | {
      readonly kind: 'rejected';
      readonly code: RecordRejectCode;
      readonly detail: string;
      /** Of a record that came with others: its own text, by which it can be tried again; absent: all that came. */
      readonly raw?: string;
    }
  /** Nothing to read: a blank line, a header, a comment. */
  | { readonly kind: 'skip' };

/** A record that became no event, with the reason. */
export type Rejection = Extract<RecordOutcome, { readonly kind: 'rejected' }>;

/** A rejection as a value; `detail` names the field and how to mend it, and never quotes the record. */
export function reject(code: RecordRejectCode, detail: string): Rejection {
  return { kind: 'rejected', code, detail };
}
