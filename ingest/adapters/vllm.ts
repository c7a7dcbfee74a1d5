import type { FieldReader } from '../event/field-reader.ts';
import type { JsonObject } from '../event/json-object.ts';
import { type GatewayFormat, gatewayAdapter, type Reading } from './gateway-adapter.ts';
import type { GatewayFacts } from './gateway-event.ts';
import { expandSpans, flattenSpan } from './otlp.ts';
import type { Site } from './site.ts';

/** A request cannot have waited longer than it lasted; so much the span's clock and the engine's may differ. */
const CLOCK_SLACK_MS = 1_000;

function declare(site: Site): Reading {
  const started = site.time('startTimeUnixNano', 'ns');
  const ended = site.time('endTimeUnixNano', 'ns');
  const requestId = site.text('gen_ai.request.id');
  const queued = site.duration('gen_ai.latency.time_in_queue', 's');
  const whole = site.duration('gen_ai.latency.e2e', 's');
  const input = site.number('input_tokens', ['gen_ai.usage.prompt_tokens', 'gen_ai.usage.input_tokens']);
  const output = site.number('output_tokens', ['gen_ai.usage.completion_tokens', 'gen_ai.usage.output_tokens']);
  site.cost(['tokens']);
  const read = (reader: FieldReader, record: JsonObject): GatewayFacts | 'skip' => {
    if (requestId.raw(record) === undefined && queued.raw(record) === undefined) return 'skip';
    const startedAtMs = started.read(reader, record);
    const endedAtMs = ended.read(reader, record);
    const queuedMs = queued.read(reader, record);
    const wholeMs = whole.read(reader, record);
    const spanMs = startedAtMs === null || endedAtMs === null ? null : endedAtMs - startedAtMs;
    const longestMs = spanMs === null ? wholeMs : Math.max(spanMs, wholeMs ?? 0);
    if (queuedMs !== null && longestMs !== null && longestMs >= 0 && queuedMs > longestMs + CLOCK_SLACK_MS) {
      reader.fail('time_unit', `${queued.name} is longer than the span: is it in another unit? say so under units`);
    }
    const isKnown = startedAtMs !== null && queuedMs !== null;
    return {
      requestId: requestId.read(reader, record),
      arrivedAtMs: startedAtMs,
      outcome: null,
      reason: null,
      status: null,
      dispatchedAtMs: isKnown ? startedAtMs + queuedMs : startedAtMs,
      completedAtMs: endedAtMs ?? (startedAtMs !== null && wholeMs !== null ? startedAtMs + wholeMs : null),
      waitProvenance: isKnown ? null : 'absent',
      cost: null,
      inputTokens: input.count(reader, record),
      outputTokens: output.count(reader, record),
      attempt: null,
      originalRequestId: null,
      retryAfterMs: null,
    };
  };
  return {
    tenant: [],
    gateway: ['service.instance.id'],
    labels: ['gen_ai.response.model', 'gen_ai.request.model'],
    read,
  };
}

const FORMAT: GatewayFormat = {
  name: 'vllm',
  summary: 'vLLM request spans: OTLP JSON as exported, or one span a line',
  costUnit: 'tokens',
  example: JSON.stringify({
    name: 'llm_request',
    kind: 'SERVER',
    startTimeUnixNano: '1772446507894000000',
    endTimeUnixNano: '1772446514420000000',
    attributes: {
      'gen_ai.request.id': 'cmpl-91',
      'gen_ai.usage.prompt_tokens': 315,
      'gen_ai.usage.completion_tokens': 207,
      'gen_ai.latency.time_in_queue': 0.31,
      'gen_ai.latency.e2e': 6.52,
    },
  }),
  provenance: {
    request_id: 'measured',
    tenant: 'derived',
    arrived_at: 'measured',
    dispatched_at: 'measured',
    completed_at: 'measured',
    input_tokens: 'measured',
    output_tokens: 'measured',
    gateway: 'measured',
  },
  known: {
    tenant: { says: 'joined', provenance: 'derived' },
    arrival: { says: 'yes', provenance: 'measured' },
    decision: { says: 'absent', provenance: 'absent' },
    wait: { says: '`gen_ai.latency.time_in_queue` (s)', provenance: 'measured' },
    service: { says: 'yes', provenance: 'measured' },
    cost: { says: 'tokens', provenance: 'measured' },
    retry: { says: 'absent', provenance: 'absent' },
  },
  declare,
  expand: expandSpans,
  shape: flattenSpan,
};

/**
 * vLLM's request spans (`llm_request`). The engine knows no tenants: the mapping joins one, by an attribute of the span or
 * its resource, or by a table (`tenant: { field: service.name, map: { … } }`); without it the tenant is absent. The time
 * in the queue is measured, in seconds; longer than the span itself it is refused as another unit. Other spans are skipped.
 */
export const vllmAdapter = gatewayAdapter(FORMAT);
