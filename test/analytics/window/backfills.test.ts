import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { analyzeRange, createBackfillRunner, createBackfills, DEFAULT_POOL_OPTIONS } from '../../../analytics/index.ts';
import type { Store } from '../../../analytics/storage/index.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import { rollUp } from '../../../analytics/window/roll-up.ts';
import { createTurns } from '../../../cli/roles/turns.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import {
  declareSlots,
  event,
  insertEvents,
  type TemporaryStore,
  temporaryStore,
} from '../../support/temporary-store.ts';
import { storeWith } from '../../support/watched-store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** 2026-09-30T20:00:00Z: the range goes over the end of a day and of a month. */
const FROM_MS = 1_790_798_400_000;
const HOURS = 10;
const TO_MS = FROM_MS + HOURS * HOUR_MS;
const NOW_MS = TO_MS + 5 * HOUR_MS;
/** At most 240 windows a chunk. */
const CHUNKS = 3;

let opened: TemporaryStore;
let store: Store;
let nowMs: number;
beforeAll(async () => {
  opened = await temporaryStore();
  store = opened.store;
  for (const pool of ['p', 'q']) {
    await declareSlots(store, pool, 1);
    const events = Array.from({ length: HOURS * 12 }, (_, index) => {
      const arrivedAtMs = FROM_MS + index * 5 * MINUTE_MS;
      return event({
        pool,
        requestId: `r${index}`,
        tenant: index % 3 === 0 ? 'a' : 'b',
        arrivedAtMs,
        dispatchedAtMs: arrivedAtMs + 10_000,
        completedAtMs: arrivedAtMs + 4 * MINUTE_MS,
      });
    });
    await insertEvents(store, events);
  }
});
afterAll(() => opened.remove());

const TABLES = ['windows', 'tenant_windows', 'tenant_rollups', 'pool_rollups', 'backfill_progress', 'window_revisions'];
beforeEach(async () => {
  nowMs = NOW_MS;
  for (const table of TABLES) await store.command('intake', `TRUNCATE TABLE ${table}`);
});

const backfills = (on: Store = store) => createBackfills(on, { windowMs: MINUTE_MS, nowMs: () => nowMs++ });
const figures = (pool: string) =>
  readWindows(store, 'reads', { pool, windowMs: MINUTE_MS, fromMs: FROM_MS, toMs: TO_MS + HOUR_MS }, true);

interface Told {
  readonly done: string[];
  readonly failed: string[];
}

function newRunner(told: Told, { on = store, turns = createTurns() } = {}) {
  return createBackfillRunner(on, {
    windowMs: MINUTE_MS,
    poolOptions: () => DEFAULT_POOL_OPTIONS,
    nowMs: () => nowMs++,
    watermarkMs: () => NOW_MS,
    inTurn: turns.take,
    onDone: (pool) => told.done.push(pool),
    onFailure: (pool, error, willRetry) =>
      told.failed.push(`${pool}: ${error instanceof Error ? error.message : error}${willRetry ? ' (again)' : ''}`),
  });
}

async function byHand(pool: string): Promise<void> {
  await analyzeRange(store, {
    pool,
    windowMs: MINUTE_MS,
    options: DEFAULT_POOL_OPTIONS,
    fromMs: FROM_MS,
    toMs: TO_MS,
    watermarkMs: NOW_MS,
    closedToMs: NOW_MS,
    computation: 1,
  });
}

/** The store while the computation of a pool fails. */
function failing(pool: string, error: () => Error | null): Store {
  return storeWith(store, {
    query: async (lane, query, params) => {
      const failure = query.name === 'requests-per-minute' && params.pool === pool ? error() : null;
      if (failure !== null) throw failure;
      return store.query(lane, query, params);
    },
  });
}

describe('a backfill that the jobs were asked for', () => {
  it('says what a computation by hand says, with every hour, day and month added up', async () => {
    await byHand('p');
    const expected = await figures('p');
    expect(expected.length).toBe(HOURS * 48);
    for (const table of TABLES) await store.command('intake', `TRUNCATE TABLE ${table}`);
    const asked = await backfills().ask({ pool: 'p', fromMs: null, toMs: null });
    expect(asked).toMatchObject({ kind: 'asked', backfills: [{ pool: 'p', state: 'waiting', done_ratio: 0 }] });
    const told: Told = { done: [], failed: [] };
    await newRunner(told).run(new AbortController().signal);
    expect(told).toEqual({ done: ['p'], failed: [] });
    expect(await figures('p')).toEqual(expected);
    expect(await backfills().list()).toMatchObject([
      { pool: 'p', state: 'done', done_ratio: 1, windows: expected.length, written: expected.length, failure: null },
    ]);
    const range = { pool: 'p', windowMs: MINUTE_MS, fromMs: FROM_MS, toMs: TO_MS, closedToMs: NOW_MS };
    expect(await rollUp(store, range), 'nothing is left').toEqual({ hours: 0, days: 0, months: 0 });
  });

  it('lets the minute job in between any two chunks', async () => {
    await backfills().ask({ pool: 'p', fromMs: null, toMs: null });
    const turns = createTurns();
    const order: string[] = [];
    const minute = async (): Promise<void> => void order.push('minute');
    // A run becomes due during every chunk.
    const watched = storeWith(store, {
      insert: async (lane, table, ...rest) => {
        if (table === 'windows') {
          order.push('chunk');
          void turns.take(minute);
        }
        await store.insert(lane, table, ...rest);
      },
    });
    await newRunner({ done: [], failed: [] }, { on: watched, turns }).run(new AbortController().signal);
    expect(order).toEqual(Array.from({ length: CHUNKS }, () => ['chunk', 'minute']).flat());
  });

  it('cut off after a chunk, goes on from there in another process, and counts the whole', async () => {
    await byHand('p');
    const expected = await figures('p');
    for (const table of TABLES) await store.command('intake', `TRUNCATE TABLE ${table}`);
    await backfills().ask({ pool: 'p', fromMs: null, toMs: null });
    const stop = new AbortController();
    const told: Told = { done: [], failed: [] };
    let notes = 0;
    const stopping = storeWith(store, {
      insert: async (lane, table, ...rest) => {
        await store.insert(lane, table, ...rest);
        // The first says that it has begun.
        if (table === 'backfill_progress' && ++notes === 2) stop.abort();
      },
    });
    await newRunner(told, { on: stopping }).run(stop.signal);
    expect(told).toEqual({ done: [], failed: [] });
    expect(await backfills().list()).toMatchObject([
      {
        state: 'running',
        from: new Date(FROM_MS).toISOString(),
        done_to: new Date(FROM_MS + 4 * HOUR_MS).toISOString(),
      },
    ]);
    await newRunner(told).run(new AbortController().signal);
    expect(told.done).toEqual(['p']);
    expect(await backfills().list()).toMatchObject([{ state: 'done', windows: expected.length }]);
    expect(await figures('p')).toEqual(expected);
  });

  it('that fails says why, once, and leaves the others alone; asked for again it begins anew', async () => {
    await backfills().ask({ pool: null, fromMs: null, toMs: null });
    let failure: Error | null = new EvenshareError('EVS_STORE_FULL', 'the disk is full');
    const told: Told = { done: [], failed: [] };
    const runner = newRunner(told, { on: failing('p', () => failure) });
    await runner.run(new AbortController().signal);
    nowMs += HOUR_MS;
    await runner.run(new AbortController().signal);
    expect(told).toEqual({ done: ['q'], failed: ['p: the disk is full'] });
    expect(await backfills().list()).toMatchObject([
      { pool: 'p', state: 'failed', failure: 'the disk is full' },
      { pool: 'q', state: 'done' },
    ]);
    failure = null;
    await backfills().ask({ pool: 'p', fromMs: null, toMs: null });
    await runner.run(new AbortController().signal);
    expect(told.done).toEqual(['q', 'p']);
  });

  it('that the store was away for is tried again every minute, told once', async () => {
    await backfills().ask({ pool: 'p', fromMs: null, toMs: null });
    let failure: Error | null = new EvenshareError('EVS_STORE_UNREACHABLE', 'away', { retryable: true });
    let tries = 0;
    const told: Told = { done: [], failed: [] };
    const away = failing('p', () => {
      tries++;
      return failure;
    });
    const runner = newRunner(told, { on: away });
    for (let second = 0; second < 180; second += 2) {
      await runner.run(new AbortController().signal);
      nowMs += 2_000;
    }
    expect(tries).toBe(3);
    expect(told).toEqual({ done: [], failed: ['p: away (again)'] });
    failure = null;
    nowMs += MINUTE_MS;
    await runner.run(new AbortController().signal);
    expect(told).toEqual({ done: ['p'], failed: ['p: away (again)'] });
  });
});

describe('asking', () => {
  it('again for the same joins what is under way; another range has to wait', async () => {
    const ask = { pool: 'p', fromMs: FROM_MS + 90_000, toMs: FROM_MS + 3 * HOUR_MS - 1 };
    const first = await backfills().ask(ask);
    const span = {
      from: new Date(FROM_MS + MINUTE_MS).toISOString(),
      to: new Date(FROM_MS + 3 * HOUR_MS).toISOString(),
    };
    expect(first, 'aligned to windows').toMatchObject({ kind: 'asked', backfills: [span] });
    expect(await backfills().ask(ask)).toEqual(first);
    expect(await backfills().ask({ ...ask, toMs: null })).toEqual(first);
    expect(await backfills().ask({ ...ask, fromMs: null })).toMatchObject({ kind: 'busy', backfill: { pool: 'p' } });
    expect(await backfills().ask({ ...ask, pool: null }), 'q is not asked for then').toMatchObject({ kind: 'asked' });
  });

  it('leaves windows that are not closed to the minute job', async () => {
    const lastEndMs = TO_MS - MINUTE_MS;
    nowMs = lastEndMs + 1_000;
    const answer = await backfills().ask({ pool: 'p', fromMs: null, toMs: null });
    const to = new Date(lastEndMs - MINUTE_MS).toISOString();
    expect(answer).toMatchObject({ kind: 'asked', backfills: [{ to }] });
  });

  it('for what is not there says so', async () => {
    expect(await backfills().ask({ pool: 'z', fromMs: null, toMs: null })).toEqual({
      kind: 'no_pool',
      known: ['p', 'q'],
    });
    expect(await backfills().ask({ pool: 'p', fromMs: TO_MS + HOUR_MS, toMs: null })).toEqual({ kind: 'no_window' });
    expect(await backfills().list()).toEqual([]);
  });
});
