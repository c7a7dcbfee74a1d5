import { assertInvariant } from '../kernel/assert.ts';

/** Relative rounding of a sum of many demands. */
const LEFTOVER_SLACK = 1e-12;

/** What a filling reads and writes, by place; columns may be longer than what is filled. */
export interface FillingColumns {
  /** ≥ 0 or Infinity. */
  readonly demands: Float64Array;
  /** ≥ 0, finite. */
  readonly weights: Float64Array;
  /** Written. */
  readonly shares: Float64Array;
}

export function fillingColumns(size: number): FillingColumns {
  return {
    demands: new Float64Array(size),
    weights: new Float64Array(size),
    shares: new Float64Array(size),
  };
}

/**
 * Max-min filling in columns of numbers, with arrays that the next filling uses again (see `maxMinFairShare`). Of the
 * same columns it always says the same bits, whatever was filled before.
 */
export class WaterFilling {
  // Those whom the level does not satisfy yet, in their order.
  #candidateDemands = new Float64Array(0);
  #candidateWeights = new Float64Array(0);
  // What the level that was found leaves to those whom it does not satisfy.
  #sharedCapacity = 0;

  /**
   * Fills the first `size` places.
   *
   * @returns the water level; `Infinity` when every demand of positive weight is met.
   * @throws EVS_INVARIANT for negative or NaN figures and boundless weights.
   */
  fill(columns: FillingColumns, size: number, capacity: number): number {
    assertInvariant(capacity >= 0, `capacity must be ≥ 0, got ${capacity}`);
    const { demands, weights, shares } = columns;
    let weightedDemand = 0;
    let hasWeightless = false;
    for (let place = 0; place < size; place++) {
      const demand = demands[place] ?? 0;
      const weight = weights[place] ?? 0;
      if (!(demand >= 0 && weight >= 0 && weight < Number.POSITIVE_INFINITY)) refuse(demand, weight);
      if (weight > 0) weightedDemand += demand;
      else if (demand > 0) hasWeightless = true;
    }
    if (weightedDemand > capacity) {
      const level = this.#fittingLevel(columns, size, capacity);
      for (let place = 0; place < size; place++) {
        const demand = demands[place] ?? 0;
        const most = (weights[place] ?? 0) * level;
        shares[place] = Math.min(demand, most);
      }
      return level;
    }
    for (let place = 0; place < size; place++) {
      shares[place] = (weights[place] ?? 0) > 0 ? (demands[place] ?? 0) : 0;
    }
    if (hasWeightless) this.#fillWeightless(columns, size, capacity);
    return Number.POSITIVE_INFINITY;
  }

  /** Tenants of weight 0 share equally in what the others, who have all they want, leave over. */
  #fillWeightless({ demands, weights, shares }: FillingColumns, size: number, capacity: number): void {
    const isBoundless = capacity === Number.POSITIVE_INFINITY;
    const left = isBoundless ? capacity : capacity - sum(shares, size);
    // What rounding leaves is nothing to share: a share of 1e-12 would make any service look boundless.
    if (!isBoundless && left <= capacity * LEFTOVER_SLACK) return;
    const places: number[] = [];
    for (let place = 0; place < size; place++) {
      if (weights[place] === 0 && (demands[place] ?? 0) > 0) places.push(place);
    }
    const inner = fillingColumns(places.length);
    inner.weights.fill(1);
    for (const [index, place] of places.entries()) inner.demands[index] = demands[place] ?? 0;
    // Added up in the order of the tenants, both groups together may round to more than each by itself.
    for (let ulps = 0; ; ulps = 2 * ulps + 1) {
      this.fill(inner, places.length, Math.max(0, left * (1 - ulps * Number.EPSILON)));
      for (const [index, place] of places.entries()) shares[place] = inner.shares[index] ?? 0;
      if (isBoundless || sum(shares, size) <= capacity) return;
    }
  }

  /**
   * The level at which the shares add up to the capacity, given that the demands exceed it. Rounding may lift their sum over
   * it by a few units in the last place: the level is lowered, by 1 unit, 2, 4, and so on, until it does not.
   */
  #fittingLevel(columns: FillingColumns, size: number, capacity: number): number {
    const level = this.#exactLevel(columns, size, this.#reachedLevel(columns, size, capacity), capacity);
    const excess = filled(columns, size, level) - capacity;
    if (!(excess > 0)) return level;
    const fits = (times: number): boolean => {
      const lower = lowered(level, times);
      return lower === 0 || filled(columns, size, lower) <= capacity;
    };
    // A rounded sum too never falls as the level rises, so the first that fits can be sought from where it should be.
    const ratio = excess / Math.max(excess, this.#sharedCapacity);
    let times = Math.max(1, Math.ceil(Math.log2(ratio / Number.EPSILON + 1)));
    if (!fits(times)) {
      do times++;
      while (!fits(times));
    } else while (times > 1 && fits(times - 1)) times--;
    return lowered(level, times);
  }

  /**
   * About the level λ with `Σ min(d, w·λ) = capacity`, from below: `(capacity − Σ d of the satisfied) / Σ w of the others`
   * rises until it satisfies nobody else (Newton's method: the sum is concave in λ). A round looks at those only whom
   * the one before did not satisfy: all rounds together look at each about once where sizes spread widely, and at a
   * million demands from 1 to a million four times.
   */
  #reachedLevel({ demands, weights }: FillingColumns, size: number, capacity: number): number {
    if (this.#candidateDemands.length < size) {
      this.#candidateDemands = new Float64Array(size);
      this.#candidateWeights = new Float64Array(size);
    }
    let fromDemands = demands;
    let fromWeights = weights;
    let left = size;
    let satisfied = 0;
    let weight = sum(weights, size);
    for (;;) {
      const level = levelOf(capacity - satisfied, weight);
      const before = left;
      left = 0;
      weight = 0;
      for (let place = 0; place < before; place++) {
        const demand = fromDemands[place] ?? 0;
        const own = fromWeights[place] ?? 0;
        if (demand <= own * level) {
          satisfied += demand;
        } else {
          this.#candidateDemands[left] = demand;
          this.#candidateWeights[left++] = own;
          weight += own;
        }
      }
      if (left === before || weight === 0) return level;
      fromDemands = this.#candidateDemands;
      fromWeights = this.#candidateWeights;
    }
  }

  /** The same level from sums in the order of the tenants, so that the order of rounds leaves no trace in the bits. */
  #exactLevel({ demands, weights }: FillingColumns, size: number, level: number, capacity: number): number {
    let satisfied = 0;
    let weight = 0;
    let highest = 0;
    for (let place = 0; place < size; place++) {
      const demand = demands[place] ?? 0;
      const own = weights[place] ?? 0;
      if (demand <= own * level) satisfied += demand;
      else weight += own;
    }
    this.#sharedCapacity = capacity - satisfied;
    if (weight > 0) return levelOf(this.#sharedCapacity, weight);
    // The demands exceed the capacity by rounding only: the level that satisfies all, from where it is lowered.
    this.#sharedCapacity = capacity;
    for (let place = 0; place < size; place++) {
      const own = weights[place] ?? 0;
      if (own > 0) highest = Math.max(highest, (demands[place] ?? 0) / own);
    }
    return Math.min(highest, Number.MAX_VALUE);
  }
}

/** Never boundless: such a level cannot be lowered. */
function levelOf(capacity: number, weight: number): number {
  return Math.min(Math.max(0, capacity / weight), Number.MAX_VALUE);
}

/** What a level hands out, added up in the order of the tenants. */
function filled({ demands, weights }: FillingColumns, size: number, level: number): number {
  let sum = 0;
  for (let place = 0; place < size; place++) {
    const demand = demands[place] ?? 0;
    const most = (weights[place] ?? 0) * level;
    sum += Math.min(demand, most);
  }
  return sum;
}

/** A level lowered so many times, each time by twice as many units in the last place as the time before. */
function lowered(level: number, times: number): number {
  let lower = level;
  for (let time = 0; time < times; time++) lower = Math.max(0, lower * (1 - 2 ** time * Number.EPSILON));
  return lower;
}

function sum(values: Float64Array, size: number): number {
  let total = 0;
  for (let place = 0; place < size; place++) total += values[place] ?? 0;
  return total;
}

function refuse(demand: number, weight: number): never {
  assertInvariant(false, `demand ${demand} and weight ${weight} must be ≥ 0, and a weight finite`);
}
