import { assertInvariant } from '../../scheduler-core/index.ts';
import { POLICIES_IN_RANGE } from '../queries/policies.ts';
import {
  EARLIER_MEANS,
  EARLIER_WINDOWS,
  type EarlierWindow,
  IDEAL_BACKLOG,
  LOOKBACK,
  POOL_CAPACITY,
  TENANT_WEIGHTS,
} from '../queries/pool-state.ts';
import { REQUEST_SPANS, type SpansParams } from '../queries/request-spans.ts';
import { POOL_ARRIVALS, WINDOW_ARRIVALS } from '../queries/window-arrivals.ts';
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
import type { Store } from '../storage/index.ts';
import { computeFluid } from './compute-fluid.ts';
import type { ComputedRange, ComputeRange } from './computed-range.ts';
import { type FluidState, fluidStepMs } from './decide-fluid.ts';
import {
  type CarriedState,
  decideWindows,
  INFERENCE_WINDOWS,
  INITIAL_STATE,
  type PoolFacts,
} from './decide-windows.ts';
import { policyTimeline } from './policy-timeline.ts';
import { capacityInWindow, entitlementsOf, type PoolOptions, weightTimeline } from './pool-model.ts';
import { compareBytes, RangeWork } from './range-work.ts';
import { type DecidedRange, type KnownRange, readKnown, storeWindows } from './store-windows.ts';

/**
 * Computes the windows of a range from the stored requests and stores what changed. Rows are read once into the job's
 * session; everything that many requests share is aggregated in ClickHouse; the recursion over windows is the core's.
 *
 * What it stores, and in what order: see `storeWindows`. The caller runs one computation at a time on a store (see fairness-job.ts).
 */
export async function computeRange(store: Store, range: ComputeRange): Promise<ComputedRange> {
  const known = await readKnown(store, range);
  const before = await readStateBefore(store, range);
  try {
    const scan = await fillRows(store, range, before);
    const passed = passedThrough(range, known);
    if (scan.rows === 0 && passed.length === 0) return { windows: 0, written: 0, expired: 0, rows: 0 };
    const rows = await completeRows(store, range, scan);
    const decided = { known, ...(await decide(store, range, before, { rows, scan, passed })) };
    return { ...(await storeWindows(store, range, decided)), rows: scan.rows };
  } finally {
    await store.command('jobs', DROP_ROWS_TABLES);
  }
}

/**
 * The stored windows, by number, in which nothing arrived: a request of earlier only reached into them, and what is known of it
 * now may say that it did not. Such a window is computed again even if nothing is left of it.
 */
function passedThrough({ windowMs }: ComputeRange, { stored }: KnownRange): number[] {
  return [...stored.values()].filter(({ attempts }) => attempts === 0).map(({ startMs }) => startMs / windowMs);
}

interface StateBefore {
  readonly facts: PoolFacts;
  readonly state: CarriedState;
  readonly fluid: FluidState;
  readonly earlier: readonly EarlierWindow[];
  readonly refusedFromMs: number;
}

async function readStateBefore(store: Store, range: ComputeRange): Promise<StateBefore> {
  const { pool, windowMs, fromMs, toMs, options } = range;
  const [capacity, weights, policies, earlier] = await Promise.all([
    store.query('jobs', POOL_CAPACITY, { pool }),
    store.query('jobs', TENANT_WEIGHTS, { pool }),
    store.query('jobs', POLICIES_IN_RANGE, { pool, from_ms: fromMs, to_ms: toMs }),
    store.query('jobs', EARLIER_WINDOWS, { pool, window_ms: windowMs, from_ms: fromMs }),
  ]);
  const entitlements = entitlementsOf(policyTimeline(policies), weightTimeline(weights));
  const facts = { windowMs, options, capacity, entitlements };
  const last = earlier.at(-1);
  if (last === undefined) {
    const fluid = { backlog: new Map(), gpsBacklog: new Map(), workPerBusyMs: null };
    return { facts, state: INITIAL_STATE, fluid, earlier, refusedFromMs: fromMs };
  }
  const backlog = await store.query('jobs', IDEAL_BACKLOG, {
    pool,
    window_ms: windowMs,
    from_ms: last.startMs,
    computation: last.computation,
  });
  // Over a window without any request nothing is owed.
  const carried = last.startMs + windowMs === fromMs ? backlog : [];
  const stillOffered = earlier.filter((window) => window.startMs + windowMs + (window.meanServiceMs ?? 0) > fromMs);
  return {
    facts,
    earlier,
    refusedFromMs: Math.min(
      fromMs,
      ...stillOffered.map(({ startMs, meanServiceMs }) => Math.max(startMs, fromMs - Math.ceil(meanServiceMs ?? 0))),
    ),
    fluid: {
      backlog: new Map(carried.map((row) => [row.tenant, row.fluidBacklog])),
      gpsBacklog: new Map(carried.filter((row) => row.dueBacklog > 0).map((row) => [row.tenant, row.dueBacklog])),
      workPerBusyMs: last.fluidWorkPerBusyMs,
    },
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

async function fillRows(store: Store, range: ComputeRange, before: StateBefore): Promise<WindowScan> {
  const { refusedFromMs } = before;
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
  const longestMs = Math.max(options.maxRequestAgeMs, ...before.earlier.map(({ meanServiceMs }) => meanServiceMs ?? 0));
  const [scan] = await store.query('jobs', WINDOW_SCAN, { reach_ms: Math.floor(fromMs - longestMs) });
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

async function decide(
  store: Store,
  range: ComputeRange,
  before: StateBefore,
  read: { readonly rows: RowsTable; readonly scan: WindowScan; readonly passed: readonly number[] },
): Promise<Omit<DecidedRange, 'known'>> {
  const { windowMs, fromMs, toMs } = range;
  const { facts } = before;
  const first = fromMs / windowMs;
  const last = toMs / windowMs - 1;
  const askedMs = meansAskedFromMs(range, before, read.scan);
  const earlier = await readEarlierMeans(store, range, before.earlier, askedMs);
  const means = carryMeans(earlier, await store.query('jobs', SERVICE_MEANS, { window_ms: windowMs }), {
    windowMs,
    from: Math.min(first, Math.max((earlier[0]?.startMs ?? fromMs) / windowMs, Math.floor(askedMs / windowMs))),
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
  // Asked for at once: while the answer to one is decoded, the engine is at the next.
  const [work, tenants, pools] = await Promise.all([
    readWork(store, spans, windowMs, before.fluid),
    store.queryBinary('jobs', WINDOW_ARRIVALS, arrivals),
    store.query('jobs', POOL_ARRIVALS, { ...arrivals, threshold_ms: facts.options.waitThresholdMs }),
  ]);
  const rows = {
    work: work.windows(),
    arrivals: tenants,
    pools,
    saturation: work.saturation((window) => {
      const startMs = window * windowMs;
      return capacityInWindow(facts.capacity, startMs, startMs + windowMs).slots;
    }),
    passed: read.passed,
    meanServiceMs: new Map(means.values.map((mean, index) => [means.fromWindow + index, mean])),
  };
  const { windows } = decideWindows(facts, rows, before.state);
  const fluid = await computeFluid(store, { facts, windows, spans, named: work.named, before: before.fluid });
  return { facts, windows, fluid, rows: read.rows, scan: read.scan };
}

async function readWork(store: Store, spans: SpansParams, windowMs: number, before: FluidState): Promise<RangeWork> {
  const shape = {
    fromMs: spans.from_ms,
    windows: (spans.to_ms - spans.from_ms) / windowMs,
    windowMs,
    stepMs: fluidStepMs(windowMs),
  };
  const work = new RangeWork(shape, [...before.gpsBacklog.keys()].sort(compareBytes));
  for (const requests of await store.queryBinary('jobs', REQUEST_SPANS, spans)) work.take(requests);
  return work;
}

/**
 * From when on Ŝ is asked for: a request refused before the range may be offered in it still, one that is open, or was lost in
 * service, may be in service in it, each by the mean of the window of its arrival.
 */
function meansAskedFromMs({ fromMs, options }: ComputeRange, before: StateBefore, scan: WindowScan): number {
  return Math.min(fromMs - options.maxRequestAgeMs, before.refusedFromMs, scan.lostFromMs ?? fromMs);
}

type EarlierMean = Pick<EarlierWindow, 'startMs' | 'meanServiceMs'>;

/** The earlier windows that are known already, seldom others before them: some request waited for longer than they reach back. */
async function readEarlierMeans(
  store: Store,
  { pool, windowMs }: ComputeRange,
  earlier: readonly EarlierWindow[],
  askedMs: number,
): Promise<readonly EarlierMean[]> {
  const oldest = earlier[0];
  if (oldest === undefined || oldest.startMs <= askedMs) return earlier;
  const older = await store.query('jobs', EARLIER_MEANS, {
    pool,
    window_ms: windowMs,
    from_ms: askedMs,
    to_ms: oldest.startMs,
  });
  return [...older, ...earlier];
}

/**
 * Ŝ per window, from the window `from` to `last`: the mean of the requests completed in it, else of the nearest earlier window
 * that has some, however long ago that was.
 */
function carryMeans(
  earlier: readonly EarlierMean[],
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

function priceParams(options: PoolOptions) {
  return {
    cost_unit: options.costUnit,
    input_token_price: options.inputTokenPrice,
    output_token_price: options.outputTokenPrice,
  };
}
