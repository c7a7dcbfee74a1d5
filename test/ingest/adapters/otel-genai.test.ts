import { describe, expect, test } from 'vitest';
import { eventOf, readJson } from './json-record.ts';
import { readSeveral } from './records.ts';

const FLAT = {
  name: 'chat gpt-4o-mini',
  kind: 'CLIENT',
  traceId: 't1',
  spanId: 's1',
  startTimeUnixNano: '1772446507894999999',
  endTimeUnixNano: '1772446514420000000',
  status: { code: 'OK' },
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4o-mini',
    'gen_ai.usage.input_tokens': 315,
    'gen_ai.usage.output_tokens': 207,
    'tenant.id': 'acme',
  },
};

/** A span as OTLP JSON encodes it. */
function otlpSpan(attributes: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, unknown>> = {}) {
  const encode = (value: unknown) =>
    typeof value === 'number'
      ? { intValue: String(value) }
      : typeof value === 'boolean'
        ? { boolValue: value }
        : { stringValue: value };
  return {
    ...FLAT,
    kind: 3,
    status: { code: 1 },
    ...fields,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: encode(value) })),
  };
}
const otlp = (spans: readonly unknown[], resource: unknown = undefined) =>
  JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });

test('a span is a call: its start is the arrival, its wait is absent', () => {
  expect(eventOf('otel-genai', FLAT)).toMatchObject({
    requestId: 't1-s1',
    tenant: 'acme',
    arrivedAtMs: 1_772_446_507_894,
    dispatchedAtMs: 1_772_446_507_894,
    completedAtMs: 1_772_446_514_420,
    status: 'ok',
    inputTokens: 315,
    outputTokens: 207,
    originalRequestId: null,
    waitProvenance: 'absent',
  });
});

test('an export of OTLP JSON is its calls, with what the resource says; other spans are skipped', () => {
  const text = otlp(
    [
      otlpSpan(FLAT.attributes),
      otlpSpan({ 'http.request.method': 'POST' }, { spanId: 's2' }),
      otlpSpan({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.input_tokens': 9 }, { spanId: 's3' }),
      otlpSpan({ 'gen_ai.operation.name': 'embeddings' }, { spanId: 's4', parentSpanId: 'p' }),
    ],
    { attributes: [{ key: 'tenant.id', value: { stringValue: 'of the resource' } }] },
  );
  const outcomes = readSeveral('otel-genai', { text });
  expect(outcomes.map(({ kind }) => kind)).toEqual(['decision', 'skip', 'skip', 'decision']);
  expect(outcomes[0]).toMatchObject({ event: { tenant: 'acme', inputTokens: 315 } });
  expect(outcomes[3]).toMatchObject({
    event: { tenant: 'of the resource', requestId: 't1-s4', originalRequestId: 't1-p' },
  });
});

test('what is refused of an export is an export of itself, which says the same', () => {
  const text = otlp([otlpSpan(FLAT.attributes), otlpSpan(FLAT.attributes, { startTimeUnixNano: '1772446507' }), 7]);
  const [, late, none] = readSeveral('otel-genai', { text });
  expect(late).toMatchObject({ kind: 'rejected', code: 'time_unit' });
  expect(none).toMatchObject({ kind: 'rejected', code: 'not_object', raw: '7' });
  const raw = late?.kind === 'rejected' ? (late.raw ?? '') : '';
  expect(readSeveral('otel-genai', { text: raw })).toMatchObject([{ kind: 'rejected', code: 'time_unit' }]);
});

describe('an error', () => {
  test.each<[unknown, string, string, string | null, string]>([
    ['CLIENT', '429', 'admitted', 'error', "a client's span tells of the provider's refusal"],
    ['SERVER', '429', 'rejected', null, 'a server tells of its own'],
    [2, 'queue_full', 'rejected', null, 'the kind as a number'],
    ['SPAN_KIND_SERVER', 'timeout', 'admitted', 'timeout', 'a timeout is no refusal'],
    ['CLIENT', 'java.net.SocketTimeoutException', 'admitted', 'timeout', 'by the name of an exception'],
    ['CLIENT', 'asyncio.CancelledError', 'admitted', 'cancelled', 'the caller left'],
    ['CLIENT', '_OTHER', 'admitted', 'error', 'anything else'],
  ])('of a %s span, %s: %s, %s (%s)', (kind, type, outcome, status) => {
    const span = { ...FLAT, kind, status: { code: 2 }, attributes: { ...FLAT.attributes, 'error.type': type } };
    expect(eventOf('otel-genai', span)).toMatchObject({ outcome, status });
  });

  test('is a refusal of any span where the mapping says so', () => {
    const span = { ...FLAT, attributes: { ...FLAT.attributes, 'error.type': '429' } };
    expect(eventOf('otel-genai', span, { mapping: { refusals: { '429': 'quota' } } })).toMatchObject({
      outcome: 'rejected',
      reason: 'quota',
    });
  });

  test.each([2, 'ERROR', 'STATUS_CODE_ERROR'])('status %s without a type is an error', (code) => {
    expect(eventOf('otel-genai', { ...FLAT, status: { code } })).toMatchObject({ status: 'error' });
  });
});

test('siblings of one parent are attempts of one demand, unless the mapping says otherwise', () => {
  const child = { ...FLAT, parentSpanId: 'p1' };
  expect(eventOf('otel-genai', child).originalRequestId).toBe('t1-p1');
  expect(eventOf('otel-genai', child, { mapping: { fields: { parentSpanId: null } } }).originalRequestId).toBeNull();
});

test('the tenant is the attribute that the mapping names', () => {
  const attributes = { ...FLAT.attributes, 'enduser.id': 'globex' };
  expect(eventOf('otel-genai', { ...FLAT, attributes }, { mapping: { tenant: 'enduser.id' } }).tenant).toBe('globex');
});

test.each([
  [{ startTimeUnixNano: 1772446507894 }, 'time_unit'],
  [{ startTimeUnixNano: undefined }, 'missing_field'],
  [{ endTimeUnixNano: 'x' }, 'time_format'],
  [{ attributes: { ...FLAT.attributes, 'gen_ai.usage.input_tokens': '9007199254740993' } }, 'number_precision'],
])('with %j is refused: %s', (fields, code) => {
  expect(readJson('otel-genai', { ...FLAT, ...fields })).toMatchObject({ kind: 'rejected', code });
});

test.each(['{"resourceSpans":7}', '{"resourceSpans":[{"scopeSpans":7},7,{}]}', '{"resourceSpans":[]}'])(
  'the export %s is no fault of ours',
  (text) => {
    const outcomes = readSeveral('otel-genai', { text });
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'rejected', code: 'wrong_type' });
  },
);

test('an attribute cannot change what the record is', () => {
  const text =
    '{"name":"x","attributes":[{"key":"__proto__","value":{"stringValue":"x"}},{"key":"gen_ai.request.model","value":{"stringValue":"m"}}],"startTimeUnixNano":"1772446507894000000","spanId":"s"}';
  expect(readSeveral('otel-genai', { text })).toMatchObject([{ kind: 'decision', event: { requestId: 's' } }]);
});
