import type { RejectReason, Status } from '../event/decision-event.ts';
import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import { type GatewayFormat, gatewayAdapter, type Reading } from './gateway-adapter.ts';
import type { GatewayFacts } from './gateway-event.ts';
import { expandSpans, flattenSpan, isErrorStatus, isServerKind } from './otlp.ts';
import type { Site } from './site.ts';

/** Spans of these operations stand around the model's calls and are none themselves: counting them would count twice. */
const NO_CALLS: ReadonlySet<unknown> = new Set(['invoke_agent', 'create_agent', 'execute_tool', 'invoke_workflow']);

/** `error.type` of a server's own refusal. Of a client's span it is the provider's: an error, no decision. */
const REFUSALS: ReadonlyMap<string, RejectReason> = new Map([
  ['429', 'quota'],
  ['rate_limit_exceeded', 'quota'],
  ['quota_exceeded', 'quota'],
  ['insufficient_quota', 'quota'],
  ['queue_full', 'queue_full'],
  ['overloaded', 'degraded'],
  ['overloaded_error', 'degraded'],
  ['circuit_open', 'circuit_open'],
  ['401', 'unknown_tenant'],
]);

function statusOf(errorType: string | null, isError: boolean): Status {
  if (errorType === null) return isError ? 'error' : 'ok';
  if (/time_?d?_?out|^504$|^408$/i.test(errorType)) return 'timeout';
  return /cancel/i.test(errorType) || errorType === '499' ? 'cancelled' : 'error';
}

function declareDecision(site: Site) {
  const errorType = site.text('error.type');
  const status = site.object('status');
  const kind = site.text('kind');
  return (reader: FieldReader, record: JsonObject) => {
    // As long as any name of an error may be: what is longer is none.
    const word = errorType.read(reader, record)?.slice(0, 256) ?? null;
    const own = site.hasRefusals ? site.refusal([word]) : null;
    const isServer = isServerKind(kind.raw(record));
    const standard = word === null || !isServer ? null : (REFUSALS.get(word) ?? null);
    const reason = own === 'admitted' ? null : (own ?? standard);
    return { reason, status: reason === null ? statusOf(word, isErrorStatus(status.object(record))) : null };
  };
}

function declare(site: Site): Reading {
  const started = site.time('startTimeUnixNano', 'ns');
  const ended = site.time('endTimeUnixNano', 'ns');
  const trace = site.text('traceId');
  const span = site.text('spanId');
  const parent = site.text('parentSpanId');
  const operation = site.text('gen_ai.operation.name');
  const model = site.text('gen_ai.request.model');
  const input = site.number('input_tokens', ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens']);
  const output = site.number('output_tokens', ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens']);
  const readDecision = declareDecision(site);
  site.cost(['tokens']);

  const isCall = (record: JsonObject): boolean => {
    const name = operation.raw(record);
    if (name !== undefined) return !NO_CALLS.has(name);
    return model.raw(record) !== undefined || input.raw(record) !== undefined;
  };
  const read = (reader: FieldReader, record: JsonObject): GatewayFacts | 'skip' => {
    if (!isCall(record)) return 'skip';
    const startedAtMs = started.read(reader, record);
    const { reason, status } = readDecision(reader, record);
    const wasServed = reason === null;
    const traceId = trace.read(reader, record);
    const within = (spanId: string | null) => (spanId === null || traceId === null ? spanId : `${traceId}-${spanId}`);
    return {
      requestId: within(span.read(reader, record)),
      arrivedAtMs: startedAtMs,
      outcome: wasServed ? 'admitted' : 'rejected',
      reason,
      status,
      dispatchedAtMs: wasServed ? startedAtMs : null,
      completedAtMs: wasServed ? ended.read(reader, record) : null,
      waitProvenance: wasServed ? 'absent' : null,
      cost: null,
      inputTokens: input.count(reader, record),
      outputTokens: output.count(reader, record),
      attempt: null,
      originalRequestId: within(parent.read(reader, record)),
      retryAfterMs: null,
    };
  };
  const labels = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model', 'error.type'];
  return { tenant: ['tenant.id'], gateway: ['service.instance.id'], labels, read };
}

const FORMAT: GatewayFormat = {
  name: 'otel-genai',
  summary: 'OpenTelemetry GenAI spans: OTLP JSON as exported, or one span a line',
  costUnit: 'tokens',
  example: JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'gw' } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: '5b8aa5a2d2c872e8321cf37308d69df2',
                spanId: '5fb397be34d26b51',
                name: 'chat gpt-4o-mini',
                kind: 3,
                startTimeUnixNano: '1772446507894000000',
                endTimeUnixNano: '1772446514420000000',
                attributes: [
                  { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
                  { key: 'gen_ai.usage.input_tokens', value: { intValue: '315' } },
                  { key: 'gen_ai.usage.output_tokens', value: { intValue: '207' } },
                  { key: 'tenant.id', value: { stringValue: 'acme' } },
                ],
                status: { code: 1 },
              },
            ],
          },
        ],
      },
    ],
  }),
  provenance: {
    request_id: 'measured',
    tenant: 'measured',
    arrived_at: 'measured',
    outcome: 'derived',
    reason: 'derived',
    dispatched_at: 'derived',
    completed_at: 'measured',
    status: 'derived',
    input_tokens: 'measured',
    output_tokens: 'measured',
    original_request_id: 'derived',
    gateway: 'measured',
  },
  known: {
    tenant: { says: 'a configured attribute', provenance: 'measured' },
    arrival: { says: 'span start', provenance: 'measured' },
    decision: { says: '`error.type`', provenance: 'derived' },
    wait: { says: 'absent', provenance: 'absent' },
    service: { says: 'yes', provenance: 'measured' },
    cost: { says: '`gen_ai.usage.*`', provenance: 'measured' },
    retry: { says: 'sibling spans', provenance: 'derived' },
  },
  declare,
  expand: expandSpans,
  shape: flattenSpan,
};

/**
 * OpenTelemetry's GenAI spans. The tenant is an attribute of the span or its resource (`tenant.id` unless the mapping
 * says another). Sibling spans (of one parent) are attempts of one demand; where a parent is an agent that calls its
 * model many times, `fields: { parentSpanId: ~ }` says so. An `error.type` is a refusal when the span is a server's;
 * `refusals` in the mapping says it of any span. Spans that are no call of a model are skipped.
 */
export const otelGenaiAdapter = gatewayAdapter(FORMAT);
