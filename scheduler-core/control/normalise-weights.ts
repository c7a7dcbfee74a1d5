/** Halvings that leave nothing of a double's precision. */
const ROUNDS = 128;

export interface BoundedWeight {
  /** What it would be without bounds and before normalisation; > 0. */
  readonly raw: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Weights in the proportions of `raw` as far as their bounds allow, that add up to `total`: `w_k = clamp(μ·raw_k, least_k,
 * most_k)` with the one μ that gives the total. `Σ least ≤ total ≤ Σ most` must hold, to rounding.
 */
export function normaliseWeights(weights: readonly BoundedWeight[], total: number): number[] {
  const at = (scale: number): number[] =>
    weights.map(({ raw, least, most }) => Math.min(most, Math.max(least, raw * scale)));
  let low = 0;
  let high = weights.reduce((scale, { raw, most }) => Math.max(scale, most / raw), 0);
  for (let round = 0; round < ROUNDS; round++) {
    const scale = (low + high) / 2;
    if (at(scale).reduce((sum, weight) => sum + weight, 0) < total) low = scale;
    else high = scale;
  }
  return at(high);
}
