import { unwrapCloudEvent } from './cloud-event.ts';
import {
  type DecisionEvent,
  OUTCOMES,
  REJECT_REASONS,
  type RecordOutcome,
  type Rejection,
  reject,
  STATUSES,
} from './decision-event.ts';
import {
  COVERAGE_SCHEMA,
  DECISION_FIELD_SET,
  DECISION_SCHEMA,
  MAX_ATTEMPT,
  MAX_NAME,
  MAX_POOL,
  MAX_REQUEST_ID,
  MAX_TENANT,
  POOL_SCHEMA,
} from './event-fields.ts';
import { FieldReader } from './field-reader.ts';
import { isJsonObject, type JsonObject, parseJsonText, rejectNonObject } from './json-object.ts';
import { collectLabels } from './labels.ts';
import { parseCoverageReport, parsePoolAnnouncement } from './parse-announcement.ts';

/** What a record's surroundings say in its place. */
export interface ParseOptions {
  /** Pool of records that name none. */
  readonly defaultPool: string;
  /** Tenant of records that name none (provenance `derived`); null refuses them with `missing_field`. */
  readonly defaultTenant: string | null;
}

export interface ParseTextOptions extends ParseOptions {
  /** The text is the last of its input and ended without a newline: see `torn_line`. Default false. */
  readonly isUnterminated?: boolean;
}

function readDecision(read: FieldReader, value: JsonObject, options: ParseOptions): DecisionEvent {
  const tenant = value.tenant ?? options.defaultTenant;
  return {
    requestId: read.requiredText('request_id', value.request_id, MAX_REQUEST_ID),
    pool: read.requiredText('pool', value.pool ?? options.defaultPool, MAX_POOL),
    tenant: read.requiredText('tenant', tenant, MAX_TENANT),
    attempt: read.integer('attempt', value.attempt, 1, MAX_ATTEMPT) ?? 1,
    arrivedAtMs: read.requiredTime('arrived_at', value.arrived_at),
    class: read.text('class', value.class, MAX_NAME),
    outcome: read.oneOf('outcome', value.outcome, OUTCOMES),
    reason: read.oneOf('reason', value.reason, REJECT_REASONS),
    dispatchedAtMs: read.time('dispatched_at', value.dispatched_at),
    completedAtMs: read.time('completed_at', value.completed_at),
    status: read.oneOf('status', value.status, STATUSES),
    costEstimate: read.number('cost_estimate', value.cost_estimate, 0),
    cost: read.number('cost', value.cost, 0),
    inputTokens: read.integer('input_tokens', value.input_tokens, 0),
    outputTokens: read.integer('output_tokens', value.output_tokens, 0),
    slots: read.positive('slots', value.slots),
    originalRequestId: read.text('original_request_id', value.original_request_id, MAX_NAME),
    retryAfterMs: read.number('retry_after_ms', value.retry_after_ms, 0),
    promoted: read.boolean('promoted', value.promoted),
    weight: read.number('weight', value.weight, 0),
    queueDepth: read.number('queue_depth', value.queue_depth, 0),
    waitBudgetMs: read.number('wait_budget_ms', value.wait_budget_ms, 0),
    gateway: read.text('gateway', value.gateway, MAX_NAME),
    labels: hasUnknownField(value) ? collectLabels(value, DECISION_FIELD_SET) : null,
    tenantProvenance: tenant === value.tenant ? null : 'derived',
    waitProvenance: null,
  };
}

function hasUnknownField(value: JsonObject): boolean {
  for (const key in value) if (!DECISION_FIELD_SET.has(key)) return true;
  return false;
}

function parseDecisionFields(value: JsonObject, options: ParseOptions): RecordOutcome {
  const read = new FieldReader();
  const event = readDecision(read, value, options);
  if (read.fault !== null) return read.fault;
  if (event.outcome === 'rejected' && event.reason === null) {
    return reject('missing_field', `reason is missing: a rejected request names one of ${REJECT_REASONS.join(', ')}`);
  }
  return { kind: 'decision', event };
}

function rejectSchema(): Rejection {
  const known = [DECISION_SCHEMA, POOL_SCHEMA, COVERAGE_SCHEMA].join(', ');
  return reject('unknown_schema', `schema is not known here: use ${known}, or leave it out for a decision`);
}

function parsePlain(value: JsonObject, options: ParseOptions): RecordOutcome {
  switch (value.schema) {
    case undefined:
    case null:
    case DECISION_SCHEMA:
      return parseDecisionFields(value, options);
    case POOL_SCHEMA:
      return parsePoolAnnouncement(value, options.defaultPool);
    case COVERAGE_SCHEMA:
      return parseCoverageReport(value, options.defaultPool);
    default:
      return rejectSchema();
  }
}

/**
 * What a parsed JSON value says: a decision (`evenshare.decision.v1`, also without `schema`), a pool announcement, a
 * coverage report, or one of them inside a CloudEvents 1.0 envelope. Never throws; a record that breaks a rule of the
 * specification is a rejection with the reason and the field. Whether clocks disagree (dispatch before arrival) is not
 * asked here: such a request counts and only its wait is unknown.
 */
export function parseDecision(value: unknown, options: ParseOptions): RecordOutcome {
  if (!isJsonObject(value)) return rejectNonObject(value);
  if (value.specversion === undefined) return parsePlain(value, options);
  const inner = unwrapCloudEvent(value);
  if (!inner.ok) return inner.outcome;
  const outcome = parsePlain(inner.value, options);
  if (outcome.kind !== 'rejected') return outcome;
  const origin = 'in a CloudEvent, whose id, source and time stand in for request_id, gateway and arrived_at';
  return reject(outcome.code, `${outcome.detail} (${origin})`);
}

/** As `parseDecision`, from one line of NDJSON: adds `not_json`, `torn_line`, and `skip` for a blank line. */
export function parseEventText(text: string, options: ParseTextOptions): RecordOutcome {
  const json = parseJsonText(text, options.isUnterminated ?? false);
  return json.ok ? parseDecision(json.value, options) : json.outcome;
}
