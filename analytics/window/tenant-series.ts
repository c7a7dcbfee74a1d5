import { createHash } from 'node:crypto';
import { assertInvariant } from '../../scheduler-core/index.ts';
import { STORED_WINDOWS } from '../queries/stored-windows.ts';
import { REST_WAITS, type SeriesState, TENANT_SERIES, TENANT_SERIES_STATES } from '../queries/tenant-series.ts';
import type { Lane, Store } from '../storage/index.ts';
import { decideTopTenants, type Membership, MINIMUM_STAY_WINDOWS, type TopTenantsOptions } from './cardinality-cap.ts';
import { foldRest, standingOf } from './fold-rest.ts';
import { readWindows, type WindowRange } from './read-windows.ts';
import type { SeriesRest, SeriesTenant, SeriesWindow } from './series-result.ts';
import { insertSeries, type SeriesRow } from './series-rows.ts';
import { histogramQuantile } from './wait-histogram.ts';
import type { Window } from './window-result.ts';

export interface StoreSeriesRequest {
  readonly pool: string;
  readonly windowMs: number;
  /** Windows that are new or have changed, with all their tenants, and by which computation; in any order. */
  readonly windows: readonly { readonly startMs: number; readonly computation: number; readonly window: Window }[];
  readonly options: TopTenantsOptions;
}

/** What went before further back than that has no say in who is shown. */
const REACH_WINDOWS = MINIMUM_STAY_WINDOWS;
/** A change is followed through so many later windows; it seldom lasts longer than a stay. */
const MAX_FOLLOWED_WINDOWS = 60;
/** Windows whose lines are written at once. */
const WINDOWS_PER_INSERT = 64;

/**
 * Stores the lines of windows: their top tenants and the rest. To be called when the waits of the windows are stored, and
 * best before the windows themselves are: else a process that ends in between leaves windows without lines, which nothing
 * computes again. Who was shown before is read from the store; later windows that have lines already are done again from their stored figures
 * as long as those who are shown change. Lines that are as they were are not written.
 *
 * Effects: one insert per 64 windows, idempotent; all lines of a window become visible together.
 */
export async function storeTenantSeries(
  store: Store,
  request: StoreSeriesRequest,
): Promise<{ readonly windows: number; readonly written: number }> {
  const { pool, windowMs } = request;
  const given = [...request.windows].sort((a, b) => a.startMs - b.startMs);
  const first = given[0];
  const last = given.at(-1);
  if (first === undefined || last === undefined) return { windows: 0, written: 0 };
  const states = await store.query('jobs', TENANT_SERIES_STATES, {
    pool,
    window_ms: windowMs,
    from_ms: first.startMs - REACH_WINDOWS * windowMs,
    to_ms: last.startMs + (1 + MAX_FOLLOWED_WINDOWS) * windowMs,
  });
  const stored = new Map(states.map((state) => [state.startMs, state]));
  let batch: SeriesRow[] = [];
  let windows = 0;
  let written = 0;
  for await (const row of computeLines(store, request, { first: first.startMs, last: last.startMs, stored })) {
    batch.push(row);
    windows++;
    if (batch.length < WINDOWS_PER_INSERT) continue;
    written += await storeBatch(store, request, batch, stored);
    batch = [];
  }
  written += await storeBatch(store, request, batch, stored);
  return { windows, written };
}

interface KnownSeries {
  /** Starts of the first and the last window that was given. */
  readonly first: number;
  readonly last: number;
  readonly stored: ReadonlyMap<number, SeriesState>;
}

/**
 * The lines of the windows that were given, and of stored ones after and between them for as long as their predecessor hands on
 * (`is`) something else than it did (`was`). In time order, one window at a time.
 */
async function* computeLines(
  store: Store,
  request: StoreSeriesRequest,
  { first, last, stored }: KnownSeries,
): AsyncGenerator<SeriesRow> {
  const given = new Map(request.windows.map((window) => [window.startMs, window]));
  const starts = [...new Set([...stored.keys(), ...given.keys()])].sort((a, b) => a - b);
  let was: Handed | null = null;
  let is: Handed | null = null;
  for (const startMs of starts) {
    const reachMs = startMs - REACH_WINDOWS * request.windowMs;
    const before = within(is, reachMs);
    const isOther = !isSame(before, within(was, reachMs));
    was = stored.get(startMs) ?? was;
    if (startMs > last && !isOther) return;
    const followed = startMs > first && isOther;
    const source = given.get(startMs) ?? (followed ? await readStored(store, request, startMs) : null);
    if (source === null) {
      is = was;
      continue;
    }
    const standings = source.window.tenants.map(standingOf);
    const { members, membership } = decideTopTenants(standings, before?.membership ?? null, request.options);
    is = { startMs, membership };
    yield { startMs, of: source.computation, membership, ...foldRest(source.window, members) };
  }
}

/** Who a window says is shown. */
interface Handed {
  readonly startMs: number;
  readonly membership: Membership;
}

function within(handed: Handed | null, fromMs: number): Handed | null {
  return handed !== null && handed.startMs >= fromMs ? handed : null;
}

function isSame(a: Handed | null, b: Handed | null): boolean {
  return a === b || JSON.stringify(a?.membership ?? null) === JSON.stringify(b?.membership ?? null);
}

async function readStored(
  store: Store,
  { pool, windowMs }: StoreSeriesRequest,
  startMs: number,
): Promise<StoreSeriesRequest['windows'][number] | null> {
  const range = { pool, windowMs, fromMs: startMs, toMs: startMs + 1 };
  const [row] = await store.query('jobs', STORED_WINDOWS, paramsOf(range));
  const [window] = await readWindows(store, 'jobs', range, true);
  return row === undefined || window === undefined ? null : { startMs, computation: row.computation, window };
}

/** Fills in what waits of the rest there are, and writes what differs from what is stored. How many windows those are. */
async function storeBatch(
  store: Store,
  request: StoreSeriesRequest,
  batch: readonly SeriesRow[],
  stored: ReadonlyMap<number, SeriesState>,
): Promise<number> {
  const folded = batch.filter(({ rest }) => rest.tenants > 0);
  const shown = folded.flatMap(({ startMs, tenants }) => tenants.map(({ tenant }) => ({ startMs, tenant })));
  const waits =
    folded.length === 0
      ? []
      : await store.query('jobs', REST_WAITS, {
          pool: request.pool,
          window_ms: request.windowMs,
          starts: folded.map(({ startMs }) => startMs),
          computations: folded.map(({ of }) => of),
          shown_starts: shown.map(({ startMs }) => startMs),
          shown_tenants: shown.map(({ tenant }) => tenant),
        });
  const p99At = new Map(waits.map((row) => [row.startMs, histogramQuantile(new Map(row.waits), 0.99)]));
  const computation = Math.max(0, ...request.windows.map((window) => window.computation));
  const changed = batch
    .map((row) => ({ ...row, rest: { ...row.rest, wait_p99_ms: p99At.get(row.startMs) ?? null } }))
    .map((row) => ({ ...row, digest: digestFor(row) }))
    .filter((row) => row.digest !== stored.get(row.startMs)?.digest);
  await insertSeries(store, { pool: request.pool, windowMs: request.windowMs, computation }, changed);
  return changed.length;
}

function digestFor({ tenants, rest, membership }: SeriesRow): string {
  return createHash('sha256')
    .update(JSON.stringify([tenants, rest, membership]))
    .digest('hex');
}

/** The stored lines of a range in time order. */
export async function readTenantSeries(store: Store, lane: Lane, range: WindowRange): Promise<SeriesWindow[]> {
  const windows: { startMs: number; digest: string; tenants: SeriesTenant[]; rest: SeriesRest }[] = [];
  for (const { startMs, digest, line } of await store.query(lane, TENANT_SERIES, paramsOf(range))) {
    if (line.kind === 'rest') {
      windows.push({ startMs, digest, tenants: [], rest: line.figures });
      continue;
    }
    const window = windows.at(-1);
    assertInvariant(window?.startMs === startMs, 'the rest of a window comes before its tenants');
    if (window.digest === digest) window.tenants.push(line.figures);
  }
  return windows.map(({ startMs, tenants, rest }) => ({
    start: new Date(startMs).toISOString(),
    end: new Date(startMs + range.windowMs).toISOString(),
    // The engine sorts names by bytes, this code by UTF-16 units: one order for all that is shown.
    tenants: tenants.sort((a, b) => (a.tenant < b.tenant ? -1 : 1)),
    rest,
  }));
}

function paramsOf({ pool, windowMs, fromMs, toMs }: WindowRange) {
  return { pool, window_ms: windowMs, from_ms: fromMs, to_ms: toMs };
}
