import { defineQuery, type Parameters } from '../storage/index.ts';
import { exactPartsIf, exactSumIf, exactTotal, type SignedAmount } from './exact-sum.ts';
import { withServiceTime } from './service-time.ts';
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

/** A request that was served and done within the window of its arrival: of most windows that is nearly all. */
const IN_ONE_STEP = `kind = 1 AND p >= a AND a >= {from_ms:Int64}
        AND intDiv(a, {window_ms:Int64}) = intDiv(p + greatest(e - p, 1) - 1, {window_ms:Int64})`;

/**
 * Each other row with its service time S and, for the steps of the range that it touches, one row per step.
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
            multiIf(
                kind IN (1, 2, 8), greatest(a, p) + whole_service_ms,
                kind = 3, greatest(a + whole_service_ms, {to_ms:Int64}),
                kind = 4, greatest(a + whole_service_ms, e),
                a + whole_service_ms
            ) AS ends_ms
        FROM (${withServiceTime(`NOT (${IN_ONE_STEP})`)})
    )`;

/** Part of an interval of length S that starts at `from` and lies before `to`, in ms. */
const before = (to: string, from: string): string => `greatest(0., least(toFloat64(${to} - ${from}), S))`;

const between = (after: string, beforeStart: string) =>
  [
    { value: after, sign: 1 },
    { value: beforeStart, sign: -1 },
  ] as const;

/** The sums per step and tenant: of a row in one step, and of a row's part in a step; null where it adds nothing. */
const SUMS: readonly {
  readonly name: string;
  readonly inOneStep: { readonly value: string; readonly when: string } | null;
  readonly part: { readonly amounts: readonly SignedAmount[]; readonly when: string };
}[] = [
  {
    name: 'offered_admitted',
    inOneStep: { value: 'cost', when: 'NOT superseded' },
    part: { amounts: between('ideal_to_end', 'ideal_to_start'), when: 'is_admitted' },
  },
  {
    name: 'offered_refused',
    inOneStep: null,
    part: { amounts: between('ideal_to_end', 'ideal_to_start'), when: 'is_refused' },
  },
  {
    name: 'served',
    inOneStep: { value: 'cost', when: 'true' },
    part: { amounts: between('real_to_end', 'real_to_start'), when: 'has_service' },
  },
  {
    name: 'late',
    inOneStep: null,
    part: { amounts: [{ value: 'late_at_start', sign: 1 }], when: 'is_admitted' },
  },
  {
    name: 'late_after',
    inOneStep: null,
    part: { amounts: [{ value: 'late_at_end', sign: 1 }], when: 'is_admitted' },
  },
  {
    name: 'busy_ms',
    inOneStep: { value: 'k * toFloat64(greatest(e - p, 1))', when: 'true' },
    part: { amounts: [{ value: 'busy', sign: 1 }], when: 'has_service' },
  },
];

const SUMS_IN_ONE_STEP = SUMS.map(({ name, inOneStep }) => {
  if (inOneStep === null) return `toInt128(0) AS ${name}_whole, toInt64(0) AS ${name}_fractions`;
  const { whole, fractions } = exactPartsIf([{ value: inOneStep.value, sign: 1 }], inOneStep.when);
  return `${whole} AS ${name}_whole, ${fractions} AS ${name}_fractions`;
}).join(',\n        ');

const SUMS_OF_PARTS = SUMS.map(({ name, part }) => {
  const { whole, fractions } = exactPartsIf(part.amounts, part.when);
  return `${whole} AS ${name}_whole, ${fractions} AS ${name}_fractions`;
}).join(',\n        ');

const TOTALS = SUMS.map(
  ({ name }) => `${exactTotal({ whole: `sum(${name}_whole)`, fractions: `sum(${name}_fractions)` })} AS ${name}`,
).join(',\n    ');

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
    ${TOTALS},
    max(step_largest_cost) AS largest_cost_in_service,
    sum(step_waiting) AS waiting_at_end,
    sum(step_open) AS open_requests,
    min(step_smallest) AS smallest_slots,
    max(step_largest) AS largest_slots
FROM (
    SELECT
        intDiv(a, {window_ms:Int64}) AS step,
        tenant,
        ${SUMS_IN_ONE_STEP},
        maxIf(cost, k > 0) AS step_largest_cost,
        toUInt64(0) AS step_waiting,
        toUInt64(0) AS step_open,
        min(k) AS step_smallest,
        max(k) AS step_largest
    FROM (SELECT tenant, a, p, e, k, superseded, assumeNotNull(c) AS cost FROM {rows:Identifier} WHERE ${IN_ONE_STEP})
    GROUP BY step, tenant
    UNION ALL
    SELECT
        step,
        tenant,
        ${SUMS_OF_PARTS},
        maxIf(cost, busy > 0) AS step_largest_cost,
        countIf(waits_at_end) AS step_waiting,
        countIf(kind IN (2, 3)) AS step_open,
        min(k) AS step_smallest,
        max(k) AS step_largest
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
  /** So many slots were idle in nearly all (95%) of that time. */
  readonly steadilyIdleSlots: number;
}

/** Slots in use are summed as integers, so that the order of rows changes nothing; 64 bits hold eight thousand million slots. */
const FRACTIONS_PER_SLOT = 2 ** 30;
const MAX_SLOTS = 2 ** 32;

/** From when on a row waits within the range, until when, and until when it then holds its slots. */
const STAYS = `
            SELECT
                least(greatest(a, {from_ms:Int64}), {to_ms:Int64}) AS waits_from,
                least(greatest(multiIf(kind IN (1, 2, 8), p, kind = 3, {to_ms:Int64}, kind = 4, e, a), {from_ms:Int64}), {to_ms:Int64}) AS turn,
                least(greatest(multiIf(kind = 1, greatest(e, p + 1), kind = 2, {to_ms:Int64}, a), {from_ms:Int64}), {to_ms:Int64}) AS holds_to,
                toInt64(turn > waits_from) AS waits,
                if(kind IN (1, 2) AND holds_to > turn, toInt64(round(least(k, ${MAX_SLOTS}.) * ${FRACTIONS_PER_SLOT})), 0) AS holds
            FROM {rows:Identifier}
            WHERE kind != 5`;

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
    ${exactSumIf([{ value: '(free * length)', sign: 1 }], 'waiting > 0 AND free >= smallest')} AS idle_while_waiting_ms,
    sum(if(waiting > 0, length, 0)) AS waiting_ms,
    quantileExactWeightedIf(0.05)(free, toUInt64(length), waiting > 0 AND length > 0) AS steadily_idle_slots
FROM (
    SELECT
        moment,
        intDiv(moment, {window_ms:Int64}) - intDiv({from_ms:Int64}, {window_ms:Int64}) + 1 AS place,
        {slots:Array(Float64)}[place] - toFloat64(busy) / ${FRACTIONS_PER_SLOT} AS free,
        {smallest:Array(Float64)}[place] AS smallest,
        sum(waiting_change) OVER (ORDER BY moment ROWS UNBOUNDED PRECEDING) AS waiting,
        sum(busy_change) OVER (ORDER BY moment ROWS UNBOUNDED PRECEDING) AS busy,
        leadInFrame(moment, 1, {to_ms:Int64}) OVER (ORDER BY moment ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) - moment AS length
    FROM (
        SELECT moment, sum(waits_more) AS waiting_change, sum(holds_more) AS busy_change
        FROM (
            SELECT waits_from AS moment, waits AS waits_more, toInt64(0) AS holds_more FROM (${STAYS})
            UNION ALL
            SELECT turn, -waits, holds FROM (${STAYS})
            UNION ALL
            SELECT holds_to, toInt64(0), -holds FROM (${STAYS})
            UNION ALL
            SELECT arrayJoin(range({from_ms:Int64}, {to_ms:Int64}, {window_ms:Int64})), toInt64(0), toInt64(0)
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
    steadilyIdleSlots: Number(row.waiting_ms) === 0 ? 0 : Math.max(0, Number(row.steadily_idle_slots)),
  }),
});
