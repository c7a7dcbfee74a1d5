import { createHash } from 'node:crypto';
import { assertInvariant } from '../../scheduler-core/index.ts';
import { COVERAGE_COUNTS, COVERAGE_REPORTED, type CoverageRow } from '../queries/coverage.ts';
import { FIELD_CONFLICTS } from '../queries/field-conflicts.ts';
import { STORED_WINDOWS, type StoredWindow } from '../queries/stored-windows.ts';
import { FILL_WAIT_HISTOGRAMS } from '../queries/wait-histograms.ts';
import { IN_SHARE_WAITS } from '../queries/window-arrivals.ts';
import { REVISION_COLUMNS } from '../queries/window-revisions.ts';
import { DROP_ROWS_TABLES, type RowsTable } from '../queries/window-rows.ts';
import type { WindowScan } from '../queries/window-scan.ts';
import { type Store, tsvRow } from '../storage/index.ts';
import type { ComputedFluid } from './compute-fluid.ts';
import type { ComputedRange, ComputeRange } from './computed-range.ts';
import { coverageRatio } from './decide-coverage.ts';
import type { DecidedWindow, PoolFacts } from './decide-windows.ts';
import { describeWindow } from './describe-window.ts';
import { insertTenantRows, writeTenantRows } from './tenant-rows.ts';
import { storeTenantSeries } from './tenant-series.ts';
import { WINDOW_COLUMN_NAMES, type WindowRow, windowCells } from './window-cells.ts';

/** What is stored of a range before it is computed. */
export interface KnownRange {
  readonly stored: ReadonlyMap<number, StoredWindow>;
  readonly coverage: readonly CoverageRow[];
}

/**
 * To be read before the job's rows are: where the store is a cluster, they would go along with every statement that reads from
 * its shards.
 */
export async function readKnown(store: Store, range: ComputeRange): Promise<KnownRange> {
  const { pool, windowMs, fromMs, toMs } = range;
  const [coverage, stored] = await Promise.all([
    readCoverage(store, range),
    store.query('jobs', STORED_WINDOWS, { pool, window_ms: windowMs, from_ms: fromMs, to_ms: toMs }),
  ]);
  return { coverage, stored: new Map(stored.map((row) => [row.startMs, row])) };
}

/** The windows of a range, decided but not yet described. */
export interface DecidedRange {
  readonly known: KnownRange;
  readonly facts: PoolFacts;
  readonly windows: readonly DecidedWindow[];
  readonly fluid: ComputedFluid;
  readonly rows: RowsTable;
  readonly scan: WindowScan;
}

/**
 * Describes the windows of a range and stores those that say something new. Effects, in order, each idempotent: (1) what
 * final windows said that now say something else, (2) histograms of the waits of the changed windows, (3) their tenants,
 * (4) the top tenants' series, (5) the windows themselves, which make all of their computation visible.
 */
export async function storeWindows(
  store: Store,
  range: ComputeRange,
  decided: DecidedRange,
): Promise<Omit<ComputedRange, 'rows'>> {
  const { pool, windowMs, fromMs, toMs } = range;
  const inShareWaits = await readInShareWaits(store, range, decided);
  const conflicts =
    decided.scan.disputed === 0
      ? []
      : await store.query('jobs', FIELD_CONFLICTS, { pool, window_ms: windowMs, from_ms: fromMs, to_ms: toMs });
  const { stored, coverage } = decided.known;
  // A window that is new is written whatever it says: the engine counts its waits while it is described.
  const fresh = decided.windows.filter(({ startMs }) => !stored.has(startMs)).map(({ startMs }) => startMs);
  const counting = countWaits(store, range, decided.rows, fresh);
  // Its failure is told where it is awaited.
  counting.catch(() => undefined);
  const conflictsByWindow = new Map(conflicts.map((row) => [row.window, row.conflicts]));
  const changed: WindowRow[] = [];
  const tenantTexts: string[] = [];
  const windowRows: string[] = [];
  const revisionRows: string[] = [];
  let expired = 0;
  for (const window of decided.windows) {
    const earlier = stored.get(window.startMs);
    // Requests go only by their retention: what is known of a window is worth more than a part of it computed again.
    if (earlier !== undefined && earlier.attempts > (window.pool?.attempts ?? 0)) {
      expired++;
      continue;
    }
    const fluid = decided.fluid.windows.get(window.window);
    assertInvariant(fluid !== undefined, 'the fluid model covers every window of the range');
    const carried = {
      meanServiceMs: window.meanServiceMs,
      workPerBusyMs: window.workPerBusyMs,
      saturatedServedCost: window.saturatedServedCost,
      fluidWorkPerBusyMs: fluid.workPerBusyMs,
    };
    const described = describeWindow(decided.facts, window, {
      fluid,
      fluidInShare: decided.fluid.inShare(window.window),
      beyondShare: decided.fluid.beyondShareRequests(window.window),
      inShareWaits: inShareWaits.get(window.window) ?? null,
      fieldConflicts: conflictsByWindow.get(window.window) ?? 0,
      coverageRatio: coverageRatio(coverage, window.startMs, window.startMs + windowMs),
      closedToMs: range.closedToMs,
    });
    const fluidBacklogOf = (tenant: string) => {
      const { backlog, gps } = fluid.of(tenant);
      return { cut: backlog, due: gps.backlog };
    };
    const place = { pool, windowMs, startMs: window.startMs, computation: range.computation };
    const tenants = writeTenantRows({ ...place, fluidBacklogOf }, described.tenants);
    // What is shown, and what is not but has others depend on it.
    const digest = `${sha256({ ...described, tenants: tenants.digest })}-${sha256([carried, [...fluid.absentDueBacklogs], window.pool?.waitsCheck])}`;
    if (earlier?.digest === digest) continue;
    const isRestated = earlier !== undefined && earlier.window.state === 'final';
    const row: WindowRow = {
      ...place,
      attempts: window.pool?.attempts ?? 0,
      ...carried,
      fluidBacklogOf,
      absentDueBacklogs: fluid.absentDueBacklogs,
      watermarkMs: range.watermarkMs,
      digest,
      window: { ...described, revision: (earlier?.window.revision ?? 1) + (isRestated ? 1 : 0) },
    };
    if (isRestated) {
      const { computation, window: before } = earlier;
      const figures = JSON.stringify(before);
      revisionRows.push(
        tsvRow([pool, windowMs, window.startMs, before.revision, computation, figures, range.computation]),
      );
    }
    tenantTexts.push(...tenants.texts);
    windowRows.push(tsvRow(windowCells(row)));
    changed.push(row);
  }
  await counting;
  const restated = changed.map(({ startMs }) => startMs).filter((startMs) => stored.has(startMs));
  await countWaits(store, range, decided.rows, restated);
  await store.command('jobs', DROP_ROWS_TABLES);
  await store.insert('jobs', 'window_revisions', REVISION_COLUMNS, revisionRows.join(''));
  await insertTenantRows(store, tenantTexts);
  if (changed.length > 0) {
    await storeTenantSeries(store, { pool, windowMs, windows: changed, options: range.options });
  }
  await store.insert('jobs', 'windows', WINDOW_COLUMN_NAMES, windowRows.join(''));
  return { windows: decided.windows.length, written: changed.length, expired };
}

/** Stores how the waits of some windows are spread, which are shown once the windows are. */
async function countWaits(
  store: Store,
  { pool, windowMs, fromMs, toMs, computation }: ComputeRange,
  rows: RowsTable,
  startsMs: readonly number[],
): Promise<void> {
  if (startsMs.length === 0) return;
  await store.command('jobs', FILL_WAIT_HISTOGRAMS, {
    rows,
    pool,
    window_ms: windowMs,
    from_ms: fromMs,
    to_ms: toMs,
    computation,
    written: startsMs.map((startMs) => startMs / windowMs),
  });
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
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
