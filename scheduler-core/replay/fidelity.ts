import { quantileRank } from '../share/index.ts';

/** How far apart two sets of waits are; null where it cannot be known. */
export interface WaitDistance {
  /** (replayed − recorded) ÷ recorded. */
  readonly p50ErrorRatio: number | null;
  readonly p99ErrorRatio: number | null;
  /** Largest distance between the two distribution functions (Kolmogorov and Smirnov), in [0, 1]. */
  readonly ks: number | null;
  /** Area between them (Wasserstein, of order 1) ÷ the mean of what was recorded. */
  readonly w1OverMean: number | null;
}

/** Compares what was recorded with what a replay gave, as distributions: ms each, in any order. */
export function waitDistance(recordedMs: readonly number[], replayedMs: readonly number[]): WaitDistance {
  const { ks, areaMs } = distributionDistance(recordedMs, replayedMs);
  const mean = recordedMs.reduce((sum, wait) => sum + wait, 0) / recordedMs.length;
  return {
    p50ErrorRatio: errorRatio(quantileRank(recordedMs, 0.5), quantileRank(replayedMs, 0.5)),
    p99ErrorRatio: errorRatio(quantileRank(recordedMs, 0.99), quantileRank(replayedMs, 0.99)),
    ks,
    w1OverMean: areaMs === null || !(mean > 0) ? null : areaMs / mean,
  };
}

function errorRatio(recorded: number | null, replayed: number | null): number | null {
  if (recorded === null || replayed === null || recorded === 0) return null;
  return (replayed - recorded) / recorded;
}

/** One walk over both, sorted: at each value the distance of the two distribution functions up to the next. */
function distributionDistance(
  left: readonly number[],
  right: readonly number[],
): { readonly ks: number | null; readonly areaMs: number | null } {
  if (left.length === 0 || right.length === 0) return { ks: null, areaMs: null };
  const a = Float64Array.from(left).sort();
  const b = Float64Array.from(right).sort();
  let i = 0;
  let j = 0;
  let ks = 0;
  let areaMs = 0;
  let at = Math.min(a[0] ?? 0, b[0] ?? 0);
  while (i < a.length || j < b.length) {
    const next = Math.min(a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY);
    areaMs += Math.abs(i / a.length - j / b.length) * (next - at);
    at = next;
    while (i < a.length && a[i] === next) i++;
    while (j < b.length && b[j] === next) j++;
    ks = Math.max(ks, Math.abs(i / a.length - j / b.length));
  }
  return { ks, areaMs };
}
