/** Names and limits of the wire form (specification: docs/events.md). Lengths are in code points. */
export const DECISION_SCHEMA = 'evenshare.decision.v1';
export const POOL_SCHEMA = 'evenshare.pool.v1';
export const COVERAGE_SCHEMA = 'evenshare.coverage.v1';

export const MAX_REQUEST_ID = 128;
export const MAX_POOL = 64;
export const MAX_TENANT = 128;
/** Of `class`, `gateway` and `original_request_id`. */
export const MAX_NAME = 128;
export const MAX_ATTEMPT = 65_535;

/** Every field of a decision on the wire; what is not here is a label. */
export const DECISION_FIELDS = [
  'schema',
  'request_id',
  'pool',
  'tenant',
  'class',
  'arrived_at',
  'outcome',
  'reason',
  'dispatched_at',
  'completed_at',
  'status',
  'cost_estimate',
  'cost',
  'input_tokens',
  'output_tokens',
  'slots',
  'attempt',
  'original_request_id',
  'retry_after_ms',
  'promoted',
  'weight',
  'queue_depth',
  'wait_budget_ms',
  'gateway',
] as const;
export type DecisionField = (typeof DECISION_FIELDS)[number];

export const DECISION_FIELD_SET: ReadonlySet<string> = new Set(DECISION_FIELDS);
