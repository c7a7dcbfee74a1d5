import type { Parameters } from '../storage/index.ts';
import { HOUR_MS, type Rollup, type RollupPeriod } from '../window/compose-range.ts';
import {
  columnNames,
  combinedValues,
  histogramValues,
  POOL_COLUMNS,
  TENANT_COLUMNS,
  windowValues,
} from './rollup-columns.ts';

/** What of the windows a statement adds up: an SQL condition on rows of `windows`, beside pool, window length and range. */
export interface WindowChoice {
  readonly where: string;
  /** Condition on a tenant, over the column `tenant`; null for all. */
  readonly tenant: string | null;
  /** Whether hours are to be told apart; putting waits together costs more where they are. */
  readonly byHour: boolean;
}

/** Windows of a pool in a range; every table of windows has these columns. */
export const IN_RANGE = `pool = {pool:String} AND window_ms = {window_ms:UInt64}
            AND start_ms >= {from_ms:Int64} AND start_ms < {to_ms:Int64}`;

const prewhere = ({ tenant }: WindowChoice): string => (tenant === null ? '' : `\n        PREWHERE ${tenant}`);

const heads = (choice: WindowChoice, columns: string): string => `SELECT ${columns} FROM windows FINAL
        WHERE ${IN_RANGE} AND ${choice.where}`;

/** Rows of a table that belong to the chosen windows; its sorting key finds them. */
const ofHeads = (
  table: string,
  choice: WindowChoice,
  columns = '*',
): string => `SELECT ${columns} FROM ${table} FINAL${prewhere(choice)}
        WHERE ${IN_RANGE}
            AND (start_ms, computation) IN (${heads(choice, 'start_ms, computation')})`;

const WINDOW_COLUMNS = 'start_ms, cost_unit, state, in_share_threshold_ms';

/**
 * The waits of the chosen windows by what `by` names, put together before they meet the other figures: those that
 * count once more are of windows in which the tenant was beyond its share, or shares were unknown.
 */
const histograms = (
  choice: WindowChoice,
  by: string,
): string => `SELECT ${choice.byHour ? `intDiv(g.start_ms, ${HOUR_MS}) * ${HOUR_MS}` : 'toInt64(0)'} AS hour_ms, ${by}w.cost_unit AS cost_unit,
            sumMap(g.waits) AS waits,
            sumMapIf(g.waits, (g.start_ms, g.tenant) IN (
                ${ofHeads('tenant_windows', choice, 'start_ms, tenant')} AND ifNull(in_share, 0) = 0
            )) AS not_in_share_waits
        FROM (${ofHeads('wait_histograms', choice)}) AS g
        INNER JOIN (${heads(choice, 'start_ms, cost_unit')}) AS w ON w.start_ms = g.start_ms
        GROUP BY hour_ms, ${by === '' ? '' : 'tenant, '}cost_unit`;

/** One row per chosen window and tenant, and one per tenant (and hour) of its waits, in the columns of `tenant_rollups`. */
export const tenantRows = (
  choice: WindowChoice,
): string => `SELECT w.start_ms AS start_ms, t.tenant AS tenant, w.cost_unit AS cost_unit,
        ${windowValues(TENANT_COLUMNS)}
    FROM (${ofHeads('tenant_windows', choice)}) AS t
    INNER JOIN (${heads(choice, WINDOW_COLUMNS)}) AS w ON w.start_ms = t.start_ms
    UNION ALL
    SELECT h.hour_ms AS start_ms, h.tenant AS tenant, h.cost_unit AS cost_unit,
        ${histogramValues(TENANT_COLUMNS)}
    FROM (${histograms(choice, 'g.tenant AS tenant, ')}) AS h`;

/** The same of the pool, in the columns of `pool_rollups`. */
export const poolRows = (choice: WindowChoice): string => `SELECT w.start_ms AS start_ms, w.cost_unit AS cost_unit,
        ${windowValues(POOL_COLUMNS)}
    FROM (${heads(choice, '*')}) AS w
    UNION ALL
    SELECT h.hour_ms AS start_ms, h.cost_unit AS cost_unit,
        ${histogramValues(POOL_COLUMNS)}
    FROM (${histograms(choice, '')}) AS h`;

/** The periods as statements are given them: by their place here, from 1 on. */
const PERIODS: readonly RollupPeriod[] = ['hour', 'day', 'month'];

export interface GivenRollups extends Parameters {
  readonly part_periods: readonly number[];
  readonly part_starts: readonly number[];
  readonly part_fingerprints: readonly bigint[];
}

/** Rollups as the parameters of a statement that reads them. */
export function givenRollups(rollups: readonly Rollup[]): GivenRollups {
  return {
    part_periods: rollups.map(({ period }) => PERIODS.indexOf(period) + 1),
    part_starts: rollups.map(({ startMs }) => startMs),
    part_fingerprints: rollups.map(({ fingerprint }) => fingerprint),
  };
}

/** Condition on rows of a table of rollups: one of those that the statement is given. */
export const IS_GIVEN = `pool = {pool:String} AND window_ms = {window_ms:UInt64}
        AND (period, start_ms, fingerprint) IN (
            SELECT [${PERIODS.map((period) => `'${period}'`).join(', ')}][part.1], part.2, part.3
            FROM (
                SELECT arrayJoin(arrayZip(
                    {part_periods:Array(UInt8)}, {part_starts:Array(Int64)}, {part_fingerprints:Array(UInt64)}
                )) AS part
            )
        )`;

const given = (table: string, columns: string, tenant: string | null): string => `SELECT ${columns}
    FROM ${table} FINAL${tenant === null ? '' : `\n    PREWHERE ${tenant}`}
    WHERE ${IS_GIVEN}`;

export const givenTenantRollups = (tenant: string | null): string =>
  given('tenant_rollups', `start_ms, tenant, cost_unit, ${columnNames(TENANT_COLUMNS)}`, tenant);

export const givenPoolRollups = (): string =>
  given('pool_rollups', `start_ms, cost_unit, ${columnNames(POOL_COLUMNS)}`, null);

/** Rows put together by a key, as a SELECT that may be wrapped or sorted. */
export const combinedTenants = (
  rows: string,
  key: string,
): string => `SELECT ${key}r.tenant AS tenant, r.cost_unit AS cost_unit,
        ${combinedValues(TENANT_COLUMNS)}
    FROM (${rows}) AS r
    GROUP BY ${key === '' ? '' : 'roll_ms, '}tenant, cost_unit`;

export const combinedPool = (rows: string, key: string): string => `SELECT ${key}r.cost_unit AS cost_unit,
        ${combinedValues(POOL_COLUMNS)}
    FROM (${rows}) AS r
    GROUP BY ${key === '' ? '' : 'roll_ms, '}cost_unit`;
