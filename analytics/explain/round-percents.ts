/**
 * Whole percents of parts that add up to exactly 100: each rounded down, then those with the largest remainders up (ties:
 * the first). Empty or without any sum: all 0.
 *
 * @param parts each ≥ 0 and finite.
 */
export function roundPercents(parts: readonly number[]): number[] {
  const total = parts.reduce((sum, part) => sum + part, 0);
  if (!(total > 0)) return parts.map(() => 0);
  const exact = parts.map((part) => (part / total) * 100);
  const percents = exact.map((value) => Math.floor(value));
  let missing = 100 - percents.reduce((sum, percent) => sum + percent, 0);
  const order = exact
    .map((value, place) => ({ place, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.place - b.place);
  for (const { place } of order) {
    if (missing <= 0) break;
    percents[place] = (percents[place] ?? 0) + 1;
    missing--;
  }
  return percents;
}
