import { expect, test } from 'vitest';
import { eventOf, readJson, spans } from './json-record.ts';
import { readSeveral } from './records.ts';

const SPAN = {
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
};

test('the time in the queue is measured, in seconds', () => {
  const event = eventOf('vllm', SPAN);
  expect(event).toMatchObject({
    requestId: 'cmpl-91',
    outcome: null,
    status: null,
    inputTokens: 315,
    outputTokens: 207,
    waitProvenance: null,
    tenant: '-',
    tenantProvenance: 'absent',
  });
  expect(spans(event)).toEqual({ waitMs: 310, serviceMs: 6216 });
});

test('a tenant is joined by the mapping: an attribute, or a table', () => {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'vllm-a' } }] };
  const span = { ...SPAN, resource };
  expect(eventOf('vllm', span, { mapping: { tenant: 'service.name' } })).toMatchObject({
    tenant: 'vllm-a',
    tenantProvenance: null,
  });
  const tenant = { field: 'service.name', map: { 'vllm-a': 'acme' } };
  expect(eventOf('vllm', span, { mapping: { tenant } })).toMatchObject({ tenant: 'acme', tenantProvenance: 'derived' });
  const other = { field: 'service.name', map: { 'vllm-b': 'acme' } };
  expect(readJson('vllm', span, { mapping: { tenant: other } })).toMatchObject({ code: 'unknown_value' });
});

test('without a time in the queue the wait is absent', () => {
  const attributes = { ...SPAN.attributes, 'gen_ai.latency.time_in_queue': undefined };
  const event = eventOf('vllm', { ...SPAN, attributes });
  expect(event.waitProvenance).toBe('absent');
  expect(spans(event)).toEqual({ waitMs: 0, serviceMs: 6526 });
});

test('a time in the queue longer than the span is in another unit: refused, and read where the mapping says so', () => {
  const attributes = { ...SPAN.attributes, 'gen_ai.latency.time_in_queue': 310 };
  expect(readJson('vllm', { ...SPAN, attributes })).toMatchObject({ kind: 'rejected', code: 'time_unit' });
  const mapping = { units: { 'gen_ai.latency.time_in_queue': 'ms' } };
  expect(spans(eventOf('vllm', { ...SPAN, attributes }, { mapping })).waitMs).toBe(310);
});

test('spans of other work are skipped, in an export and alone', () => {
  const other = { ...SPAN, name: 'tokenize', attributes: { x: 1 } };
  expect(readJson('vllm', other)).toEqual({ kind: 'skip' });
  const text = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [SPAN, other] }] }] });
  expect(readSeveral('vllm', { text }).map(({ kind }) => kind)).toEqual(['decision', 'skip']);
});
