import { describe, expect, test } from 'vitest';
import { eventOf, readJson, spans } from './json-record.ts';

const DELAYED = {
  msec: '1772446507.894',
  request_id: 'a8f3',
  tenant: 'acme',
  status: 200,
  request_length: 812,
  bytes_sent: 2211,
  request_time: 0.184,
  upstream_status: '502, 200',
  upstream_response_time: '0.020, 0.139',
  limit_req_status: 'DELAYED',
  limit_conn_status: 'PASSED',
};
const REJECTED = { ...DELAYED, status: 429, request_time: 0, upstream_status: '', upstream_response_time: '' };

describe('the times of nginx', () => {
  test('msec is the time of logging: the request arrived request_time before, and was delayed by what was no upstream', () => {
    const event = eventOf('nginx', DELAYED);
    expect(event).toMatchObject({
      arrivedAtMs: 1_772_446_507_710,
      completedAtMs: 1_772_446_507_894,
      attempt: 2,
      outcome: 'admitted',
      status: 'ok',
      waitProvenance: 'derived',
    });
    expect(spans(event)).toEqual({ waitMs: 25, serviceMs: 159 });
  });

  test.each<[object, object, string, string]>([
    [{ limit_req_status: 'PASSED' }, { waitMs: 0, serviceMs: 159 }, 'derived', 'passed without a delay'],
    [{ limit_req_status: 'DELAYED_DRY_RUN' }, { waitMs: 0, serviceMs: 159 }, 'derived', 'a dry run delays nothing'],
    [{ limit_req_status: '' }, { waitMs: 0, serviceMs: 159 }, 'absent', 'no limit, no queue to know of'],
    [{ limit_req_status: '-' }, { waitMs: 0, serviceMs: 159 }, 'absent', 'a dash is nothing'],
    [{ upstream_response_time: '0.020, -' }, { waitMs: 164, serviceMs: 20 }, 'derived', 'one that did not answer'],
    [{ upstream_response_time: '0.100 : 0.050' }, { waitMs: 34, serviceMs: 150 }, 'derived', 'a redirect inside nginx'],
    [{ upstream_response_time: 0.139 }, { waitMs: 45, serviceMs: 139 }, 'derived', 'a number, no list'],
    [{ upstream_response_time: '0.200' }, { waitMs: 0, serviceMs: 200 }, 'derived', 'clocks: never less than nothing'],
    [
      { upstream_response_time: '', upstream_status: '' },
      { waitMs: 184, serviceMs: 0 },
      'derived',
      'served by nginx itself',
    ],
  ])('with %j: %j, %s (%s)', (fields, expected, provenance) => {
    const event = eventOf('nginx', { ...DELAYED, ...fields });
    expect(spans(event)).toEqual(expected);
    expect(event.waitProvenance).toBe(provenance);
  });

  test.each([
    ['0.020, 0.139', 2],
    ['0.1', 1],
    ['', 1],
    ['-, -, 0.3', 3],
    ['0.1, 0.2 : 0.3', 1],
  ])('the list %j has %i attempts', (list, attempt) => {
    expect(eventOf('nginx', { ...DELAYED, upstream_response_time: list }).attempt).toBe(attempt);
  });

  test('milliseconds are read where the mapping says so, and named where it does not', () => {
    const record = { ...DELAYED, msec: 1_772_446_507_894, request_time: 184, upstream_response_time: '20, 139' };
    expect(readJson('nginx', record)).toMatchObject({
      code: 'time_unit',
      detail: 'msec looks like milliseconds, seconds are expected: say ms under units',
    });
    const mapping = { units: { msec: 'ms', request_time: 'ms', upstream_response_time: 'ms' } };
    expect(eventOf('nginx', record, { mapping })).toEqual(eventOf('nginx', DELAYED));
  });
});

describe('what nginx decided', () => {
  test.each<[object, string, string]>([
    [{ limit_req_status: 'REJECTED' }, 'quota', 'the rate limit'],
    [{ limit_req_status: 'PASSED', limit_conn_status: 'REJECTED', status: 503 }, 'quota', 'the connection limit'],
    [{ limit_req_status: null, limit_conn_status: null }, 'quota', 'a 429 that no upstream gave'],
    [{ limit_req_status: null, limit_conn_status: null, status: 401 }, 'unknown_tenant', 'nobody known'],
    [{ limit_req_status: null, limit_conn_status: null, status: 503 }, 'other', 'nginx itself'],
  ])('%j is a refusal: %s (%s)', (fields, reason) => {
    expect(eventOf('nginx', { ...REJECTED, ...fields })).toMatchObject({
      outcome: 'rejected',
      reason,
      dispatchedAtMs: null,
      completedAtMs: null,
    });
  });

  test.each<[object, string, string]>([
    [{ status: 429, upstream_status: '429' }, 'error', 'the upstream limited, not the gateway'],
    [
      { status: 429, limit_req_status: 'REJECTED_DRY_RUN', upstream_status: '429' },
      'error',
      'a dry run refuses nothing',
    ],
    [{ status: 499 }, 'cancelled', 'the client closed'],
    [{ status: 504, upstream_status: '504' }, 'timeout', 'the upstream was too slow'],
    [{ status: 502, upstream_status: '502' }, 'error', 'the upstream failed'],
    [{ status: 502, upstream_status: '' }, 'error', 'no upstream could be had'],
  ])('%j is none: %s (%s)', (fields, status) => {
    expect(eventOf('nginx', { ...DELAYED, ...fields })).toMatchObject({ outcome: 'admitted', status });
  });
});

test.each([
  [{ msec: undefined }, 'missing_field'],
  [{ request_time: undefined }, 'missing_field'],
  [{ msec: 'now' }, 'time_format'],
  [{ request_time: '-0.1' }, 'out_of_range'],
  [{ upstream_response_time: '0.1, x' }, 'wrong_type'],
  [{ upstream_response_time: '0.1,-3' }, 'wrong_type'],
  [{ upstream_response_time: ','.repeat(20_000) }, 'out_of_range'],
  [{ status: 'ok' }, 'wrong_type'],
])('with %j is refused: %s', (fields, code) => {
  expect(readJson('nginx', { ...DELAYED, ...fields })).toMatchObject({ kind: 'rejected', code });
});

test('bytes are a cost where the mapping says so', () => {
  expect(eventOf('nginx', DELAYED).cost).toBeNull();
  expect(eventOf('nginx', DELAYED, { mapping: { cost: 'bytes' } }).cost).toBe(3023);
});
