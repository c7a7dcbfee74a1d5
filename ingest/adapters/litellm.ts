import type { RejectReason, Status } from '../event/decision-event.ts';
import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import { type GatewayFormat, gatewayAdapter, type Reading } from './gateway-adapter.ts';
import type { GatewayFacts } from './gateway-event.ts';
import { refusalOfCode, statusOfCode } from './http-status.ts';
import { numberOf } from './log-values.ts';
import type { Site } from './site.ts';

/** Failures that are LiteLLM's own whatever code they bear: budgets, and routers without a deployment left. */
const OWN_CLASSES: ReadonlyMap<string, RejectReason> = new Map([
  ['BudgetExceededError', 'quota'],
  ['RouterRateLimitError', 'circuit_open'],
  ['RouterRateLimitErrorBasic', 'circuit_open'],
]);

interface Failure {
  readonly errorClass: string | null;
  readonly code: number | null;
  /** A provider answered it: it is no decision of the gateway. */
  readonly isProviders: boolean;
}

/** Why the gateway refused; null: it did not. An error without a provider and without a 4xx code is a failure, no refusal. */
function refusalOf({ errorClass, code, isProviders }: Failure): RejectReason | null {
  const own = errorClass === null ? undefined : OWN_CLASSES.get(errorClass);
  if (own !== undefined) return own;
  if (isProviders || code === null || code >= 500 || code === 408 || code === 499) return null;
  return refusalOfCode(code);
}

function statusOf(failure: Failure): Status {
  if (failure.errorClass === 'Timeout' || failure.errorClass === 'APITimeoutError') return 'timeout';
  if (failure.errorClass === 'CancelledError') return 'cancelled';
  const status = statusOfCode(failure.code);
  return status === null || status === 'ok' ? 'error' : status;
}

function declareDecision(site: Site) {
  const status = site.text('status');
  const errorClass = site.text('error_class', ['error_information.error_class']);
  const errorCode = site.text('error_code', ['error_information.error_code']);
  const provider = site.text('error_provider', ['error_information.llm_provider']);
  return (reader: FieldReader, record: JsonObject) => {
    const word = status.read(reader, record);
    if (word !== 'failure') {
      if (word !== null && word !== 'success')
        reader.fail('unknown_value', `${status.name} must be success or failure`);
      return SUCCESS;
    }
    const code = numberOf(errorCode.read(reader, record));
    const failure: Failure = {
      errorClass: errorClass.read(reader, record),
      code: Number.isInteger(code) ? code : null,
      isProviders: provider.raw(record) !== undefined,
    };
    const own = site.hasRefusals ? site.refusal([failure.errorClass, String(failure.code)]) : null;
    const reason = own === 'admitted' ? null : (own ?? refusalOf(failure));
    return { reason, status: reason === null ? statusOf(failure) : null };
  };
}

const SUCCESS = { reason: null, status: 'ok' } as const;

const TENANT = [
  'metadata.user_api_key_team_id',
  'metadata.user_api_key_alias',
  'metadata.user_api_key_hash',
  'metadata.user_api_key_org_id',
  'metadata.user_api_key_user_id',
];

function declare(site: Site): Reading {
  const id = site.text('id');
  const trace = site.text('trace_id');
  const started = site.time('startTime', 's');
  const ended = site.time('endTime', 's');
  const readDecision = declareDecision(site);
  const input = site.number('prompt_tokens');
  const output = site.number('completion_tokens');
  const spend = site.number('response_cost');
  const cost = site.cost(['tokens', 'spend']);
  const read = (reader: FieldReader, record: JsonObject): GatewayFacts => {
    const startedAtMs = started.read(reader, record);
    const { reason, status } = readDecision(reader, record);
    const wasServed = reason === null;
    return {
      requestId: id.read(reader, record),
      arrivedAtMs: startedAtMs,
      outcome: wasServed ? 'admitted' : 'rejected',
      reason,
      status,
      dispatchedAtMs: wasServed ? startedAtMs : null,
      completedAtMs: wasServed ? ended.read(reader, record) : null,
      waitProvenance: wasServed ? 'absent' : null,
      cost: cost === 'spend' ? spend.read(reader, record) : null,
      inputTokens: input.count(reader, record),
      outputTokens: output.count(reader, record),
      attempt: null,
      originalRequestId: trace.read(reader, record),
      retryAfterMs: null,
    };
  };
  const labels = ['model', 'model_group', 'call_type', 'error_information.error_class', 'error_information.error_code'];
  return { tenant: TENANT, labels, read };
}

const FORMAT: GatewayFormat = {
  name: 'litellm',
  summary: 'LiteLLM StandardLoggingPayload (JSON)',
  costUnit: 'tokens',
  example: JSON.stringify({
    id: 'chatcmpl-91',
    trace_id: 'b980db26',
    call_type: 'acompletion',
    status: 'success',
    response_cost: 0.00042,
    prompt_tokens: 315,
    completion_tokens: 207,
    startTime: 1772446507.894,
    endTime: 1772446514.42,
    model: 'gpt-4o-mini',
    error_information: null,
    metadata: { user_api_key_team_id: 'team-acme', user_api_key_alias: 'acme-prod' },
  }),
  provenance: {
    request_id: 'measured',
    tenant: 'measured',
    arrived_at: 'bounded',
    outcome: 'derived',
    reason: 'derived',
    dispatched_at: 'measured',
    completed_at: 'measured',
    status: 'derived',
    cost: 'measured',
    input_tokens: 'measured',
    output_tokens: 'measured',
    original_request_id: 'derived',
  },
  known: {
    tenant: { says: 'team, key, org or user', provenance: 'measured' },
    arrival: { says: '`startTime` is call start, not arrival', provenance: 'bounded' },
    decision: { says: 'failure with error class; provider 429 ≠ gateway 429', provenance: 'derived' },
    wait: { says: 'absent', provenance: 'absent' },
    service: { says: 'yes', provenance: 'measured' },
    cost: { says: 'tokens or spend', provenance: 'measured' },
    retry: { says: '`trace_id`', provenance: 'derived' },
  },
  declare,
};

/**
 * LiteLLM's StandardLoggingPayload. `startTime` is when the call began, the latest moment at which the request can have
 * arrived: the wait before it is absent. A 429 is the gateway's own only when no provider stands beside it
 * (`error_information.llm_provider`). Calls of one `trace_id` (retries, fallbacks) are one demand; where a trace is a
 * whole session, `fields: { trace_id: ~ }` says not to read it.
 */
export const litellmAdapter = gatewayAdapter(FORMAT);
