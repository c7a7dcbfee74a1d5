import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxMinFairShare } from '../../../scheduler-core/index.ts';
import { type Claim, naiveWaterFilling, unfairness } from './naive-water-filling.ts';

/** Small whole numbers, so that ratios often tie; and figures of any size, so that sums round. */
const demand = fc.oneof(
  fc.integer({ min: 0, max: 12 }),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
  fc.constantFrom(0, 1e-9, 1e12),
);
const weight = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom(0, 0.1, 0.3, 8, 1000));
const claim = fc.record({ demand, weight });
const claims = fc.array(claim, { maxLength: 40 });
const capacity = fc.oneof(
  fc.integer({ min: 0, max: 60 }),
  fc.double({ min: 0, max: 1e7, noNaN: true }),
  fc.constant(Number.POSITIVE_INFINITY),
);
const boundless = fc.record({ demand: fc.constantFrom(Number.POSITIVE_INFINITY, 1, 5), weight });

function share(of: readonly Claim[], capacityCost: number): number[] {
  return maxMinFairShare(
    of.map((each) => each.demand),
    capacityCost,
    of.map((each) => each.weight),
  ).shares;
}

function expectNear(found: readonly number[], expected: readonly number[], scale: number): void {
  expect(found.length).toBe(expected.length);
  for (const [index, value] of expected.entries()) {
    const other = found[index] ?? Number.NaN;
    if (other === value) continue;
    expect(Math.abs(other - value), `${index}: ${other} instead of ${value}`).toBeLessThanOrEqual(1e-9 * scale);
  }
}

const scaleOf = (of: readonly Claim[], capacityCost: number): number =>
  Math.max(
    1,
    Math.min(
      capacityCost,
      of.reduce((sum, each) => sum + each.demand, 0),
    ),
  );

describe('max-min shares of any demands', () => {
  it('are those of pouring by hand', () => {
    fc.assert(
      fc.property(claims, capacity, (of, capacityCost) => {
        expectNear(share(of, capacityCost), naiveWaterFilling(of, capacityCost), scaleOf(of, capacityCost));
      }),
      { numRuns: 3000 },
    );
  });

  it('are those of pouring by hand where demands are boundless', () => {
    fc.assert(
      fc.property(fc.array(boundless, { maxLength: 8 }), capacity, (of, capacityCost) => {
        const scale = Number.isFinite(capacityCost) ? Math.max(1, capacityCost) : 1;
        expectNear(share(of, capacityCost), naiveWaterFilling(of, capacityCost), scale);
      }),
      { numRuns: 1000 },
    );
  });

  it('never add up to more than the capacity, to the last bit, nor exceed a demand', () => {
    fc.assert(
      fc.property(fc.array(claim, { maxLength: 200 }), capacity, (of, capacityCost) => {
        const shares = share(of, capacityCost);
        let total = 0;
        for (const [index, each] of shares.entries()) {
          total += each;
          expect(each).toBeGreaterThanOrEqual(0);
          expect(each).toBeLessThanOrEqual(of[index]?.demand ?? 0);
        }
        const weighted = shares.filter((_, index) => (of[index]?.weight ?? 0) > 0).reduce((sum, each) => sum + each, 0);
        expect(weighted).toBeLessThanOrEqual(capacityCost);
        expect(total).toBeLessThanOrEqual(capacityCost);
      }),
      { numRuns: 3000 },
    );
  });

  it('grow with the capacity, for everybody', () => {
    fc.assert(
      fc.property(claims, capacity, capacity, (of, one, other) => {
        const less = share(of, Math.min(one, other));
        const more = share(of, Math.max(one, other));
        const slack = 1e-9 * scaleOf(of, Math.max(one, other));
        for (const [index, each] of less.entries()) expect(more[index]).toBeGreaterThanOrEqual(each - slack);
      }),
    );
  });

  it('gain nothing from splitting a tenant in two with its weight, nor do the others lose', () => {
    const positive = fc.record({ demand, weight: fc.constantFrom(0.5, 1, 2, 3) });
    fc.assert(
      fc.property(
        fc.array(positive, { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.constantFrom(0.25, 0.5, 0.125),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (of, which, part, capacityCost) => {
          const split = which % of.length;
          const pieces = of.flatMap((each, index) =>
            index === split
              ? [part, 1 - part].map((ratio) => ({ demand: each.demand * ratio, weight: each.weight * ratio }))
              : [each],
          );
          const whole = share(of, capacityCost);
          const apart = share(pieces, capacityCost);
          const joined = [...apart];
          joined.splice(split, 2, (apart[split] ?? 0) + (apart[split + 1] ?? 0));
          expectNear(joined, whole, scaleOf(of, capacityCost));
        },
      ),
    );
  });

  it('are fair by the definition; what an arrival-order server gives, in proportion to demand, is not', () => {
    const finite = fc.double({ min: 0, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(claims, finite, (of, capacityCost) => {
        expect(unfairness(share(of, capacityCost), of, capacityCost)).toBeNull();
      }),
      { numRuns: 1000 },
    );
    const noisy = [
      { demand: 2000, weight: 1 },
      { demand: 60, weight: 1 },
      { demand: 5, weight: 1 },
    ];
    const total = noisy.reduce((sum, each) => sum + each.demand, 0);
    const firstComeFirstServed = noisy.map((each) => (800 * each.demand) / total);
    expect(unfairness(firstComeFirstServed, noisy, 800)).toMatch(/behind 0/);
  });
});
