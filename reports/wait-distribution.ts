import type { PoolReport } from './report-document.ts';

/** Bounds between the buckets: 1, 3, 10, 30 … ms, then times that people name. */
const BOUNDS_MS = [0, 1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000];

/** Windows by their p99 wait, from the first bucket that has some to the last one; empty where there is none. */
export function waitDistribution(p99WaitsMs: readonly number[]): PoolReport['wait_distribution'] {
  const buckets = BOUNDS_MS.map((fromMs, index) => ({
    from_ms: fromMs,
    to_ms: BOUNDS_MS[index + 1] ?? null,
    windows: 0,
  }));
  for (const p99Ms of p99WaitsMs) {
    const bucket = buckets.findLast((each) => each.from_ms <= p99Ms) ?? buckets[0];
    if (bucket !== undefined) bucket.windows++;
  }
  const first = buckets.findIndex((bucket) => bucket.windows > 0);
  return first === -1 ? [] : buckets.slice(first, buckets.findLastIndex((bucket) => bucket.windows > 0) + 1);
}
