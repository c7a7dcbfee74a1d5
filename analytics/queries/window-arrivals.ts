import { defineBinaryQuery, defineQuery, type Parameters, type RowReader } from '../storage/index.ts';
import { exactSumIf } from './exact-sum.ts';
import { waitBucket } from './wait-bucket.ts';
import { PROVENANCE_RANKS, type RowsTable } from './window-rows.ts';

export interface ArrivalsParams extends Parameters {
  readonly rows: RowsTable;
  readonly window_ms: number;
  readonly from_ms: number;
  readonly to_ms: number;
}

export interface WaitFigures {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
  readonly samples: number;
  readonly provenance: string;
}

export interface TenantArrivalsRow {
  readonly window: number;
  readonly tenant: string;
  readonly attempts: number;
  readonly retries: number;
  readonly arrivedCost: number;
  readonly arrivedCostRaw: number;
  readonly quotaRefusedCost: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly gaveUp: number;
  readonly lost: number;
  readonly skewed: number;
  /** Weight that the tenant's first event of the window carried; null when none did. */
  readonly firstWeight: number | null;
  readonly distinctWeights: number;
  readonly wait: WaitFigures;
}

const exactCost = (name: string, when: string): string => `${exactSumIf('assumeNotNull(c)', when)} AS ${name}`;

const WAIT_FIGURES = `
    quantilesExactIf(0.5, 0.95, 0.99)(assumeNotNull(wait), wait IS NOT NULL) AS wait_quantiles,
    maxIf(assumeNotNull(wait), wait IS NOT NULL) AS wait_max,
    countIf(wait IS NOT NULL) AS wait_samples,
    max(provenance) AS wait_provenance`;

/** What arrived per window and tenant: counts, costs, refusals, waits. */
export const WINDOW_ARRIVALS = defineBinaryQuery<ArrivalsParams, TenantArrivalsRow[]>({
  name: 'window-arrivals',
  sql: `SELECT
    intDiv(a, {window_ms:Int64}) AS step,
    tenant,
    count() AS attempts,
    countIf(superseded) AS retries,
    ${exactCost('arrived_cost', 'kind != 5 AND NOT superseded')},
    ${exactCost('arrived_cost_raw', 'kind != 5')},
    ${exactCost('quota_refused_cost', 'kind = 5')},
    sumMapIf(map(refusal, toUInt64(1)), refusal NOT IN ('', 'gave_up')) AS rejected,
    countIf(refusal = 'gave_up') AS gave_up,
    countIf(kind IN (7, 8)) AS lost,
    countIf(skewed) AS skewed_count,
    argMinIf(weight, (a, id), weight IS NOT NULL) AS first_weight,
    uniqExact(weight) AS distinct_weights,${WAIT_FIGURES}
FROM {rows:Identifier}
WHERE a >= {from_ms:Int64} AND a < {to_ms:Int64}
GROUP BY step, tenant
ORDER BY step, tenant`,
  read: (rows) => {
    const found: TenantArrivalsRow[] = [];
    while (!rows.isAtEnd) {
      found.push({
        window: rows.int64(),
        tenant: rows.text(),
        attempts: rows.uint64(),
        retries: rows.uint64(),
        arrivedCost: rows.float64(),
        arrivedCostRaw: rows.float64(),
        quotaRefusedCost: rows.float64(),
        rejected: readCounts(rows),
        gaveUp: rows.uint64(),
        lost: rows.uint64(),
        skewed: rows.uint64(),
        firstWeight: rows.isNull() ? null : rows.float64(),
        distinctWeights: rows.uint64(),
        wait: readWaits(rows),
      });
    }
    return found;
  },
});

/** Of most tenants: nothing was refused. */
const NO_COUNTS: Readonly<Record<string, number>> = {};

function readCounts(rows: RowReader): Readonly<Record<string, number>> {
  const length = rows.length();
  if (length === 0) return NO_COUNTS;
  const counts: [key: string, count: number][] = [];
  for (let left = length; left > 0; left--) counts.push([rows.text(), rows.uint64()]);
  return Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The columns of `WAIT_FIGURES`. */
function readWaits(rows: RowReader): WaitFigures {
  const quantiles: number[] = [];
  for (let left = rows.length(); left > 0; left--) quantiles.push(rows.int64());
  const max = rows.int64();
  const samples = rows.uint64();
  const provenance = PROVENANCE_RANKS[rows.uint8()] ?? 'measured';
  const [p50 = null, p95 = null, p99 = null] = samples > 0 ? quantiles : [];
  return { p50, p95, p99, max: samples > 0 ? max : null, samples, provenance };
}

export interface PoolArrivalsRow {
  readonly window: number;
  readonly attempts: number;
  /** Requests whose (request id, attempt) another request of the window carries too, with another tenant or arrival. */
  readonly identityConflicts: number;
  readonly wait: WaitFigures;
  readonly overThreshold: number;
  /** Samples that are the age of a request still waiting. */
  readonly stillWaiting: number;
  /** Requests whose log has no queue wait, and no tenant. */
  readonly waitsAbsent: number;
  readonly tenantsAbsent: number;
  /** Of the requests that were dispatched, and of those that were at once. */
  readonly dispatched: number;
  readonly dispatchedAtOnce: number;
  /** Changes with any tenant's histogram of waits. */
  readonly waitsCheck: string;
}

/** The same per window over all tenants. */
export const POOL_ARRIVALS = defineQuery<ArrivalsParams & { readonly threshold_ms: number }, PoolArrivalsRow>({
  name: 'pool-arrivals',
  sql: `SELECT
    intDiv(a, {window_ms:Int64}) AS step,
    count() AS attempts,
    countIf(repeated_key != 0) - uniqExactIf(repeated_key, repeated_key != 0) AS identity_conflicts,
    countIf(ifNull(wait > {threshold_ms:Float64}, 0)) AS over_threshold,
    countIf(kind = 3) AS still_waiting,
    countIf(provenance = 5) AS waits_absent,
    countIf(tenant_absent) AS tenants_absent,
    countIf(kind IN (1, 2, 8)) AS dispatched,
    countIf(kind IN (1, 2, 8) AND p - a <= 1) AS dispatched_at_once,
    sumIf(cityHash64(tenant, ${waitBucket('assumeNotNull(wait)')}), wait IS NOT NULL) AS waits_check,${WAIT_FIGURES}
FROM {rows:Identifier}
WHERE a >= {from_ms:Int64} AND a < {to_ms:Int64}
GROUP BY step
ORDER BY step`,
  decode: (row) => ({
    window: Number(row.step),
    attempts: Number(row.attempts),
    identityConflicts: Number(row.identity_conflicts),
    wait: decodeWaits(row),
    overThreshold: Number(row.over_threshold),
    stillWaiting: Number(row.still_waiting),
    waitsAbsent: Number(row.waits_absent),
    tenantsAbsent: Number(row.tenants_absent),
    dispatched: Number(row.dispatched),
    dispatchedAtOnce: Number(row.dispatched_at_once),
    waitsCheck: String(row.waits_check),
  }),
});

export interface InShareWaitsRow {
  readonly window: number;
  readonly requests: number;
  readonly samples: number;
  readonly overThreshold: number;
  readonly p99WaitMs: number | null;
  readonly stillWaiting: number;
}

/** Waits of the tenants that stayed within their share: those that did not are given as pairs (window, tenant). */
export const IN_SHARE_WAITS = defineQuery<
  ArrivalsParams & {
    readonly threshold_ms: number;
    readonly over_share_windows: readonly number[];
    readonly over_share_tenants: readonly string[];
  },
  InShareWaitsRow
>({
  name: 'in-share-waits',
  sql: `SELECT
    intDiv(a, {window_ms:Int64}) AS step,
    count() AS requests,
    countIf(wait IS NOT NULL) AS samples,
    countIf(ifNull(wait > {threshold_ms:Float64}, 0)) AS over_threshold,
    quantilesExactIf(0.99)(assumeNotNull(wait), wait IS NOT NULL) AS wait_quantiles,
    countIf(kind = 3) AS still_waiting
FROM {rows:Identifier}
WHERE a >= {from_ms:Int64} AND a < {to_ms:Int64}
    AND intDiv(a, {window_ms:Int64}) IN (SELECT arrayJoin({over_share_windows:Array(Int64)}))
    AND (intDiv(a, {window_ms:Int64}), tenant) NOT IN (
        SELECT pair.1, pair.2
        FROM (SELECT arrayJoin(arrayZip({over_share_windows:Array(Int64)}, {over_share_tenants:Array(String)})) AS pair)
    )
GROUP BY step
ORDER BY step`,
  decode: (row) => ({
    window: Number(row.step),
    requests: Number(row.requests),
    samples: Number(row.samples),
    overThreshold: Number(row.over_threshold),
    p99WaitMs: Number(row.samples) === 0 ? null : quantileAt(row.wait_quantiles, 0),
    stillWaiting: Number(row.still_waiting),
  }),
});

function decodeWaits(row: Readonly<Record<string, unknown>>): WaitFigures {
  const samples = Number(row.wait_samples);
  const some = samples > 0;
  return {
    p50: some ? quantileAt(row.wait_quantiles, 0) : null,
    p95: some ? quantileAt(row.wait_quantiles, 1) : null,
    p99: some ? quantileAt(row.wait_quantiles, 2) : null,
    max: some ? Number(row.wait_max) : null,
    samples,
    provenance: PROVENANCE_RANKS[Number(row.wait_provenance)] ?? 'measured',
  };
}

function quantileAt(quantiles: unknown, index: number): number | null {
  return Array.isArray(quantiles) ? Number(quantiles[index]) : null;
}
