import { defineQuery, READ_SETTINGS, settingsClause } from '../storage/index.ts';
import { HOUR_MS, ROLLUP_PERIODS, type Rollup, type WindowHour } from '../window/compose-range.ts';
import { columnNames, POOL_COLUMNS, TENANT_COLUMNS } from './rollup-columns.ts';
import {
  combinedPool,
  combinedTenants,
  type GivenRollups,
  givenPoolRollups,
  givenTenantRollups,
  IN_RANGE,
  IS_GIVEN,
  poolRows,
  tenantRows,
  type WindowChoice,
} from './rollup-rows.ts';
import type { StoredRangeParams } from './stored-windows.ts';

const FINGERPRINT = 'sum(cityHash64(start_ms, computation))';

/** The hours (UTC) in which windows of a range start, in time order. */
export const WINDOW_HOURS = defineQuery<StoredRangeParams, WindowHour>({
  name: 'window-hours',
  sql: `SELECT intDiv(start_ms, ${HOUR_MS}) * ${HOUR_MS} AS hour_ms, toString(${FINGERPRINT}) AS fingerprint
FROM windows FINAL
WHERE ${IN_RANGE}
GROUP BY hour_ms
ORDER BY hour_ms`,
  decode: (row) => ({ startMs: Number(row.hour_ms), fingerprint: BigInt(String(row.fingerprint)) }),
});

/** The rollups that start in a range, of whatever computations. */
export const STORED_ROLLUPS = defineQuery<StoredRangeParams, Rollup>({
  name: 'stored-rollups',
  sql: `SELECT DISTINCT period, start_ms, toString(fingerprint) AS fingerprint_text
FROM pool_rollups
WHERE ${IN_RANGE}
ORDER BY period, start_ms, fingerprint_text`,
  decode: (row) => ({
    period: ROLLUP_PERIODS.find((period) => period === row.period) ?? 'hour',
    startMs: Number(row.start_ms),
    fingerprint: BigInt(String(row.fingerprint_text)),
  }),
});

/** The newest computation of each window of a range, and how many rows its tenants have there. */
export const WINDOW_COMPUTATIONS = defineQuery<
  StoredRangeParams,
  { readonly startMs: number; readonly computation: bigint; readonly tenants: number }
>({
  name: 'window-computations',
  sql: `SELECT w.start_ms AS window_start_ms, toString(w.computation) AS newest, t.tenants AS tenants
FROM (SELECT start_ms, computation FROM windows FINAL WHERE ${IN_RANGE}) AS w
LEFT JOIN (
    SELECT start_ms, computation, count() AS tenants FROM tenant_windows WHERE ${IN_RANGE} GROUP BY start_ms, computation
) AS t ON t.start_ms = w.start_ms AND t.computation = w.computation
ORDER BY window_start_ms`,
  decode: (row) => ({
    startMs: Number(row.window_start_ms),
    computation: BigInt(String(row.newest)),
    tenants: Number(row.tenants),
  }),
});

export type FillHoursParams = StoredRangeParams & {
  /** The windows that are added up: starts and computations, pair by pair; all of an hour, or none. */
  readonly starts: readonly number[];
  readonly computations: readonly bigint[];
};

export type FillPeriodParams = GivenRollups & {
  readonly pool: string;
  readonly window_ms: number;
  /** Start of the day or month. */
  readonly from_ms: number;
};

const LISTED = `SELECT arrayJoin(arrayZip({starts:Array(Int64)}, {computations:Array(UInt64)})) AS listed`;

/** By number, not by "the newest": what is added up is what the fingerprint is made of, whatever is written meanwhile. */
const LISTED_WINDOWS: WindowChoice = {
  where: `(start_ms, computation) IN (SELECT listed.1, listed.2 FROM (${LISTED}))`,
  tenant: null,
  byHour: true,
};

const LISTED_HOURS = `SELECT intDiv(start_ms, ${HOUR_MS}) * ${HOUR_MS} AS hour_ms, ${FINGERPRINT} AS fingerprint,
        max(computation) AS newest
    FROM (SELECT listed.1 AS start_ms, listed.2 AS computation FROM (${LISTED}))
    GROUP BY hour_ms`;

/** Groups that do not fit go to disk: an hour of a million tenants takes longer, not more memory. */
const FILL_SETTINGS = settingsClause({ ...READ_SETTINGS, max_bytes_before_external_group_by: 512 * 1024 * 1024 });

const TENANT_NAMES = columnNames(TENANT_COLUMNS);
const POOL_NAMES = columnNames(POOL_COLUMNS);
const PLACE = 'pool, window_ms, period, start_ms, fingerprint, computation';
const HOUR_KEY = `intDiv(r.start_ms, ${HOUR_MS}) * ${HOUR_MS} AS roll_ms, `;

/** Adds up the tenants' figures of the hours of the listed windows. */
export const FILL_TENANT_HOURS = `INSERT INTO tenant_rollups (${PLACE}, tenant, cost_unit, ${TENANT_NAMES})${FILL_SETTINGS}
SELECT {pool:String}, {window_ms:UInt64}, 'hour', hour_ms, fingerprint, newest, tenant, cost_unit, ${TENANT_NAMES}
FROM (
    ${combinedTenants(tenantRows(LISTED_WINDOWS), HOUR_KEY)}
) AS totals
INNER JOIN (
    ${LISTED_HOURS}
) AS hours ON hours.hour_ms = totals.roll_ms`;

/** Adds up the pool's figures of those hours, which makes the tenants' visible. */
export const FILL_POOL_HOURS = `INSERT INTO pool_rollups (${PLACE}, cost_unit, ${POOL_NAMES})${FILL_SETTINGS}
SELECT {pool:String}, {window_ms:UInt64}, 'hour', hour_ms, fingerprint, newest, cost_unit, ${POOL_NAMES}
FROM (
    ${combinedPool(poolRows(LISTED_WINDOWS), HOUR_KEY)}
) AS totals
INNER JOIN (
    ${LISTED_HOURS}
) AS hours ON hours.hour_ms = totals.roll_ms`;

/** The newest computation in the given rollups: how long a row is kept counts from it. */
const NEWEST = `(
        SELECT max(computation) FROM pool_rollups
        WHERE ${IS_GIVEN}
    )`;

const GIVEN_FINGERPRINT = `(
        SELECT sum(fingerprint) FROM (SELECT arrayJoin({part_fingerprints:Array(UInt64)}) AS fingerprint)
    )`;

const fillTenants = (
  period: string,
): string => `INSERT INTO tenant_rollups (${PLACE}, tenant, cost_unit, ${TENANT_NAMES})${FILL_SETTINGS}
SELECT {pool:String}, {window_ms:UInt64}, '${period}', {from_ms:Int64}, ${GIVEN_FINGERPRINT}, ${NEWEST}, tenant, cost_unit, ${TENANT_NAMES}
FROM (
    ${combinedTenants(givenTenantRollups(null), '')}
)`;

const fillPool = (
  period: string,
): string => `INSERT INTO pool_rollups (${PLACE}, cost_unit, ${POOL_NAMES})${FILL_SETTINGS}
SELECT {pool:String}, {window_ms:UInt64}, '${period}', {from_ms:Int64}, ${GIVEN_FINGERPRINT}, ${NEWEST}, cost_unit, ${POOL_NAMES}
FROM (
    ${combinedPool(givenPoolRollups(), '')}
)`;

/** Adds up a day from its hours, and a month from its days. */
export const FILL_TENANT_DAY = fillTenants('day');
export const FILL_POOL_DAY = fillPool('day');
export const FILL_TENANT_MONTH = fillTenants('month');
export const FILL_POOL_MONTH = fillPool('month');
