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
    assertInvariant(demand >= 0 && weight >= 0, `demand ${demand} and weight ${weight} must be ≥ 0`);
    assertInvariant(weight < Number.POSITIVE_INFINITY, 'a weight must be finite');
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

/** The level λ with Σ min(d, w·λ) = capacity, given Σ d > capacity: quickselect on d/w with running sums of the rest. */
function waterLevelOf(
  demands: readonly number[],
  weightOf: (index: number) => number,
  members: readonly number[],
  capacity: number,
): number {
  const order = Uint32Array.from(members);
  const ratioOf = (index: number): number => at(demands, index) / weightOf(index);
  let low = 0;
  let high = order.length;
  let satisfiedDemand = 0;
  let unsatisfiedWeight = 0;
  while (low < high) {
    const pivot = medianOfThree(ratioOf, order, low, high);
    const { lessEnd, equalEnd } = partition(ratioOf, order, low, high, pivot);
    let demandUpToPivot = satisfiedDemand;
    for (let k = low; k < equalEnd; k++) demandUpToPivot += at(demands, at(order, k));
    let weightAbove = unsatisfiedWeight;
    for (let k = equalEnd; k < high; k++) weightAbove += weightOf(at(order, k));
    if (demandUpToPivot + pivot * weightAbove <= capacity) {
      satisfiedDemand = demandUpToPivot;
      low = equalEnd;
    } else {
      for (let k = lessEnd; k < equalEnd; k++) weightAbove += weightOf(at(order, k));
      unsatisfiedWeight = weightAbove;
      high = lessEnd;
    }
  }
  return exactLevel(demands, weightOf, members, (capacity - satisfiedDemand) / unsatisfiedWeight, capacity);
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

function partition(
  ratioOf: (index: number) => number,
  order: Uint32Array,
  low: number,
  high: number,
  pivot: number,
): { lessEnd: number; equalEnd: number } {
  let lessEnd = low;
  let cursor = low;
  let greaterStart = high;
  while (cursor < greaterStart) {
    const ratio = ratioOf(at(order, cursor));
    if (ratio < pivot) swap(order, lessEnd++, cursor++);
    else if (ratio > pivot) swap(order, cursor, --greaterStart);
    else cursor++;
  }
  return { lessEnd, equalEnd: cursor };
}

function medianOfThree(ratioOf: (index: number) => number, order: Uint32Array, low: number, high: number): number {
  const a = ratioOf(at(order, low));
  const b = ratioOf(at(order, (low + high) >>> 1));
  const c = ratioOf(at(order, high - 1));
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function swap(order: Uint32Array, i: number, j: number): void {
  const kept = at(order, i);
  order[i] = at(order, j);
  order[j] = kept;
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
