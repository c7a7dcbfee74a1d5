import type { Outcome, RejectReason, Status } from '../event/decision-event.ts';

/** RFC 3339 text, epoch milliseconds, or a Date. */
export type EmittedTime = string | number | Date;

/**
 * What is known of one request at one moment; docs/events.md has the meaning and range of each field. Any other field
 * is kept as a label.
 */
export interface EmittedDecision {
  readonly schema?: 'evenshare.decision.v1';
  readonly request_id: string;
  readonly tenant: string;
  readonly arrived_at: EmittedTime;
  readonly pool?: string;
  readonly class?: string;
  readonly outcome?: Outcome;
  readonly reason?: RejectReason;
  readonly dispatched_at?: EmittedTime;
  readonly completed_at?: EmittedTime;
  readonly status?: Status;
  readonly cost_estimate?: number;
  readonly cost?: number;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly slots?: number;
  readonly attempt?: number;
  readonly original_request_id?: string;
  readonly retry_after_ms?: number;
  readonly promoted?: boolean;
  readonly weight?: number;
  readonly queue_depth?: number;
  readonly wait_budget_ms?: number;
  readonly gateway?: string;
  readonly [label: string]: unknown;
}

/** What a pool can do from a moment on: `slots` or `capacity_per_s`. */
export interface EmittedPool {
  readonly schema: 'evenshare.pool.v1';
  readonly pool: string;
  readonly at: EmittedTime;
  readonly slots?: number;
  readonly capacity_per_s?: number;
}

/** How many decisions the gateway itself counted from `from` to before `to`. */
export interface EmittedCoverage {
  readonly schema: 'evenshare.coverage.v1';
  readonly gateway: string;
  readonly pool: string;
  readonly from: EmittedTime;
  readonly to: EmittedTime;
  readonly decisions: number;
}

export type EmittedEvent = EmittedDecision | EmittedPool | EmittedCoverage;
