import { createHash } from 'node:crypto';
import { assertInvariant } from '../../scheduler-core/index.ts';
import { COVERAGE_COUNTS, COVERAGE_REPORTED, type CoverageRow } from '../queries/coverage.ts';
import { FIELD_CONFLICTS } from '../queries/field-conflicts.ts';
import {
  EARLIER_WINDOWS,
  type EarlierWindow,
  IDEAL_BACKLOG,
  LOOKBACK,
  POOL_CAPACITY,
  TENANT_WEIGHTS,
} from '../queries/pool-state.ts';
import { STORED_WINDOWS } from '../queries/stored-windows.ts';
import { IN_SHARE_WAITS, POOL_ARRIVALS, WINDOW_ARRIVALS } from '../queries/window-arrivals.ts';
import {
  CREATE_ACTUAL_COSTS,
  CREATE_COMPLETED_ROWS,
  CREATE_REPEATED_KEYS,
  CREATE_WINDOW_ROWS,
  DROP_ROWS_TABLES,
  FILL_ACTUAL_COSTS,
  FILL_COMPLETED_ROWS,
  FILL_EARLIER_ATTEMPTS,
  FILL_EARLIER_RETRIES,
  FILL_REPEATED_KEYS,
  FILL_REPEATED_ROWS,
  FILL_WINDOW_ROWS,
  type RowsTable,
  STORED_SURVEY,
} from '../queries/window-rows.ts';
import { SERVICE_MEANS, WINDOW_SCAN, type WindowScan } from '../queries/window-scan.ts';
import { type TenantWorkRow, WINDOW_SATURATION, WINDOW_WORK } from '../queries/window-work.ts';
import { type Store, tsvRow } from '../storage/index.ts';
import { coverageRatio } from './decide-coverage.ts';
import {
  type CarriedState,
  type DecidedWindow,
  decideWindows,
  INFERENCE_WINDOWS,
  INITIAL_STATE,
  type PoolFacts,
} from './decide-windows.ts';
import { describeWindow } from './describe-window.ts';
import { capacityInWindow, type PoolOptions, weightTimeline } from './pool-model.ts';
import { TENANT_COLUMN_NAMES, tenantCells, WINDOW_COLUMN_NAMES, type WindowRow, windowCells } from './window-cells.ts';

export interface ComputeRange {
  readonly pool: string;
  readonly windowMs: number;
  /** `[fromMs, toMs)`, both multiples of the window length. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Open requests are as old as it says, epoch ms. */
  readonly watermarkMs: number;
  /** Every source is past it; `Infinity` once all are closed. */
  readonly closedToMs: number;
  readonly options: PoolOptions;
  /** Number of this computation: larger than any before, µs since the epoch by custom. */
  readonly computation: number;
}

export interface ComputedRange {
  readonly windows: number;
  /** Windows whose result was new or differed from the stored one. */
  readonly written: number;
  readonly rows: number;
}

/**
 * Computes the windows of a range from the stored requests and stores what changed. Rows are read once into the job's
 * session; everything that many requests share is aggregated in ClickHouse; the recursion over windows is the core's.
 *
 * Effects, in order, each idempotent: (1) tenants of the changed windows, (2) the windows themselves, which make the
 * tenants of their computation visible. The caller runs one computation at a time on a store (see fairness-job.ts).
 */
export async function computeRange(store: Store, range: ComputeRange): Promise<ComputedRange> {
  const before = await readStateBefore(store, range);
  try {
    const scan = await fillRows(store, range, before.refusedFromMs);
    if (scan.rows === 0) return { windows: 0, written: 0, rows: 0 };
    const rows = await completeRows(store, range, scan);
    const decided = await decide(store, range, before, { rows, scan });
    return { ...(await describeAndStore(store, range, decided)), rows: scan.rows };
  } finally {
    await store.command('jobs', DROP_ROWS_TABLES);
  }
}

interface StateBefore {
  readonly facts: PoolFacts;
  readonly state: CarriedState;
  readonly earlier: readonly EarlierWindow[];
  readonly refusedFromMs: number;
}

async function readStateBefore(store: Store, range: ComputeRange): Promise<StateBefore> {
  const { pool, windowMs, fromMs, options } = range;
  const [capacity, weights, earlier] = await Promise.all([
    store.query('jobs', POOL_CAPACITY, { pool }),
    store.query('jobs', TENANT_WEIGHTS, { pool }),
    store.query('jobs', EARLIER_WINDOWS, { pool, window_ms: windowMs, from_ms: fromMs }),
  ]);
  const facts = { windowMs, options, capacity, weights: weightTimeline(weights) };
  const last = earlier.at(-1);
  if (last === undefined) return { facts, state: INITIAL_STATE, earlier, refusedFromMs: fromMs };
  const backlog = await store.query('jobs', IDEAL_BACKLOG, {
    pool,
    window_ms: windowMs,
    from_ms: last.startMs,
    computation: last.computation,
  });
  const stillOffered = earlier.filter((window) => window.startMs + windowMs + (window.meanServiceMs ?? 0) > fromMs);
  return {
    facts,
    earlier,
    refusedFromMs: Math.min(
      fromMs,
      ...stillOffered.map(({ startMs, meanServiceMs }) => Math.max(startMs, fromMs - Math.ceil(meanServiceMs ?? 0))),
    ),
    state: {
      window: last.startMs / windowMs,
      idealBacklog: new Map(backlog.map((row) => [row.tenant, row.idealBacklog])),
      workPerBusyMs: last.workPerBusyMs,
      saturated: earlier.flatMap(({ startMs, saturatedServedCost }) =>
        saturatedServedCost === null ? [] : [{ window: startMs / windowMs, servedCost: saturatedServedCost }],
      ),
    },
  };
}

async function fillRows(store: Store, range: ComputeRange, refusedFromMs: number): Promise<WindowScan> {
  const { pool, fromMs, toMs, options } = range;
  const [longest] = await store.query('jobs', LOOKBACK, { pool, from_ms: fromMs });
  const lookbackFromMs = Math.min(fromMs - options.maxRequestAgeMs, longest?.lookbackFromMs ?? fromMs, refusedFromMs);
  const params = {
    pool,
    from_ms: fromMs,
    to_ms: toMs,
    window_ms: range.windowMs,
    lookback_from_ms: Math.floor(lookbackFromMs / range.windowMs) * range.windowMs,
    refused_from_ms: refusedFromMs,
    watermark_ms: range.watermarkMs,
    max_request_age_ms: options.maxRequestAgeMs,
    ...priceParams(options),
  };
  const [survey] = await store.query('jobs', STORED_SURVEY, params);
  const repeated = survey !== undefined && survey.repeatedRows > 0;
  await store.command('jobs', CREATE_WINDOW_ROWS);
  await store.command('jobs', CREATE_REPEATED_KEYS);
  if (repeated) await store.command('jobs', FILL_REPEATED_KEYS, params);
  await store.command('jobs', FILL_WINDOW_ROWS, { ...params, repeated });
  if (repeated) await store.command('jobs', FILL_REPEATED_ROWS, params);
  if (survey?.earlierRetries === true) await store.command('jobs', FILL_EARLIER_RETRIES, params);
  const [scan] = await store.query('jobs', WINDOW_SCAN, {});
  assertInvariant(scan !== undefined, 'an aggregate without groups returns one row');
  if (scan.linked > 0) await store.command('jobs', FILL_EARLIER_ATTEMPTS, params);
  return scan;
}

/** Imputes missing costs and folds retries, where there are any; says which table to read from then on. */
async function completeRows(store: Store, range: ComputeRange, scan: WindowScan): Promise<RowsTable> {
  if (scan.unpricedFromMs === null && scan.linked === 0) return 'window_rows';
  await store.command('jobs', CREATE_ACTUAL_COSTS);
  await store.command('jobs', CREATE_COMPLETED_ROWS);
  if (scan.unpricedFromMs !== null) {
    const firstWindow = Math.floor(scan.unpricedFromMs / range.windowMs);
    await store.command('jobs', FILL_ACTUAL_COSTS, {
      pool: range.pool,
      costs_from_ms: (firstWindow - INFERENCE_WINDOWS + 1) * range.windowMs,
      to_ms: range.toMs,
      ...priceParams(range.options),
    });
  }
  await store.command('jobs', FILL_COMPLETED_ROWS, { window_ms: range.windowMs });
  return 'completed_rows';
}

interface DecidedRange {
  readonly facts: PoolFacts;
  readonly windows: readonly DecidedWindow[];
  readonly rows: RowsTable;
  readonly scan: WindowScan;
}

async function decide(
  store: Store,
  range: ComputeRange,
  before: StateBefore,
  read: { readonly rows: RowsTable; readonly scan: WindowScan },
): Promise<DecidedRange> {
  const { windowMs, fromMs, toMs } = range;
  const { facts } = before;
  const first = fromMs / windowMs;
  const last = toMs / windowMs - 1;
  const means = carryMeans(before.earlier, await store.query('jobs', SERVICE_MEANS, { window_ms: windowMs }), {
    windowMs,
    from: firstMeanWindow(range, before),
    first,
    last,
  });
  const arrivals = { rows: read.rows, window_ms: windowMs, from_ms: fromMs, to_ms: toMs };
  const spans = {
    ...arrivals,
    watermark_ms: range.watermarkMs,
    means: means.values.map((mean) => mean ?? 1),
    means_from_window: means.fromWindow,
  };
  const work = await store.query('jobs', WINDOW_WORK, spans);
  const tenants = await store.query('jobs', WINDOW_ARRIVALS, arrivals);
  const pools = await store.query('jobs', POOL_ARRIVALS, { ...arrivals, threshold_ms: facts.options.waitThresholdMs });
  const saturation =
    read.scan.waited === 0
      ? []
      : await store.query('jobs', WINDOW_SATURATION, {
          ...spans,
          ...slotsPerWindow(facts, work, { windowMs, first, last }),
        });
  const meanServiceMs = new Map(means.values.map((mean, index) => [means.fromWindow + index, mean]));
  const { windows } = decideWindows(facts, { work, arrivals: tenants, pools, saturation, meanServiceMs }, before.state);
  return { facts, windows, ...read };
}

/** The declared slots of each window of a range, and the smallest number that one of its requests holds. */
function slotsPerWindow(
  facts: PoolFacts,
  work: readonly TenantWorkRow[],
  range: { readonly windowMs: number; readonly first: number; readonly last: number },
): { slots: number[]; smallest: number[] } {
  const smallestOf = new Map<number, number>();
  for (const row of work) {
    smallestOf.set(row.window, Math.min(smallestOf.get(row.window) ?? row.smallestSlots, row.smallestSlots));
  }
  const slots: number[] = [];
  const smallest: number[] = [];
  for (let window = range.first; window <= range.last; window++) {
    const startMs = window * range.windowMs;
    slots.push(capacityInWindow(facts.capacity, startMs, startMs + range.windowMs).slots ?? 0);
    smallest.push(smallestOf.get(window) ?? 1);
  }
  return { slots, smallest };
}

/**
 * From which window on Ŝ is asked for: a request refused before the range may be offered in it still, and one that is open may be in
 * service in it, each by the mean of the window of its arrival. Nothing older is, however old the oldest window is.
 */
function firstMeanWindow({ fromMs, windowMs, options }: ComputeRange, before: StateBefore): number {
  const first = fromMs / windowMs;
  const oldest = before.earlier[0];
  if (oldest === undefined) return first;
  const askedMs = Math.min(fromMs - options.maxRequestAgeMs, before.refusedFromMs);
  return Math.min(first, Math.max(oldest.startMs / windowMs, Math.floor(askedMs / windowMs)));
}

/**
 * Ŝ per window, from the window `from` to `last`: the mean of the requests completed in it, else of the nearest earlier window
 * that has some, however long ago that was.
 */
function carryMeans(
  earlier: readonly EarlierWindow[],
  found: readonly { readonly window: number; readonly meanServiceMs: number }[],
  range: { readonly windowMs: number; readonly from: number; readonly first: number; readonly last: number },
): { fromWindow: number; values: (number | null)[] } {
  const known = new Map<number, number>();
  for (const { startMs, meanServiceMs } of earlier) {
    if (meanServiceMs !== null) known.set(startMs / range.windowMs, meanServiceMs);
  }
  for (const { window, meanServiceMs } of found) if (window >= range.first) known.set(window, meanServiceMs);
  const values: (number | null)[] = [];
  let carried: number | null = null;
  for (const { startMs, meanServiceMs } of earlier) {
    if (startMs / range.windowMs < range.from) carried = meanServiceMs ?? carried;
  }
  for (let window = range.from; window <= range.last; window++) {
    carried = known.get(window) ?? carried;
    values.push(carried);
  }
  return { fromWindow: range.from, values };
}

async function describeAndStore(
  store: Store,
  range: ComputeRange,
  decided: DecidedRange,
): Promise<{ windows: number; written: number }> {
  const { pool, windowMs, fromMs, toMs } = range;
  const inShareWaits = await readInShareWaits(store, range, decided);
  const conflicts =
    decided.scan.disputed === 0
      ? []
      : await store.query('jobs', FIELD_CONFLICTS, { pool, window_ms: windowMs, from_ms: fromMs, to_ms: toMs });
  const coverage = await readCoverage(store, range);
  const conflictsByWindow = new Map(conflicts.map((row) => [row.window, row.conflicts]));
  const stored = new Map(
    (await store.query('jobs', STORED_WINDOWS, { pool, window_ms: windowMs, from_ms: fromMs, to_ms: toMs })).map(
      (row) => [row.startMs, row],
    ),
  );
  const tenantRows: string[] = [];
  const windowRows: string[] = [];
  let written = 0;
  for (const window of decided.windows) {
    const described = describeWindow(decided.facts, window, {
      inShareWaits: inShareWaits.get(window.window) ?? null,
      fieldConflicts: conflictsByWindow.get(window.window) ?? 0,
      coverageRatio: coverageRatio(coverage, window.startMs, window.startMs + windowMs),
      closedToMs: range.closedToMs,
    });
    const digest = createHash('sha256').update(JSON.stringify(described)).digest('hex');
    const earlier = stored.get(window.startMs);
    if (earlier?.digest === digest) continue;
    const restated = earlier !== undefined && earlier.window.state === 'final';
    const row: WindowRow = {
      pool,
      windowMs,
      startMs: window.startMs,
      computation: range.computation,
      attempts: window.pool?.attempts ?? 0,
      meanServiceMs: window.meanServiceMs,
      workPerBusyMs: window.workPerBusyMs,
      saturatedServedCost: window.saturatedServedCost,
      watermarkMs: range.watermarkMs,
      digest,
      window: { ...described, revision: (earlier?.window.revision ?? 1) + (restated ? 1 : 0) },
    };
    for (const tenant of described.tenants) tenantRows.push(tsvRow(tenantCells(row, tenant)));
    windowRows.push(tsvRow(windowCells(row)));
    written++;
  }
  await store.insert('jobs', 'tenant_windows', TENANT_COLUMN_NAMES, tenantRows.join(''));
  await store.insert('jobs', 'windows', WINDOW_COLUMN_NAMES, windowRows.join(''));
  return { windows: decided.windows.length, written };
}

async function readCoverage(store: Store, { pool, fromMs, toMs }: ComputeRange): Promise<readonly CoverageRow[]> {
  const span = { pool, from_ms: fromMs, to_ms: toMs };
  const [reported] = await store.query('jobs', COVERAGE_REPORTED, span);
  return reported === undefined || reported.reports === 0 ? [] : store.query('jobs', COVERAGE_COUNTS, span);
}

/** Only windows in which some tenant is beyond its share need a look at their waits apart from the others'. */
async function readInShareWaits(store: Store, range: ComputeRange, decided: DecidedRange) {
  const windows: number[] = [];
  const tenants: string[] = [];
  for (const window of decided.windows) {
    for (const tenant of window.fairness.tenants) {
      if (tenant.inShare !== false) continue;
      windows.push(window.window);
      tenants.push(tenant.tenant);
    }
  }
  if (windows.length === 0) return new Map();
  const rows = await store.query('jobs', IN_SHARE_WAITS, {
    rows: decided.rows,
    window_ms: range.windowMs,
    from_ms: range.fromMs,
    to_ms: range.toMs,
    threshold_ms: decided.facts.options.waitThresholdMs,
    over_share_windows: windows,
    over_share_tenants: tenants,
  });
  return new Map(rows.map((row) => [row.window, row]));
}

function priceParams(options: PoolOptions) {
  return {
    cost_unit: options.costUnit,
    input_token_price: options.inputTokenPrice,
    output_token_price: options.outputTokenPrice,
  };
}
