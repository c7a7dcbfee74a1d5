export interface MinNormalizedShare {
  /** served ÷ fair share of the worst-off tenant, ≥ 0. */
  readonly value: number;
  /** Its position in the arrays; the first one where several are equally badly off. */
  readonly index: number;
}

/**
 * The smallest normalized share `served[i] / shares[i]` over tenants with a share above 0; null when there is none.
 * Both arrays are in one order and one cost unit. Source: THEORY.md, "Normalized share".
 */
export function minNormalizedShare(served: readonly number[], shares: readonly number[]): MinNormalizedShare | null {
  let worst: MinNormalizedShare | null = null;
  for (const [index, share] of shares.entries()) {
    if (share <= 0) continue;
    const value = (served[index] ?? 0) / share;
    if (worst === null || value < worst.value) worst = { value, index };
  }
  return worst;
}
