import { defineQuery, type Parameters } from '../storage/index.ts';
import { exactSumIf, type SignedAmount } from './exact-sum.ts';
import type { RowsTable } from './window-rows.ts';

export interface SpansParams extends Parameters {
  readonly rows: RowsTable;
  readonly window_ms: number;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly watermark_ms: number;
  /** Ŝ per window as text of an Array(Float64), from `means_from_window` on. */
  readonly means: readonly number[];
  /** Number (start ÷ length) of the window that `means` starts with. */
  readonly means_from_window: number;
}

/**
 * Each row with its service time S and, for the steps of the range that it touches, one row per step.
 * Steps are numbered from the epoch: step n is `[n·W, (n+1)·W)`.
 */
const SPANS = `
    SELECT
        tenant, kind, k, superseded, assumeNotNull(c) AS cost, a, p, e, S,
        kind IN (1, 2, 8) AS has_service,
        kind IN (1, 2, 3, 8) AND NOT superseded AS is_admitted,
        kind IN (4, 6, 7) AND NOT superseded AS is_refused,
        arrayJoin(range(
            greatest(intDiv(if(has_service, least(a, p), a), {window_ms:Int64}), intDiv({from_ms:Int64}, {window_ms:Int64})),
            least(
                intDiv(ends_ms - 1, {window_ms:Int64}),
                intDiv({to_ms:Int64} - 1, {window_ms:Int64})
            ) + 1
        )) AS step,
        step * {window_ms:Int64} AS t0,
        t0 + {window_ms:Int64} AS t1
    FROM (
        SELECT
            *,
            greatest(1., {means:Array(Float64)}[intDiv(a, {window_ms:Int64}) - {means_from_window:Int64} + 1]) AS mean,
            multiIf(
                kind = 1, toFloat64(greatest(e - p, 1)),
                kind = 2, greatest(mean, toFloat64({watermark_ms:Int64} - p)),
                mean
            ) AS S,
            toInt64(ceil(S)) AS whole_service_ms,
            multiIf(
                kind IN (1, 2, 8), greatest(a, p) + whole_service_ms,
                kind = 3, greatest(a + whole_service_ms, {to_ms:Int64}),
                kind = 4, greatest(a + whole_service_ms, e),
                a + whole_service_ms
            ) AS ends_ms
        FROM {rows:Identifier}
        WHERE kind != 5
    )`;

/** Part of an interval of length S that starts at `from` and lies before `to`, in ms. */
const before = (to: string, from: string): string => `greatest(0., least(toFloat64(${to} - ${from}), S))`;

const sum = (name: string, amounts: readonly SignedAmount[], when: string): string =>
  `${exactSumIf(amounts, when)} AS ${name}`;

const between = (after: string, beforeStart: string) =>
  [
    { value: after, sign: 1 },
    { value: beforeStart, sign: -1 },
  ] as const;

export interface TenantWorkRow {
  readonly window: number;
  readonly tenant: string;
  readonly offeredAdmitted: number;
  readonly offeredRefused: number;
  readonly served: number;
  readonly late: number;
  readonly lateAfter: number;
  readonly busyMs: number;
  readonly largestCostInService: number;
  readonly waitingAtEnd: number;
  /** Requests waiting or in service at the watermark. */
  readonly openRequests: number;
  /** Slots that a request of the step holds, the smallest and the largest. */
  readonly smallestSlots: number;
  readonly largestSlots: number;
}

/** Offered, served and late work and busy slot-time per step and tenant (docs/definitions.md, "Work"). */
export const WINDOW_WORK = defineQuery<SpansParams, TenantWorkRow>({
  name: 'window-work',
  sql: `SELECT
    step,
    tenant,
    ${sum('offered_admitted', between('ideal_to_end', 'ideal_to_start'), 'is_admitted')},
    ${sum('offered_refused', between('ideal_to_end', 'ideal_to_start'), 'is_refused')},
    ${sum('served', between('real_to_end', 'real_to_start'), 'has_service')},
    ${sum('late', [{ value: 'late_at_start', sign: 1 }], 'is_admitted')},
    ${sum('late_after', [{ value: 'late_at_end', sign: 1 }], 'is_admitted')},
    ${sum('busy_ms', [{ value: 'busy', sign: 1 }], 'has_service')},
    maxIf(cost, busy > 0) AS largest_cost_in_service,
    countIf(waits_at_end) AS waiting_at_end,
    countIf(kind IN (2, 3)) AS open_requests,
    min(k) AS smallest_slots,
    max(k) AS largest_slots
FROM (
    SELECT
        step, tenant, kind, k, e, cost, is_admitted, is_refused, has_service,
        cost * ${before('t0', 'a')} / S AS ideal_to_start,
        cost * ${before('t1', 'a')} / S AS ideal_to_end,
        if(has_service, cost * ${before('t0', 'p')} / S, 0.) AS real_to_start,
        if(has_service, cost * ${before('t1', 'p')} / S, 0.) AS real_to_end,
        greatest(0., ideal_to_start - real_to_start) AS late_at_start,
        greatest(0., ideal_to_end - real_to_end) AS late_at_end,
        if(has_service, k * (${before('t1', 'p')} - ${before('t0', 'p')}), 0.) AS busy,
        a < t1 AND ((has_service AND p >= t1) OR kind = 3 OR (kind = 4 AND e >= t1)) AS waits_at_end
    FROM (${SPANS})
)
GROUP BY step, tenant
ORDER BY step, tenant`,
  decode: (row) => ({
    window: Number(row.step),
    tenant: String(row.tenant),
    offeredAdmitted: Number(row.offered_admitted),
    offeredRefused: Number(row.offered_refused),
    served: Number(row.served),
    late: Number(row.late),
    lateAfter: Number(row.late_after),
    busyMs: Number(row.busy_ms),
    largestCostInService: Number(row.largest_cost_in_service),
    waitingAtEnd: Number(row.waiting_at_end),
    openRequests: Number(row.open_requests),
    smallestSlots: Number(row.smallest_slots),
    largestSlots: Number(row.largest_slots),
  }),
});

export interface SaturationRow {
  readonly window: number;
  /** Slot-time idle while some request waited that would have fitted, in slot-ms. */
  readonly idleWhileWaitingMs: number;
  /** Time in which at least one request waited, ms. */
  readonly waitingMs: number;
}

/**
 * A sweep over the moments at which a request starts or stops to wait or to hold slots. A waiting request fits when the
 * free slots are at least the smallest number that a request of the step needs; both are given per step of the range.
 */
export const WINDOW_SATURATION = defineQuery<
  SpansParams & { readonly slots: readonly number[]; readonly smallest: readonly number[] },
  SaturationRow
>({
  name: 'window-saturation',
  sql: `SELECT
    intDiv(moment, {window_ms:Int64}) AS step,
    sum(if(waiting > 0 AND free >= smallest, free * length, 0.)) AS idle_while_waiting_ms,
    sum(if(waiting > 0, length, 0)) AS waiting_ms
FROM (
    SELECT
        moment,
        intDiv(moment, {window_ms:Int64}) - intDiv({from_ms:Int64}, {window_ms:Int64}) + 1 AS place,
        {slots:Array(Float64)}[place] - busy AS free,
        {smallest:Array(Float64)}[place] AS smallest,
        sum(waiting_change) OVER (ORDER BY moment ROWS UNBOUNDED PRECEDING) AS waiting,
        sum(busy_change) OVER (ORDER BY moment ROWS UNBOUNDED PRECEDING) AS busy,
        leadInFrame(moment, 1, {to_ms:Int64}) OVER (ORDER BY moment ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) - moment AS length
    FROM (
        SELECT change.1 AS moment, sum(change.2) AS waiting_change, sum(change.3) AS busy_change
        FROM (
            SELECT arrayJoin([
                (waits_from, toInt64(waits_to > waits_from), 0.),
                (waits_to, -toInt64(waits_to > waits_from), 0.),
                (busy_from, toInt64(0), if(busy_to > busy_from, k, 0.)),
                (busy_to, toInt64(0), -if(busy_to > busy_from, k, 0.))
            ]) AS change
            FROM (
                SELECT
                    k,
                    least(greatest(a, {from_ms:Int64}), {to_ms:Int64}) AS waits_from,
                    least(greatest(multiIf(kind IN (1, 2, 8), p, kind = 3, {to_ms:Int64}, kind = 4, e, a), {from_ms:Int64}), {to_ms:Int64}) AS waits_to,
                    least(greatest(if(kind IN (1, 2, 8), p, a), {from_ms:Int64}), {to_ms:Int64}) AS busy_from,
                    least(greatest(multiIf(kind = 1, greatest(e, p + 1), kind = 2, {to_ms:Int64}, a), {from_ms:Int64}), {to_ms:Int64}) AS busy_to
                FROM {rows:Identifier}
                WHERE kind != 5
            )
            UNION ALL
            SELECT (arrayJoin(range({from_ms:Int64}, {to_ms:Int64}, {window_ms:Int64})), toInt64(0), 0.) AS change
        )
        GROUP BY moment
    )
)
WHERE moment < {to_ms:Int64}
GROUP BY step
ORDER BY step`,
  decode: (row) => ({
    window: Number(row.step),
    idleWhileWaitingMs: Number(row.idle_while_waiting_ms),
    waitingMs: Number(row.waiting_ms),
  }),
});
