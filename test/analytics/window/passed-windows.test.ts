import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import {
  declareSlots,
  event,
  insertEvents,
  type TemporaryStore,
  temporaryStore,
} from '../../support/temporary-store.ts';

const MINUTE_MS = 60_000;
const FROM_MS = Date.UTC(2026, 9, 1, 10);
const TO_MS = FROM_MS + 5 * MINUTE_MS;

/** Dispatched at once; done after 70 s, which is known late. */
const OPEN = event({ requestId: 'open', tenant: 'b', arrivedAtMs: FROM_MS, dispatchedAtMs: FROM_MS, cost: 1 });
const DONE: DecisionEvent = { ...OPEN, completedAtMs: FROM_MS + 70_000 };
const LATER = event({
  requestId: 'x',
  tenant: 'a',
  arrivedAtMs: FROM_MS + 200_000,
  dispatchedAtMs: FROM_MS + 200_000,
  completedAtMs: FROM_MS + 201_000,
  cost: 1,
});

describe('windows that a request only seemed to reach', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
  });
  afterAll(() => opened.remove());

  async function compute(pool: string, events: readonly DecisionEvent[], computation: number) {
    await insertEvents(
      opened.store,
      events.map((each) => ({ ...each, pool })),
    );
    await computeRange(opened.store, {
      pool,
      windowMs: MINUTE_MS,
      fromMs: FROM_MS,
      toMs: TO_MS,
      watermarkMs: TO_MS,
      closedToMs: Number.POSITIVE_INFINITY,
      options: { ...DEFAULT_POOL_OPTIONS, costUnit: 'requests' },
      computation,
    });
    return readWindows(opened.store, 'reads', { pool, windowMs: MINUTE_MS, fromMs: FROM_MS, toMs: TO_MS }, true);
  }

  it('are emptied when its end becomes known, and nothing of it is counted there any more', async () => {
    await declareSlots(opened.store, 'late', 1);
    await declareSlots(opened.store, 'at once', 1);
    const before = await compute('late', [OPEN, LATER], 1);
    const served = (windows: typeof before) => windows.reduce((sum, window) => sum + (window.served_cost ?? 0), 0);
    const isReached = (windows: typeof before, minute: number) =>
      windows.some(({ start, tenants }) => start.includes(`10:0${minute}:`) && tenants.length > 0);
    expect(isReached(before, 2)).toBe(true);

    const after = await compute('late', [DONE], 2);
    const atOnce = await compute('at once', [DONE, LATER], 1);
    const figures = (windows: typeof before) =>
      windows.filter(({ tenants }) => tenants.length > 0).map((window) => ({ ...window, revision: 1 }));
    expect(figures(after)).toEqual(figures(atOnce));
    expect(isReached(after, 2)).toBe(false);
    expect(served(after)).toBe(2);
    for (const window of after) expect(window.state).toBe('final');
    const emptied = after.filter(({ tenants }) => tenants.length === 0);
    expect(emptied.map(({ requests, served_cost }) => [requests, served_cost])).not.toEqual([]);
    for (const { requests, served_cost, demand_cost } of emptied)
      expect([requests, served_cost, demand_cost]).toEqual([0, 0, 0]);
  });

  it('say nothing new when they are computed again', async () => {
    const again = await compute('late', [], 3);
    expect(again.map(({ revision }) => revision)).toEqual(
      (await compute('late', [], 4)).map(({ revision }) => revision),
    );
  });
});
