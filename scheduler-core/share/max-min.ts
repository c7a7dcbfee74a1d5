import { assertInvariant } from '../kernel/assert.ts';

/** Relative rounding of a sum of many demands. */
const LEFTOVER_SLACK = 1e-12;

export interface MaxMinResult {
  /** Allocation per tenant, `0 ≤ shares[i] ≤ demands[i]`, in the order of the demands. */
  readonly shares: number[];
  /** Allocation per unit of weight at which filling stopped; `Infinity` when every tenant of positive weight is satisfied. */
  readonly waterLevel: number;
}

/**
 * Weighted max-min fair allocation of one divisible resource: `f_i = min(d_i, w_i·λ)` with the largest λ such that
 * `Σ f_i ≤ capacity`. Tenants of weight 0 share equally in what the others leave over.
 *
 * O(n) expected: the water level is found by selection, not by sorting. `Σ shares ≤ capacity` holds to the last bit.
 *
 * @param demands ≥ 0 or Infinity, any unit; @param capacity ≥ 0 or Infinity, same unit; @param weights ≥ 0, finite,
 * default all 1.
 * @throws EVS_INVARIANT for negative or NaN figures and boundless weights.
 * Source: Bertsekas & Gallager, Data Networks, 6.5.2; THEORY.md, "Max-min".
 */
export function maxMinFairShare(
  demands: readonly number[],
  capacity: number,
  weights?: readonly number[],
): MaxMinResult {
  assertInvariant(capacity >= 0, `capacity must be ≥ 0, got ${capacity}`);
  const weighted: number[] = [];
  const weightless: number[] = [];
  let weightedDemand = 0;
  for (let index = 0; index < demands.length; index++) {
    const demand = at(demands, index);
    const weight = weights === undefined ? 1 : at(weights, index);
    assertInvariant(
      demand >= 0 && weight >= 0 && weight < Number.POSITIVE_INFINITY,
      () => `demand ${demand} and weight ${weight} must be ≥ 0, and a weight finite`,
    );
    if (demand === 0) continue;
    if (weight === 0) weightless.push(index);
    else {
      weighted.push(index);
      weightedDemand += demand;
    }
  }
  const shares = new Array<number>(demands.length).fill(0);
  const weightOf = (index: number): number => (weights === undefined ? 1 : at(weights, index));
  const waterLevel = fill(shares, demands, weightOf, weighted, weightedDemand, capacity);
  if (weightless.length > 0 && waterLevel === Number.POSITIVE_INFINITY) {
    const isBoundless = capacity === Number.POSITIVE_INFINITY;
    const left = isBoundless ? capacity : capacity - total(shares, weighted);
    // What rounding leaves is nothing to share: a share of 1e-12 would make any service look boundless.
    if (isBoundless || left > capacity * LEFTOVER_SLACK) {
      const demand = total(demands, weightless);
      // Added up in the order of the tenants, both groups together may round to more than each by itself.
      for (let ulps = 0; ; ulps = 2 * ulps + 1) {
        fill(shares, demands, () => 1, weightless, demand, Math.max(0, left * (1 - ulps * Number.EPSILON)));
        if (isBoundless || sum(shares) <= capacity) break;
      }
    }
  }
  return { shares, waterLevel };
}

function fill(
  shares: number[],
  demands: readonly number[],
  weightOf: (index: number) => number,
  members: number[],
  demand: number,
  capacity: number,
): number {
  if (demand <= capacity) {
    for (const index of members) shares[index] = at(demands, index);
    return Number.POSITIVE_INFINITY;
  }
  let level = waterLevelOf(demands, weightOf, members, capacity);
  // Rounding may lift the sum over the capacity by a few units in the last place: lower the level until it does not.
  for (let ulps = 1; ; ulps *= 2) {
    for (const index of members) shares[index] = Math.min(at(demands, index), weightOf(index) * level);
    if (total(shares, members) <= capacity || level === 0) return level;
    level = Math.max(0, level * (1 - ulps * Number.EPSILON));
  }
}

/**
 * The level λ with Σ min(d, w·λ) = capacity, given Σ d > capacity: quickselect on d/w with running sums of the rest. What is
 * compared and added lies side by side in arrays of numbers that are permuted together: with a million tenants, looking each up
 * by its index took ten times as long.
 */
function waterLevelOf(
  demands: readonly number[],
  weightOf: (index: number) => number,
  members: readonly number[],
  capacity: number,
): number {
  const columns = new Columns(demands, weightOf, members);
  let low = 0;
  let high = members.length;
  let satisfiedDemand = 0;
  let unsatisfiedWeight = 0;
  while (low < high) {
    const pivot = columns.medianOfThree(low, high);
    const { lessEnd, equalEnd } = columns.partition(low, high, pivot);
    const demandUpToPivot = satisfiedDemand + columns.demandBetween(low, equalEnd);
    let weightAbove = unsatisfiedWeight + columns.weightBetween(equalEnd, high);
    if (demandUpToPivot + pivot * weightAbove <= capacity) {
      satisfiedDemand = demandUpToPivot;
      low = equalEnd;
    } else {
      weightAbove += columns.weightBetween(lessEnd, equalEnd);
      unsatisfiedWeight = weightAbove;
      high = lessEnd;
    }
  }
  return exactLevel(demands, weightOf, members, (capacity - satisfiedDemand) / unsatisfiedWeight, capacity);
}

/** Ratio d/w, demand and weight of the members, in an order that partitioning changes. */
class Columns {
  readonly #ratios: Float64Array;
  readonly #demands: Float64Array;
  readonly #weights: Float64Array;

  constructor(demands: readonly number[], weightOf: (index: number) => number, members: readonly number[]) {
    this.#ratios = new Float64Array(members.length);
    this.#demands = new Float64Array(members.length);
    this.#weights = new Float64Array(members.length);
    for (let place = 0; place < members.length; place++) {
      const index = at(members, place);
      const demand = at(demands, index);
      const weight = weightOf(index);
      this.#ratios[place] = demand / weight;
      this.#demands[place] = demand;
      this.#weights[place] = weight;
    }
  }

  demandBetween(from: number, to: number): number {
    return sumBetween(this.#demands, from, to);
  }

  weightBetween(from: number, to: number): number {
    return sumBetween(this.#weights, from, to);
  }

  medianOfThree(low: number, high: number): number {
    const a = at(this.#ratios, low);
    const b = at(this.#ratios, (low + high) >>> 1);
    const c = at(this.#ratios, high - 1);
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }

  /** Those below the pivot first, then its equals, then those above. */
  partition(low: number, high: number, pivot: number): { lessEnd: number; equalEnd: number } {
    let lessEnd = low;
    let cursor = low;
    let greaterStart = high;
    while (cursor < greaterStart) {
      const ratio = at(this.#ratios, cursor);
      if (ratio < pivot) this.#swap(lessEnd++, cursor++);
      else if (ratio > pivot) this.#swap(cursor, --greaterStart);
      else cursor++;
    }
    return { lessEnd, equalEnd: cursor };
  }

  #swap(i: number, j: number): void {
    if (i === j) return;
    swap(this.#ratios, i, j);
    swap(this.#demands, i, j);
    swap(this.#weights, i, j);
  }
}

function sumBetween(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let place = from; place < to; place++) sum += at(values, place);
  return sum;
}

/** The same level from sums in the order of the tenants, so that the order of selection leaves no trace in the bits. */
function exactLevel(
  demands: readonly number[],
  weightOf: (index: number) => number,
  members: readonly number[],
  level: number,
  capacity: number,
): number {
  let satisfied = 0;
  let weight = 0;
  for (const index of members) {
    const demand = at(demands, index);
    if (demand <= weightOf(index) * level) satisfied += demand;
    else weight += weightOf(index);
  }
  return weight === 0 ? level : Math.max(0, (capacity - satisfied) / weight);
}

function swap(values: Float64Array, i: number, j: number): void {
  const kept = at(values, i);
  values[i] = at(values, j);
  values[j] = kept;
}

function total(values: readonly number[], indexes: readonly number[]): number {
  let sum = 0;
  for (const index of indexes) sum += at(values, index);
  return sum;
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function at(values: { readonly [index: number]: number | undefined }, index: number): number {
  return values[index] ?? 0;
}
