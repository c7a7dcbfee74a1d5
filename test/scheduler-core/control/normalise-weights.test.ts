import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normaliseWeights } from '../../../scheduler-core/control/normalise-weights.ts';

const bounded = fc
  .record({
    raw: fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
    least: fc.double({ min: 0.01, max: 1, noNaN: true }),
    room: fc.double({ min: 0, max: 10, noNaN: true }),
  })
  .map(({ raw, least, room }) => ({ raw, least, most: least + room }));

it('weights add up to the total within their bounds, and those off their bounds are in proportion', () => {
  fc.assert(
    fc.property(
      fc.array(bounded, { minLength: 1, maxLength: 8 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (of, part) => {
        const least = of.reduce((sum, each) => sum + each.least, 0);
        const total = least + part * of.reduce((sum, each) => sum + each.most - each.least, 0);
        const weights = normaliseWeights(of, total);
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(total, 9);
        const scales: number[] = [];
        for (const [index, { raw, least: low, most }] of of.entries()) {
          const weight = weights[index] ?? Number.NaN;
          expect(weight).toBeGreaterThanOrEqual(low);
          expect(weight).toBeLessThanOrEqual(most);
          if (weight > low && weight < most) scales.push(weight / raw);
        }
        for (const scale of scales) expect(scale / (scales[0] ?? scale)).toBeCloseTo(1, 9);
      },
    ),
    { numRuns: 500 },
  );
});

it('nobody’s weights are none', () => {
  expect(normaliseWeights([], 0)).toEqual([]);
});
