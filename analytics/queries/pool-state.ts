import { defineQuery, type Parameters } from '../storage/index.ts';

type PoolWindowParams = Parameters & { readonly pool: string; readonly window_ms: number; readonly from_ms: number };

export interface EarlierWindow {
  readonly startMs: number;
  readonly computation: number;
  readonly meanServiceMs: number | null;
  readonly workPerBusyMs: number | null;
  readonly saturatedServedCost: number | null;
  readonly fluidWorkPerBusyMs: number | null;
}

/** The stored windows before a range whose figures it needs, newest last. */
export const EARLIER_WINDOWS = defineQuery<PoolWindowParams, EarlierWindow>({
  name: 'earlier-windows',
  sql: `SELECT start_ms, computation, mean_service_ms, work_per_busy_ms, saturated_served_cost, fluid_work_per_busy_ms
FROM windows FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms < {from_ms:Int64}
    AND (start_ms >= {from_ms:Int64} - 60 * {window_ms:Int64}
        OR start_ms + {window_ms:Int64} + ifNull(mean_service_ms, 0) > {from_ms:Int64}
        OR start_ms = (
            SELECT max(start_ms) FROM windows
            WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms < {from_ms:Int64}
        ))
ORDER BY start_ms`,
  decode: (row) => ({
    startMs: Number(row.start_ms),
    computation: Number(row.computation),
    meanServiceMs: nullableNumber(row.mean_service_ms),
    workPerBusyMs: nullableNumber(row.work_per_busy_ms),
    saturatedServedCost: nullableNumber(row.saturated_served_cost),
    fluidWorkPerBusyMs: nullableNumber(row.fluid_work_per_busy_ms),
  }),
});

/** Mean service times of stored windows in `[from_ms, to_ms)`, and of the nearest one before, newest last. */
export const EARLIER_MEANS = defineQuery<
  PoolWindowParams & { readonly to_ms: number },
  Pick<EarlierWindow, 'startMs' | 'meanServiceMs'>
>({
  name: 'earlier-means',
  sql: `SELECT start_ms, mean_service_ms
FROM windows FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms < {to_ms:Int64}
    AND start_ms >= (
        SELECT max(start_ms) FROM windows
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms <= {from_ms:Int64}
            AND mean_service_ms IS NOT NULL
    )
ORDER BY start_ms`,
  decode: (row) => ({ startMs: Number(row.start_ms), meanServiceMs: nullableNumber(row.mean_service_ms) }),
});

/** The ideal backlogs, of the window and of its last second, that one stored window handed on; also of tenants absent from it. */
export const IDEAL_BACKLOG = defineQuery<
  PoolWindowParams & { readonly computation: number },
  { readonly tenant: string; readonly idealBacklog: number; readonly fluidBacklog: number; readonly dueBacklog: number }
>({
  name: 'ideal-backlog',
  sql: `SELECT tenant, ideal_backlog_cost, fluid_ideal_backlog_cost, fluid_due_backlog_cost
FROM (
    SELECT tenant, ideal_backlog_cost, fluid_ideal_backlog_cost, fluid_due_backlog_cost
    FROM tenant_windows FINAL
    WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms = {from_ms:Int64}
        AND computation = {computation:UInt64}
        AND (ideal_backlog_cost > 0 OR fluid_ideal_backlog_cost > 0 OR fluid_due_backlog_cost > 0)
    UNION ALL
    SELECT absent.1, 0., 0., absent.2
    FROM (
        SELECT arrayJoin(arrayZip(mapKeys(absent_due_backlogs), mapValues(absent_due_backlogs))) AS absent
        FROM windows FINAL
        WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64} AND start_ms = {from_ms:Int64}
            AND computation = {computation:UInt64}
    )
)
ORDER BY tenant`,
  decode: (row) => ({
    tenant: String(row.tenant),
    idealBacklog: Number(row.ideal_backlog_cost),
    fluidBacklog: Number(row.fluid_ideal_backlog_cost),
    dueBacklog: Number(row.fluid_due_backlog_cost),
  }),
});

export interface PoolSpan {
  readonly pool: string;
  readonly firstArrivalMs: number;
  readonly lastArrivalMs: number;
  readonly latestEndMs: number;
}

/** Every pool that holds requests, with the span of their arrivals and ends. */
export const POOL_SPANS = defineQuery<Parameters, PoolSpan>({
  name: 'pool-spans',
  sql: `SELECT pool, min(first_arrival_ms) AS first_ms, max(last_arrival_ms) AS last_ms, max(latest_end_ms) AS end_ms
FROM request_spans
GROUP BY pool
ORDER BY pool`,
  decode: (row) => ({
    pool: String(row.pool),
    firstArrivalMs: Number(row.first_ms),
    lastArrivalMs: Number(row.last_ms),
    latestEndMs: Number(row.end_ms),
  }),
});

export interface ActiveHour {
  readonly firstArrivalMs: number;
  readonly lastArrivalMs: number;
  readonly latestEndMs: number;
}

/** Per hour of arrival what a pool's requests span, in time order; hours without any are absent. */
export const ACTIVE_HOURS = defineQuery<Parameters & { readonly pool: string }, ActiveHour>({
  name: 'active-hours',
  sql: `SELECT min(first_arrival_ms) AS first_ms, max(last_arrival_ms) AS last_ms, max(latest_end_ms) AS end_ms
FROM request_spans
WHERE pool = {pool:String}
GROUP BY hour
ORDER BY hour`,
  decode: (row) => ({
    firstArrivalMs: Number(row.first_ms),
    lastArrivalMs: Number(row.last_ms),
    latestEndMs: Number(row.end_ms),
  }),
});

/** Per pool the earliest arrival among the events stored since a moment, and the earliest span that a gateway reported on. */
export const STORED_SINCE = defineQuery<
  Parameters & { readonly since_ms: number },
  { readonly pool: string; readonly earliestArrivalMs: number }
>({
  name: 'stored-since',
  sql: `SELECT pool, min(at_ms) AS earliest_ms
FROM (
    SELECT pool, arrived_at_ms AS at_ms FROM requests WHERE stored_at_ms >= {since_ms:Int64}
    UNION ALL
    SELECT pool, from_ms FROM coverage_reports WHERE stored_at_ms >= {since_ms:Int64}
)
GROUP BY pool
ORDER BY pool`,
  decode: (row) => ({ pool: String(row.pool), earliestArrivalMs: Number(row.earliest_ms) }),
});

/** How far back requests arrived that end after `from_ms`: 0 rows where none did. */
export const LOOKBACK = defineQuery<
  Parameters & { readonly pool: string; readonly from_ms: number },
  { readonly lookbackFromMs: number }
>({
  name: 'lookback',
  sql: `SELECT min(first_arrival_ms) AS lookback_from_ms
FROM (
    SELECT hour, min(first_arrival_ms) AS first_arrival_ms, max(latest_end_ms) AS latest_end_ms
    FROM request_spans
    WHERE pool = {pool:String}
    GROUP BY hour
)
WHERE latest_end_ms >= {from_ms:Int64}
HAVING count() > 0`,
  decode: (row) => ({ lookbackFromMs: Number(row.lookback_from_ms) }),
});

/** Stored events per minute of arrival (redeliveries counted): to plan how many windows one statement takes. */
export const REQUESTS_PER_MINUTE = defineQuery<
  Parameters & { readonly pool: string; readonly from_ms: number; readonly to_ms: number },
  { readonly minuteMs: number; readonly requests: number }
>({
  name: 'requests-per-minute',
  sql: `SELECT toInt64(toUnixTimestamp(minute)) * 1000 AS minute_ms, count() AS requests
FROM requests
WHERE pool = {pool:String}
    AND minute >= toDateTime(intDiv({from_ms:Int64}, 60000) * 60, 'UTC')
    AND minute < toDateTime(intDiv({to_ms:Int64} + 59999, 60000) * 60, 'UTC')
GROUP BY minute
ORDER BY minute`,
  decode: (row) => ({ minuteMs: Number(row.minute_ms), requests: Number(row.requests) }),
});

export interface WindowProgress {
  /** End of the newest stored window. */
  readonly computedToMs: number;
  /** Start of the oldest window that is not final; null when all are. */
  readonly provisionalFromMs: number | null;
}

/** How far the windows of a pool are computed: 0 rows where none is. */
export const WINDOW_PROGRESS = defineQuery<
  Parameters & { readonly pool: string; readonly window_ms: number },
  WindowProgress
>({
  name: 'window-progress',
  sql: `SELECT
    max(start_ms) + {window_ms:Int64} AS computed_to_ms,
    minIf(start_ms, state = 'provisional') AS provisional_from_ms,
    countIf(state = 'provisional') AS provisional
FROM windows FINAL
WHERE pool = {pool:String} AND window_ms = {window_ms:UInt64}
HAVING count() > 0`,
  decode: (row) => ({
    computedToMs: Number(row.computed_to_ms),
    provisionalFromMs: Number(row.provisional) === 0 ? null : Number(row.provisional_from_ms),
  }),
});

/** Up to when the job has looked for late events: 0 rows before its first run. */
export const LATE_CHECK = defineQuery<Parameters & { readonly window_ms: number }, { readonly checkedToMs: number }>({
  name: 'late-check',
  sql: `SELECT max(late_checked_to_ms) AS checked_to_ms
FROM job_progress
WHERE window_ms = {window_ms:UInt64}
HAVING count() > 0`,
  decode: (row) => ({ checkedToMs: Number(row.checked_to_ms) }),
});

/** The newest stored window of every pool, for one window length. */
export const LATEST_WINDOWS = defineQuery<
  Parameters & { readonly window_ms: number },
  { readonly pool: string; readonly startMs: number }
>({
  name: 'latest-windows',
  sql: `SELECT pool, max(start_ms) AS latest_ms
FROM windows
WHERE window_ms = {window_ms:UInt64}
GROUP BY pool
ORDER BY pool`,
  decode: (row) => ({ pool: String(row.pool), startMs: Number(row.latest_ms) }),
});

export interface CapacityEntry {
  readonly atMs: number;
  readonly slots: number | null;
  readonly capacityPerS: number | null;
}

/** What a pool announced or was configured with, in time order. */
export const POOL_CAPACITY = defineQuery<Parameters & { readonly pool: string }, CapacityEntry>({
  name: 'pool-capacity',
  sql: `SELECT at_ms, slots, capacity_per_s
FROM pool_capacity FINAL
WHERE pool = {pool:String}
ORDER BY at_ms, source`,
  decode: (row) => ({
    atMs: Number(row.at_ms),
    slots: nullableNumber(row.slots),
    capacityPerS: nullableNumber(row.capacity_per_s),
  }),
});

/** What the configuration said of a pool, in time order. */
export const CONFIGURED_CAPACITY = defineQuery<Parameters & { readonly pool: string }, CapacityEntry>({
  name: 'configured-capacity',
  sql: `SELECT at_ms, slots, capacity_per_s
FROM pool_capacity FINAL
WHERE pool = {pool:String} AND source = 'configured'
ORDER BY at_ms`,
  decode: POOL_CAPACITY.decode,
});

export interface WeightEntry {
  readonly tenant: string;
  readonly atMs: number;
  readonly weight: number;
}

/** The weights of a pool's tenants, in time order. */
export const TENANT_WEIGHTS = defineQuery<Parameters & { readonly pool: string }, WeightEntry>({
  name: 'tenant-weights',
  sql: `SELECT tenant, at_ms, weight
FROM tenant_weights FINAL
WHERE pool = {pool:String}
ORDER BY tenant, at_ms`,
  decode: (row) => ({ tenant: String(row.tenant), atMs: Number(row.at_ms), weight: Number(row.weight) }),
});

function nullableNumber(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
