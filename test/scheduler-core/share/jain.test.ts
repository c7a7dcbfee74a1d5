import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jainIndex } from '../../../scheduler-core/index.ts';

const vectors: { readonly cases: readonly { readonly values: readonly number[]; readonly expected: number | null }[] } =
  JSON.parse(readFileSync(new URL('../../../../shared/vectors/jain.json', import.meta.url), 'utf8'));

const values = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true })), {
  minLength: 1,
  maxLength: 60,
});

describe('Jain index', () => {
  it.each(vectors.cases)('published: of $values', ({ values: given, expected }) => {
    const found = jainIndex(given);
    if (expected === null || found === null) expect(found).toBe(expected);
    else expect(found).toBeCloseTo(expected, 12);
  });

  it('lies between 1/n and 1, and is null only where nobody has anything', () => {
    fc.assert(
      fc.property(values, (given) => {
        const index = jainIndex(given);
        if (given.every((value) => value === 0)) {
          expect(index).toBeNull();
          return;
        }
        expect(index).toBeGreaterThanOrEqual((1 / given.length) * (1 - 1e-12));
        expect(index).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });

  it('is the formula, taken literally', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 50 }), (given) => {
        const sum = given.reduce((total, value) => total + value, 0);
        const squares = given.reduce((total, value) => total + value * value, 0);
        if (squares > 0) expect(jainIndex(given)).toBeCloseTo((sum * sum) / (given.length * squares), 12);
      }),
    );
  });

  it.each([1e-300, 0.1, 3, 1e250])('does not depend on the unit: times %d', (factor) => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), { minLength: 1 }), (given) => {
        expect(jainIndex(given.map((value) => value * factor))).toBeCloseTo(jainIndex(given) ?? Number.NaN, 9);
      }),
    );
  });

  it('is 1 for equal values, however small or large, and k/n when k of n have everything', () => {
    for (const value of [5e-324, 1e-200, 1, 1e200, Number.MAX_VALUE, Number.POSITIVE_INFINITY]) {
      expect(jainIndex([value, value, value])).toBe(1);
      expect(jainIndex([value, 0, 0, value])).toBe(0.5);
    }
  });

  it('is 1/n where one is beyond all measure, never NaN', () => {
    expect(jainIndex([Number.POSITIVE_INFINITY, 1, 1, 0])).toBe(0.25);
  });
});
