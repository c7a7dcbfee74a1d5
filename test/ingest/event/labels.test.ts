import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectLabels, MAX_LABELS_BYTES } from '../../../ingest/event/labels.ts';

const NONE: ReadonlySet<string> = new Set();
const SEED = 20_260_302;

function shuffledKeys(value: unknown, order: (a: string, b: string) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffledKeys(item, order));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => order(a, b))
      .map(([key, item]) => [key, shuffledKeys(item, order)]),
  );
}

describe('labels', () => {
  test('are the unknown fields as JSON text with sorted keys at every depth', () => {
    const record = { b: { z: 1, a: [true, { y: null, x: 'é' }] }, known: 1, a: '"', 中: 1.5 };
    expect(collectLabels(record, new Set(['known']))).toBe(
      '{"a":"\\"","b":{"a":[true,{"x":"é","y":null}],"z":1},"中":1.5}',
    );
  });

  test('are null when there are none', () => {
    expect(collectLabels({}, NONE)).toBeNull();
    expect(collectLabels({ a: null, known: 1 }, new Set(['known']))).toBeNull();
  });

  test('an own __proto__ is a field like any other', () => {
    expect(collectLabels(JSON.parse('{"__proto__":{"a":1}}'), NONE)).toBe('{"__proto__":{"a":1}}');
  });

  test('fit to the byte', () => {
    const exact = 'x'.repeat(MAX_LABELS_BYTES - '{"a":""}'.length);
    expect(collectLabels({ a: exact }, NONE)).toBe(`{"a":"${exact}"}`);
    expect(collectLabels({ a: `${exact}x` }, NONE)).toBe('{"_truncated":true}');
    expect(collectLabels({ a: `${exact.slice(1)}é` }, NONE)).toBe('{"_truncated":true}');
  });

  test('what does not fit is dropped whole, the longest first', () => {
    const record = { long: 'x'.repeat(3000), longer: 'x'.repeat(3500), short: 1, z: 'x'.repeat(900) };
    const labels = JSON.parse(collectLabels(record, NONE) ?? '');
    expect(Object.keys(labels)).toEqual(['_truncated', 'long', 'short', 'z']);
  });

  test('of equally long fields the later goes first, whatever the order in the record', () => {
    const a = 'x'.repeat(2500);
    const expected = `{"_truncated":true,"a":"${a}"}`;
    expect(collectLabels({ a, b: a }, NONE)).toBe(expected);
    expect(collectLabels({ b: a, a }, NONE)).toBe(expected);
  });

  test('a huge or deep field is dropped without being built', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(collectLabels({ deep, s: 1 }, NONE)).toBe('{"_truncated":true,"s":1}');
    expect(collectLabels({ wide: new Array(1e6).fill(0), s: 1 }, NONE)).toBe('{"_truncated":true,"s":1}');
    expect(collectLabels({ text: 'x'.repeat(1e6), s: 1 }, NONE)).toBe('{"_truncated":true,"s":1}');
  });

  test('the bound holds, the text is JSON, and the order of keys changes nothing', () => {
    const size = { maxKeys: 40, maxDepth: 3 };
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary', maxLength: 8 }), fc.jsonValue(size), { maxKeys: 60 }),
        (record) => {
          const labels = collectLabels(record, NONE);
          const backwards = shuffledKeys(record, (a, b) => (a < b ? 1 : -1));
          expect(collectLabels(Object(backwards), NONE)).toBe(labels);
          if (labels === null) return;
          expect(Buffer.byteLength(labels)).toBeLessThanOrEqual(MAX_LABELS_BYTES);
          const parsed: unknown = JSON.parse(labels);
          if (labels.includes('"_truncated":true')) return;
          const present = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
          expect(parsed).toEqual(JSON.parse(JSON.stringify(present)));
        },
      ),
      { seed: SEED, numRuns: 500 },
    );
  });
});
