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

const WEIGHTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  equal: {},
  weighted: { 'acme-1': 1, 'acme-2': 2, beta: 5 },
};

describe('a queue of one slot, served first come first served', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
    for (const [pool, weights] of Object.entries(WEIGHTS)) {
      await declareSlots(opened.store, pool, 1);
      await declareWeights(opened.store, pool, weights, 0);
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

  async function explain(pool: string): Promise<Explanation> {
    const options = { windowMs: WINDOW_MS, poolOptions: () => OPTIONS };
    const reader = createStoreReader(opened.store, options);
    const answer = await explainAt(reader, {
      pool,
      atMs: START_MS + 30 * SECOND_MS,
      windowMs: WINDOW_MS,
      tenant: null,
    });
    if (answer.kind !== 'explained') throw new Error(answer.kind);
    return answer.explanation;
  }

  const causesOf = ({ ledger }: Explanation): unknown =>
    ledger?.entries.map(({ cause, tenant, cost, percent }) => [percent, cause, tenant, Math.round(cost)]);

  test('is put down to those in front, to none more than it got beyond its share, and no capacity is lost', async () => {
    const explanation = await explain('equal');
    expect(causesOf(explanation)).toEqual([
      [68, 'over_served', 'acme-1', 20_000],
      [32, 'over_served', 'acme-2', 9_333],
    ]);
    expect(explanation.summary[1]).toBe(
      'acme-1 was served 20,000 beyond its share, which is 68% of the shortfall; acme-2, at times short itself, was at others served 10,000 beyond its share, which is 32%.',
    );
    const own = explanation.ledger?.tenants.find(({ tenant }) => tenant === 'acme-2');
    expect(own?.entries.map(({ tenant, percent }) => [tenant, percent])).toEqual([['acme-1', 100]]);
  });

  test('leaves to nobody what the excesses do not cover', async () => {
    const explanation = await explain('weighted');
    expect(causesOf(explanation)).toEqual([
      [59, 'over_served', 'acme-1', 26_250],
      [34, 'over_served', 'acme-2', 15_000],
      [7, 'none', null, 2_875],
    ]);
    expect(explanation.summary[1]).toContain('; 7% cannot be put down to anybody: ');
    for (const { excess_cost: excess, attributed_cost: attributed } of explanation.tenants) {
      expect(attributed).toBeLessThanOrEqual((excess ?? 0) * (1 + 1e-9));
    }
    expect(describeExplanation(explanation)).toContain('53% acme-1, 41% acme-2, 6% nobody');
  });
});
