import { describe, expect, test } from 'vitest';
import { eventOf, readJson, spans } from './json-record.ts';

const SERVED = {
  started_at: 1772446507894,
  source: 'upstream',
  consumer: { id: 'c-1', username: 'acme', custom_id: 't-acme' },
  request: { id: '9ec9' },
  response: { status: 200, headers: {} },
  latencies: { request: 2347, kong: 3, proxy: 2340, receive: 4 },
  tries: [{ ip: '10.0.4.9', state: 'failed', code: 503 }, { ip: '10.0.4.10' }],
  ai: { proxy: { usage: { prompt_tokens: 315, completion_tokens: 207, cost: 0.0042 } } },
};
const REFUSED = {
  ...SERVED,
  source: 'kong',
  response: { status: 429, headers: { 'retry-after': '41' } },
  latencies: { request: 1, kong: 1, proxy: -1 },
  tries: [],
  ai: undefined,
};

test('a request that was proxied has its service, its tries and its tokens; its wait is absent', () => {
  const event = eventOf('kong', SERVED);
  expect(event).toMatchObject({
    requestId: '9ec9',
    tenant: 'acme',
    arrivedAtMs: 1_772_446_507_894,
    attempt: 2,
    status: 'ok',
    inputTokens: 315,
    outputTokens: 207,
    waitProvenance: 'absent',
  });
  expect(spans(event).serviceMs).toBe(2340);
});

test.each([
  [{ id: 'c-1', username: null, custom_id: 't' }, 't'],
  [{ id: 'c-1' }, 'c-1'],
  [undefined, '-'],
])('the tenant is the consumer: of %j it is %s', (consumer, tenant) => {
  expect(eventOf('kong', { ...SERVED, consumer }).tenant).toBe(tenant);
});

describe('what Kong decided', () => {
  test.each([
    [429, 'kong', 'quota'],
    [429, 'exit', 'quota'],
    [401, 'kong', 'unknown_tenant'],
    [503, 'error', 'other'],
  ])('a %i of %s that tried no upstream is a refusal: %s', (status, source, reason) => {
    const event = eventOf('kong', { ...REFUSED, source, response: { status } });
    expect(event).toMatchObject({ outcome: 'rejected', reason, dispatchedAtMs: null, waitProvenance: null });
  });

  test.each<[object, string, string]>([
    [{ source: 'upstream', response: { status: 429 } }, 'error', "the upstream's 429 is not the gateway's"],
    [{ source: 'service', response: { status: 500 } }, 'error', 'an older name of the upstream'],
    [
      { source: 'kong', response: { status: 504 }, tries: [{}] },
      'timeout',
      'Kong answers for an upstream that did not',
    ],
    [{ source: 'kong', response: { status: 200 } }, 'ok', 'a plugin answered'],
  ])('%j is no refusal: %s (%s)', (fields, status) => {
    expect(eventOf('kong', { ...REFUSED, ...fields })).toMatchObject({ outcome: 'admitted', status });
  });

  test.each([
    ['41', 41_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', null],
    [undefined, null],
  ])('a refused caller was told to retry after %s', (value, expected) => {
    const response = { status: 429, headers: { 'retry-after': value } };
    expect(eventOf('kong', { ...REFUSED, response }).retryAfterMs).toBe(expected);
  });
});

test('without an upstream the whole request is its service', () => {
  expect(
    spans(eventOf('kong', { ...REFUSED, response: { status: 200 }, latencies: { request: 30, kong: 1, proxy: -1 } })),
  ).toEqual({
    waitMs: 1,
    serviceMs: 29,
  });
});

test('tokens of older plugins, and spend as the cost', () => {
  const record = { ...SERVED, ai: { 'ai-proxy': { usage: { prompt_tokens: 3, completion_tokens: 4, cost: 0.5 } } } };
  expect(eventOf('kong', record, { mapping: { cost: 'spend' } })).toMatchObject({
    inputTokens: 3,
    outputTokens: 4,
    cost: 0.5,
  });
});

test.each([
  [{ started_at: 1772446507 }, 'time_unit'],
  [{ started_at: undefined }, 'missing_field'],
  [{ latencies: { kong: 'x' } }, 'wrong_type'],
  [{ response: { status: 'fine' } }, 'wrong_type'],
])('with %j is refused: %s', (fields, code) => {
  expect(readJson('kong', { ...SERVED, ...fields })).toMatchObject({ kind: 'rejected', code });
});
