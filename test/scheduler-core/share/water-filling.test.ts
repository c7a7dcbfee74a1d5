import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupedFilling } from '../../../scheduler-core/share/grouped-max-min.ts';
import { groupedMaxMinFairShare, maxMinFairShare } from '../../../scheduler-core/share/index.ts';
import { fillingColumns, WaterFilling } from '../../../scheduler-core/share/water-filling.ts';

const MOST = 30;
const tenant = fc.record({
  demand: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.double({ min: 0, max: 1e6, noNaN: true })),
  weight: fc.constantFrom(0, 0.1, 1, 1, 2),
  group: fc.integer({ min: -1, max: 2 }),
});
const fillings = fc.array(
  fc.record({
    tenants: fc.array(tenant, { minLength: 1, maxLength: MOST }),
    capacity: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.double({ min: 0, max: 1e7, noNaN: true })),
  }),
  { minLength: 1, maxLength: 4 },
);

describe('filling in columns that are used again', () => {
  it('says the same bits as in new ones, whatever was filled before', () => {
    fc.assert(
      fc.property(fillings, (all) => {
        const filling = new WaterFilling();
        const columns = fillingColumns(MOST);
        for (const { tenants, capacity } of all) {
          for (const [place, { demand, weight }] of tenants.entries()) {
            columns.demands[place] = demand;
            columns.weights[place] = weight;
          }
          const waterLevel = filling.fill(columns, tenants.length, capacity);
          expect({ shares: [...columns.shares.subarray(0, tenants.length)], waterLevel }).toEqual(
            maxMinFairShare(
              tenants.map(({ demand }) => demand),
              capacity,
              tenants.map(({ weight }) => weight),
            ),
          );
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('says the same bits of groups', () => {
    fc.assert(
      fc.property(fillings, (all) => {
        const groupOf = new Int32Array(MOST);
        const filling = new GroupedFilling(groupOf);
        const columns = fillingColumns(MOST);
        const groupWeights = [1, 0.5, 0];
        for (const { tenants, capacity } of all) {
          for (const [place, { demand, weight, group }] of tenants.entries()) {
            columns.demands[place] = demand;
            columns.weights[place] = weight;
            groupOf[place] = group;
          }
          const waterLevel = filling.fill(columns, tenants.length, { capacity, groupWeights });
          expect({ shares: [...columns.shares.subarray(0, tenants.length)], waterLevel }).toEqual(
            groupedMaxMinFairShare(
              tenants.map(({ demand }) => demand),
              capacity,
              tenants.map(({ weight }) => weight),
              { of: tenants.map(({ group }) => group), weights: groupWeights },
            ),
          );
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('lowers the level no further than it must: one rounding less and the sum exceeds the capacity', () => {
    const demand = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(demand, { minLength: 2, maxLength: 300 }),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        (demands, ratio) => {
          const sumAt = (level: number): number => demands.reduce((sum, each) => sum + Math.min(each, level), 0);
          const capacity = demands.reduce((sum, each) => sum + each, 0) * ratio;
          const { waterLevel } = maxMinFairShare(demands, capacity);
          // Where a demand is as good as the level, either side of it is right.
          fc.pre(capacity > 1e-6 && Number.isFinite(waterLevel));
          fc.pre(demands.every((each) => Math.abs(each - waterLevel) > 1e-9 * waterLevel));
          let exact = 0;
          let count = 0;
          for (const each of demands) {
            if (each <= waterLevel) exact += each;
            else count++;
          }
          fc.pre(count > 0);
          // Every lowering by hand, one after the other.
          let level = (capacity - exact) / count;
          for (let ulps = 1; sumAt(level) > capacity; ulps *= 2)
            level = Math.max(0, level * (1 - ulps * Number.EPSILON));
          expect(waterLevel).toBe(level);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
