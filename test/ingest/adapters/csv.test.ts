import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { findAdapter } from '../../../ingest/adapters/index.ts';
import { requirePart } from '../../support/require-part.ts';
import { decisionsOf, OPTIONS, readAll, readOne, sharedTrace } from './records.ts';

const ROW = { request_id: 'r1', tenant: 'acme', arrived_at: '2026-03-02T10:15:04.127Z' };
const ARRIVED_MS = Date.parse(ROW.arrived_at);
const read = (fields: Readonly<Record<string, string>>, mapping = '') =>
  readOne('csv', { fields }, { mapping: mapping === '' ? null : parseYaml(mapping) });

describe('a row without a mapping', () => {
  test('has columns named as the fields; empty cells are absent, other columns are labels', () => {
    const fields = {
      ...ROW,
      cost: '1.5',
      promoted: 'true',
      status: '',
      slots: '2',
      region: 'eu',
      note: '',
      attempt: '2',
    };
    expect(read(fields)).toMatchObject({
      kind: 'decision',
      event: {
        requestId: 'r1',
        arrivedAtMs: ARRIVED_MS,
        cost: 1.5,
        promoted: true,
        status: null,
        slots: 2,
        attempt: 2,
        labels: '{"region":"eu"}',
      },
    });
  });

  test('may give times in epoch milliseconds; other units are refused until a mapping names them', () => {
    expect(read({ ...ROW, arrived_at: '1772446504127' })).toMatchObject({ event: { arrivedAtMs: 1_772_446_504_127 } });
    expect(read({ ...ROW, arrived_at: '1772446504.127' })).toMatchObject({ code: 'time_unit' });
  });

  test.each<[Record<string, string>, string]>([
    [{ cost: 'x' }, 'wrong_type'],
    [{ cost: '-1' }, 'out_of_range'],
    [{ input_tokens: '9007199254740993' }, 'number_precision'],
    [{ promoted: 'yes' }, 'wrong_type'],
    [{ tenant: '' }, 'missing_field'],
    [{ outcome: 'rejected' }, 'missing_field'],
    [{ arrived_at: 'x' }, 'time_format'],
  ])('%j is refused with %s', (fields, code) => expect(read({ ...ROW, ...fields })).toMatchObject({ code }));

  test('a row of other columns than the last is read by its own', () => {
    const adapter = findAdapter('csv').open(OPTIONS);
    const outcomes = [ROW, { region: 'eu', ...ROW }, { ...ROW, cost: '1' }, ROW].map((fields) =>
      adapter({ text: '', fields, line: 2 }),
    );
    expect(outcomes).toMatchObject([
      { event: { labels: null, cost: null } },
      { event: { labels: '{"region":"eu"}', cost: null } },
      { event: { labels: null, cost: 1 } },
      { event: { labels: null, cost: null } },
    ]);
  });
});

describe('a mapping', () => {
  test('names columns, constants, units, durations and values', () => {
    const mapping = `
      time_unit: s
      absent: ["-", "NULL"]
      fields:
        request_id: id
        tenant: { column: customer }
        pool: { value: llm-a }
        arrived_at: ts
        dispatched_at: { add: [arrived_at, wait_ms], unit: ms }
        completed_at: { add: [dispatched_at, run_ms], subtract: [idle_ms], unit: ms }
        outcome: { column: code, map: { "200": admitted, "429": rejected }, default: admitted }
        reason: { column: code, map: { 429: quota }, default: null }
        cost: tokens
      provenance: { wait: bounded, tenant: derived }
    `;
    const fields = { id: '7', customer: 'acme', ts: '1772446504.1279', wait_ms: '250.4', run_ms: '100', idle_ms: '1' };
    expect(read({ ...fields, code: '200', tokens: '-', zone: 'a', tenant: 'other' }, mapping)).toMatchObject({
      event: {
        requestId: '7',
        tenant: 'acme',
        pool: 'llm-a',
        arrivedAtMs: 1_772_446_504_127,
        dispatchedAtMs: 1_772_446_504_377,
        completedAtMs: 1_772_446_504_476,
        outcome: 'admitted',
        reason: null,
        cost: null,
        labels: '{"zone":"a"}',
        waitProvenance: 'bounded',
        tenantProvenance: 'derived',
      },
    });
    expect(read({ ...fields, code: '429', wait_ms: '', tokens: '5' }, mapping)).toMatchObject({
      event: { outcome: 'rejected', reason: 'quota', dispatchedAtMs: null, completedAtMs: null, cost: 5 },
    });
    expect(read({ ...fields, code: '200', wait_ms: 'x' }, mapping)).toMatchObject({
      code: 'wrong_type',
      detail: expect.stringContaining('wait_ms'),
    });
  });

  test.each([
    ['ms', '1772446504127', 1_772_446_504_127],
    ['ms', '1772446504127.9', 1_772_446_504_127],
    ['s', '1772446504', 1_772_446_504_000],
    ['s', '1772446504.127', 1_772_446_504_127],
    ['s', '1772446504.12', 1_772_446_504_120],
    ['us', '1772446504127999', 1_772_446_504_127],
    ['ns', '1772446504127999999', 1_772_446_504_127],
    ['rfc3339', ROW.arrived_at, ARRIVED_MS],
  ])('in unit %s %s is exact', (unit, cell, expected) => {
    const mapping = `fields: { arrived_at: { column: t, unit: ${unit} } }`;
    expect(read({ request_id: 'r', tenant: 'a', t: cell }, mapping)).toMatchObject({
      event: { arrivedAtMs: expected },
    });
  });

  test.each([
    ['s', '1772446504127', 'out_of_range'],
    ['ms', '1772446504', 'out_of_range'],
    ['s', 'x', 'time_format'],
    ['s', '1.7e9', 'time_format'],
    ['rfc3339', '1772446504127', 'time_format'],
  ])('in unit %s %s is refused with %s', (unit, cell, code) => {
    const mapping = `time_unit: ${unit}\nfields: { arrived_at: t }`;
    expect(read({ request_id: 'r', tenant: 'a', t: cell }, mapping)).toMatchObject({
      code,
      detail: expect.stringMatching(/^arrived_at /),
    });
  });

  test('a text that map does not list is refused, naming the field', () => {
    const mapping = 'fields: { outcome: { column: code, map: { "200": admitted } } }';
    expect(read({ ...ROW, code: '500' }, mapping)).toMatchObject({
      code: 'unknown_value',
      detail: expect.stringMatching(/^outcome /),
    });
    expect(read({ ...ROW, code: '' }, mapping)).toMatchObject({ event: { outcome: null } });
  });

  test('may name what every object answers to: no such column is there', () => {
    const mapping =
      'fields: { completed_at: { add: [constructor, toString], unit: ms }, class: __proto__, gateway: valueOf }';
    expect(read(ROW, mapping)).toMatchObject({ event: { completedAtMs: null, class: null, gateway: null } });
  });

  test('every mistake is named with its path, all at once', () => {
    const mapping = parseYaml(`
      delimiter: ";;"
      time_unit: minutes
      absent: x
      colour: red
      fields:
        request_id: 5
        tenant: { column: "" }
        arrived_at: { column: t, unit: h, map: {} }
        dispatched_at: { add: [completed_at, a] }
        completed_at: { add: [dispatched_at], unit: ms }
        cost: { add: [a], unit: s }
        outcome: { column: c, default: x }
        pool: { value: [1] }
        cpu: x
      provenance: { wait: guessed, cost: measured }
    `);
    let message = '';
    try {
      readOne('csv', {}, { mapping });
    } catch (error) {
      expect(error).toMatchObject({ code: 'EVS_USAGE' });
      message = String(error);
    }
    const paths = [
      'delimiter',
      'time_unit',
      'absent',
      'colour',
      'fields.request_id',
      'fields.tenant.column',
      'fields.arrived_at.unit',
      'fields.arrived_at.map',
      'fields.dispatched_at.unit',
      'fields.cost.column',
      'fields.outcome.default',
      'fields.pool.value',
      'fields.cpu',
      'provenance.wait',
      'provenance.cost',
    ];
    for (const path of paths) expect(message).toContain(`${path}: `);
  });

  test('a time made of itself is refused', () => {
    const mapping =
      'fields: { dispatched_at: { add: [completed_at], unit: s }, completed_at: { add: [dispatched_at], unit: s } }';
    expect(() => read(ROW, mapping)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('is made of itself') }),
    );
  });

  test.each(['- 1', 'text', '17'])('%j is none', (document) => {
    expect(() => read(ROW, document)).toThrow(expect.objectContaining({ code: 'EVS_USAGE' }));
  });

  test('the header must have the columns that are needed', () => {
    const check = (columns: readonly string[], mapping: string, tenant: string | null = null): void =>
      findAdapter('csv').checkHeader?.(columns, { ...OPTIONS, tenant, mapping: parseYaml(mapping) });
    const fields =
      'fields: { arrived_at: ts, dispatched_at: { add: [arrived_at, w], unit: s }, request_id: { value: x } }';
    expect(() => check(['ts', 'w', 'tenant'], fields)).not.toThrow();
    expect(() => check(['ts', 'w'], fields, 'acme')).not.toThrow();
    expect(() => check(['time', 'tenant'], fields)).toThrow(
      expect.objectContaining({ code: 'EVS_INPUT_FORMAT', message: expect.stringContaining('lacks ts, w') }),
    );
    expect(() => check(['arrived_at'], '{}')).toThrow(
      expect.objectContaining({ message: expect.stringContaining('request_id, tenant') }),
    );
  });

  test('gives the delimiter', () => {
    const delimiterOf = (mapping: unknown): string | undefined =>
      findAdapter('csv').csvDelimiter?.({ ...OPTIONS, mapping });
    expect(delimiterOf(null)).toBe(',');
    expect(delimiterOf({ delimiter: '\t' })).toBe('\t');
    expect(() => delimiterOf({ delimiter: '"' })).toThrow(expect.objectContaining({ code: 'EVS_USAGE' }));
  });

  test('reads a real trace as its own adapter does', async (context) => {
    const path = requirePart(context, sharedTrace('vtc/three_policies.csv.gz'));
    const mapping = parseYaml(`
      fields:
        request_id: req
        arrived_at: { add: [{ value: 2023-01-01T00:00:00Z }, arrival_s], unit: s }
        dispatched_at: { add: [{ value: 2023-01-01T00:00:00Z }, arrival_s, vtc_ttft_s], unit: s }
        completed_at: { add: [{ value: 2023-01-01T00:00:00Z }, arrival_s, vtc_e2e_s], unit: s }
        status: { value: ok }
        outcome: { value: admitted }
        input_tokens: prompt_tokens
        output_tokens: output_tokens
      provenance: { wait: bounded }
    `);
    const mapped = decisionsOf(await readAll('csv', path, { mapping }));
    const own = decisionsOf(await readAll('vtc', path, { options: { policy: 'vtc' } }));
    expect(mapped.map((event) => ({ ...event, labels: null }))).toEqual(own);
  });
});
