import { describe, expect, test } from 'vitest';
import { parseDecision } from '../../../ingest/event/parse-event.ts';
import { eventOf, LEAST, OPTIONS, verdictOf } from './wire.ts';

const ENVELOPE = {
  specversion: '1.0',
  id: 'e1',
  source: 'gw-1',
  type: 'evenshare.decision.v1',
  time: '2026-03-02T10:15:04.127Z',
};
const parse = (fields: Readonly<Record<string, unknown>>) => parseDecision({ ...ENVELOPE, ...fields }, OPTIONS);

describe('a CloudEvents 1.0 envelope', () => {
  test('completes the event with its id, source and time', () => {
    expect(eventOf(parse({ data: { tenant: 'acme' } }))).toMatchObject({
      requestId: 'e1',
      gateway: 'gw-1',
      arrivedAtMs: LEAST.arrived_at,
      tenant: 'acme',
      labels: null,
    });
  });

  test('never overrules what the event says', () => {
    const data = { ...LEAST, arrived_at: LEAST.arrived_at - 5, gateway: 'own' };
    expect(eventOf(parse({ data }))).toMatchObject({
      requestId: 'r1',
      gateway: 'own',
      arrivedAtMs: LEAST.arrived_at - 5,
    });
  });

  test('extension attributes become labels, but none passes for a field of the event', () => {
    const event = eventOf(parse({ data: { tenant: 'acme' }, traceparent: '00-x', tenant: 'envelope', cost: 5 }));
    expect(event).toMatchObject({ tenant: 'acme', cost: null, labels: '{"traceparent":"00-x"}' });
    expect(verdictOf(parse({ data: {}, tenant: 'envelope' }))).toMatch(/^missing_field: tenant /);
  });

  test('carries pool announcements and coverage reports', () => {
    const pool = { schema: 'evenshare.pool.v1', pool: 'p', slots: 4 };
    expect(parse({ data: pool })).toMatchObject({ kind: 'pool', announcement: { atMs: LEAST.arrived_at } });
    const coverage = {
      schema: 'evenshare.coverage.v1',
      from: LEAST.arrived_at,
      to: LEAST.arrived_at + 1,
      decisions: 0,
    };
    expect(parse({ data: coverage })).toMatchObject({ kind: 'coverage', report: { gateway: 'gw-1' } });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['specversion', { specversion: 1 }, 'wrong_type'],
    ['specversion', { specversion: '0.3' }, 'unknown_schema'],
    ['id', { id: undefined }, 'missing_field'],
    ['id', { id: '' }, 'empty_value'],
    ['source', { source: null }, 'missing_field'],
    ['type', { type: 5 }, 'wrong_type'],
    ['data', { data: undefined }, 'missing_field'],
    ['data', { data: null, data_base64: 'e30=' }, 'missing_field'],
    ['data', { data: '{}' }, 'wrong_type'],
    ['data', { data: [] }, 'wrong_type'],
  ])('%s in %j is refused', (field, fields, code) => {
    expect(verdictOf(parse({ data: { tenant: 'acme' }, ...fields }))).toMatch(new RegExp(`^${code}: ${field} `));
  });

  test('a refusal of the event within says where its fields may come from', () => {
    expect(verdictOf(parse({ data: { tenant: 'acme' }, source: 'x'.repeat(200) }))).toMatch(
      /^value_too_long: gateway .*source/,
    );
  });

  test('an event that bears the names of a refusal is still an event', () => {
    const data = { ...LEAST, kind: 'rejected', code: 'x', detail: 'y' };
    expect(eventOf(parse({ data })).labels).toBe('{"code":"x","detail":"y","kind":"rejected"}');
  });
});
