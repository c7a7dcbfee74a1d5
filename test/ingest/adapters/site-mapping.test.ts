import { describe, expect, test } from 'vitest';
import { findAdapter } from '../../../ingest/adapters/index.ts';
import { eventOf, readJson } from './json-record.ts';
import { OPTIONS } from './records.ts';

const RECORD = {
  start_time: '2026-03-02T10:15:04.301Z',
  x_request_id: 'r1',
  response_code: 200,
  response_code_details: 'via_upstream',
  upstream_host: 'h',
  tenant: 'of the log',
  route_name: 'r',
  meta: { team: 'blue', 'x.y': { z: 'deep' } },
  tags: ['first', 'second'],
};
const event = (mapping: unknown, fields: object = {}) => eventOf('envoy', { ...RECORD, ...fields }, { mapping });

describe('a mapping says where the tenant is', () => {
  test.each([
    ['meta.team', 'blue'],
    ['meta.x.y.z', 'deep'],
    ['tags.1', 'second'],
    [['nowhere', 'meta.team', 'tenant'], 'blue'],
    [{ value: 'only' }, 'only'],
    [{ field: 'meta.team', map: { blue: 'Blue Ltd' } }, 'Blue Ltd'],
    [{ field: 'meta.team', map: { red: 'x' }, default: 'rest' }, 'rest'],
    [{ field: ['nowhere'], map: { red: 'x' }, default: 'rest' }, 'rest'],
    [{ field: 'meta.team', map: { red: 'x' }, default: null }, '-'],
    ['nowhere', '-'],
    ['__proto__', '-'],
    ['constructor.name', '-'],
  ])('%j: %s', (tenant, expected) => {
    expect(event({ tenant }).tenant).toBe(expected);
  });

  test.each([
    ['meta.team', null],
    [{ value: 'only' }, 'derived'],
    [{ field: 'meta.team', map: { blue: 'Blue Ltd' } }, 'derived'],
    ['nowhere', 'absent'],
  ])('%j: provenance %s', (tenant, expected) => {
    expect(event({ tenant }).tenantProvenance).toBe(expected);
  });
});

test('pool, class and gateway come from fields or constants', () => {
  const mapping = { pool: 'route_name', class: { value: 'batch' }, gateway: 'upstream_host' };
  expect(event(mapping)).toMatchObject({ pool: 'r', class: 'batch', gateway: 'h' });
  expect(event(mapping, { route_name: null }).pool).toBe('default');
});

test('a field has the name and the unit of the site', () => {
  const mapping = {
    fields: { start_time: ['t0', 'ts'], duration: 'took' },
    units: { start_time: 's', duration: 'us' },
  };
  const times = { start_time: undefined, ts: 1772446504.301, took: 5_000 };
  const made = event(mapping, times);
  expect(made.arrivedAtMs).toBe(1_772_446_504_301);
  expect(made.completedAtMs).toBe(1_772_446_504_306);
});

test('labels are those of the format, those named, all, or none', () => {
  expect(event(null).labels).toBe('{"response_code":200,"response_code_details":"via_upstream","route_name":"r"}');
  expect(event({ labels: ['meta.team', 'tags'] }).labels).toBe('{"tags":["first","second"],"team":"blue"}');
  expect(event({ labels: ['a.id', 'b.id'] }, { a: { id: 1 }, b: { id: 2 } }).labels).toBe('{"a.id":1,"b.id":2}');
  expect(event({ labels: [] }).labels).toBeNull();
  expect(event({ labels: 'all' }).labels).toBe(
    '{"meta":{"team":"blue","x.y":{"z":"deep"}},"route_name":"r","tags":["first","second"]}',
  );
});

test('labels are bounded whatever the log holds', () => {
  const labels = event({ labels: ['big', 'route_name'] }, { big: '🦊'.repeat(5_000) }).labels ?? '';
  expect(JSON.parse(labels)).toEqual({ _truncated: true, route_name: 'r' });
  const many = event({ labels: ['a', 'b'] }, { a: '中'.repeat(1_000), b: '中'.repeat(1_000) }).labels ?? '';
  expect(Buffer.byteLength(many)).toBeLessThanOrEqual(4096);
});

describe('every mistake is named at once', () => {
  const open = (format: string, mapping: unknown) => () => findAdapter(format).open({ ...OPTIONS, mapping });

  test('with its place and what is allowed', () => {
    const mapping = {
      tenat: 'x',
      tenant: 7,
      pool: { value: '' },
      class: { field: 'a', map: 'b', defalt: 'c' },
      gateway: { field: 'a', default: 'x' },
      fields: { start: 'x', duration: 3 },
      units: { duration: 'h', response_code: 's' },
      cost: 'gold',
      labels: [1],
      refusals: { '503': 'nope', '429': null },
    };
    const message = (() => {
      try {
        open('envoy', mapping)();
      } catch (error) {
        return String(error);
      }
      return '';
    })();
    for (const part of [
      /--map.tenat: unknown; allowed are tenant, pool/,
      /--map tenant: must be a field/,
      /--map pool.value: must be a text/,
      /--map class.map: must map texts/,
      /--map class.defalt: unknown/,
      /--map gateway.default: needs a map/,
      /--map fields.start: unknown; allowed are start_time/,
      /--map fields.duration: must be a field/,
      /--map units.duration: must be one of ms, s, us, ns/,
      /--map units.response_code: no time or duration/,
      /--map cost: must be one of bytes/,
      /--map labels: must be a list/,
      /--map refusals.503: must be one of quota/,
      /--map refusals.429: must be one of quota/,
    ]) {
      expect(message).toMatch(part);
    }
  });

  test.each<[string, unknown, string]>([
    ['envoy', [], 'no mapping at all'],
    ['envoy', 'tenant', 'a text'],
    ['vllm', { cost: 'bytes' }, 'a cost that the log does not know'],
    ['k8s-audit', { cost: 'bytes' }, 'a cost where there is none'],
    ['nginx', { fields: { start_time: 'x' } }, 'a field of another format'],
    ['kong', { tenant: 'a.b.c.d.e.f.g.h.i.j.k' }, 'a path that nobody nests'],
    ['apache', { units: { time: 'h' } }, 'no unit'],
  ])('%s with %j is refused (%s)', (format, mapping) => {
    expect(open(format, mapping)).toThrow(expect.objectContaining({ code: 'EVS_USAGE' }));
  });
});

test('a number is a name too, but not one that has lost its digits', () => {
  expect(eventOf('envoy', { ...RECORD, tenant: 17 }).tenant).toBe('17');
  expect(readJson('envoy', { ...RECORD, tenant: 2 ** 60 })).toMatchObject({ code: 'number_precision' });
});
