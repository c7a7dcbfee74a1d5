import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupedMaxMinFairShare, maxMinFairShare } from '../../../scheduler-core/share/index.ts';

const demand = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 }), fc.double({ min: 0, max: 1e4, noNaN: true }));
const weight = fc.constantFrom(0, 0.5, 1, 2, 7);
const tenant = fc.record({ demand, weight, group: fc.integer({ min: -1, max: 2 }) });
const groupWeights = fc.tuple(weight, weight, weight);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('max-min shares over groups', () => {
  it('are those of groups as if each were one tenant, and inside each those of its members', () => {
    fc.assert(
      fc.property(
        fc.array(tenant, { minLength: 1, maxLength: 12 }),
        groupWeights,
        fc.nat({ max: 20_000 }),
        (all, weights, capacity) => {
          const { shares } = groupedMaxMinFairShare(
            all.map((one) => one.demand),
            capacity,
            all.map((one) => one.weight),
            { of: all.map((one) => one.group), weights },
          );
          const parties = [...new Set(all.map((one, index) => (one.group < 0 ? `t${index}` : `g${one.group}`)))];
          const membersOf = (party: string): number[] =>
            [...all.keys()].filter(
              (index) => party === ((all[index]?.group ?? -1) < 0 ? `t${index}` : `g${all[index]?.group}`),
            );
          const demandOf = (index: number): number => all[index]?.demand ?? 0;
          const outer = maxMinFairShare(
            parties.map((party) => sum(membersOf(party).map(demandOf))),
            capacity,
            parties.map((party) =>
              party.startsWith('t')
                ? (all[Number(party.slice(1))]?.weight ?? 0)
                : (weights[Number(party.slice(1))] ?? 0),
            ),
          );
          for (const [place, party] of parties.entries()) {
            const members = membersOf(party);
            const inner = maxMinFairShare(
              members.map(demandOf),
              outer.shares[place] ?? 0,
              members.map((index) => (party.startsWith('t') ? 1 : (all[index]?.weight ?? 0))),
            );
            for (const [index, member] of members.entries()) {
              expect(shares[member]).toBeCloseTo(inner.shares[index] ?? 0, 9);
            }
          }
          expect(sum(shares)).toBeLessThanOrEqual(capacity * (1 + 1e-12));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('are plain max-min shares to the last bit where everybody stands alone', () => {
    fc.assert(
      fc.property(fc.array(tenant, { maxLength: 12 }), fc.nat({ max: 20_000 }), (all, capacity) => {
        const demands = all.map((one) => one.demand);
        const weights = all.map((one) => one.weight);
        const plain = maxMinFairShare(demands, capacity, weights);
        expect(groupedMaxMinFairShare(demands, capacity, weights, null)).toEqual(plain);
        expect(groupedMaxMinFairShare(demands, capacity, weights, { of: all.map(() => -1), weights: [] })).toEqual(
          plain,
        );
      }),
    );
  });

  it('leave what a group does not need to the others, and the rest inside a group by weight', () => {
    const { shares, waterLevel } = groupedMaxMinFairShare([10, 90, 90, 30], 100, [1, 2, 1, 1], {
      of: [0, 0, 0, -1],
      weights: [2],
    });
    expect(shares).toEqual([10, 40, 20, 30]);
    expect(waterLevel).toBe(35);
  });

  it('refuse a group that has no weight', () => {
    expect(() => groupedMaxMinFairShare([1], 1, [1], { of: [3], weights: [] })).toThrow(
      expect.objectContaining({ code: 'EVS_INVARIANT' }),
    );
  });
});
