import { assertInvariant } from '../kernel/assert.ts';
import { SECOND_MS } from '../kernel/units.ts';
import { quantileRank } from '../share/quantile.ts';

/** A rate is taken over at least so many ended requests: sparser buckets are joined with those after them. */
const MIN_SAMPLES = 5;
const DEFAULT_BUCKETS = 30;

export interface ThroughputOptions {
  /** Which quantile of recent rates is believed, in (0, 1): smaller is more careful. */
  readonly quantile: number;
  /** Slots that serve now; ≥ 0. */
  readonly slots: number;
  /** Length of a bucket, ms; default 1000. */
  readonly bucketMs?: number;
  /** How many buckets the sliding span has, an integer ≥ 1; default 30. */
  readonly buckets?: number;
}

interface Bucket {
  /** Which span of `bucketMs` since time 0; null: none yet. */
  index: number | null;
  cost: number;
  slotMs: number;
  samples: number;
}

/**
 * What the pool serves per ms: a quantile of the rates per busy slot of the last buckets, times the slots that serve now.
 * The rate of a bucket is Σ cost ÷ Σ slot-time of the requests that ended in it, so that idle slots do not count as slow
 * ones, and a pool that lost a server is believed slower at once. Buckets with few samples are joined.
 *
 * `record` is O(1), and so is `costPerMs` but once a bucket, when it sorts the rates. Memory: the buckets.
 * Source: THEORY.md, "Wait budget".
 */
export class Throughput {
  readonly #quantile: number;
  readonly #bucketMs: number;
  readonly #buckets: readonly Bucket[];
  #slots: number;
  #newestIndex = Number.NEGATIVE_INFINITY;
  /** Cost per ms of a busy slot by the closed buckets; null: nothing known yet. What was known last stays. */
  #rate: number | null = null;
  #rateOfIndex = Number.NEGATIVE_INFINITY;

  constructor({ quantile, slots, bucketMs = SECOND_MS, buckets = DEFAULT_BUCKETS }: ThroughputOptions) {
    assertInvariant(quantile > 0 && quantile < 1, `a quantile must lie in (0, 1), got ${quantile}`);
    assertInvariant(bucketMs > 0 && Number.isInteger(buckets) && buckets >= 1, 'a span needs buckets of some length');
    this.#quantile = quantile;
    this.#bucketMs = bucketMs;
    this.#buckets = Array.from({ length: buckets }, () => ({ index: null, cost: 0, slotMs: 0, samples: 0 }));
    this.#slots = slots;
    this.setSlots(slots);
  }

  /** How many slots serve from now on; ≥ 0. */
  setSlots(slots: number): void {
    assertInvariant(slots >= 0 && Number.isFinite(slots), `slots must be ≥ 0, got ${slots}`);
    this.#slots = slots;
  }

  /** A request ended: its cost, in the unit in which costs ahead are told, and its service time × slots held. */
  record(cost: number, slotMs: number, nowMs: number): void {
    const bucket = this.#bucketAt(nowMs);
    bucket.cost += cost;
    bucket.slotMs += slotMs;
    bucket.samples++;
  }

  /** Cost served per ms by all slots when busy; 0 without slots; null before enough requests have ended to know. */
  costPerMs(nowMs: number): number | null {
    this.#bucketAt(nowMs);
    if (this.#rate === null || this.#rateOfIndex !== this.#newestIndex) {
      // The bucket under way counts only until another has closed: its rate would change with every request.
      const closed = quantileRank(this.#rates(this.#newestIndex - 1), this.#quantile);
      this.#rate = closed ?? this.#rate ?? quantileRank(this.#rates(this.#newestIndex), this.#quantile);
      this.#rateOfIndex = this.#newestIndex;
    }
    return this.#rate === null ? null : this.#rate * this.#slots;
  }

  /** The bucket of now; a clock that goes back counts into the newest. */
  #bucketAt(nowMs: number): Bucket {
    const index = Math.max(this.#newestIndex, Math.floor(nowMs / this.#bucketMs));
    this.#newestIndex = index;
    const bucket = this.#cell(index);
    if (bucket.index !== index) {
      bucket.index = index;
      bucket.cost = 0;
      bucket.slotMs = 0;
      bucket.samples = 0;
    }
    return bucket;
  }

  #cell(index: number): Bucket {
    const length = this.#buckets.length;
    const bucket = this.#buckets[((index % length) + length) % length];
    assertInvariant(bucket !== undefined, 'a ring has all its cells');
    return bucket;
  }

  /** Rates per busy slot, oldest first, up to the bucket `lastIndex`; what is too little for a rate at the end is left out. */
  #rates(lastIndex: number): number[] {
    const rates: number[] = [];
    let cost = 0;
    let slotMs = 0;
    let samples = 0;
    for (let index = this.#newestIndex - this.#buckets.length + 1; index <= lastIndex; index++) {
      const bucket = this.#cell(index);
      if (bucket.index !== index) continue;
      cost += bucket.cost;
      slotMs += bucket.slotMs;
      samples += bucket.samples;
      if (samples < MIN_SAMPLES || slotMs === 0) continue;
      rates.push(cost / slotMs);
      cost = 0;
      slotMs = 0;
      samples = 0;
    }
    return rates;
  }
}
