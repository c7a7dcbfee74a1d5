import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createFairnessJob,
  DEFAULT_POOL_OPTIONS,
  DEFAULT_WATERMARK_OPTIONS,
  type PoolOptions,
} from '../../../analytics/index.ts';
import { defineQuery, type Parameters, type Store, tsvRow } from '../../../analytics/storage/index.ts';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import type { TenantWindow, Window } from '../../../analytics/window/window-result.ts';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { REQUEST_COLUMNS, requestCells } from '../../../ingest/event/event-row.ts';
import {
  type EndedRequest,
  EventLoop,
  plainPolicy,
  type SimulatedRequest,
  seededRandom,
} from '../../../scheduler-core/index.ts';
import { bundleProgram, SCHEMA_DIRECTORY, startProgram } from '../../support/child-program.ts';
import { randomLog } from '../../support/random-log.ts';
import {
  declareSlots,
  event,
  insertEvents,
  type TemporaryStore,
  temporaryStore,
} from '../../support/temporary-store.ts';
import { endedEvent } from './planted/recorded-events.ts';

const MINUTE_MS = 60_000;
/** 2026-10-01T14:00:00Z. */
const FROM_MS = Date.UTC(2026, 9, 1, 14);
const FIRST_SEED = Number(process.env.EVENSHARE_TEST_SEED ?? 1);
const SEEDS = Array.from({ length: 8 }, (_, index) => FIRST_SEED + index);

let opened: TemporaryStore;
let store: Store;
let pools = 0;
beforeAll(async () => {
  opened = await temporaryStore();
  store = opened.store;
});
afterAll(() => opened.remove());

interface Log {
  readonly events: readonly DecisionEvent[];
  readonly slots: number | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly windowMs?: number;
  readonly watermarkMs?: number;
  readonly options?: Partial<PoolOptions>;
}

/** The windows of a log in a pool of its own; `deliver` says how its events come into the store. */
async function windowsOf(log: Log, deliver = insertEvents): Promise<{ pool: string; windows: Window[] }> {
  const pool = `promise ${++pools}`;
  if (log.slots !== null) await declareSlots(store, pool, log.slots);
  await deliver(
    store,
    log.events.map((each) => ({ ...each, pool })),
  );
  const range = { pool, windowMs: log.windowMs ?? MINUTE_MS, fromMs: log.fromMs, toMs: log.toMs };
  await computeRange(store, {
    ...range,
    watermarkMs: log.watermarkMs ?? log.toMs,
    closedToMs: Number.POSITIVE_INFINITY,
    options: { ...DEFAULT_POOL_OPTIONS, ...log.options },
    computation: 1,
  });
  return { pool, windows: await readWindows(store, 'reads', range, true) };
}

/** What a fair scheduler makes of some requests, as its gateway records it. */
function served(requests: readonly SimulatedRequest[], discipline: 'drr' | 'fifo', slots: number): DecisionEvent[] {
  const policy = plainPolicy(discipline, { costUnit: 'requests' });
  if (policy === null) throw new Error(`${discipline} is no policy`);
  const sorted = [...requests].sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  const ended: EndedRequest[] = [];
  new EventLoop({ arrivals: sorted, policy, slots }).run(Number.POSITIVE_INFINITY, (each) => ended.push(each));
  return ended.map((each) => endedEvent(each, false));
}

/** `count` requests of a tenant from `atMs` (from the start) on, evenly over `overMs`. */
function requests(
  tenant: string,
  { atMs, count, overMs, serviceMs }: { atMs: number; count: number; overMs: number; serviceMs: number },
): SimulatedRequest[] {
  return Array.from({ length: count }, (_, index) => {
    const arrivedAtMs = FROM_MS + atMs + Math.floor((index * overMs) / count);
    return { id: `${tenant} ${atMs} ${index}`, tenant, arrivedAtMs, serviceMs };
  });
}

function tenantOf(window: Window | undefined, name: string): TenantWindow {
  const found = window?.tenants.find(({ tenant }) => tenant === name);
  if (found === undefined) throw new Error(`${name} is not in the window`);
  return found;
}

const minutes = (count: number): number => FROM_MS + count * MINUTE_MS;

describe('a tenant that floods at 14:04 and waits for its own flood at 14:05', () => {
  it.each(['drr', 'fifo'] as const)('is not in share at 14:05, nor short, under %s', async (discipline) => {
    const all = [
      ...requests('flood', { atMs: 4 * MINUTE_MS + 5_000, count: 1_800, overMs: 50_000, serviceMs: 400 }),
      ...requests('flood', { atMs: 5 * MINUTE_MS, count: 6, overMs: MINUTE_MS, serviceMs: 400 }),
      ...requests('small', { atMs: 0, count: 480, overMs: 8 * MINUTE_MS, serviceMs: 400 }),
    ];
    const events = served(all, discipline, 4);
    const { windows } = await windowsOf({ events, slots: 4, fromMs: FROM_MS, toMs: minutes(8) });
    expect(tenantOf(windows[3], 'small').in_share).toBe(true);
    for (const number of [4, 5]) {
      const flood = tenantOf(windows[number], 'flood');
      expect(flood.in_share, `14:0${number}`).toBe(false);
      expect(flood.verdict, `14:0${number}`).not.toBe('short');
    }
    expect(tenantOf(windows[5], 'flood').backlog_cost).toBeGreaterThan(100);
    expect(tenantOf(windows[5], 'flood').fluid?.in_share_requests, 'each came behind its own flood').toBeLessThan(6);
    expect(tenantOf(windows[5], 'small').verdict).toBe(discipline === 'drr' ? 'fair' : 'short');
  });
});

describe('a tenant whose minute comes at once', () => {
  const others = (serviceMs: number): SimulatedRequest[] =>
    ['a', 'b', 'c'].flatMap((tenant) => requests(tenant, { atMs: 0, count: 300, overMs: 3 * MINUTE_MS, serviceMs }));

  it.each([
    { what: 'in two seconds', atMs: 70_000, count: 400, overMs: 2_000, minute: 1 },
    { what: 'ten seconds before the end', atMs: 110_000, count: 300, overMs: 1_500, minute: 1 },
    {
      what: 'just before a second ends, ten seconds before the minute does',
      atMs: 110_900,
      count: 300,
      overMs: 50,
      minute: 1,
    },
  ])('$what is in share by the minute and over by the second, and nobody is short', async (burst) => {
    const all = [...others(80), ...requests('bursts', { ...burst, serviceMs: 80 })];
    const events = served(all, 'drr', 4);
    const { windows } = await windowsOf({ events, slots: 4, fromMs: FROM_MS, toMs: minutes(3) });
    const bursts = tenantOf(windows[burst.minute], 'bursts');
    expect(bursts.in_share).toBe(true);
    expect(bursts.requests).toBe(burst.count);
    expect(bursts.fluid?.in_share_requests).toBeLessThan(burst.count);
    const verdicts = windows.flatMap((window) => window.tenants.map(({ tenant, verdict }) => `${tenant} ${verdict}`));
    expect(verdicts.filter((each) => each.endsWith('short'))).toEqual([]);
    expect(windows.map(({ verdict }) => verdict)).not.toContain('unfair');
  });

  it('and is served at once where there is room for it', async () => {
    const all = [...others(20), ...requests('bursts', { atMs: 50_900, count: 1_000, overMs: 1, serviceMs: 20 })];
    const events = served(all, 'drr', 50);
    const { windows } = await windowsOf({ events, slots: 50, fromMs: FROM_MS, toMs: minutes(3) });
    expect(windows.map(({ verdict }) => verdict)).toEqual(['uncontended', 'uncontended', 'uncontended']);
    expect(tenantOf(windows[0], 'bursts').verdict).toBe('fair');
  });
});

describe('requests of 30 to 300 s in windows of 60 s', () => {
  it.each(SEEDS)(
    'of tenants that nobody keeps waiting have normalized share 1 in every window (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const events = Array.from({ length: 120 }, (_, index) => {
        const arrivedAtMs = FROM_MS + Math.floor(random.next() * 10 * MINUTE_MS);
        const completedAtMs = arrivedAtMs + 30_000 + Math.floor(random.next() * 270_000);
        const tenant = `t${index % 7}`;
        return event({
          requestId: `r${index}`,
          tenant,
          arrivedAtMs,
          dispatchedAtMs: arrivedAtMs,
          completedAtMs,
          status: 'ok',
        });
      });
      const costUnit = seed % 2 === 0 ? 'requests' : 'service_ms';
      const { windows } = await windowsOf({
        events,
        slots: 120,
        fromMs: FROM_MS,
        toMs: minutes(16),
        options: { costUnit },
      });
      expect(windows.length).toBeGreaterThan(10);
      for (const window of windows) {
        expect(window.verdict, window.start).toBe('uncontended');
        for (const tenant of window.tenants) {
          const who = `${window.start} ${tenant.tenant}`;
          expect(Math.abs((tenant.normalized_share ?? 0) - 1), who).toBeLessThan(1e-9);
          expect(Math.abs((tenant.fluid?.normalized_share ?? 0) - 1), `${who}, by the second`).toBeLessThan(1e-9);
        }
      }
    },
  );
});

describe('random logs', () => {
  it.each(SEEDS)('served work over all windows is the cost of what ran (seed %i)', async (seed) => {
    const { events, options } = randomLog(seed);
    const unpriced = { cost: null, costEstimate: null, inputTokens: null, outputTokens: null };
    const plain = events
      .map((each) => ({ ...each, ...unpriced }))
      .filter((each) => {
        if (each.originalRequestId !== null) return false;
        const { arrivedAtMs, dispatchedAtMs, completedAtMs } = each;
        if (dispatchedAtMs === null) return true;
        return completedAtMs !== null && dispatchedAtMs >= arrivedAtMs && completedAtMs >= dispatchedAtMs;
      });
    const ran = plain.filter((each) => each.dispatchedAtMs !== null && each.completedAtMs !== null);
    const latest = Math.max(...ran.map((each) => (each.completedAtMs ?? 0) + 1), options.toMs);
    const toMs = Math.ceil(latest / options.windowMs) * options.windowMs;
    for (const costUnit of ['requests', 'service_ms'] as const) {
      const log = { ...options, events: plain, toMs, watermarkMs: toMs, options: { costUnit } };
      const { windows } = await windowsOf(log);
      const total = windows.reduce((sum, window) => sum + (window.served_cost ?? 0), 0);
      const byTenant = windows.reduce(
        (sum, window) => sum + window.tenants.reduce((all, tenant) => all + (tenant.served_cost ?? 0), 0),
        0,
      );
      const cost = ran.reduce((sum, each) => {
        const serviceMs = (each.completedAtMs ?? 0) - (each.dispatchedAtMs ?? 0);
        return sum + (costUnit === 'requests' ? 1 : (each.slots ?? 1) * serviceMs);
      }, 0);
      expect(Math.abs(total - cost), `${costUnit}, the pool's`).toBeLessThanOrEqual(1e-9 * cost);
      expect(Math.abs(byTenant - cost), `${costUnit}, the tenants'`).toBeLessThanOrEqual(1e-9 * cost);
    }
  });

  it.each(SEEDS)(
    'give the same windows, byte for byte, however often and in whatever order they come (seed %i)',
    async (seed) => {
      const { events, options } = randomLog(seed);
      const log = {
        ...options,
        events,
        options: { costUnit: options.costUnit, maxRequestAgeMs: options.maxRequestAgeMs },
      };
      const once = await windowsOf(log);
      const random = seededRandom(seed).fork('deliveries');
      for (let round = 0; round < 2; round++) {
        const again = await windowsOf(log, async (into, each) => {
          for (const batch of deliveries(each, random.next)) await insertEvents(into, batch);
        });
        expect(JSON.stringify(again.windows)).toBe(JSON.stringify(once.windows));
        expect(await storedRows(again.pool)).toEqual(await storedRows(once.pool));
      }
    },
  );
});

/** Every event once or more, what is known of it at arrival before or after the whole, shuffled, in batches. */
function deliveries(events: readonly DecisionEvent[], next: () => number): DecisionEvent[][] {
  const all = events.flatMap((each) => {
    const copies = Array.from({ length: 1 + Math.floor(next() * 3) }, () => each);
    const { requestId, tenant, arrivedAtMs, attempt, pool, originalRequestId, slots } = each;
    const isPartial = next() < 0.4;
    return isPartial
      ? [...copies, event({ requestId, tenant, arrivedAtMs, attempt, pool, originalRequestId, slots })]
      : copies;
  });
  for (let index = all.length - 1; index > 0; index--) {
    const other = Math.floor(next() * (index + 1));
    [all[index], all[other]] = [all[other], all[index]] as [DecisionEvent, DecisionEvent];
  }
  const size = Math.ceil(all.length / (1 + Math.floor(next() * 4)));
  return Array.from({ length: Math.ceil(all.length / size) }, (_, batch) =>
    all.slice(batch * size, (batch + 1) * size),
  );
}

const rowsOf = (table: string) =>
  defineQuery<Parameters & { readonly pool: string }, string>({
    name: `rows of ${table}`,
    sql: `SELECT toString(tuple(* EXCEPT pool)) AS row FROM ${table} WHERE pool = {pool:String} ORDER BY row`,
    decode: (row) => String(row.row),
  });

async function storedRows(pool: string): Promise<string[]> {
  const windows = await store.query('reads', rowsOf('windows'), { pool });
  return [...windows, ...(await store.query('reads', rowsOf('tenant_windows'), { pool }))];
}

describe('events that come late, in any order', () => {
  const REPLACED = defineQuery<Parameters & { readonly pool: string }, { startMs: number; revision: number }>({
    name: 'replaced',
    sql: `SELECT start_ms, revision FROM window_revisions FINAL WHERE pool = {pool:String} ORDER BY start_ms, revision`,
    decode: (row) => ({ startMs: Number(row.start_ms), revision: Number(row.revision) }),
  });

  it.each(SEEDS.slice(0, 3))(
    'leave what would have been computed at once, with what was said before (seed %i)',
    async (seed) => {
      for (const table of [
        'requests',
        'request_spans',
        'windows',
        'tenant_windows',
        'pool_capacity',
        'job_progress',
        'window_revisions',
      ]) {
        await store.command('intake', `TRUNCATE TABLE ${table}`);
      }
      const random = seededRandom(seed);
      const events = Array.from({ length: 150 }, (_, index) => {
        const arrivedAtMs = FROM_MS + Math.floor(random.next() * 6 * MINUTE_MS);
        const dispatchedAtMs = arrivedAtMs + Math.floor(random.next() * 20_000);
        const completedAtMs = dispatchedAtMs + 200 + Math.floor(random.exponential(6_000));
        return event({ requestId: `r${index}`, tenant: `t${index % 5}`, arrivedAtMs, dispatchedAtMs, completedAtMs });
      });
      const send = (pool: string, storedAtMs: number, some: readonly DecisionEvent[]): Promise<void> => {
        const rows = some.map((each) => tsvRow(requestCells({ ...each, pool }, storedAtMs)));
        return store.insert('intake', 'requests', REQUEST_COLUMNS, rows.join(''));
      };
      const windowsNow = (pool: string): Promise<Window[]> =>
        readWindows(store, 'reads', { pool, windowMs: MINUTE_MS, fromMs: 0, toMs: FROM_MS * 2 }, true);
      for (const pool of ['late', 'at once']) await declareSlots(store, pool, 3);
      const job = createFairnessJob(store, {
        windowMs: MINUTE_MS,
        poolOptions: () => DEFAULT_POOL_OPTIONS,
        watermark: DEFAULT_WATERMARK_OPTIONS,
        lateCheckEveryMs: MINUTE_MS,
      });
      const shuffled = events.map((each) => ({ each, key: random.next() })).sort((a, b) => a.key - b.key);
      const batches = Array.from({ length: 6 }, (_, batch) =>
        shuffled.filter((_, index) => index % 6 === batch).map(({ each }) => each),
      );
      let atMs = minutes(10);
      for (const batch of batches) {
        await send('late', atMs, batch);
        await job.run(atMs + 1_000);
        atMs += 2 * MINUTE_MS;
        await job.run(atMs);
      }
      await send('at once', atMs, events);
      for (let run = 1; run <= 3; run++) await job.run(atMs + run * 2 * MINUTE_MS);
      const [late, atOnce] = [await windowsNow('late'), await windowsNow('at once')];
      expect(late.map((window) => ({ ...window, revision: 0 }))).toEqual(
        atOnce.map((window) => ({ ...window, revision: 0 })),
      );
      expect(atOnce.every(({ revision, state }) => revision === 1 && state === 'final')).toBe(true);
      expect(
        late.some(({ revision }) => revision > 2),
        'restated more than once',
      ).toBe(true);

      const kept = await store.query('reads', REPLACED, { pool: 'late' });
      for (const window of late) {
        const said = kept.filter(({ startMs }) => startMs === Date.parse(window.start)).map(({ revision }) => revision);
        const earlier = Array.from({ length: window.revision - 1 }, (_, index) => index + 1);
        expect(said, `${window.start}: all that it said before is kept`).toEqual(earlier);
      }
    },
  );
});

describe('the zone and the day', () => {
  it('change no window: DST, a leap day, the end of a year, wherever the machine stands', async () => {
    const script = await bundleProgram(join(import.meta.dirname, 'planted/windows-on-days.ts'));
    const said: string[][] = [];
    for (const zone of ['UTC', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Apia']) {
      const program = startProgram(script, [SCHEMA_DIRECTORY], { TZ: zone });
      const offsets = await program.nextLine();
      const lines: string[] = [];
      for (let day = 0; day < 6; day++) lines.push(await program.nextLine());
      await program.finish();
      if (zone !== 'UTC') expect(offsets, 'the process really is elsewhere').not.toBe(said[0]?.[0]);
      said.push([offsets, ...lines]);
    }
    const [first, ...others] = said.map(([, ...lines]) => lines);
    // Days differ in their dates alone.
    const dateless = first?.map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d/g, 'then'));
    expect(new Set(dateless).size).toBe(1);
    for (const each of others) expect(each).toEqual(first);
  });
});
