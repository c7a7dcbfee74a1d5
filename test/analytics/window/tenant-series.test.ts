import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineQuery, type Parameters, tsvRow } from '../../../analytics/storage/index.ts';
import { insertTenantRows, writeTenantRows } from '../../../analytics/window/tenant-rows.ts';
import {
  readTenantSeries,
  type StoreSeriesRequest,
  storeTenantSeries,
} from '../../../analytics/window/tenant-series.ts';
import { bucketOf } from '../../../analytics/window/wait-histogram.ts';
import { WINDOW_COLUMN_NAMES, type WindowRow, windowCells } from '../../../analytics/window/window-cells.ts';
import type { TenantWindow, Window } from '../../../analytics/window/window-result.ts';
import { seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { FROM_MS } from '../queries/window-cases.ts';
import { quietTenant, WINDOW_MS, windowOf } from './series-windows.ts';

let opened: TemporaryStore;
let pool = '';
let pools = 0;
beforeAll(async () => {
  opened = await temporaryStore();
});
beforeEach(() => {
  pool = `p${pools++}`;
});
afterAll(() => opened.remove());

const OPTIONS = { topTenants: 4, pinnedTenants: ['pinned'] };
type Given = StoreSeriesRequest['windows'][number];

/** Stores windows as the job does, then their lines. */
async function put(windows: readonly Given[]): Promise<{ readonly windows: number; readonly written: number }> {
  for (const { startMs, computation, window } of windows) {
    const row: WindowRow = {
      pool,
      windowMs: WINDOW_MS,
      startMs,
      computation,
      attempts: 0,
      meanServiceMs: null,
      workPerBusyMs: null,
      saturatedServedCost: null,
      fluidWorkPerBusyMs: null,
      fluidBacklogOf: () => ({ cut: 0, due: 0 }),
      absentDueBacklogs: new Map(),
      watermarkMs: 0,
      digest: 'd',
      window,
    };
    await insertTenantRows(opened.store, writeTenantRows(row, window.tenants).texts);
    await opened.store.insert('jobs', 'windows', WINDOW_COLUMN_NAMES, tsvRow(windowCells(row)));
  }
  return storeTenantSeries(opened.store, { pool, windowMs: WINDOW_MS, windows, options: OPTIONS });
}

const read = () => readTenantSeries(opened.store, 'reads', { pool, windowMs: WINDOW_MS, fromMs: 0, toMs: FROM_MS * 2 });

/** All columns but the computation, of the rows that count. */
const ROWS = defineQuery<Parameters & { readonly pool: string }, unknown>({
  name: 'test-series-rows',
  sql: `SELECT * EXCEPT (computation, pool) FROM tenant_series FINAL
WHERE pool = {pool:String}
    AND (start_ms, digest) IN (SELECT start_ms, digest FROM tenant_series FINAL WHERE pool = {pool:String} AND is_rest)
ORDER BY start_ms, is_rest, member`,
  decode: (row) => JSON.stringify({ ...row, digest: '' }),
});
const rows = (of = pool) => opened.store.query('reads', ROWS, { pool: of });

/** Minutes of tenants of which now these, now those are loud, refused or slow. */
function minutes(count: number, seed: number): Given[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, minute) => {
    const tenants: TenantWindow[] = Array.from({ length: 30 }, (_, index) => {
      const requests = 10 + Math.floor(random.next() * 20);
      return quietTenant(index === 7 ? 'pinned' : `t${index}`, {
        requests,
        demand_cost: requests * random.next(),
        rejected: random.next() < 0.1 ? { queue_full: 5 } : {},
      });
    });
    const startMs = FROM_MS + minute * WINDOW_MS;
    return { startMs, computation: 1, window: windowOf(startMs, tenants) };
  });
}

const withComputation = (windows: readonly Given[], computation: number): Given[] =>
  windows.map((window) => ({ ...window, computation }));

describe('stored lines', () => {
  it('come back as they were chosen: K tenants and the rest, in time order', async () => {
    const windows = minutes(3, 1);
    expect(await put(windows)).toEqual({ windows: 3, written: 3 });
    const lines = await read();
    expect(lines.map(({ start }) => Date.parse(start))).toEqual(windows.map(({ startMs }) => startMs));
    for (const [index, { tenants, rest }] of lines.entries()) {
      const window = windows[index]?.window;
      expect(tenants.map(({ tenant }) => tenant)).toContain('pinned');
      expect(tenants).toHaveLength(4);
      expect(rest.tenants).toBe(26);
      expect([...tenants, rest].reduce((sum, line) => sum + (line.demand_cost ?? Number.NaN), 0)).toBe(
        window?.demand_cost,
      );
    }
  });

  it('are the same bytes when they are computed again, at once or window by window, and are not written twice', async () => {
    const windows = minutes(12, 2);
    await put(windows);
    const atOnce = await rows();
    expect(await put(withComputation(windows, 2))).toEqual({ windows: 12, written: 0 });
    pool = `${pool}-single`;
    for (const window of withComputation(windows, 3)) await put([window]);
    expect(await rows()).toEqual(atOnce);
  });

  it('end the same whichever way late figures came in', async () => {
    const early = minutes(12, 3);
    const late = minutes(12, 4);
    // Windows 2 and 5 are restated; the others stay.
    const final = early.map((window, index) => (index === 2 || index === 5 ? (late[index] ?? window) : window));
    const first = pool;
    await put(final);
    const atOnce = await rows();
    pool = `${first}-late`;
    await put(early);
    await put(withComputation(final.slice(5, 6), 2));
    await put(withComputation(final.slice(2, 3), 3));
    expect(await rows()).toEqual(atOnce);
    pool = `${first}-backwards`;
    for (const [index, window] of [...final].reverse().entries()) await put([{ ...window, computation: 10 + index }]);
    expect(await rows()).toEqual(atOnce);
  });

  it('forget who was shown before a long silence', async () => {
    const loud = (names: readonly string[], startMs: number): Window =>
      windowOf(
        startMs,
        ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
          quietTenant(name, { demand_cost: names.includes(name) ? 1.1 : 1 }),
        ),
      );
    const laterMs = FROM_MS + 11 * WINDOW_MS;
    await put([
      { startMs: FROM_MS, computation: 1, window: loud(['a', 'b', 'c', 'd'], FROM_MS) },
      { startMs: laterMs, computation: 1, window: loud(['c', 'd', 'e', 'f'], laterMs) },
    ]);
    expect((await read()).map(({ tenants }) => tenants.map(({ tenant }) => tenant).join(''))).toEqual(['abcd', 'cdef']);
  });

  it('hold a tenant called __other__, and others with hostile names, apart from the rest', async () => {
    const names = ['__other__', '', "'; DROP TABLE tenant_series; --", '\\N', 'a\tb\nc\0', '🦊', '}{pool:String}'];
    const tenants = names.map((name, index) => quietTenant(name, { demand_cost: 10 - index, rejected: { quota: 1 } }));
    await put([{ startMs: FROM_MS, computation: 1, window: windowOf(FROM_MS, tenants) }]);
    const [line] = await read();
    expect(line?.tenants.map(({ tenant }) => tenant)).toEqual([...names.slice(0, 4)].sort());
    expect(line?.rest.samples).toEqual(
      [...names.slice(4)].sort().map((tenant) => ({ tenant, rejected: 1, attempts: 1 })),
    );
  });

  it('give the rest the p99 of its waits taken together, within 1%', async () => {
    const [given] = minutes(1, 6);
    if (given === undefined) throw new Error('there is a minute');
    const random = seededRandom(6);
    const waits = new Map(
      given.window.tenants.map(({ tenant }) => [
        tenant,
        Array.from({ length: 200 }, () => Math.floor(10_000 * random.next() ** 4)),
      ]),
    );
    const histograms = [...waits].map(([tenant, values]) => {
      const counts = new Map<number, number>();
      for (const value of values) counts.set(bucketOf(value), (counts.get(bucketOf(value)) ?? 0) + 1);
      const nested = `{${[...counts].map(([bucket, count]) => `${bucket}:${count}`).join(',')}}`;
      return tsvRow([pool, WINDOW_MS, given.startMs, { nested }, tenant, given.computation]);
    });
    const columns = ['pool', 'window_ms', 'start_ms', 'waits', 'tenant', 'computation'];
    await opened.store.insert('jobs', 'wait_histograms', columns, histograms.join(''));
    await put([given]);
    const [line] = await read();
    const shown = new Set(line?.tenants.map(({ tenant }) => tenant));
    const ofRest = [...waits].flatMap(([tenant, values]) => (shown.has(tenant) ? [] : values)).sort((a, b) => a - b);
    const exact = ofRest[Math.floor(0.99 * ofRest.length)] ?? Number.NaN;
    expect(Math.abs((line?.rest.wait_p99_ms ?? Number.NaN) - exact) / exact).toBeLessThanOrEqual(0.01);
  });
});
