import { defineQuery, type Parameters, READ_SETTINGS, settingsClause } from '../storage/index.ts';

/**
 * What a request is to the windows that it touches (docs/definitions.md, "Work"):
 * 1 served, 2 in service, 3 waiting, 4 refused for want of room or given up, 5 refused by its own quota,
 * 6 untimed (the log has no waits), 7 lost while waiting, 8 lost in service.
 */
export const REQUEST_KINDS = {
  served: 1,
  inService: 2,
  waiting: 3,
  refused: 4,
  quota: 5,
  untimed: 6,
  lostWaiting: 7,
  lostInService: 8,
} as const;

export const PROVENANCE_RANKS = ['measured', 'derived', 'bounded', 'censored', 'skewed', 'absent'] as const;

/**
 * The rows that a range of windows must read, once, in the job's own session: merged, classified, priced as far as the
 * request itself tells. All statements of a computation then read this small table.
 */
const createRows = (table: RowsTable): string => `CREATE OR REPLACE TEMPORARY TABLE ${table} (
    tenant String,
    a Int64,
    p Int64,
    e Int64,
    kind UInt8,
    k Float64,
    c Nullable(Float64),
    c_actual Nullable(Float64),
    wait Nullable(Int64),
    provenance UInt8,
    tenant_absent UInt8,
    skewed UInt8,
    refusal LowCardinality(String),
    weight Nullable(Float64),
    id UInt64,
    original UInt64,
    linked UInt8,
    attempt UInt32,
    repeated_key UInt64,
    linked_request_id String,
    original_id String,
    disputed UInt8,
    superseded UInt8
)`;

/** `window_rows` as read; `completed_rows` the same with imputed costs and superseded attempts marked, where there are any. */
export const ROWS_TABLES = ['window_rows', 'completed_rows'] as const;
export type RowsTable = (typeof ROWS_TABLES)[number];

export const CREATE_WINDOW_ROWS = createRows('window_rows');
export const CREATE_COMPLETED_ROWS = createRows('completed_rows');
export const CREATE_REPEATED_KEYS = 'CREATE OR REPLACE TEMPORARY TABLE repeated_keys (repeated_key UInt64)';
export const DROP_ROWS_TABLES =
  'DROP TEMPORARY TABLE IF EXISTS window_rows, completed_rows, repeated_keys, actual_costs, beyond_share';

export interface WindowRowsParams extends Parameters {
  readonly pool: string;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly window_ms: number;
  /** Requests that arrived before it cannot touch the range. */
  readonly lookback_from_ms: number;
  /** From here on refused and given-up requests may still be offered inside the range. */
  readonly refused_from_ms: number;
  /** Open requests are as old as this moment says. */
  readonly watermark_ms: number;
  readonly max_request_age_ms: number;
  readonly cost_unit: string;
  readonly input_token_price: number;
  readonly output_token_price: number;
  /** Whether `repeated_keys` holds any. */
  readonly repeated: boolean;
}

const ENDS_AT_MS = `multiIf(
        outcome = 'rejected', greatest(arrived_at_ms, ifNull(completed_at_ms, arrived_at_ms)),
        completed_at_ms IS NULL, 9223372036854775807,
        greatest(
            assumeNotNull(completed_at_ms),
            ifNull(dispatched_at_ms, arrived_at_ms) + 1,
            arrived_at_ms + assumeNotNull(completed_at_ms) - ifNull(dispatched_at_ms, arrived_at_ms)
        )
    )`;

/** What a row is made of, as it is stored. */
const STORED_COLUMNS =
  'tenant, request_id, attempt, arrived_at_ms, outcome, reason, dispatched_at_ms, completed_at_ms, cost_estimate, cost, input_tokens, output_tokens, slots, original_request_id, weight, tenant_provenance, wait_provenance, deliveries, row_key';

const ROW = `
    tenant,
    arrived_at_ms AS a,
    ifNull(dispatched_at_ms, 0) AS dispatched,
    ifNull(completed_at_ms, 0) AS completed,
    -- Where clocks say that service began before arrival, it counts from the arrival on, as long as it lasted.
    if(dispatched_at_ms IS NULL, 0, greatest(dispatched, a)) AS p,
    if(dispatched_at_ms IS NULL OR completed_at_ms IS NULL, completed, p + completed - dispatched) AS e,
    multiIf(
        ifNull(outcome, '') = 'rejected' AND ifNull(reason, '') = 'quota', 5,
        ifNull(outcome, '') = 'rejected', 4,
        dispatched_at_ms IS NULL AND ifNull(wait_provenance, '') = 'absent', 6,
        dispatched_at_ms IS NULL AND completed_at_ms IS NOT NULL, 4,
        dispatched_at_ms IS NULL AND {watermark_ms:Int64} - arrived_at_ms > {max_request_age_ms:Int64}, 7,
        dispatched_at_ms IS NULL, 3,
        completed_at_ms IS NULL AND {watermark_ms:Int64} - arrived_at_ms > {max_request_age_ms:Int64}, 8,
        completed_at_ms IS NULL, 2,
        1
    ) AS kind,
    ifNull(slots, 1) AS k,
    multiIf(
        {cost_unit:String} = 'requests', 1.,
        {cost_unit:String} = 'service_ms' AND kind = 1, k * greatest(e - p, 0),
        {cost_unit:String} = 'tokens' AND (input_tokens IS NOT NULL OR output_tokens IS NOT NULL),
            ifNull(input_tokens, 0) * {input_token_price:Float64} + ifNull(output_tokens, 0) * {output_token_price:Float64},
        NULL
    ) AS derived_cost,
    if(kind = 1, coalesce(cost, derived_cost, cost_estimate), coalesce(cost, cost_estimate, derived_cost)) AS c,
    if(kind = 1, coalesce(cost, derived_cost), NULL) AS c_actual,
    (kind IN (1, 2, 8) AND dispatched < a) OR (kind = 1 AND completed < dispatched)
        OR (kind = 4 AND completed > 0 AND completed < a) AS skewed,
    multiIf(
        skewed OR ifNull(wait_provenance, '') = 'absent', NULL,
        kind IN (1, 2, 8), p - a,
        kind = 3, greatest({watermark_ms:Int64} - a, 0),
        kind = 7, {max_request_age_ms:Int64},
        kind = 4 AND e > a, e - a,
        kind = 4 AND ifNull(outcome, '') != 'rejected' AND e = a, 0,
        NULL
    ) AS wait,
    multiIf(
        kind IN (4, 5) AND wait IS NULL AND NOT skewed, 0,
        skewed, 4,
        ifNull(wait_provenance, '') = 'absent', 5,
        ifNull(wait_provenance, '') = 'censored', 3,
        ifNull(wait_provenance, '') = 'bounded', 2,
        ifNull(wait_provenance, '') = 'derived', 1,
        0
    ) AS provenance,
    ifNull(tenant_provenance, '') = 'absent' AS tenant_absent,
    if(kind IN (4, 5), multiIf(ifNull(outcome, '') != 'rejected', 'gave_up', ifNull(reason, 'other')), '') AS refusal,
    weight,
    cityHash64(tenant, request_id, attempt, arrived_at_ms) AS id,
    cityHash64(ifNull(original_request_id, request_id), if(original_request_id IS NULL, attempt, 1)) AS original,
    original_request_id IS NOT NULL AS linked,
    attempt,
    row_key AS repeated_key,
    if(original_request_id IS NULL, '', request_id) AS linked_request_id,
    ifNull(original_request_id, '') AS original_id,
    deliveries > 1 AS disputed,
    0 AS superseded`;

const COLUMNS =
  'tenant, a, p, e, kind, k, c, c_actual, wait, provenance, tenant_absent, skewed, refusal, weight, id, original, linked, attempt, repeated_key, linked_request_id, original_id, disputed, superseded';

const RECENT = `pool = {pool:String}
    AND minute >= toDateTime(intDiv({refused_from_ms:Int64}, 60000) * 60, 'UTC')
    AND minute <= toDateTime(intDiv({to_ms:Int64} - 1, 60000) * 60, 'UTC')
    AND arrived_at_ms >= {refused_from_ms:Int64} AND arrived_at_ms < {to_ms:Int64}`;

const earlierFrom = (fromMs: string): string => `pool = {pool:String}
    AND minute >= toDateTime(intDiv(${fromMs}, 60000) * 60, 'UTC')
    AND minute <= toDateTime(intDiv({refused_from_ms:Int64} - 1, 60000) * 60, 'UTC')
    AND arrived_at_ms >= ${fromMs} AND arrived_at_ms < {refused_from_ms:Int64}`;

const EARLIER = earlierFrom('{lookback_from_ms:Int64}');

/** From the first window on in which a row of `window_rows` arrived. */
const EARLIER_OF_TOUCHED_WINDOWS = earlierFrom(`(
        SELECT if(
            count() = 0,
            {refused_from_ms:Int64},
            intDiv(min(least(a, {refused_from_ms:Int64})), {window_ms:Int64}) * {window_ms:Int64}
        )
        FROM window_rows
    )`);

const NOT_ENDED = `${ENDS_AT_MS} >= {from_ms:Int64}`;
const ENDED = `${ENDS_AT_MS} < {from_ms:Int64}`;
/** A comparison, because the engine uses the index for nothing else. */
const IS_RETRY = 'isNotNull(original_request_id) > 0';

/** One number for all rows of a request's attempt; also for those of another request that carries its id. */
const KEY = 'cityHash64(request_id, attempt)';

/** Stored rows merged, of the named attempts only: what the sorting key decides is decided before anything is merged. */
const merged = (keys: string, where: string): string => `requests FINAL
    PREWHERE ${KEY} IN (${keys})
    WHERE ${where}`;

/**
 * Two rewritings take the engine longer, on expressions as nested as these, than to read a quiet minute; they gain
 * nothing here. Without threads of its own an insert makes all that comes before it wait in one row.
 */
const CLASSIFY_SETTINGS = settingsClause({
  ...READ_SETTINGS,
  optimize_and_compare_chain: 0,
  query_plan_lift_up_union: 0,
  max_insert_threads: 4,
});

/** Rows of `window_rows` from stored ones. */
const classify = (rows: string): string => `SELECT ${COLUMNS} FROM (
    SELECT ${ROW} FROM (
        ${rows}
    )
)`;

const stored = (from: string, rowKey: string): string =>
  `SELECT ${STORED_COLUMNS.replace('row_key', `${rowKey} AS row_key`)} FROM ${from}`;

export interface StoredSurvey {
  /** Rows of what arrived lately beyond the first of each attempt. */
  readonly repeatedRows: number;
  /** Whether any retry arrived earlier. */
  readonly earlierRetries: boolean;
}

/** What the stored rows call for. Keys are compared in groups that fit the caches. */
export const STORED_SURVEY = defineQuery<
  Parameters & Pick<WindowRowsParams, 'pool' | 'to_ms' | 'lookback_from_ms' | 'refused_from_ms'>,
  StoredSurvey
>({
  name: 'stored-survey',
  sql: `SELECT
    sum(repeated) AS repeated_rows,
    (SELECT count() FROM (SELECT 1 FROM requests WHERE ${EARLIER} AND ${IS_RETRY} LIMIT 1)) AS earlier_retries
FROM (
    SELECT length(groupArray(row_key) AS row_keys) - arrayUniq(row_keys) AS repeated
    FROM (SELECT ${KEY} AS row_key FROM requests WHERE ${RECENT})
    GROUP BY row_key % 256
)`,
  decode: (row) => ({ repeatedRows: Number(row.repeated_rows), earlierRetries: Number(row.earlier_retries) > 0 }),
});

export const FILL_REPEATED_KEYS = `INSERT INTO repeated_keys${settingsClause(READ_SETTINGS)}
SELECT ${KEY} AS row_key FROM requests WHERE ${RECENT} GROUP BY row_key HAVING count() > 1`;

/**
 * Fills `window_rows`: what arrived lately whole, but for attempts with several rows; of what arrived earlier what had
 * not ended before the range. Most attempts have one row, which there is no need to merge: merging costs several times
 * as much as reading.
 */
export const FILL_WINDOW_ROWS = `INSERT INTO window_rows${CLASSIFY_SETTINGS}
${classify(`${stored(
  `requests
    WHERE ${RECENT}
        AND ({repeated:Bool} = false OR ${KEY} NOT IN (SELECT repeated_key FROM repeated_keys))`,
  'toUInt64(0)',
)}
UNION ALL
${stored(
  merged(`SELECT ${KEY} FROM requests WHERE ${EARLIER} AND ${NOT_ENDED}`, `${EARLIER} AND ${NOT_ENDED}`),
  'toUInt64(0)',
)}`)}`;

/** Adds what arrived lately of attempts that have several rows. */
export const FILL_REPEATED_ROWS = `INSERT INTO window_rows${CLASSIFY_SETTINGS}
${classify(stored(merged('SELECT repeated_key FROM repeated_keys', RECENT), KEY))}`;

/** Adds retries that ended before the range: one may stand for an attempt of its window that had not. */
export const FILL_EARLIER_RETRIES = `INSERT INTO window_rows${CLASSIFY_SETTINGS}
${classify(
  stored(
    merged(
      `SELECT ${KEY} FROM requests WHERE ${EARLIER_OF_TOUCHED_WINDOWS} AND ${IS_RETRY}`,
      `${EARLIER_OF_TOUCHED_WINDOWS} AND ${ENDED} AND ${IS_RETRY}`,
    ),
    'toUInt64(0)',
  ),
)}`;

/** Adds first attempts that ended before the range and share their window with a retry that is in `window_rows`. */
export const FILL_EARLIER_ATTEMPTS = `INSERT INTO window_rows${CLASSIFY_SETTINGS}
${classify(
  stored(
    `requests FINAL
    PREWHERE request_id IN (SELECT original_id FROM window_rows WHERE linked)
    WHERE ${EARLIER_OF_TOUCHED_WINDOWS} AND ${ENDED} AND original_request_id IS NULL`,
    'toUInt64(0)',
  ),
)}`;

export const CREATE_ACTUAL_COSTS = `CREATE OR REPLACE TEMPORARY TABLE actual_costs (tenant String, price_at_ms Int64, price Float64)`;

export interface ActualCostsParams extends Parameters {
  readonly pool: string;
  readonly costs_from_ms: number;
  readonly to_ms: number;
  readonly cost_unit: string;
  readonly input_token_price: number;
  readonly output_token_price: number;
}

/** What served requests really cost, by arrival, as far back as a median may look. */
export const FILL_ACTUAL_COSTS = `INSERT INTO actual_costs${settingsClause(READ_SETTINGS)}
SELECT tenant, arrived_at_ms, assumeNotNull(price) FROM (
    SELECT
        tenant,
        arrived_at_ms,
        multiIf(
            cost IS NOT NULL, cost,
            {cost_unit:String} = 'requests', 1.,
            {cost_unit:String} = 'service_ms',
                ifNull(slots, 1) * greatest(assumeNotNull(completed_at_ms) - assumeNotNull(dispatched_at_ms), 0),
            {cost_unit:String} = 'tokens' AND (input_tokens IS NOT NULL OR output_tokens IS NOT NULL),
                ifNull(input_tokens, 0) * {input_token_price:Float64}
                + ifNull(output_tokens, 0) * {output_token_price:Float64},
            NULL
        ) AS price
    FROM requests FINAL
    WHERE pool = {pool:String}
        AND minute >= toDateTime(intDiv({costs_from_ms:Int64}, 60000) * 60, 'UTC')
        AND minute <= toDateTime(intDiv({to_ms:Int64} - 1, 60000) * 60, 'UTC')
        AND arrived_at_ms >= {costs_from_ms:Int64} AND arrived_at_ms < {to_ms:Int64}
        AND ifNull(outcome, '') != 'rejected' AND dispatched_at_ms IS NOT NULL AND completed_at_ms IS NOT NULL
)
WHERE price IS NOT NULL`;

/**
 * Fills `completed_rows`: a cost for requests that have none (the tenant's median actual cost over the 60 windows up to
 * its arrival, else the pool's, else 1), and of several attempts of one original in one window all but the last marked.
 */
export const FILL_COMPLETED_ROWS = `INSERT INTO completed_rows${settingsClause(READ_SETTINGS)}
WITH
    unpriced AS (SELECT id, tenant, intDiv(a, {window_ms:Int64}) AS step FROM window_rows WHERE c IS NULL),
    tenant_medians AS (
        SELECT id, quantileExact(0.5)(prices.price) AS median
        FROM unpriced INNER JOIN (
            SELECT tenant, intDiv(price_at_ms, {window_ms:Int64}) AS price_step, price FROM actual_costs
        ) AS prices ON unpriced.tenant = prices.tenant
        WHERE price_step <= step AND price_step > step - 60
        GROUP BY id
    ),
    pool_medians AS (
        SELECT step, quantileExact(0.5)(price) AS median
        FROM (SELECT DISTINCT step FROM unpriced WHERE id NOT IN (SELECT id FROM tenant_medians)) AS steps
        CROSS JOIN (SELECT intDiv(price_at_ms, {window_ms:Int64}) AS price_step, price FROM actual_costs) AS prices
        WHERE price_step <= step AND price_step > step - 60
        GROUP BY step
    ),
    ranked AS (
        SELECT id, row_number() OVER (
            PARTITION BY tenant, intDiv(a, {window_ms:Int64}), original
            ORDER BY a DESC, attempt DESC, linked DESC, linked_request_id DESC
        ) AS place
        FROM window_rows
        WHERE original IN (SELECT original FROM window_rows WHERE linked)
    )
SELECT window_rows.* REPLACE (
    coalesce(window_rows.c, t.tenant_median, p.pool_median, 1.) AS c,
    window_rows.id IN (SELECT id FROM ranked WHERE place > 1) AS superseded
)
FROM window_rows
LEFT JOIN (SELECT id AS unpriced_id, toNullable(median) AS tenant_median FROM tenant_medians) AS t
    ON t.unpriced_id = window_rows.id
LEFT JOIN (SELECT step AS median_step, toNullable(median) AS pool_median FROM pool_medians) AS p
    ON p.median_step = intDiv(window_rows.a, {window_ms:Int64})`;
