/**
 * Jain's fairness index `(Σx)² / (n·Σx²)` of values ≥ 0: 1 when all are equal, 1/n when one has everything.
 * Null for no values or all zero, where the index is undefined.
 *
 * Values are divided by the largest first, so that squares neither overflow nor vanish. Beside a boundless value every
 * finite one is 0.
 * Source: Jain, Chiu, Hawe, DEC-TR-301 (1984); THEORY.md, "Jain".
 */
export function jainIndex(values: readonly number[]): number | null {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, value);
  if (largest === 0) return null;
  let sum = 0;
  let sumOfSquares = 0;
  for (const value of values) {
    const scaled = value === largest ? 1 : value / largest;
    sum += scaled;
    sumOfSquares += scaled * scaled;
  }
  return (sum * sum) / (values.length * sumOfSquares);
}
