/**
 * The value at index `⌊q·n⌋` of the sorted values, at most the last one: the rank rule of ClickHouse `quantileExact`.
 * Null for no values.
 *
 * @param values any order, not changed; @param q in [0, 1].
 */
export function quantileRank(values: readonly number[], q: number): number | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? null;
}
