import type { PoolOptions } from './pool-model.ts';

/** A range of a pool's windows to be computed in one go. */
export interface ComputeRange {
  readonly pool: string;
  readonly windowMs: number;
  /** `[fromMs, toMs)`, both multiples of the window length. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Open requests are as old as it says, epoch ms. */
  readonly watermarkMs: number;
  /** Every source is past it; `Infinity` once all are closed. */
  readonly closedToMs: number;
  readonly options: PoolOptions;
  /** Number of this computation: larger than any before, µs since the epoch by custom. */
  readonly computation: number;
}

export interface ComputedRange {
  readonly windows: number;
  /** Windows whose result was new or differed from the stored one. */
  readonly written: number;
  /** Windows that were left as they are, because some of their requests have expired since. */
  readonly expired: number;
  readonly rows: number;
}
