import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactSum, splitExactly } from '../../../analytics/window/exact-sum.ts';

/** The float nearest to a sum of floats ≥ 0, by whole numbers of any size: the oracle. */
function literalSum(values: readonly number[]): number {
  const unit = 1_074n;
  const asUnits = (value: number): bigint => {
    const bits = new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n;
    const exponent = (bits >> 52n) & 0x7ffn;
    const fraction = bits & ((1n << 52n) - 1n);
    const mantissa = exponent === 0n ? fraction : fraction | (1n << 52n);
    return mantissa << (exponent === 0n ? 0n : exponent - 1n);
  };
  const total = values.reduce((sum, value) => sum + asUnits(value), 0n);
  const excess = BigInt(Math.max(0, total.toString(2).length - 53));
  const kept = total >> excess;
  const half = excess === 0n ? 0n : 1n << (excess - 1n);
  const left = total - (kept << excess);
  const rounded = left > half || (left === half && half > 0n && kept % 2n === 1n) ? kept + 1n : kept;
  // Both factors are exact, and so is the product unless it is beyond every float.
  return Number(excess) > 1_074
    ? Number(rounded) * 2 ** (Number(excess) - Number(unit))
    : Number(rounded) *
        2 ** Number(excess - (excess > 500n ? 500n : excess)) *
        2 ** (Number(excess > 500n ? 500n : excess) - Number(unit));
}

const cost = fc.oneof(
  fc.double({ min: 0, max: 1e12, noNaN: true }),
  fc.integer({ min: 0, max: 1_000_000 }),
  fc.constantFrom(0, 0.1, 1 / 3, 2 ** 53, 1e-9, 1e15),
);
const costs = fc.array(cost, { maxLength: 60 });

describe('the exact sum', () => {
  it('is the float nearest to the true sum, as whole numbers of any size tell it', () => {
    fc.assert(
      fc.property(costs, (values) => {
        expect(exactSum(values)).toBe(literalSum(values));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not depend on the order', () => {
    const shuffled = costs.chain((values) =>
      fc.tuple(fc.constant(values), fc.shuffledSubarray(values, { minLength: values.length })),
    );
    fc.assert(
      fc.property(shuffled, ([values, other]) => {
        expect(exactSum(other)).toBe(exactSum(values));
      }),
    );
  });

  it.each([
    [[], 0],
    [[0.1, 0.2, 0.3], 0.6],
    [[2 ** 53, 1, 1], 2 ** 53 + 2],
    [[2 ** 53, 1], 2 ** 53],
    [[2 ** 53, 1, 2 ** -60], 2 ** 53 + 2],
    [[1e308, 1e308], Number.POSITIVE_INFINITY],
  ])('of %j is %d', (values, sum) => {
    expect(exactSum(values)).toBe(sum);
  });
});

describe('an exact split', () => {
  it('adds up bit for bit in whatever order, to the exact total and to one that was added up one by one', () => {
    const some = fc.array(cost, { minLength: 1, maxLength: 60 });
    const shuffled = some.chain((values) =>
      fc.tuple(
        fc.constant(values),
        fc.shuffledSubarray([...values.keys()], { minLength: values.length }),
        fc.boolean(),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([values, order, oneByOne]) => {
        const total = oneByOne ? values.reduce((sum, value) => sum + value, 0) : exactSum(values);
        const parts = splitExactly(total, values, values.length);
        expect(order.map((index) => parts[index] ?? Number.NaN).reduce((sum, part) => sum + part, 0)).toBe(total);
        const slack = total * 2 ** -52 * (2 * values.length + 1);
        for (const [index, value] of values.entries()) {
          expect(Math.abs((parts[index] ?? Number.NaN) - value)).toBeLessThanOrEqual(slack);
          if (value === 0) expect(parts[index]).toBe(0);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves whole numbers as they are', () => {
    expect(splitExactly(1_000_006, [1, 2, 1_000_003], 3)).toEqual([1, 2, 1_000_003]);
  });

  it('refuses parts that are not those of the total', () => {
    expect(() => splitExactly(10, [3, 4], 2)).toThrow(/add up/);
    expect(() => splitExactly(0, [1], 1)).toThrow(/nothing/);
  });
});
