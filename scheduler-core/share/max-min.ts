import { fillingColumns, WaterFilling } from './water-filling.ts';

export interface MaxMinResult {
  /** Allocation per tenant, `0 ≤ shares[i] ≤ demands[i]`, in the order of the demands. */
  readonly shares: number[];
  /** Allocation per unit of weight at which filling stopped; `Infinity` when every tenant of positive weight is satisfied. */
  readonly waterLevel: number;
}

/**
 * Weighted max-min fair allocation of one divisible resource: `f_i = min(d_i, w_i·λ)` with the largest λ such that
 * `Σ f_i ≤ capacity`. Tenants of weight 0 share equally in what the others leave over.
 *
 * O(n) for all practical demands: the water level is found by raising it in a few rounds, not by sorting.
 * `Σ shares ≤ capacity` holds to the last bit.
 *
 * @param demands ≥ 0 or Infinity, any unit; @param capacity ≥ 0 or Infinity, same unit; @param weights ≥ 0, finite,
 * default all 1.
 * @throws EVS_INVARIANT for negative or NaN figures and boundless weights.
 * Source: Bertsekas & Gallager, Data Networks, 6.5.2; THEORY.md, "Max-min".
 */
export function maxMinFairShare(
  demands: readonly number[],
  capacity: number,
  weights?: readonly number[],
): MaxMinResult {
  const size = demands.length;
  const columns = fillingColumns(size);
  for (let index = 0; index < size; index++) {
    columns.demands[index] = demands[index] ?? 0;
    columns.weights[index] = weights === undefined ? 1 : (weights[index] ?? 0);
  }
  const waterLevel = new WaterFilling().fill(columns, size, capacity);
  return { shares: Array.from(columns.shares), waterLevel };
}
