import { assertInvariant } from '../kernel/assert.ts';
import { type MaxMinResult, maxMinFairShare } from './max-min.ts';
import { type FillingColumns, fillingColumns, WaterFilling } from './water-filling.ts';

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
  const size = demands.length;
  const columns = fillingColumns(size);
  const groupOf = new Int32Array(size);
  for (let index = 0; index < size; index++) {
    columns.demands[index] = demands[index] ?? 0;
    columns.weights[index] = weights[index] ?? 0;
    groupOf[index] = groups.of[index] ?? -1;
  }
  const filling = new GroupedFilling(groupOf);
  const waterLevel = filling.fill(columns, size, { capacity, groupWeights: groups.weights });
  return { shares: Array.from(columns.shares), waterLevel };
}

/** What groups fill up to, and their weights by their number. */
export interface GroupedTerms {
  readonly capacity: number;
  readonly groupWeights: readonly number[];
}

/** The same in columns of numbers, with arrays that the next filling uses again. */
export class GroupedFilling {
  /** Per place the number of its group; -1: it stands for itself. */
  readonly #groupOf: Int32Array;
  readonly #filling = new WaterFilling();
  /** A party takes part in the outer filling: a group, or a tenant that stands for itself; in the order of their first places. */
  readonly #parties: FillingColumns;
  readonly #partyOf: Int32Array;
  /** The places of each party's members, one party after the other, and where each party's begin. */
  readonly #members: Int32Array;
  readonly #membersFrom: Int32Array;
  readonly #inner: FillingColumns;

  /** @param groupOf read in each filling; no filling is of more places than it has. */
  constructor(groupOf: Int32Array) {
    const size = groupOf.length;
    this.#groupOf = groupOf;
    this.#parties = fillingColumns(size);
    this.#partyOf = new Int32Array(size);
    this.#members = new Int32Array(size);
    this.#membersFrom = new Int32Array(size + 2);
    this.#inner = fillingColumns(size);
  }

  /**
   * Fills the first `size` places.
   *
   * @returns the water level among the parties. @throws as `groupedMaxMinFairShare`.
   */
  fill(columns: FillingColumns, size: number, { capacity, groupWeights }: GroupedTerms): number {
    const parties = this.#formParties(columns, size, groupWeights);
    const waterLevel = this.#filling.fill(this.#parties, parties, capacity);
    this.#listMembers(size, parties);
    for (let party = 0; party < parties; party++) this.#shareOut(columns, party);
    return waterLevel;
  }

  /** Returns how many there are. */
  #formParties({ demands, weights }: FillingColumns, size: number, groupWeights: readonly number[]): number {
    const parties = this.#parties;
    const partyOfGroup = new Int32Array(groupWeights.length).fill(-1);
    let count = 0;
    for (let place = 0; place < size; place++) {
      const group = this.#groupOf[place] ?? -1;
      let party = group < 0 ? -1 : (partyOfGroup[group] ?? -1);
      if (party === -1) {
        const weight = group < 0 ? weights[place] : groupWeights[group];
        assertInvariant(weight !== undefined, () => `group ${group} has no weight`);
        party = count++;
        parties.demands[party] = 0;
        parties.weights[party] = weight;
        if (group >= 0) partyOfGroup[group] = party;
      }
      parties.demands[party] = (parties.demands[party] ?? 0) + (demands[place] ?? 0);
      this.#partyOf[place] = party;
    }
    return count;
  }

  #listMembers(size: number, parties: number): void {
    const from = this.#membersFrom.fill(0, 0, parties + 2);
    // Counted two places on: once each member is put where its party's next one goes, a party's begin at its own number.
    for (let place = 0; place < size; place++) {
      const counted = (this.#partyOf[place] ?? 0) + 2;
      from[counted] = (from[counted] ?? 0) + 1;
    }
    for (let party = 1; party < parties; party++) from[party + 1] = (from[party + 1] ?? 0) + (from[party] ?? 0);
    for (let place = 0; place < size; place++) {
      const next = (this.#partyOf[place] ?? 0) + 1;
      const at = from[next] ?? 0;
      this.#members[at] = place;
      from[next] = at + 1;
    }
  }

  #shareOut({ demands, weights, shares }: FillingColumns, party: number): void {
    const from = this.#membersFrom[party] ?? 0;
    const count = (this.#membersFrom[party + 1] ?? 0) - from;
    const share = this.#parties.shares[party] ?? 0;
    if (count === 1) {
      shares[this.#members[from] ?? 0] = share;
      return;
    }
    const inner = this.#inner;
    for (let index = 0; index < count; index++) {
      const place = this.#members[from + index] ?? 0;
      inner.demands[index] = demands[place] ?? 0;
      inner.weights[index] = weights[place] ?? 0;
    }
    this.#filling.fill(inner, count, share);
    for (let index = 0; index < count; index++) shares[this.#members[from + index] ?? 0] = inner.shares[index] ?? 0;
  }
}
