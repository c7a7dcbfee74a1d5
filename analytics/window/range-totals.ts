import type { WaitHistogram } from './wait-histogram.ts';

/** A cost summed over windows. */
export interface CostTotal {
  /** The exact sum in 2⁻⁴⁰ths of the unit: equal for equal windows, however they were put together. */
  readonly exact: bigint;
  /** The nearest number to it. */
  readonly cost: number;
  /** In how many windows it is known; the others add nothing. */
  readonly windows: number;
}

/** The least or greatest figure of a window, with the start of the first window that has it. */
export interface Extreme {
  readonly value: number;
  readonly startMs: number;
}

export interface TenantExtreme extends Extreme {
  readonly tenant: string;
}

/** Waits of many windows; quantiles of `histogram` are within 1% (`histogramQuantile`). */
export interface WaitTotals {
  readonly samples: number;
  readonly maxMs: Extreme | null;
  readonly histogram: WaitHistogram;
  /** What of the histogram is of windows in which the tenant was beyond its share, or shares were unknown. */
  readonly notInShare: WaitHistogram;
}

/** What one tenant's windows of a range come to, in one cost unit. */
export interface TenantTotals {
  readonly tenant: string;
  readonly costUnit: string;
  readonly windows: number;
  readonly windowsFinal: number;
  readonly windowsWithDemand: number;
  readonly windowsInShare: number;
  readonly windowsUnder90Percent: number;
  /** Windows by verdict. */
  readonly verdicts: Counts;
  readonly arrived: CostTotal;
  readonly arrivedRaw: CostTotal;
  readonly demand: CostTotal;
  readonly fairShare: CostTotal;
  readonly served: CostTotal;
  /** Ideal service in steps of a second. */
  readonly fluidIdeal: CostTotal;
  readonly quotaRefused: CostTotal;
  /** Over the windows in which both are known: these two may be divided. */
  readonly comparedServed: CostTotal;
  readonly comparedFairShare: CostTotal;
  readonly requests: number;
  readonly retries: number;
  readonly rejected: Counts;
  readonly gaveUp: number;
  readonly lost: number;
  readonly skewed: number;
  readonly fluidInShareRequests: number;
  readonly minNormalizedShare: Extreme | null;
  readonly fluidMaxLag: Extreme | null;
  readonly waits: WaitTotals;
  readonly windowsWithSamples: number;
  readonly windowsUnder100Samples: number;
  readonly windowsP99OverThreshold: number;
  readonly maxWindowP99: Extreme | null;
}

/** What a pool's windows of a range come to, in one cost unit. Indices are never averaged: the worst is named. */
export interface PoolTotals {
  readonly costUnit: string;
  readonly windows: number;
  readonly windowsFinal: number;
  readonly windowsRestated: number;
  readonly windowsPolicyChanged: number;
  readonly verdicts: Counts;
  readonly verdictReasons: Counts;
  readonly causes: Counts;
  readonly capacity: CostTotal;
  readonly demand: CostTotal;
  readonly served: CostTotal;
  readonly requests: number;
  readonly attempts: number;
  readonly conflicts: number;
  readonly skewed: number;
  readonly lost: number;
  readonly minNormalizedShare: TenantExtreme | null;
  readonly minJainIndex: Extreme | null;
  readonly fluidMinNormalizedShare: TenantExtreme | null;
  readonly fluidMinJainIndex: Extreme | null;
  readonly fluidMaxLag: TenantExtreme | null;
  readonly inShare: InShareTotals;
  readonly fluidInShare: InShareTotals;
  readonly maxWindowInShareP99: Extreme | null;
  readonly waits: WaitTotals;
}

export interface InShareTotals {
  readonly requests: number;
  readonly samples: number;
  readonly overThreshold: number;
}

/** By name, names in order. */
export type Counts = Readonly<Record<string, number>>;
