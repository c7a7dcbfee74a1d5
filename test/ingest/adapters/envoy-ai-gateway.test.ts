import { expect, test } from 'vitest';
import { eventOf, readJson, spans } from './json-record.ts';

const SERVED = {
  start_time: '2026-03-02T10:15:07.894Z',
  response_code: 200,
  response_flags: '-',
  response_code_details: 'via_upstream',
  duration: 6526,
  'x-envoy-upstream-service-time': '451',
  genai_model_name: 'llama-3-8b',
  genai_tokens_input: 315,
  genai_tokens_output: '207',
  upstream_host: '10.0.4.9:8000',
  'x-request-id': '83b6',
  tenant: 'acme',
};

test('carries tokens; without the times of the queue its wait is absent and it was served from its start', () => {
  const event = eventOf('envoy-ai-gateway', SERVED);
  expect(event).toMatchObject({
    requestId: '83b6',
    inputTokens: 315,
    outputTokens: 207,
    attempt: 1,
    waitProvenance: 'absent',
  });
  expect(spans(event)).toEqual({ waitMs: 0, serviceMs: 6526 });
});

test('tokens have the names that the site gave them', () => {
  const { genai_tokens_input: _, ...rest } = SERVED;
  const mapping = { fields: { input_tokens: 'usage.in' }, class: 'genai_model_name' };
  expect(eventOf('envoy-ai-gateway', { ...rest, usage: { in: 7 } }, { mapping })).toMatchObject({
    inputTokens: 7,
    outputTokens: 207,
    class: 'llama-3-8b',
  });
});

test.each([
  [0, 0],
  [null, null],
  ['-', null],
])('tokens %s are %s: none counted is not none known', (tokens, expected) => {
  expect(eventOf('envoy-ai-gateway', { ...SERVED, genai_tokens_output: tokens }).outputTokens).toBe(expected);
});

test('tokens that no number can hold exactly are refused', () => {
  const record = { ...SERVED, genai_tokens_input: 2 ** 60 };
  expect(readJson('envoy-ai-gateway', record)).toMatchObject({ kind: 'rejected', code: 'number_precision' });
});
