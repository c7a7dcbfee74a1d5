import { describe, expect, test } from 'vitest';
import { eachOutcome, findAdapter } from '../../../ingest/adapters/index.ts';
import { eventOf, readJson } from './json-record.ts';
import { OPTIONS, readSeveral } from './records.ts';

const SUCCESS = {
  id: 'chatcmpl-91',
  trace_id: 'b980db26',
  status: 'success',
  response_cost: 0.00042,
  prompt_tokens: 315,
  completion_tokens: 207,
  startTime: 1772446507.894,
  endTime: 1772446514.42,
  model: 'gpt-4o-mini',
  error_information: null,
  metadata: {
    user_api_key_hash: 'a1b2',
    user_api_key_alias: 'acme-prod',
    user_api_key_org_id: 'org-1',
    user_api_key_team_id: 'team-acme',
    user_api_key_user_id: 'svc-7',
  },
};
const failure = (error_code: string, error_class: string, llm_provider: string) => ({
  ...SUCCESS,
  status: 'failure',
  error_information: { error_code, error_class, llm_provider },
});

test('a call begins when it is sent: the wait before it is absent, the service is known', () => {
  expect(eventOf('litellm', SUCCESS)).toMatchObject({
    requestId: 'chatcmpl-91',
    originalRequestId: 'b980db26',
    tenant: 'team-acme',
    arrivedAtMs: 1_772_446_507_894,
    dispatchedAtMs: 1_772_446_507_894,
    completedAtMs: 1_772_446_514_420,
    outcome: 'admitted',
    status: 'ok',
    inputTokens: 315,
    outputTokens: 207,
    cost: null,
    waitProvenance: 'absent',
  });
});

test.each([
  [{ user_api_key_team_id: 't', user_api_key_alias: 'k' }, 't'],
  [{ user_api_key_team_id: null, user_api_key_alias: 'k', user_api_key_hash: 'h' }, 'k'],
  [{ user_api_key_hash: 'h', user_api_key_org_id: 'o' }, 'h'],
  [{ user_api_key_org_id: 'o', user_api_key_user_id: 'u' }, 'o'],
  [{ user_api_key_team_id: '', user_api_key_user_id: 'u' }, 'u'],
  [{}, '-'],
  [null, '-'],
])('the tenant of %j is %s: team, key, org or user', (metadata, tenant) => {
  expect(eventOf('litellm', { ...SUCCESS, metadata }).tenant).toBe(tenant);
});

describe('a failure', () => {
  test.each([
    ['429', 'HTTPException', '', 'quota'],
    ['400', 'BudgetExceededError', '', 'quota'],
    ['429', 'RouterRateLimitError', '', 'circuit_open'],
    ['401', 'ProxyException', '', 'unknown_tenant'],
    ['403', 'ProxyException', '', 'other'],
  ])('%s %s of provider %j is the gateway refusing: %s', (code, errorClass, provider, reason) => {
    expect(eventOf('litellm', failure(code, errorClass, provider))).toMatchObject({
      outcome: 'rejected',
      reason,
      dispatchedAtMs: null,
      completedAtMs: null,
      waitProvenance: null,
    });
  });

  test.each([
    ['429', 'RateLimitError', 'openai', 'error', "the provider's 429 is not the gateway's"],
    ['408', 'Timeout', 'openai', 'timeout', 'too slow'],
    ['500', 'InternalServerError', 'azure', 'error', 'broken'],
    ['500', 'APIConnectionError', '', 'error', 'broken without a provider'],
    ['', 'CancelledError', '', 'cancelled', 'the caller left'],
  ])('%s %s of provider %j was served and ended with %s (%s)', (code, errorClass, provider, status) => {
    expect(eventOf('litellm', failure(code, errorClass, provider))).toMatchObject({ outcome: 'admitted', status });
  });

  test('its tokens are 0, not absent', () => {
    const record = { ...failure('429', 'RateLimitError', 'openai'), prompt_tokens: 0, completion_tokens: null };
    expect(eventOf('litellm', record)).toMatchObject({ inputTokens: 0, outputTokens: null });
  });
});

test('spend is the cost where the mapping says so, and a trace need not be one demand', () => {
  const mapping = { cost: 'spend', fields: { trace_id: null } };
  expect(eventOf('litellm', SUCCESS, { mapping })).toMatchObject({ cost: 0.00042, originalRequestId: null });
});

test.each<[object, string, string]>([
  [{ startTime: 1772446507894 }, 'time_unit', 'milliseconds where seconds are meant'],
  [{ startTime: '2026-03-02T10:15:07Z' }, 'time_format', 'a text where the format has a number'],
  [{ startTime: null }, 'missing_field', 'no time'],
  [{ endTime: 'never' }, 'time_format', 'no time either'],
  [{ status: 'pending' }, 'unknown_value', 'neither success nor failure'],
  [{ prompt_tokens: -1 }, 'out_of_range', 'fewer than no tokens'],
  [{ id: 'x'.repeat(200) }, 'value_too_long', 'an id that is too long'],
])('with %j is refused: %s (%s)', (fields, code) => {
  expect(readJson('litellm', { ...SUCCESS, ...fields })).toMatchObject({ kind: 'rejected', code });
});

describe('a list of payloads in one line', () => {
  test('is as many requests, and what is refused of it carries its own text', () => {
    const broken = { ...SUCCESS, id: 'b', startTime: null };
    const outcomes = readSeveral('litellm', { text: JSON.stringify([SUCCESS, broken, 7, { ...SUCCESS, id: 'c' }]) });
    expect(outcomes.map((one) => (one.kind === 'decision' ? one.event.requestId : one.kind))).toEqual([
      'chatcmpl-91',
      'rejected',
      'rejected',
      'c',
    ]);
    expect(outcomes.map((one) => (one.kind === 'rejected' ? one.raw : null))).toEqual([
      null,
      JSON.stringify(broken),
      '7',
      null,
    ]);
  });

  test('gives those without an id ids of their own', () => {
    const { id: _, ...nameless } = SUCCESS;
    const ids = readSeveral('litellm', { text: JSON.stringify([nameless, nameless]) }).map((one) =>
      one.kind === 'decision' ? one.event.requestId : '',
    );
    expect(new Set(ids).size).toBe(2);
  });

  test('is refused as a whole when it is too long', () => {
    const read = findAdapter('litellm').open(OPTIONS);
    const outcomes = eachOutcome(read({ text: `[${'1,'.repeat(20_000)}1]`, fields: null, line: 1 }));
    expect(outcomes).toMatchObject([{ kind: 'rejected', code: 'out_of_range' }]);
  });
});
