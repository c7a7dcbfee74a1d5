import { assertInvariant } from '../kernel/assert.ts';
import { type MaxMinResult, maxMinFairShare } from './max-min.ts';

/** Which tenants stand together: one customer with many keys. */
export interface Groups {
  /** Per tenant the number of its group, from 0; -1: it stands for itself. */
  readonly of: readonly number[];
  /** Per group its weight ≥ 0 among the other groups and the tenants that stand for themselves. */
  readonly weights: readonly number[];
}

/**
 * Weighted max-min shares over groups first, then inside each group over its members by their weights: who splits itself
 * into many tenants of one group gains nothing. Without groups it is `maxMinFairShare`.
 *
 * @returns shares in the order of the demands, and the water level among groups and lone tenants.
 * @throws EVS_INVARIANT for negative or NaN figures, and a group that has no weight. Source: THEORY.md, "Groups".
 */
export function groupedMaxMinFairShare(
  demands: readonly number[],
  capacity: number,
  weights: readonly number[],
  groups: Groups | null,
): MaxMinResult {
  if (groups === null || !groups.of.some((group) => group >= 0)) return maxMinFairShare(demands, capacity, weights);
  const parties = partiesOf(demands, weights, groups);
  const outer = maxMinFairShare(
    parties.map((party) => party.demand),
    capacity,
    parties.map((party) => party.weight),
  );
  const shares = new Array<number>(demands.length).fill(0);
  for (const [place, { members }] of parties.entries()) {
    const share = outer.shares[place] ?? 0;
    const [first] = members;
    if (members.length === 1 && first !== undefined) {
      shares[first] = share;
      continue;
    }
    const inner = maxMinFairShare(
      members.map((member) => demands[member] ?? 0),
      share,
      members.map((member) => weights[member] ?? 0),
    );
    for (const [index, member] of members.entries()) shares[member] = inner.shares[index] ?? 0;
  }
  return { shares, waterLevel: outer.waterLevel };
}

/** Who takes part in the outer filling: a group, or a tenant that stands for itself. */
interface Party {
  demand: number;
  readonly weight: number;
  readonly members: number[];
}

function partiesOf(demands: readonly number[], weights: readonly number[], groups: Groups): Party[] {
  const parties: Party[] = [];
  const ofGroup = new Map<number, Party>();
  for (let index = 0; index < demands.length; index++) {
    const demand = demands[index] ?? 0;
    const group = groups.of[index] ?? -1;
    const known = ofGroup.get(group);
    if (known !== undefined) {
      known.demand += demand;
      known.members.push(index);
      continue;
    }
    const weight = group < 0 ? weights[index] : groups.weights[group];
    assertInvariant(weight !== undefined, () => `tenant ${index} or its group ${group} has no weight`);
    const party: Party = { demand, weight, members: [index] };
    parties.push(party);
    if (group >= 0) ofGroup.set(group, party);
  }
  return parties;
}
