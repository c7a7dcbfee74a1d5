import { describe, expect, test } from 'vitest';
import { eventOf, readJson, spans } from './json-record.ts';

const SERVED = {
  start_time: '2026-03-02T10:15:04.301Z',
  response_code: 200,
  response_flags: '-',
  response_code_details: 'via_upstream',
  bytes_received: 790,
  bytes_sent: 2211,
  duration: 184,
  request_duration: 2,
  request_tx_duration: 41,
  response_duration: 180,
  response_tx_duration: 4,
  queue_ms: 38,
  upstream_request_attempt_count: 2,
  upstream_host: '10.0.3.17:8080',
  x_request_id: 'r1',
  tenant: 'globex',
};
const START_MS = Date.parse('2026-03-02T10:15:04.301Z');
const LIMITED = { ...SERVED, response_code: 429, upstream_host: null, request_tx_duration: null, queue_ms: null };

describe('a request that Envoy served', () => {
  test('waited at most from its last byte to the first one upstream', () => {
    const event = eventOf('envoy', SERVED);
    expect(event).toMatchObject({
      requestId: 'r1',
      tenant: 'globex',
      tenantProvenance: null,
      arrivedAtMs: START_MS,
      outcome: 'admitted',
      status: 'ok',
      attempt: 2,
      cost: null,
      waitProvenance: 'bounded',
    });
    expect(spans(event)).toEqual({ waitMs: 38, serviceMs: 143 });
  });

  test.each<[object, object, string, string]>([
    [{ queue_ms: null }, { waitMs: 39, serviceMs: 143 }, 'bounded', 'US_TX_END − DS_RX_END bounds it more loosely'],
    [{ queue_ms: '38' }, { waitMs: 38, serviceMs: 143 }, 'bounded', 'numbers in quotes'],
    [{ service_ms: 140 }, { waitMs: 38, serviceMs: 140 }, 'bounded', 'US_TX_END→US_RX_END where it is logged'],
    [{ response_duration: null }, { waitMs: 38, serviceMs: 143 }, 'bounded', 'the whole less what came before'],
    [{ queue_ms: null, request_tx_duration: null }, { waitMs: 0, serviceMs: 184 }, 'absent', 'no sign of a queue'],
    [{ queue_ms: null, request_duration: null }, { waitMs: 0, serviceMs: 143 }, 'absent', 'no end of the request'],
    [{ request_tx_duration: 1, queue_ms: null }, { waitMs: 0, serviceMs: 183 }, 'bounded', 'sent before it was whole'],
  ])('with %j has %j and a wait that is %s (%s)', (fields, expected, provenance) => {
    const event = eventOf('envoy', { ...SERVED, ...fields });
    expect(spans(event)).toEqual(expected);
    expect(event.waitProvenance).toBe(provenance);
  });

  test.each([
    [{ tenant: null }, null, '-', 'absent'],
    [{ tenant: '-' }, null, '-', 'absent'],
    [{ tenant: undefined }, 'all', 'all', 'derived'],
    [{ tenant: '中文 🦊' }, 'all', '中文 🦊', null],
  ])('%j without tenant (--tenant %s) is %s (%s)', (fields, tenant, expected, provenance) => {
    const event = eventOf('envoy', { ...SERVED, ...fields }, { tenant });
    expect([event.tenant, event.tenantProvenance]).toEqual([expected, provenance]);
  });

  test('costs its bytes only where the mapping says so', () => {
    expect(eventOf('envoy', SERVED, { mapping: { cost: 'bytes' } }).cost).toBe(3001);
  });

  test('gets an id of its line where it has none, the same each time', () => {
    const [first, second] = [
      eventOf('envoy', { ...SERVED, x_request_id: null }),
      eventOf('envoy', { ...SERVED, x_request_id: '-' }),
    ];
    expect(first.requestId).toMatch(/^line-1-[0-9a-f]{16}$/);
    expect(second.requestId).not.toBe(first.requestId);
    expect(eventOf('envoy', { ...SERVED, x_request_id: null })).toEqual(first);
  });
});

describe('what Envoy decided', () => {
  test.each([
    ['RL', 429, 'quota'],
    ['RLSE', 500, 'other'],
    ['UO', 503, 'circuit_open'],
    ['OM', 503, 'degraded'],
    ['DO', 503, 'degraded'],
    ['UAEX', 403, 'other'],
    ['UAEX', 429, 'quota'],
    ['UAEX', 401, 'unknown_tenant'],
    ['NR', 404, 'other'],
    ['URX,UO', 503, 'circuit_open'],
    ['RateLimited', 429, 'quota'],
    ['UpstreamOverflow', 503, 'circuit_open'],
  ])('flag %s with %i is a refusal: %s', (flags, code, reason) => {
    const event = eventOf('envoy', {
      ...LIMITED,
      response_flags: flags,
      response_code: code,
      response_code_details: 'x',
    });
    expect(event).toMatchObject({
      outcome: 'rejected',
      reason,
      status: null,
      dispatchedAtMs: null,
      waitProvenance: null,
    });
  });

  test.each([
    ['UT', 504, 'timeout'],
    ['SI', 408, 'timeout'],
    ['URX', 503, 'error'],
    ['UF,URX', 503, 'error'],
    ['UC', 503, 'error'],
    ['DC', 0, 'cancelled'],
  ])('flag %s with %i is no refusal: it was served and ended with %s', (flags, code, status) => {
    const event = eventOf('envoy', {
      ...SERVED,
      response_flags: flags,
      response_code: code,
      response_code_details: null,
    });
    expect(event).toMatchObject({ outcome: 'admitted', reason: null, status });
  });

  test.each([
    ['request_rate_limited', 429, 'quota'],
    ['local_rate_limited', 429, 'quota'],
    ['rate_limiter_error', 500, 'other'],
    ['overload', 503, 'degraded'],
    ['reached_concurrency_limit', 503, 'queue_full'],
    ['upstream_reset_before_response_started{overflow}', 503, 'circuit_open'],
    ['rbac_access_denied_matched_policy[none]', 403, 'other'],
    ['jwt_authn_access_denied{Jwt_is_missing}', 401, 'unknown_tenant'],
    ['ext_authz_denied', 429, 'quota'],
  ])('details %s with %i and no flag are a refusal: %s', (details, code, reason) => {
    const event = eventOf('envoy', {
      ...LIMITED,
      response_flags: '-',
      response_code: code,
      response_code_details: details,
    });
    expect(event).toMatchObject({ outcome: 'rejected', reason });
  });

  test('a 429 of the upstream is no decision of the gateway', () => {
    const event = eventOf('envoy', { ...SERVED, response_code: 429 });
    expect(event).toMatchObject({ outcome: 'admitted', status: 'error' });
  });

  test('a client that left before anything went upstream waited all the time', () => {
    const gone = {
      ...LIMITED,
      response_code: 0,
      response_flags: 'DC',
      response_code_details: 'downstream_remote_disconnect',
    };
    const event = eventOf('envoy', gone);
    expect(event).toMatchObject({
      outcome: 'admitted',
      status: 'cancelled',
      dispatchedAtMs: null,
      waitProvenance: 'bounded',
    });
    expect(event.completedAtMs).toBe(START_MS + 184);
  });

  test('the mapping may say what a refusal means, or that it is none', () => {
    const mapping = { refusals: { request_rate_limited: 'priority', UO: 'admitted' } };
    const limited = { ...LIMITED, response_code_details: 'request_rate_limited', response_flags: 'RL' };
    expect(eventOf('envoy', limited, { mapping })).toMatchObject({ reason: 'priority' });
    const overflow = { ...SERVED, response_flags: 'UO', response_code_details: null, response_code: 503 };
    expect(eventOf('envoy', overflow, { mapping })).toMatchObject({ outcome: 'admitted', status: 'error' });
  });
});

describe('a record of Envoy is refused', () => {
  test.each([
    [{ start_time: undefined }, 'missing_field'],
    [{ start_time: '1772446504.301' }, 'time_format'],
    [{ start_time: 1772446504.301 }, 'time_unit'],
    [{ start_time: '2026-03-02 10:15:04' }, 'time_format'],
    [{ duration: -5 }, 'out_of_range'],
    [{ duration: 'long' }, 'wrong_type'],
    [{ duration: 9e15 }, 'out_of_range'],
    [{ upstream_request_attempt_count: 1.5 }, 'wrong_type'],
    [{ tenant: { name: 'x' } }, 'wrong_type'],
    [{ tenant: 'a\u0000b' }, 'control_character'],
    [{ tenant: 'x'.repeat(129) }, 'value_too_long'],
    [{ x_request_id: 2 ** 53 }, 'number_precision'],
  ])('with %j: %s', (fields, code) => {
    expect(readJson('envoy', { ...SERVED, ...fields })).toMatchObject({ kind: 'rejected', code });
  });
});
