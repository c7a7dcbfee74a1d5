import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainAt } from '../../../analytics/explain/explain-at.ts';
import type { Explanation } from '../../../analytics/explain/explanation.ts';
import { createStoreReader } from '../../../analytics/store-reader.ts';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { declareWeights } from '../../../analytics/window/declare-pool.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { describeExplanation } from '../../../cli/commands/explain-text.ts';
import {
  declareSlots,
  event,
  insertEvents,
  type TemporaryStore,
  temporaryStore,
} from '../../support/temporary-store.ts';

const START_MS = Date.parse('2026-10-01T10:00:00Z');
const WINDOW_MS = 60_000;
const SECOND_MS = 1_000;
const OPTIONS = { ...DEFAULT_POOL_OPTIONS, costUnit: 'service_ms' as const };

/** One slot, requests of a second that all come at once, served in the order in which they came. */
const QUEUE = [
  ['acme-1', 30],
  ['acme-2', 30],
  ['beta', 60],
] as const;

describe('a queue of one slot, served first come first served', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
    for (const [pool, weights] of [
      ['equal', []],
      [
        'weighted',
        [
          ['acme-1', 1],
          ['acme-2', 2],
          ['beta', 5],
        ],
      ],
    ] as const) {
      await declareSlots(opened.store, pool, 1);
      await declareWeights(
        opened.store,
        pool,
        weights.map(([tenant, weight]) => ({ tenant, weight, group: null })) as never,
        0,
      );
      const tenants = QUEUE.flatMap(([tenant, count]) => Array.from({ length: count }, () => tenant));
      await insertEvents(
        opened.store,
        tenants.map((tenant, place) =>
          event({
            pool,
            requestId: `r${place}`,
            tenant,
            arrivedAtMs: START_MS,
            dispatchedAtMs: START_MS + place * SECOND_MS,
            completedAtMs: START_MS + (place + 1) * SECOND_MS,
          }),
        ),
      );
      const toMs = START_MS + 3 * WINDOW_MS;
      await computeRange(opened.store, {
        pool,
        windowMs: WINDOW_MS,
        fromMs: START_MS,
        toMs,
        watermarkMs: toMs,
        closedToMs: Number.POSITIVE_INFINITY,
        options: OPTIONS,
        computation: 1,
      });
    }
  });
  afterAll(() => opened.remove());

  async function explain(pool: string, atMs: number): Promise<Explanation> {
    const options = { windowMs: WINDOW_MS, poolOptions: () => OPTIONS };
    const reader = createStoreReader(opened.store, options);
    const answer = await explainAt(reader, { pool, atMs, windowMs: WINDOW_MS, tenant: null });
    if (answer.kind !== 'explained') throw new Error(answer.kind);
    return answer.explanation;
  }

  test('dump', async () => {
    for (const pool of ['equal', 'weighted'])
      for (const at of [0, 60_000]) {
        const e = await explain(pool, START_MS + at);
        console.log(describeExplanation(e));
        const w = await createStoreReader(opened.store, { windowMs: WINDOW_MS, poolOptions: () => OPTIONS }).windows({
          pool,
          windowMs: WINDOW_MS,
          fromMs: START_MS + at,
          toMs: START_MS + at + 1,
          withTenants: true,
        });
        console.log(
          JSON.stringify(
            w.windows[0]?.tenants.map((t) => ({
              t: t.tenant,
              s: t.served_cost,
              lag: t.lag_cost,
              fair: t.fair_share_cost,
              f: t.fluid,
            })),
          ),
          JSON.stringify(w.windows[0]?.causes),
        );
      }
    expect(1).toBe(1);
  });
});
