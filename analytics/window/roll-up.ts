import { givenRollups } from '../queries/rollup-rows.ts';
import {
  FILL_POOL_DAY,
  FILL_POOL_HOURS,
  FILL_POOL_MONTH,
  FILL_TENANT_DAY,
  FILL_TENANT_HOURS,
  FILL_TENANT_MONTH,
  STORED_ROLLUPS,
  WINDOW_COMPUTATIONS,
  WINDOW_HOURS,
} from '../queries/rollups.ts';
import type { StoredRangeParams } from '../queries/stored-windows.ts';
import type { Lane, Store } from '../storage/index.ts';
import type { Span } from './bounds.ts';
import {
  DAY_MS,
  groupByPeriod,
  HOUR_MS,
  periodAt,
  rollupKey,
  type StoredRollups,
  type WindowHour,
} from './compose-range.ts';

export interface RollUpRequest {
  readonly pool: string;
  readonly windowMs: number;
  /** `[fromMs, toMs)`: where windows were written; any bounds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Windows before it are computed: an hour, day or month that ends later is left for then. */
  readonly closedToMs: number;
}

export interface RolledUp {
  readonly hours: number;
  readonly days: number;
  readonly months: number;
}

/** Rows of windows that one statement adds up, about; an hour that has more is added up alone. */
const MAX_ROWS_PER_STATEMENT = 4_000_000;
/** Windows that one statement may be given by name. */
const MAX_WINDOWS_PER_STATEMENT = 10_000;
/** Of windows that are looked up at a time. */
const WEEK_MS = 7 * DAY_MS;

/** Only windows of which an hour holds a whole number are added up. */
export function isRolledUp(windowMs: number): boolean {
  return HOUR_MS % windowMs === 0;
}

/**
 * Adds up the hours, days and months that a range touches, as far as they are closed and not added up yet as their
 * windows are now; of a day or month with such an hour every other hour too, so that what a stop left out is made up for.
 * Nothing is ever incremented and nothing leaves the engine; to run it again, or for ranges in another order, changes nothing.
 *
 * Effects, in order, each idempotent: per period (1) the tenants' rows, (2) the pool's, which make them visible; hours
 * before the days, days before the months.
 */
export async function rollUp(store: Store, request: RollUpRequest): Promise<RolledUp> {
  const range = touchedRange(request);
  if (!isRolledUp(request.windowMs) || range.fromMs >= range.toMs) return { hours: 0, days: 0, months: 0 };
  const params = { pool: request.pool, window_ms: request.windowMs, from_ms: range.fromMs, to_ms: range.toMs };
  const hours = await store.query('jobs', WINDOW_HOURS, params);
  const stored = await readStoredRollups(store, 'jobs', params);
  const staleHours = hours.filter((hour) => !stored.has(rollupKey({ period: 'hour', ...hour })));
  await fillHours(store, params, staleHours);
  const closed = { hours, stored, closedToMs: request.closedToMs, range };
  return {
    hours: staleHours.length,
    days: await fillPeriods(store, params, 'day', closed),
    months: await fillPeriods(store, params, 'month', closed),
  };
}

/** The rollups that start in a range, as a set. */
export async function readStoredRollups(store: Store, lane: Lane, params: StoredRangeParams): Promise<StoredRollups> {
  return new Set((await store.query(lane, STORED_ROLLUPS, params)).map(rollupKey));
}

/** Widened to the largest closed periods that hold its ends, and cut to whole closed hours. */
function touchedRange({ fromMs, toMs, closedToMs }: RollUpRequest): Span {
  const holder = (atMs: number): Span =>
    [periodAt('month', atMs), periodAt('day', atMs)].find((period) => period.toMs <= closedToMs) ??
    periodAt('hour', atMs);
  const last = Math.min(toMs, closedToMs) - 1;
  if (last < fromMs) return { fromMs, toMs: fromMs };
  return {
    fromMs: holder(fromMs).fromMs,
    toMs: Math.min(holder(last).toMs, periodAt('hour', closedToMs).fromMs),
  };
}

async function fillHours(store: Store, params: StoredRangeParams, hours: readonly WindowHour[]): Promise<void> {
  let chunk: ListedWindow[] = [];
  let rows = 0;
  const flush = async (): Promise<void> => {
    if (chunk.length > 0) await fillListed(store, params, chunk);
    chunk = [];
    rows = 0;
  };
  for (const week of groupWithin(hours, WEEK_MS)) {
    const fromMs = week[0]?.startMs ?? 0;
    const toMs = (week.at(-1)?.startMs ?? 0) + HOUR_MS;
    const found = await store.query('jobs', WINDOW_COMPUTATIONS, { ...params, from_ms: fromMs, to_ms: toMs });
    for (const { startMs } of week) {
      const windows = found.filter((window) => window.startMs >= startMs && window.startMs < startMs + HOUR_MS);
      const more = windows.reduce((sum, { tenants }) => sum + tenants, 0);
      const isFull = rows + more > MAX_ROWS_PER_STATEMENT || chunk.length + windows.length > MAX_WINDOWS_PER_STATEMENT;
      if (isFull) await flush();
      chunk.push(...windows);
      rows += more;
    }
  }
  await flush();
}

/** Hours in time order, cut where one starts later than so long after the first of its group. */
function groupWithin(hours: readonly WindowHour[], lengthMs: number): WindowHour[][] {
  const groups: WindowHour[][] = [];
  for (const hour of hours) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && hour.startMs < last[0].startMs + lengthMs) last.push(hour);
    else groups.push([hour]);
  }
  return groups;
}

interface ListedWindow {
  readonly startMs: number;
  readonly computation: bigint;
}

async function fillListed(store: Store, params: StoredRangeParams, windows: readonly ListedWindow[]): Promise<void> {
  const starts = windows.map(({ startMs }) => startMs);
  const listed = {
    ...params,
    from_ms: periodAt('hour', starts[0] ?? 0).fromMs,
    to_ms: periodAt('hour', starts.at(-1) ?? 0).toMs,
    starts,
    computations: windows.map(({ computation }) => computation),
  };
  await store.command('jobs', FILL_TENANT_HOURS, listed);
  await store.command('jobs', FILL_POOL_HOURS, listed);
}

interface Closed {
  readonly hours: readonly WindowHour[];
  readonly stored: StoredRollups;
  readonly closedToMs: number;
  readonly range: Span;
}

const LONGER = {
  day: { parts: 'hour', tenants: FILL_TENANT_DAY, pool: FILL_POOL_DAY },
  month: { parts: 'day', tenants: FILL_TENANT_MONTH, pool: FILL_POOL_MONTH },
} as const;

/** Adds up the days or months that lie whole in the range, are closed, and are not stored as their hours are now. */
async function fillPeriods(
  store: Store,
  params: StoredRangeParams,
  period: keyof typeof LONGER,
  { hours, stored, closedToMs, range }: Closed,
): Promise<number> {
  let filled = 0;
  for (const group of groupByPeriod(period, hours)) {
    const isWhole = group.span.fromMs >= range.fromMs && group.span.toMs <= range.toMs;
    if (!isWhole || group.span.toMs > closedToMs || stored.has(rollupKey(group.rollup))) continue;
    const parts = groupByPeriod(LONGER[period].parts, group.hours).map(({ rollup }) => rollup);
    const given = {
      pool: params.pool,
      window_ms: params.window_ms,
      from_ms: group.span.fromMs,
      ...givenRollups(parts),
    };
    await store.command('jobs', LONGER[period].tenants, given);
    await store.command('jobs', LONGER[period].pool, given);
    filled++;
  }
  return filled;
}
