import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantileRank } from '../../../scheduler-core/index.ts';

interface Vector {
  readonly values: readonly number[] | string;
  readonly q: number;
  readonly expected: number | null;
}

const vectors: { readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../../../../shared/vectors/quantile-rank.json', import.meta.url), 'utf8'),
);

/** `0..999` stands for all whole numbers in between. */
function valuesOf(given: Vector['values']): readonly number[] {
  if (typeof given !== 'string') return given;
  const [from = 0, to = 0] = given.split('..').map(Number);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe('quantile by rank', () => {
  it.each(vectors.cases)('published: $q of $values', ({ values, q, expected }) => {
    expect(quantileRank(valuesOf(values), q)).toBe(expected);
    expect(quantileRank([...valuesOf(values)].reverse(), q)).toBe(expected);
  });

  it('has as many values before it as the rule says, whatever the order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 80 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, q) => {
          const found = quantileRank(values, q) ?? Number.NaN;
          const rank = Math.min(Math.floor(q * values.length), values.length - 1);
          expect(values).toContain(found);
          expect(values.filter((value) => value < found).length).toBeLessThanOrEqual(rank);
          expect(values.filter((value) => value <= found).length).toBeGreaterThan(rank);
        },
      ),
    );
  });

  it('sorts by value and leaves the given values as they are', () => {
    const values = Object.freeze([100, 9, 20]);
    expect(quantileRank(values, 0.5)).toBe(20);
    expect(values).toEqual([100, 9, 20]);
  });
});
