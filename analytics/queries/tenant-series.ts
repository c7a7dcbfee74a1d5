import { defineQuery, type Parameters } from '../storage/index.ts';
import { type Member, TOP_REASONS } from '../window/cardinality-cap.ts';
import type { SeriesRest, SeriesTenant } from '../window/series-result.ts';
import { RANKINGS } from '../window/top-tenant-ranks.ts';

type SeriesParams = Parameters & {
  readonly pool: string;
  readonly window_ms: number;
  readonly from_ms: number;
  readonly to_ms: number;
};

export interface SeriesLine {
  readonly startMs: number;
  readonly digest: string;
  readonly line:
    | { readonly kind: 'tenant'; readonly figures: SeriesTenant }
    | { readonly kind: 'rest'; readonly figures: SeriesRest };
}

const IN_RANGE = `pool = {pool:String} AND window_ms = {window_ms:UInt64}
    AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}`;

/**
 * The lines of each window of a range in time order, the rest of each first. Lines of tenants that a later computation
 * folded are among them: those count whose digest is that of the rest.
 */
export const TENANT_SERIES = defineQuery<SeriesParams, SeriesLine>({
  name: 'tenant-series',
  sql: `SELECT * EXCEPT (computation, state_tenants, state_by, state_stay_windows) FROM tenant_series FINAL
WHERE ${IN_RANGE}
ORDER BY start_ms, is_rest DESC, member`,
  decode: (row) => ({
    startMs: Number(row.start_ms),
    digest: String(row.digest),
    line: row.is_rest ? { kind: 'rest', figures: decodeRest(row) } : { kind: 'tenant', figures: decodeTenant(row) },
  }),
});

export interface SeriesState {
  readonly startMs: number;
  readonly membership: readonly Member[];
  readonly digest: string;
}

/** What each window of a range handed to the next one, in time order. */
export const TENANT_SERIES_STATES = defineQuery<SeriesParams, SeriesState>({
  name: 'tenant-series-states',
  sql: `SELECT start_ms, state_tenants, state_by, state_stay_windows, digest FROM tenant_series FINAL
WHERE ${IN_RANGE} AND is_rest
ORDER BY start_ms`,
  decode: (row) => ({
    startMs: Number(row.start_ms),
    membership: zip(row.state_tenants, row.state_by, row.state_stay_windows).map(([tenant, by, stayWindows]) => ({
      tenant: String(tenant),
      by: [...RANKINGS, 'pinned' as const].find((name) => name === by) ?? 'demand',
      stayWindows: Number(stayWindows),
    })),
    digest: String(row.digest),
  }),
});

/**
 * Merged waits per window of the tenants that are not shown by themselves: windows are given by start and computation,
 * those that are shown as pairs (start, tenant).
 */
export const REST_WAITS = defineQuery<
  Parameters & {
    readonly pool: string;
    readonly window_ms: number;
    readonly starts: readonly number[];
    readonly computations: readonly number[];
    readonly shown_starts: readonly number[];
    readonly shown_tenants: readonly string[];
  },
  { readonly startMs: number; readonly waits: readonly (readonly [bucket: number, count: number])[] }
>({
  name: 'rest-waits',
  sql: `SELECT start_ms, sumMap(waits) AS merged
FROM wait_histograms FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
    AND start_ms IN (SELECT arrayJoin({starts:Array(Int64)}))
    AND (start_ms, computation) IN (
        SELECT pair.1, pair.2
        FROM (SELECT arrayJoin(arrayZip({starts:Array(Int64)}, {computations:Array(UInt64)})) AS pair)
    )
    AND (start_ms, tenant) NOT IN (
        SELECT pair.1, pair.2
        FROM (SELECT arrayJoin(arrayZip({shown_starts:Array(Int64)}, {shown_tenants:Array(String)})) AS pair)
    )
GROUP BY start_ms
ORDER BY start_ms`,
  decode: (row) => ({
    startMs: Number(row.start_ms),
    waits: entriesOf(row.merged).map(([bucket, count]) => [Number(bucket), Number(count)]),
  }),
});

type Row = Readonly<Record<string, unknown>>;

function decodeTenant(row: Row): SeriesTenant {
  return {
    tenant: String(row.member),
    why: TOP_REASONS.find((reason) => reason === row.why) ?? 'sticky',
    in_share: row.in_share === null ? null : Boolean(row.in_share),
    ...decodeFigures(row),
  };
}

function decodeRest(row: Row): SeriesRest {
  return {
    tenants: Number(row.tenants),
    ...decodeFigures(row),
    rejected_tenants: Number(row.rejected_tenants),
    samples: zip(row.sample_tenants, row.sample_rejected, row.sample_attempts).map(([tenant, rejected, attempts]) => ({
      tenant: String(tenant),
      rejected: Number(rejected),
      attempts: Number(attempts),
    })),
  };
}

function decodeFigures(row: Row) {
  return {
    demand_cost: figure(row.demand_cost),
    ideal_cost: figure(row.ideal_cost),
    served_cost: figure(row.served_cost),
    requests: Number(row.requests),
    retries: Number(row.retries),
    rejected: Number(row.rejected),
    gave_up: Number(row.gave_up),
    in_share_requests: figure(row.in_share_requests),
    wait_samples: Number(row.wait_samples),
    normalized_share: figure(row.normalized_share),
    lag_cost: figure(row.lag_cost),
    wait_p99_ms: figure(row.wait_p99_ms),
  };
}

function figure(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** Three columns of arrays as rows. */
function zip(first: unknown, second: unknown, third: unknown): (readonly [unknown, unknown, unknown])[] {
  if (!Array.isArray(first) || !Array.isArray(second) || !Array.isArray(third)) return [];
  return first.map((value: unknown, index) => [value, second[index], third[index]]);
}

function entriesOf(map: unknown): [string, unknown][] {
  return typeof map === 'object' && map !== null ? Object.entries(map) : [];
}
