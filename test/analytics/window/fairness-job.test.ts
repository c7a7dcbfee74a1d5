import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createFairnessJob,
  DEFAULT_POOL_OPTIONS,
  DEFAULT_WATERMARK_OPTIONS,
  type FairnessJob,
} from '../../../analytics/index.ts';
import { defineQuery, type Parameters, type Store, tsvRow } from '../../../analytics/storage/index.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import type { Window } from '../../../analytics/window/window-result.ts';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { REQUEST_COLUMNS, requestCells } from '../../../ingest/event/event-row.ts';
import { declareSlots, event, type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { storeWith } from '../../support/watched-store.ts';

const MINUTE_MS = 60_000;
/** 2026-10-01T10:00:00Z. */
const FROM_MS = 1_790_848_800_000;
/** Beyond it everything that came late has been looked for. */
const LATE_CHECK_MS = MINUTE_MS;

/** Rows as they lie in the table, every computation of every window. */
const WRITTEN = defineQuery<Parameters & { readonly pool: string }, string>({
  name: 'written',
  sql: `SELECT toString(start_ms) || ' ' || toString(computation) AS written FROM windows
WHERE pool = {pool:String} ORDER BY start_ms, computation`,
  decode: (row) => String(row.written),
});

describe('the minute job', () => {
  let opened: TemporaryStore;
  let store: Store;
  let pool: string;
  let pools = 0;
  beforeAll(async () => {
    opened = await temporaryStore();
    store = opened.store;
  });
  afterAll(() => opened.remove());
  beforeEach(async () => {
    for (const table of ['requests', 'request_spans', 'windows', 'tenant_windows', 'pool_capacity', 'job_progress']) {
      await store.command('intake', `TRUNCATE TABLE ${table}`);
    }
    pool = `pool-${++pools}`;
    await declareSlots(store, pool, 1);
  });

  const newJob = (on: Store = store): FairnessJob =>
    createFairnessJob(on, {
      windowMs: MINUTE_MS,
      poolOptions: () => DEFAULT_POOL_OPTIONS,
      watermark: DEFAULT_WATERMARK_OPTIONS,
      lateCheckEveryMs: LATE_CHECK_MS,
    });

  async function send(storedAtMs: number, ...events: readonly DecisionEvent[]): Promise<void> {
    const rows = events.map((each) => tsvRow(requestCells({ ...each, pool }, storedAtMs)));
    await store.insert('intake', 'requests', REQUEST_COLUMNS, rows.join(''));
  }

  /** A request of `serviceMs`, dispatched `waitMs` after its arrival. */
  function served(arrivedAtMs: number, { tenant = 'a', waitMs = 0, serviceMs = 20_000 } = {}): DecisionEvent {
    const dispatchedAtMs = arrivedAtMs + waitMs;
    const requestId = `${tenant}-${arrivedAtMs}`;
    return event({ requestId, tenant, arrivedAtMs, dispatchedAtMs, completedAtMs: dispatchedAtMs + serviceMs });
  }

  /** Runs the job twice: the pools have just spoken at first, and have been silent for long enough then. */
  async function settle(job: FairnessJob, atMs: number): Promise<void> {
    await job.run(atMs);
    await job.run(atMs + DEFAULT_WATERMARK_OPTIONS.idleAfterMs);
  }

  const windows = (): Promise<Window[]> =>
    readWindows(store, 'reads', { pool, windowMs: MINUTE_MS, fromMs: 0, toMs: FROM_MS * 2 }, true);
  const written = (): Promise<string[]> => store.query('reads', WRITTEN, { pool });
  const startOf = (minute: number): string => new Date(FROM_MS + minute * MINUTE_MS).toISOString();
  const minute = (number: number): number => FROM_MS + number * MINUTE_MS;

  /** Some minutes of traffic that sometimes waits, one event in each half minute. */
  const traffic = (minutes: number): DecisionEvent[] =>
    Array.from({ length: minutes * 2 }, (_, half) =>
      served(FROM_MS + half * 30_000, {
        tenant: half % 3 === 0 ? 'b' : 'a',
        waitMs: (half % 4) * 900,
        serviceMs: 25_000,
      }),
    );

  it('computes a window once it is past, and again changes no byte and writes nothing', async () => {
    await send(FROM_MS, ...traffic(3));
    const job = newJob();
    await job.run(minute(2) + 4_000);
    expect((await windows()).length, 'the watermark is five seconds behind').toBe(1);
    await job.run(minute(2) + 6_000);
    expect((await windows()).length).toBe(2);
    await settle(job, minute(10));
    const before = { windows: await windows(), written: await written() };
    expect(before.windows.map((window) => [window.start, window.state])).toEqual(
      [0, 1, 2].map((number) => [startOf(number), 'final']),
    );
    for (const again of [job, newJob()]) {
      await settle(again, minute(12));
      expect({ windows: await windows(), written: await written() }).toEqual(before);
    }
  });

  it('away for a while, computes every window that it missed, in order, with no gap and none twice', async () => {
    const minutes = 12;
    const events = traffic(minutes);
    const steady = newJob();
    for (let at = 0; at < minutes; at++) {
      const arrived = events.filter((each) => Math.floor((each.arrivedAtMs - FROM_MS) / MINUTE_MS) === at);
      await send(minute(at + 1), ...arrived);
      await steady.run(minute(at + 1) + 6_000);
    }
    await settle(steady, minute(40));
    const always = await windows();
    const starts = Array.from({ length: minutes }, (_, number) => startOf(number));
    expect(always.map((window) => window.start)).toEqual(starts);

    pool = 'returning';
    await declareSlots(store, pool, 1);
    const early = events.filter((each) => each.arrivedAtMs < minute(5));
    await send(minute(5), ...early);
    await newJob().run(minute(5));
    await send(minute(30), ...events.filter((each) => !early.includes(each)));
    await settle(newJob(), minute(40));
    expect(await windows()).toEqual(always);
    expect((await written()).length, 'none twice').toBe(minutes);
  });

  it('calls a window provisional as long as a request of it is open, final once that has ended', async () => {
    const long = served(FROM_MS + 10_000, { serviceMs: 3 * MINUTE_MS });
    await send(FROM_MS, { ...long, completedAtMs: null }, served(minute(1) + 50_000, { serviceMs: 1_000 }));
    const job = newJob();
    await settle(job, minute(3));
    const states = async (): Promise<readonly (readonly [string, number])[]> =>
      (await windows()).map((window) => [window.state, window.revision]);
    expect(await states()).toEqual([
      ['provisional', 1],
      ['provisional', 1],
      ['provisional', 1],
    ]);
    await send(minute(4), long);
    await settle(job, minute(5));
    expect(await states()).toEqual([
      ['final', 1],
      ['final', 1],
      ['final', 1],
      ['final', 1],
    ]);
  });

  describe('an event that comes late', () => {
    const late = (): DecisionEvent => served(minute(1) + 5_000, { tenant: 'late', serviceMs: 5_000 });

    async function expectRestated(): Promise<void> {
      const found = await windows();
      expect(found.map((window) => [window.start, window.state, window.revision])).toEqual([
        [startOf(0), 'final', 1],
        [startOf(1), 'final', 2],
        [startOf(2), 'final', 1],
      ]);
      expect(found[1]?.tenants.map((tenant) => tenant.tenant)).toEqual(['a', 'b', 'late']);
    }

    const calm = [0, 1, 2].flatMap((number) => [
      served(minute(number), { serviceMs: 5_000 }),
      served(minute(number) + 30_000, { tenant: 'b', serviceMs: 5_000 }),
    ]);

    it('has its window computed again, with a higher revision; windows that it does not change stay', async () => {
      await send(FROM_MS, ...calm);
      const job = newJob();
      await settle(job, minute(10));
      const before = await written();
      await send(minute(11), late());
      await job.run(minute(12));
      await expectRestated();
      expect((await written()).length).toBe(before.length + 1);
    });

    it('while the job was away', async () => {
      await send(FROM_MS, ...calm);
      await settle(newJob(), minute(10));
      await send(minute(11), late());
      await newJob().run(minute(60));
      await expectRestated();
    });

    it('just before the job was cut off, between two looks for late events', async () => {
      await send(FROM_MS, ...calm);
      const job = newJob();
      await settle(job, minute(10));
      await job.run(minute(12));
      await send(minute(12) + 5_000, late());
      // Another pool goes on: windows are computed after the late event came and before anybody looked for it.
      const own = pool;
      pool = 'another';
      await send(minute(12), served(minute(10), { serviceMs: 1_000 }), served(minute(12), { serviceMs: 1_000 }));
      expect((await job.run(minute(12) + 50_000)).written).toBeGreaterThan(0);
      pool = own;
      await newJob().run(minute(13) + 30_000);
      await expectRestated();
    });

    it('during a run that failed', async () => {
      await send(FROM_MS, ...calm);
      await settle(newJob(), minute(10));
      await send(minute(11), late());
      let failing = true;
      const flaky = storeWith(store, {
        insert: (lane, table, ...rest) =>
          failing && table === 'windows' ? Promise.reject(new Error('full')) : store.insert(lane, table, ...rest),
      });
      const job = newJob(flaky);
      await expect(job.run(minute(12))).rejects.toThrow('full');
      failing = false;
      await job.run(minute(14));
      await expectRestated();
    });

    it('and takes a silent pool back in time', async () => {
      const quiet = [served(FROM_MS, { serviceMs: 5_000 }), served(minute(2) + 30_000, { serviceMs: 5_000 })];
      await send(FROM_MS, ...quiet);
      const job = newJob();
      for (const at of [10, 11, 12]) await job.run(minute(at));
      // Later than all that the pool had said, and long before what its silence had let pass.
      await send(minute(13), served(minute(3) + 10_000, { tenant: 'late', serviceMs: 5_000 }));
      await job.run(minute(13) + 10_000);
      expect((await windows()).map((window) => window.start)).toEqual([startOf(0), startOf(2), startOf(3)]);
      await send(minute(14), served(minute(2) + 50_000, { tenant: 'later', serviceMs: 1_000 }));
      // Started anew, it knows of the silence only what is stored.
      await newJob().run(minute(14) + 15_000);
      expect((await windows()).map((window) => [window.start, window.state, window.revision])).toEqual([
        [startOf(0), 'final', 1],
        [startOf(2), 'final', 2],
        [startOf(3), 'final', 1],
      ]);
    });

    it('for windows that were never computed, though later ones were by hand', async () => {
      await send(FROM_MS, ...calm);
      const byHand = newJob();
      await settle(byHand, minute(10));
      await store.command('jobs', 'TRUNCATE TABLE job_progress');
      await store.command('jobs', `DELETE FROM windows WHERE start_ms < {to:Int64}`, { to: minute(2) });
      await settle(newJob(), minute(20));
      expect((await windows()).map((window) => window.start)).toEqual([startOf(0), startOf(1), startOf(2)]);
    });
  });

  it('makes two runs that are asked for at once one after the other', async () => {
    await send(FROM_MS, ...traffic(4));
    const order: string[] = [];
    const watched = storeWith(store, {
      query: (lane, query, params) => {
        if (query.name === 'pool-spans') order.push('starts');
        return store.query(lane, query, params);
      },
    });
    const job = newJob(watched);
    const run = (nowMs: number) => job.run(nowMs).finally(() => order.push('ends'));
    const [first, second] = await Promise.all([run(minute(10)), run(minute(10) + 1)]);
    expect([first.windows, second.written]).toEqual([3, 0]);
    expect(order).toEqual(['starts', 'ends', 'starts', 'ends']);
    expect((await written()).length).toBe(3);
  });

  it('stops between two pieces of work when it is told to, and goes on from there', async () => {
    // Hours later again, so that there is a second piece.
    await send(FROM_MS, ...traffic(3), served(minute(300)), served(minute(302)));
    const stop = new AbortController();
    const stopping = storeWith(store, {
      insert: async (lane, table, ...rest) => {
        await store.insert(lane, table, ...rest);
        if (table === 'windows') stop.abort();
      },
    });
    await expect(newJob(stopping).run(minute(400), stop.signal)).rejects.toThrow();
    const before = (await windows()).length;
    expect(before).toBeGreaterThan(0);
    await settle(newJob(), minute(400));
    const after = await windows();
    expect(after.length).toBeGreaterThan(before);
    expect(after.at(-1)?.start).toBe(startOf(302));
  });

  it('tells the watermark of the pool that is furthest behind; null without a pool', async () => {
    const job = newJob();
    expect((await job.run(minute(0))).watermarkMs).toBeNull();
    await send(FROM_MS, served(FROM_MS, { serviceMs: 10_000 }));
    expect((await job.run(minute(5))).watermarkMs, 'it has just spoken').toBe(FROM_MS + 10_000 - 5_000);
    expect((await job.run(minute(5) + 30_000)).watermarkMs, 'it is silent').toBe(minute(5) + 25_000);
  });
});
