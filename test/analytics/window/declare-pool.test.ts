import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { declareCapacity, declareWeights } from '../../../analytics/index.ts';
import { POOL_CAPACITY, TENANT_WEIGHTS } from '../../../analytics/queries/pool-state.ts';
import { capacityInWindow } from '../../../analytics/window/pool-model.ts';
import { declareSlots, type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';

const NOW_MS = 1_790_848_800_000;

describe('what the configuration says of a pool', () => {
  let opened: TemporaryStore;
  let pool: string;
  let pools = 0;
  beforeAll(async () => {
    opened = await temporaryStore();
  });
  afterAll(() => opened.remove());
  beforeEach(() => {
    pool = `pool-${++pools}`;
  });

  const capacity = (slots: number | null, capacityPerS: number | null, nowMs: number): Promise<void> =>
    declareCapacity(opened.store, pool, { slots, capacityPerS }, nowMs);
  const entries = () => opened.store.query('reads', POOL_CAPACITY, { pool });
  const weights = async (): Promise<Record<string, [number, number][]>> => {
    const found: Record<string, [number, number][]> = {};
    for (const { tenant, atMs, weight } of await opened.store.query('reads', TENANT_WEIGHTS, { pool })) {
      found[tenant] = [...(found[tenant] ?? []), [atMs, weight]];
    }
    return found;
  };

  it('holds from the beginning of time at first, later changes from when they were made', async () => {
    await capacity(4, null, NOW_MS);
    await capacity(8, null, NOW_MS + 50);
    expect(await entries()).toEqual([
      { atMs: 0, slots: 4, capacityPerS: null },
      { atMs: NOW_MS + 50, slots: 8, capacityPerS: null },
    ]);
    expect(capacityInWindow(await entries(), NOW_MS, NOW_MS + 100).slots, 'half of each').toBe(6);
  });

  it('is not noted again while it stays, over any number of starts', async () => {
    for (let start = 0; start < 3; start++) {
      await capacity(4, 2.5, NOW_MS + start);
      await declareWeights(opened.store, pool, { a: 2 }, NOW_MS + start);
    }
    expect(await entries()).toEqual([{ atMs: 0, slots: 4, capacityPerS: 2.5 }]);
    expect(await weights()).toEqual({ a: [[0, 2]] });
  });

  it('says nothing where nothing is configured', async () => {
    await capacity(null, null, NOW_MS);
    await declareWeights(opened.store, pool, {}, NOW_MS);
    expect([await entries(), await weights()]).toEqual([[], {}]);
  });

  it('is compared with what was configured last, not with what the pool announced of itself', async () => {
    await capacity(4, null, NOW_MS);
    await declareSlots(opened.store, pool, 6, NOW_MS + 10);
    await capacity(4, null, NOW_MS + 20);
    expect((await entries()).map((entry) => entry.slots)).toEqual([4, 6]);
  });

  it('goes there and back', async () => {
    for (const [index, slots] of [4, 8, 4].entries()) await capacity(slots, null, NOW_MS + index);
    expect((await entries()).map((entry) => entry.slots)).toEqual([4, 8, 4]);
  });

  it('gives a tenant that is no longer named weight 1 from then on, and a new one its own from the beginning', async () => {
    await declareWeights(opened.store, pool, { a: 2, "b','c": 3 }, NOW_MS);
    await declareWeights(opened.store, pool, { a: 2, d: 0 }, NOW_MS + 1);
    await declareWeights(opened.store, pool, { a: 2, d: 0 }, NOW_MS + 2);
    expect(await weights()).toEqual({
      a: [[0, 2]],
      "b','c": [
        [0, 3],
        [NOW_MS + 1, 1],
      ],
      d: [[0, 0]],
    });
  });
});
