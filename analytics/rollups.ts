import { givenRollups } from './queries/rollup-rows.ts';
import {
  POOL_TOTALS,
  POOL_TOTALS_OF_ROLLUPS,
  TENANT_TOTALS,
  TENANT_TOTALS_OF_ROLLUPS,
} from './queries/rollup-totals.ts';
import { WINDOW_HOURS } from './queries/rollups.ts';
import type { StoredRangeParams } from './queries/stored-windows.ts';
import type { Lane, Store } from './storage/index.ts';
import { type ComposedRange, composeRange } from './window/compose-range.ts';
import type { PoolTotals, TenantTotals, WaitTotals } from './window/range-totals.ts';
import { isRolledUp, readStoredRollups } from './window/roll-up.ts';
import {
  histogramCount,
  histogramQuantile,
  histogramWithout,
  WAIT_RELATIVE_ERROR,
  type WaitHistogram,
} from './window/wait-histogram.ts';

export interface TotalsQuery {
  readonly pool: string;
  /** One tenant; null for all. */
  readonly tenant: string | null;
  readonly windowMs: number;
  /** `[fromMs, toMs)`: windows that start inside it, epoch ms; any bounds. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RangeTotals {
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether every stored window of the range is final, and there is one. */
  readonly isFinal: boolean;
  /** One entry per cost unit that the range's windows are in: one, unless the pool's was changed. */
  readonly pool: readonly PoolTotals[];
  /** By name and cost unit. */
  readonly tenants: readonly TenantTotals[];
}

/**
 * Totals of a range, put together of months, days, hours (UTC) and single windows. They equal the sums over its windows
 * exactly, whatever has been rolled up yet: a rollup is used only while it holds the windows as they are now.
 */
export async function readTotals(store: Store, lane: Lane, query: TotalsQuery): Promise<RangeTotals> {
  const { pool, tenant, windowMs, fromMs, toMs } = query;
  const range = { pool, window_ms: windowMs, from_ms: fromMs, to_ms: toMs };
  const { rollups, spans } = await composed(store, lane, range);
  const params = {
    ...range,
    ...givenRollups(rollups),
    span_starts: spans.map((span) => span.fromMs),
    span_ends: spans.map((span) => span.toMs),
  };
  const [ofPool, ofTenants] =
    spans.length === 0 ? [POOL_TOTALS_OF_ROLLUPS, TENANT_TOTALS_OF_ROLLUPS] : [POOL_TOTALS, TENANT_TOTALS];
  const pools = await store.query(lane, ofPool, params);
  const tenants = await store.query(lane, ofTenants, {
    ...params,
    all_tenants: tenant === null,
    tenant: tenant ?? '',
  });
  return {
    fromMs,
    toMs,
    isFinal: pools.length > 0 && pools.every((totals) => totals.windowsFinal === totals.windows),
    pool: pools,
    tenants: [...tenants].sort(byNameAndUnit),
  };
}

/** The engine sorts names by bytes, this code by UTF-16 units: one order for all that is shown. */
function byNameAndUnit(a: TenantTotals, b: TenantTotals): number {
  if (a.tenant !== b.tenant) return a.tenant < b.tenant ? -1 : 1;
  return a.costUnit < b.costUnit ? -1 : 1;
}

async function composed(store: Store, lane: Lane, range: StoredRangeParams): Promise<ComposedRange> {
  const span = { fromMs: range.from_ms, toMs: range.to_ms };
  if (span.fromMs >= span.toMs) return { rollups: [], spans: [] };
  if (!isRolledUp(range.window_ms)) return { rollups: [], spans: [span] };
  const hours = await store.query(lane, WINDOW_HOURS, range);
  return composeRange(span, hours, await readStoredRollups(store, lane, range));
}

/** Quantiles of a range's waits. */
export interface WaitQuantiles {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly samples: number;
  /** How far a quantile may be from the exact one, relative to it. */
  readonly relative_error: number;
  /** Why quantiles are null: no samples, or windows from before their waits were kept as histograms. */
  readonly reason?: 'no_samples' | 'histograms_missing';
}

/** Quantiles of all waits of a tenant or pool. */
export function waitQuantiles({ waits }: Pick<TenantTotals, 'waits'>): WaitQuantiles {
  return quantilesOf(waits.histogram, hasEveryWait(waits));
}

/** Quantiles of the waits of windows in which the tenant was in share; of a pool, of the tenants that were. */
export function inShareWaitQuantiles({ waits }: Pick<TenantTotals, 'waits'>): WaitQuantiles {
  return quantilesOf(histogramWithout(waits.histogram, waits.notInShare), hasEveryWait(waits));
}

function hasEveryWait({ histogram, samples }: WaitTotals): boolean {
  return histogramCount(histogram) === samples;
}

function quantilesOf(histogram: WaitHistogram, isWhole: boolean): WaitQuantiles {
  const samples = histogramCount(histogram);
  const quantile = (q: number): number | null => (isWhole ? histogramQuantile(histogram, q) : null);
  return {
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
    samples,
    relative_error: WAIT_RELATIVE_ERROR,
    ...(isWhole ? {} : { reason: 'histograms_missing' as const }),
    ...(isWhole && samples === 0 ? { reason: 'no_samples' as const } : {}),
  };
}
