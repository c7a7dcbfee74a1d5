import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FillingTenant, fillGroups } from '../../../analytics/explain/fill-groups.ts';
import { fillSteps, type Party } from '../../../analytics/explain/fill-steps.ts';
import { groupedMaxMinFairShare, maxMinFairShare } from '../../../scheduler-core/index.ts';

// The core finds the level by selection and knows no steps: it is the oracle of what the steps hand out.

const cost = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 12 }),
  fc.double({ min: 0, max: 1e6, noNaN: true, noDefaultInfinity: true }),
);
const weight = fc.constantFrom(0, 0.1, 0.5, 1, 1, 1, 2, 3, 7);
const tenants = fc.array(fc.record({ demandCost: cost, weight, group: fc.constantFrom(null, null, 'g', 'h', 'i') }), {
  maxLength: 40,
});
const named = (list: readonly { demandCost: number; weight: number; group: string | null }[]): FillingTenant[] =>
  list.map((each, index) => ({ ...each, tenant: `t${String(index).padStart(2, '0')}` }));

function expectShares(found: ReadonlyMap<string, number>, names: readonly string[], shares: readonly number[]): void {
  const scale = Math.max(1, ...shares);
  for (const [index, name] of names.entries()) {
    expect(Math.abs((found.get(name) ?? 0) - (shares[index] ?? 0)), name).toBeLessThanOrEqual(1e-9 * scale);
  }
}

describe('the steps of a water filling', () => {
  test('hand out what maxMinFairShare does, at its level, in rising order, and no more than there is', () => {
    fc.assert(
      fc.property(tenants, cost, (list, capacity) => {
        const parties: Party[] = named(list).map((each) => ({ ...each, kind: 'tenant', name: each.tenant }));
        const filling = fillSteps(parties, capacity);
        const oracle = maxMinFairShare(
          parties.map((party) => party.demandCost),
          capacity,
          parties.map((party) => party.weight),
        );
        const found = new Map(filling.steps.map((step) => [step.name, step.shareCost]));
        expectShares(
          found,
          parties.map((party) => party.name),
          oracle.shares,
        );
        if (filling.level !== null && oracle.waterLevel !== Number.POSITIVE_INFINITY) {
          expect(Math.abs(filling.level - oracle.waterLevel)).toBeLessThanOrEqual(
            1e-9 * Math.max(1, oracle.waterLevel),
          );
        }
        const byWeight = filling.steps.filter((step) => !step.fromLeftOver);
        let [level, left, stopped] = [0, capacity, false];
        for (const step of byWeight) {
          // Once the filling stops nobody after is met.
          if (step.level === null) stopped = true;
          else expect(stopped).toBe(false);
          if (step.level !== null) expect(step.level).toBeGreaterThanOrEqual(level);
          level = step.level ?? level;
          left -= step.shareCost;
          expect(Math.abs(step.capacityLeftCost - Math.max(0, left))).toBeLessThanOrEqual(1e-9 * Math.max(1, capacity));
          left = step.capacityLeftCost;
        }
        expect(filling.steps).toHaveLength(parties.filter((party) => party.demandCost > 0).length);
      }),
      { numRuns: 2_000 },
    );
  });

  test('go over groups first, then inside, as groupedMaxMinFairShare does', () => {
    const weights = new Map([
      ['g', 1],
      ['h', 2.5],
      ['i', 0],
    ]);
    fc.assert(
      fc.property(tenants, cost, (list, capacity) => {
        const all = named(list);
        const filling = fillGroups(all, capacity, weights);
        const names = [...weights.keys()];
        const oracle = groupedMaxMinFairShare(
          all.map((each) => each.demandCost),
          capacity,
          all.map((each) => each.weight),
          {
            of: all.map((each) => (each.group === null ? -1 : names.indexOf(each.group))),
            weights: [...weights.values()],
          },
        );
        const found = new Map(
          [...filling.steps, ...filling.groups.flatMap((group) => group.inside.steps)]
            .filter((step) => step.kind === 'tenant')
            .map((step) => [step.name, step.shareCost]),
        );
        expectShares(
          found,
          all.map((each) => each.tenant),
          oracle.shares,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test('fifty keys of one customer get together what one would', () => {
    const key = (index: number): FillingTenant => ({ tenant: `k${index}`, group: 'acme', weight: 1, demandCost: 100 });
    const other = { tenant: 'other', group: null, weight: 1, demandCost: 100 };
    const filling = fillGroups([other, ...Array.from({ length: 50 }, (_, index) => key(index))], 100, new Map());
    expect(filling.groups.map((group) => group.shareCost)).toEqual([50]);
    expect(filling.groups[0]?.inside.steps.every((step) => step.shareCost === 1)).toBe(true);
    expect(filling.steps.find((step) => step.name === 'other')?.shareCost).toBe(50);
  });
});
