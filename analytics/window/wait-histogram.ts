/**
 * Waits counted in buckets of stated relative error, so that any number of windows, tenants or pools can be added up and
 * still be asked for a quantile. The buckets are those of DDSketch (Masson, Rim, Lee: "DDSketch: a fast and
 * fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019) with its linearly interpolated mapping: each
 * octave [2ᵉ, 2ᵉ⁺¹) is cut into 50 equal parts. That takes 1.44 times the buckets of a logarithm, but whole numbers
 * suffice, so that this code and the engine (`waitBucket` in analytics/queries) put every wait into the same bucket.
 */

/** How far a figure read from a histogram may be from the exact one, relative to it. */
export const WAIT_RELATIVE_ERROR = 0.01;

/** Parts of an octave: the fewest whose width keeps within the error. */
export const BUCKETS_PER_OCTAVE = 0.5 / WAIT_RELATIVE_ERROR;

/** Waits from here on (35 years) share the last bucket. */
export const MAX_BUCKETED_WAIT_MS = 2 ** 40;

/** Counts by bucket, each over 0. */
export type WaitHistogram = ReadonlyMap<number, number>;

/**
 * The bucket of a wait: 0 for 0 ms, else from 1 on, rising with the wait.
 *
 * @param waitMs whole ms, ≥ 0.
 */
export function bucketOf(waitMs: number): number {
  if (waitMs <= 0) return 0;
  const capped = Math.min(waitMs, MAX_BUCKETED_WAIT_MS);
  const octave = octaveOf(capped);
  const startMs = 2 ** octave;
  return 1 + BUCKETS_PER_OCTAVE * octave + Math.floor(((capped - startMs) * BUCKETS_PER_OCTAVE) / startMs);
}

/**
 * What a bucket stands for, ms: the value whose distance from every whole number in the bucket is least relative to that
 * number, at most 1%. Where a bucket holds one whole number (always below 64 ms) it is that number.
 */
export function bucketValue(bucket: number): number {
  if (bucket <= 0) return 0;
  const leastMs = firstOf(bucket);
  const mostMs = Math.max(leastMs, firstOf(bucket + 1) - 1);
  return leastMs === mostMs ? leastMs : (2 * leastMs * mostMs) / (leastMs + mostMs);
}

/** The sum of histograms, in whatever order. */
export function mergeHistograms(histograms: Iterable<WaitHistogram>): WaitHistogram {
  const merged = new Map<number, number>();
  for (const histogram of histograms) {
    for (const [bucket, count] of histogram) merged.set(bucket, (merged.get(bucket) ?? 0) + count);
  }
  return inOrder(merged);
}

/** What is left of a histogram without another that is part of it. */
export function histogramWithout(whole: WaitHistogram, part: WaitHistogram): WaitHistogram {
  const left = new Map(whole);
  for (const [bucket, count] of part) left.set(bucket, (left.get(bucket) ?? 0) - count);
  return inOrder(new Map([...left].filter(([, count]) => count > 0)));
}

/** How many waits a histogram counts. */
export function histogramCount(histogram: WaitHistogram): number {
  let total = 0;
  for (const count of histogram.values()) total += count;
  return total;
}

/**
 * The value at index `⌊q·n⌋` of the sorted waits, at most the last one (the rank rule of `quantileRank`), within 1%.
 * Null for no waits.
 *
 * @param q in [0, 1].
 */
export function histogramQuantile(histogram: WaitHistogram, q: number): number | null {
  const total = histogramCount(histogram);
  const rank = Math.min(total - 1, Math.floor(q * total));
  let upTo = 0;
  for (const [bucket, count] of inOrder(histogram)) {
    upTo += count;
    if (upTo > rank) return bucketValue(bucket);
  }
  return null;
}

/** The smallest whole number in a bucket; the numbers before 50 do not fill every one. */
function firstOf(bucket: number): number {
  const octave = Math.floor((bucket - 1) / BUCKETS_PER_OCTAVE);
  const part = (bucket - 1) % BUCKETS_PER_OCTAVE;
  return 2 ** octave + Math.ceil((part * 2 ** octave) / BUCKETS_PER_OCTAVE);
}

/** e of 2ᵉ ≤ value < 2ᵉ⁺¹; the logarithm alone may round up to the next. */
function octaveOf(value: number): number {
  const near = Math.floor(Math.log2(value));
  if (2 ** near > value) return near - 1;
  return 2 ** (near + 1) <= value ? near + 1 : near;
}

function inOrder(histogram: WaitHistogram): WaitHistogram {
  return new Map([...histogram].sort(([a], [b]) => a - b));
}
