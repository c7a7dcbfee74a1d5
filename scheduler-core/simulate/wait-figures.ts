import type { RequestFate } from './request-fate.ts';
import type { WaitFigures } from './simulation-result.ts';

/**
 * How long a request waited, ms: until its dispatch; where it was refused or gave up, until then, at once not counting;
 * where it still waits, until `endMs`. Null: it did not wait, or nobody recorded how long.
 */
export function waitOf(fate: RequestFate, endMs: number): number | null {
  const { kind, arrivedAtMs, dispatchedAtMs, endedAtMs } = fate;
  if (fate.isWaitUnknown === true) return null;
  if (dispatchedAtMs !== null) return dispatchedAtMs - arrivedAtMs;
  if (kind === 'waiting') return endMs - arrivedAtMs;
  if (kind === 'served' || kind === 'in_service' || endedAtMs === null) return null;
  return endedAtMs > arrivedAtMs || kind === 'given_up' ? endedAtMs - arrivedAtMs : null;
}

/** By the rule of `quantileRank`, sorted once for all ranks. */
export function waitFigures(waitsMs: readonly number[]): WaitFigures {
  const sorted = Float64Array.from(waitsMs).sort();
  const at = (q: number): number | null => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? null;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1), samples: sorted.length };
}
