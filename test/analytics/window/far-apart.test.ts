import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFairnessJob, DEFAULT_POOL_OPTIONS, DEFAULT_WATERMARK_OPTIONS } from '../../../analytics/index.ts';
import { type Store, tsvRow } from '../../../analytics/storage/index.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import { REQUEST_COLUMNS, requestCells } from '../../../ingest/event/event-row.ts';
import { declareSlots, event, type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { storeWith } from '../../support/watched-store.ts';

const MINUTE_MS = 60_000;
/** 2026-10-01T10:00:00Z, and 2016-01-01T00:00:00Z. */
const NOW_MS = 1_790_848_800_000;
const LONG_AGO_MS = 1_451_606_400_000;

describe('events far apart', () => {
  let opened: TemporaryStore;
  let store: Store;
  beforeAll(async () => {
    opened = await temporaryStore();
    store = opened.store;
  });
  afterAll(() => opened.remove());

  async function send(pool: string, requestId: string, arrivedAtMs: number, storedAtMs = NOW_MS): Promise<void> {
    const served = event({
      requestId,
      tenant: 'a',
      arrivedAtMs,
      dispatchedAtMs: arrivedAtMs,
      completedAtMs: arrivedAtMs + 5,
    });
    await store.insert('intake', 'requests', REQUEST_COLUMNS, tsvRow(requestCells({ ...served, pool }, storedAtMs)));
  }

  const jobOn = (on: Store) =>
    createFairnessJob(on, {
      windowMs: MINUTE_MS,
      poolOptions: () => DEFAULT_POOL_OPTIONS,
      watermark: DEFAULT_WATERMARK_OPTIONS,
      lateCheckEveryMs: MINUTE_MS,
    });
  const startsOf = async (pool: string) => {
    const span = { pool, windowMs: MINUTE_MS, fromMs: 0, toMs: 2 * NOW_MS };
    return (await readWindows(store, 'reads', span, false)).map(({ start }) => start);
  };

  it('make the windows that hold them, whatever lies in between', async () => {
    await declareSlots(store, 'p', 1);
    await send('p', 'today', NOW_MS);
    const job = jobOn(store);
    await job.run(NOW_MS + 2 * MINUTE_MS);
    await job.run(NOW_MS + 4 * MINUTE_MS);
    await send('p', 'old', LONG_AGO_MS, NOW_MS + 5 * MINUTE_MS);
    await job.run(NOW_MS + 6 * MINUTE_MS);
    await job.run(NOW_MS + 8 * MINUTE_MS);
    expect(await startsOf('p')).toEqual(['2016-01-01T00:00:00.000Z', '2026-10-01T10:00:00.000Z']);
  });

  it('leave other pools their figures when one cannot be computed, and the failure names it', async () => {
    await declareSlots(store, 'ails', 1);
    await declareSlots(store, 'well', 1);
    await send('ails', 'r1', NOW_MS);
    await send('well', 'r1', NOW_MS);
    const broken = storeWith(store, {
      query: (lane, query, params) =>
        query.name === 'earlier-windows' && params.pool === 'ails'
          ? Promise.reject(new Error('no such luck'))
          : store.query(lane, query, params),
    });
    const job = jobOn(broken);
    await expect(job.run(NOW_MS + 10 * MINUTE_MS).then(() => job.run(NOW_MS + 12 * MINUTE_MS))).rejects.toThrow(
      'no such luck',
    );
    await job.run(NOW_MS + 14 * MINUTE_MS).catch(() => undefined);
    expect(await startsOf('well')).toEqual(['2026-10-01T10:00:00.000Z']);
    expect(await startsOf('ails')).toEqual([]);
  });
});
