import { defineQuery } from '../storage/index.ts';
import type {
  CostTotal,
  Counts,
  Extreme,
  InShareTotals,
  PoolTotals,
  TenantExtreme,
  TenantTotals,
  WaitTotals,
} from '../window/range-totals.ts';
import type { WaitHistogram } from '../window/wait-histogram.ts';
import { FRACTIONS_PER_UNIT } from './rollup-columns.ts';
import {
  combinedPool,
  combinedTenants,
  type GivenRollups,
  givenPoolRollups,
  givenTenantRollups,
  poolRows,
  tenantRows,
} from './rollup-rows.ts';
import type { StoredRangeParams } from './stored-windows.ts';

export type TotalsParams = StoredRangeParams &
  GivenRollups & {
    /** Spans of windows that no given rollup holds: starts and ends, pair by pair. */
    readonly span_starts: readonly number[];
    readonly span_ends: readonly number[];
  };

const IN_SPANS =
  'arrayExists((since, until) -> start_ms >= since AND start_ms < until, {span_starts:Array(Int64)}, {span_ends:Array(Int64)})';
const WANTED_TENANT = '({all_tenants:Bool} OR tenant = {tenant:String})';

type TenantTotalsParams = TotalsParams & { readonly all_tenants: boolean; readonly tenant: string };

const TENANT_ORDER = 'ORDER BY tenant, cost_unit';
const POOL_ORDER = 'ORDER BY cost_unit';

/** Totals of one tenant or of all, by name: given rollups and the windows of given spans put together. */
export const TENANT_TOTALS = defineQuery<TenantTotalsParams, TenantTotals>({
  name: 'tenant-totals',
  sql: `${combinedTenants(
    `${givenTenantRollups(WANTED_TENANT)}
    UNION ALL
    ${tenantRows({ where: IN_SPANS, tenant: WANTED_TENANT, byHour: false })}`,
    '',
  )}
${TENANT_ORDER}`,
  decode: tenantTotals,
});

/** The same where no span is given: it takes the engine longer to plan for windows than to read the rollups. */
export const TENANT_TOTALS_OF_ROLLUPS = defineQuery<TenantTotalsParams, TenantTotals>({
  name: 'tenant-totals-of-rollups',
  sql: `${combinedTenants(givenTenantRollups(WANTED_TENANT), '')}
${TENANT_ORDER}`,
  decode: tenantTotals,
});

/** The same of the pool: one row per cost unit. */
export const POOL_TOTALS = defineQuery<TotalsParams, PoolTotals>({
  name: 'pool-totals',
  sql: `${combinedPool(
    `${givenPoolRollups()}
    UNION ALL
    ${poolRows({ where: IN_SPANS, tenant: null, byHour: false })}`,
    '',
  )}
${POOL_ORDER}`,
  decode: poolTotals,
});

export const POOL_TOTALS_OF_ROLLUPS = defineQuery<TotalsParams, PoolTotals>({
  name: 'pool-totals-of-rollups',
  sql: `${combinedPool(givenPoolRollups(), '')}
${POOL_ORDER}`,
  decode: poolTotals,
});

type Row = Readonly<Record<string, unknown>>;

function tenantTotals(row: Row): TenantTotals {
  return {
    tenant: String(row.tenant),
    costUnit: String(row.cost_unit),
    windows: Number(row.windows),
    windowsFinal: Number(row.windows_final),
    windowsWithDemand: Number(row.windows_with_demand),
    windowsInShare: Number(row.windows_in_share),
    windowsUnder90Percent: Number(row.windows_under_90_percent),
    verdicts: counts(row.verdicts),
    arrived: cost(row, 'arrived_cost'),
    arrivedRaw: cost(row, 'arrived_cost_raw'),
    demand: cost(row, 'demand_cost'),
    fairShare: cost(row, 'fair_share_cost'),
    served: cost(row, 'served_cost'),
    fluidIdeal: cost(row, 'fluid_ideal_cost'),
    quotaRefused: cost({ ...row, quota_refused_cost_windows: row.windows }, 'quota_refused_cost'),
    comparedServed: cost(row, 'compared_served_cost'),
    comparedFairShare: cost(row, 'compared_fair_share_cost'),
    requests: Number(row.requests),
    retries: Number(row.retries),
    rejected: counts(row.rejected),
    gaveUp: Number(row.gave_up),
    lost: Number(row.lost),
    skewed: Number(row.skewed),
    fluidInShareRequests: Number(row.fluid_in_share_requests),
    minNormalizedShare: extreme(row, 'min_normalized_share'),
    fluidMaxLag: extreme(row, 'fluid_max_lag_cost'),
    waits: waits(row),
    windowsWithSamples: Number(row.windows_with_samples),
    windowsUnder100Samples: Number(row.windows_under_100_samples),
    windowsP99OverThreshold: Number(row.windows_p99_over_threshold),
    maxWindowP99: extreme(row, 'max_window_p99_wait_ms'),
  };
}

function poolTotals(row: Row): PoolTotals {
  return {
    costUnit: String(row.cost_unit),
    windows: Number(row.windows),
    windowsFinal: Number(row.windows_final),
    windowsRestated: Number(row.windows_restated),
    windowsPolicyChanged: Number(row.windows_policy_changed),
    verdicts: counts(row.verdicts),
    verdictReasons: counts(row.verdict_reasons),
    causes: counts(row.causes),
    capacity: cost(row, 'capacity_cost'),
    demand: cost(row, 'demand_cost'),
    served: cost(row, 'served_cost'),
    requests: Number(row.requests),
    attempts: Number(row.attempts),
    conflicts: Number(row.conflicts),
    skewed: Number(row.skewed),
    lost: Number(row.lost),
    minNormalizedShare: tenantExtreme(row, 'min_normalized_share'),
    minJainIndex: extreme(row, 'min_jain_index'),
    fluidMinNormalizedShare: tenantExtreme(row, 'fluid_min_normalized_share'),
    fluidMinJainIndex: extreme(row, 'fluid_min_jain_index'),
    fluidMaxLag: tenantExtreme(row, 'fluid_max_lag_cost'),
    inShare: inShare(row, 'in_share'),
    fluidInShare: inShare(row, 'fluid_in_share'),
    maxWindowInShareP99: extreme(row, 'max_window_in_share_p99_wait_ms'),
    waits: waits(row),
  };
}

function cost(row: Row, name: string): CostTotal {
  const exact = BigInt(String(row[`${name}_exact`]));
  return { exact, cost: Number(exact) / FRACTIONS_PER_UNIT, windows: Number(row[`${name}_windows`]) };
}

function extreme(row: Row, name: string): Extreme | null {
  const value = row[name];
  return value === null ? null : { value: Number(value), startMs: Number(row[`${name}_at_ms`]) };
}

function tenantExtreme(row: Row, name: string): TenantExtreme | null {
  const found = extreme(row, name);
  return found === null ? null : { ...found, tenant: String(row[`${name}_tenant`]) };
}

function inShare(row: Row, name: string): InShareTotals {
  return {
    requests: Number(row[`${name}_requests`]),
    samples: Number(row[`${name}_samples`]),
    overThreshold: Number(row[`${name}_over_threshold`]),
  };
}

function waits(row: Row): WaitTotals {
  return {
    samples: Number(row.wait_samples),
    maxMs: extreme(row, 'max_wait_ms'),
    histogram: histogram(row.waits),
    notInShare: histogram(row.not_in_share_waits),
  };
}

function entriesOf(value: unknown): (readonly [string, number])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([key, count]) => [key, Number(count)] as const);
}

function histogram(value: unknown): WaitHistogram {
  return new Map(
    entriesOf(value)
      .map(([bucket, count]) => [Number(bucket), count] as const)
      .sort(([a], [b]) => a - b),
  );
}

function counts(value: unknown): Counts {
  return Object.fromEntries(entriesOf(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
