import type { RejectReason, Status } from '../event/decision-event.ts';
import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import { type GatewayFormat, gatewayAdapter, type Reading } from './gateway-adapter.ts';
import { type GatewayFacts, NO_FACTS } from './gateway-event.ts';
import { refusalOfCode, statusOfCode } from './http-status.ts';
import type { Site } from './site.ts';

interface Decision {
  readonly reason: RejectReason | null;
  readonly status: Status | null;
}

/**
 * An answer of Kong itself (`source` kong, exit or error) to a request that it sent nowhere is a refusal; of one that it
 * tried to send, a failure. Without `source`, what has tries was sent.
 */
function declareDecision(site: Site) {
  const code = site.number('response_status', ['response.status']);
  const source = site.text('source');
  const tries = site.list('tries');
  return (reader: FieldReader, record: JsonObject): Decision & { readonly tries: number } => {
    const status = code.count(reader, record);
    const from = source.read(reader, record);
    const tried = tries.length(record) ?? 0;
    const own = site.hasRefusals ? site.refusal([String(status)]) : null;
    const isUpstreams = from === 'upstream' || from === 'service' || tried > 0;
    const reason = own === 'admitted' ? null : (own ?? (isUpstreams ? null : refusalOfCode(status)));
    return { reason, status: reason === null ? statusOfCode(status) : null, tries: tried };
  };
}

function usage(name: string): string[] {
  return [`ai.proxy.usage.${name}`, `ai.ai-proxy.usage.${name}`];
}

function declare(site: Site): Reading {
  const started = site.time('started_at', 'ms');
  const requestId = site.text('request_id', ['request.id', 'response.headers.x-kong-request-id']);
  const readDecision = declareDecision(site);
  const own = site.number('latencies_kong', ['latencies.kong']);
  const proxy = site.number('latencies_proxy', ['latencies.proxy']);
  const total = site.number('latencies_request', ['latencies.request']);
  const input = site.number('prompt_tokens', usage('prompt_tokens'));
  const output = site.number('completion_tokens', usage('completion_tokens'));
  const spend = site.number('usage_cost', usage('cost'));
  const retryAfter = site.number('retry_after', ['response.headers.retry-after']);
  const cost = site.cost(['tokens', 'spend']);

  const times = (reader: FieldReader, record: JsonObject, startedAtMs: number | null) => {
    if (startedAtMs === null) return NO_FACTS;
    const dispatchedAtMs = startedAtMs + Math.max(0, own.signed(reader, record) ?? 0);
    const proxyMs = proxy.signed(reader, record) ?? -1;
    const totalMs = total.signed(reader, record) ?? -1;
    // −1: Kong never waited for an upstream; then the whole request is what there is.
    const completedAtMs =
      proxyMs >= 0 ? dispatchedAtMs + proxyMs : totalMs >= 0 ? Math.max(dispatchedAtMs, startedAtMs + totalMs) : null;
    return { dispatchedAtMs, completedAtMs };
  };

  const read = (reader: FieldReader, record: JsonObject): GatewayFacts => {
    const startedAtMs = started.read(reader, record);
    const { reason, status, tries } = readDecision(reader, record);
    const { dispatchedAtMs, completedAtMs } = reason === null ? times(reader, record, startedAtMs) : NO_FACTS;
    const waitS = reason === null ? Number.NaN : (retryAfter.lenient(record) ?? Number.NaN);
    return {
      requestId: requestId.read(reader, record),
      arrivedAtMs: startedAtMs,
      outcome: reason === null ? 'admitted' : 'rejected',
      reason,
      status,
      dispatchedAtMs,
      completedAtMs,
      waitProvenance: reason === null ? 'absent' : null,
      cost: cost === 'spend' ? spend.read(reader, record) : null,
      inputTokens: input.count(reader, record),
      outputTokens: output.count(reader, record),
      attempt: tries,
      originalRequestId: null,
      // An HTTP date there is no number of seconds, and no fault either.
      retryAfterMs: waitS >= 0 && waitS < 1e9 ? waitS * 1000 : null,
    };
  };
  return {
    tenant: ['consumer.username', 'consumer.custom_id', 'consumer.id'],
    labels: ['response.status', 'source', 'service.name', 'route.name', 'ai.proxy.meta.request_model'],
    read,
  };
}

const FORMAT: GatewayFormat = {
  name: 'kong',
  summary: 'Kong log plugins (http-log, file-log), with ai-proxy tokens',
  costUnit: 'tokens',
  example: JSON.stringify({
    started_at: 1772446507894,
    source: 'upstream',
    consumer: { id: 'c-1', username: 'acme' },
    request: { id: '9ec9', size: 323 },
    response: { status: 200, size: 1520 },
    latencies: { request: 2347, kong: 3, proxy: 2340, receive: 4 },
    tries: [{ ip: '10.0.4.9', port: 8000, balancer_start: 1772446507897 }],
    ai: { proxy: { usage: { prompt_tokens: 315, completion_tokens: 207, cost: 0.0042 } } },
  }),
  provenance: {
    request_id: 'measured',
    tenant: 'measured',
    arrived_at: 'measured',
    outcome: 'derived',
    reason: 'derived',
    dispatched_at: 'derived',
    completed_at: 'derived',
    status: 'derived',
    cost: 'measured',
    input_tokens: 'measured',
    output_tokens: 'measured',
    attempt: 'derived',
    retry_after_ms: 'measured',
  },
  known: {
    tenant: { says: 'consumer', provenance: 'measured' },
    arrival: { says: '`started_at` ms', provenance: 'measured' },
    decision: { says: 'status with `source`', provenance: 'derived' },
    wait: { says: 'absent', provenance: 'absent' },
    service: { says: '`latencies.proxy`', provenance: 'measured' },
    cost: { says: 'tokens', provenance: 'measured' },
    retry: { says: '`tries[]`', provenance: 'derived' },
  },
  declare,
};

/**
 * What Kong's log plugins write, one request an object or a list of them. Kong holds no queue: the wait is absent, and
 * the service is `latencies.proxy`, from when Kong's own part was over.
 */
export const kongAdapter = gatewayAdapter(FORMAT);
