import { defineQuery, type Parameters } from '../storage/index.ts';
import { CAPACITY_BASES, TENANT_VERDICTS, WINDOW_VERDICTS } from '../window/window-result.ts';

/** What one window says of one tenant. Costs are in the cost unit of the window. */
export interface TenantFigures {
  readonly verdict: (typeof TENANT_VERDICTS)[number];
  readonly weight: number;
  readonly arrivedCost: number | null;
  readonly demandCost: number | null;
  readonly fairShareCost: number | null;
  readonly servedCost: number | null;
  readonly normalizedShare: number | null;
  readonly lagCost: number | null;
  readonly quotaRefusedCost: number;
  readonly requests: number;
  readonly retries: number;
  /** Refused attempts by reason, in the order of the reasons' names. */
  readonly rejected: Readonly<Record<string, number>>;
  readonly gaveUp: number;
  readonly lost: number;
  readonly skewed: number;
  readonly waitP99Ms: number | null;
  readonly waitMaxMs: number | null;
  readonly waitSamples: number;
}

/** A stored window of a pool as one of its tenants may see it: no other tenant's name or figure is in it. */
export interface TenantHistoryWindow {
  readonly startMs: number;
  readonly state: 'provisional' | 'final';
  readonly revision: number;
  readonly verdict: (typeof WINDOW_VERDICTS)[number];
  /** Why the verdict is unknown; else empty. */
  readonly verdictReasons: readonly string[];
  readonly costUnit: string;
  readonly capacityBasis: (typeof CAPACITY_BASES)[number];
  readonly coverageRatio: number | null;
  readonly thresholdMs: number;
  readonly conflicts: number;
  readonly policyChanged: boolean;
  /** How many tenants other than this one were served beyond their share, where the window was unfair. */
  readonly othersOverServed: number;
  /** `idle_slots`, `carried_over`, `lost_capacity`; empty where the window was not unfair. */
  readonly otherCauses: readonly string[];
  /** Null where the tenant neither asked for anything nor was served. */
  readonly tenant: TenantFigures | null;
}

type RangeParams = Parameters & { readonly window_ms: number; readonly from_ms: number; readonly to_ms: number };
export type TenantHistoryParams = RangeParams & { readonly pool: string; readonly tenant: string };

/**
 * The newest computation of each window of a range, in time order, with the figures of one tenant. The other tenants'
 * rows are skipped by their names alone, which is why the condition on the tenant comes first.
 */
export const TENANT_HISTORY = defineQuery<TenantHistoryParams, TenantHistoryWindow>({
  name: 'tenant-history',
  sql: `SELECT
    w.start_ms AS start_ms, w.state AS state, w.revision AS revision, w.verdict AS window_verdict,
    w.verdict_reasons AS verdict_reasons, w.cost_unit AS cost_unit, w.capacity_basis AS capacity_basis,
    w.coverage_ratio AS coverage_ratio, w.in_share_threshold_ms AS threshold_ms, w.conflicts AS conflicts,
    w.policy_changed AS policy_changed, w.other_causes AS other_causes,
    arrayCount(name -> name != {tenant:String}, w.over_served_tenants) AS others_over_served,
    t.*
FROM (
    SELECT * FROM windows FINAL
    WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
        AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
) AS w
LEFT JOIN (
    SELECT
        start_ms AS tenant_start_ms, computation AS tenant_computation, 1 AS is_present,
        verdict AS tenant_verdict, weight, arrived_cost, demand_cost AS tenant_demand_cost, fair_share_cost,
        served_cost AS tenant_served_cost, normalized_share, lag_cost, quota_refused_cost, requests AS tenant_requests,
        retries, rejected, gave_up, lost AS tenant_lost, skewed AS tenant_skewed, wait_p99_ms AS tenant_wait_p99_ms,
        wait_max_ms AS tenant_wait_max_ms, wait_samples AS tenant_wait_samples
    FROM tenant_windows FINAL
    PREWHERE tenant = {tenant:String}
    WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
        AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
) AS t ON t.tenant_start_ms = w.start_ms AND t.tenant_computation = w.computation
ORDER BY start_ms`,
  decode: (row) => ({
    startMs: Number(row.start_ms),
    state: row.state === 'final' ? 'final' : 'provisional',
    revision: Number(row.revision),
    verdict: oneOf(WINDOW_VERDICTS, row.window_verdict, 'unknown'),
    verdictReasons: texts(row.verdict_reasons),
    costUnit: String(row.cost_unit),
    capacityBasis: oneOf(CAPACITY_BASES, row.capacity_basis, 'unknown'),
    coverageRatio: figure(row.coverage_ratio),
    thresholdMs: Number(row.threshold_ms),
    conflicts: Number(row.conflicts),
    policyChanged: Boolean(row.policy_changed),
    othersOverServed: Number(row.others_over_served),
    otherCauses: texts(row.other_causes),
    tenant: Number(row.is_present) === 1 ? decodeFigures(row) : null,
  }),
});

/** Who has stored windows in a range: pools by name, tenants by the bytes of their names. */
export const TENANTS_IN_RANGE = defineQuery<RangeParams, { readonly pool: string; readonly tenant: string }>({
  name: 'tenants-in-range',
  sql: `SELECT DISTINCT pool, tenant
FROM tenant_windows
WHERE window_ms = {window_ms:UInt64} AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
ORDER BY pool, tenant`,
  decode: (row) => ({ pool: String(row.pool), tenant: String(row.tenant) }),
});

/** In which pools a tenant has stored windows in a range, by name. */
export const POOLS_OF_TENANT = defineQuery<RangeParams & { readonly tenant: string }, { readonly pool: string }>({
  name: 'pools-of-tenant',
  sql: `SELECT DISTINCT pool
FROM tenant_windows
PREWHERE tenant = {tenant:String}
WHERE window_ms = {window_ms:UInt64} AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}
ORDER BY pool`,
  decode: (row) => ({ pool: String(row.pool) }),
});

/** How many tenants have stored windows at all, and when one of them had its first and last: one row. */
export const KNOWN_TENANTS = defineQuery<
  Parameters & { readonly window_ms: number; readonly tenant: string },
  { readonly tenants: number; readonly windows: number; readonly firstMs: number; readonly lastMs: number }
>({
  name: 'known-tenants',
  sql: `SELECT
    uniqExact(tenant) AS tenants,
    countIf(tenant = {tenant:String}) AS known_windows,
    minIf(start_ms, tenant = {tenant:String}) AS first_ms,
    maxIf(start_ms, tenant = {tenant:String}) AS last_ms
FROM tenant_windows
WHERE window_ms = {window_ms:UInt64}`,
  decode: (row) => ({
    tenants: Number(row.tenants),
    windows: Number(row.known_windows),
    firstMs: Number(row.first_ms),
    lastMs: Number(row.last_ms),
  }),
});

export interface PoolProgressRow {
  readonly pool: string;
  /** End of the newest stored window, and the watermark when it was computed, epoch ms. */
  readonly computedToMs: number;
  readonly watermarkMs: number;
}

/** How far the windows of each pool are computed, by name. */
export const POOL_PROGRESS = defineQuery<Parameters & { readonly window_ms: number }, PoolProgressRow>({
  name: 'pool-progress',
  sql: `SELECT pool, max(start_ms) + {window_ms:Int64} AS computed_to_ms, argMax(watermark_ms, (start_ms, computation)) AS watermark
FROM windows
WHERE window_ms = {window_ms:UInt64}
GROUP BY pool
ORDER BY pool`,
  decode: (row) => ({
    pool: String(row.pool),
    computedToMs: Number(row.computed_to_ms),
    watermarkMs: Number(row.watermark),
  }),
});

/**
 * Per pool the hours (UTC) with requests of which the first or the last arrival in the range lies in no stored window:
 * what arrived there is not computed yet, or not all of it.
 */
export const HOURS_NOT_COMPUTED = defineQuery<RangeParams, { readonly pool: string; readonly hours: number }>({
  name: 'hours-not-computed',
  sql: `SELECT spans.pool AS pool, count() AS hours
FROM (
    SELECT pool, hour, min(first_arrival_ms) AS first_ms, max(last_arrival_ms) AS last_ms
    FROM request_spans
    WHERE hour >= toDateTime(intDiv({from_ms:Int64}, 3600000) * 3600, 'UTC')
        AND hour < toDateTime(intDiv({to_ms:Int64} + 3599999, 3600000) * 3600, 'UTC')
    GROUP BY pool, hour
) AS spans
WHERE (
        first_ms >= {from_ms:Int64} AND first_ms < {to_ms:Int64}
        AND (pool, intDiv(first_ms, {window_ms:Int64})) NOT IN (
            SELECT pool, intDiv(start_ms, {window_ms:Int64}) FROM windows
            WHERE window_ms = {window_ms:UInt64} AND start_ms > {from_ms:Int64} - {window_ms:Int64} AND start_ms < {to_ms:Int64}
        )
    ) OR (
        last_ms >= {from_ms:Int64} AND last_ms < {to_ms:Int64}
        AND (pool, intDiv(last_ms, {window_ms:Int64})) NOT IN (
            SELECT pool, intDiv(start_ms, {window_ms:Int64}) FROM windows
            WHERE window_ms = {window_ms:UInt64} AND start_ms > {from_ms:Int64} - {window_ms:Int64} AND start_ms < {to_ms:Int64}
        )
    )
GROUP BY pool
ORDER BY pool`,
  decode: (row) => ({ pool: String(row.pool), hours: Number(row.hours) }),
});

type Row = Readonly<Record<string, unknown>>;

function decodeFigures(row: Row): TenantFigures {
  return {
    verdict: oneOf(TENANT_VERDICTS, row.tenant_verdict, 'unknown'),
    weight: Number(row.weight),
    arrivedCost: figure(row.arrived_cost),
    demandCost: figure(row.tenant_demand_cost),
    fairShareCost: figure(row.fair_share_cost),
    servedCost: figure(row.tenant_served_cost),
    normalizedShare: figure(row.normalized_share),
    lagCost: figure(row.lag_cost),
    quotaRefusedCost: Number(row.quota_refused_cost),
    requests: Number(row.tenant_requests),
    retries: Number(row.retries),
    rejected: counts(row.rejected),
    gaveUp: Number(row.gave_up),
    lost: Number(row.tenant_lost),
    skewed: Number(row.tenant_skewed),
    waitP99Ms: figure(row.tenant_wait_p99_ms),
    waitMaxMs: figure(row.tenant_wait_max_ms),
    waitSamples: Number(row.tenant_wait_samples),
  };
}

function figure(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function oneOf<Value extends string>(values: readonly Value[], found: unknown, otherwise: Value): Value {
  return values.find((value) => value === found) ?? otherwise;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function counts(value: unknown): Record<string, number> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, count]) => [key, Number(count)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
