import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTotals, waitQuantiles } from '../../../analytics/rollups.ts';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import { randomLog } from '../../support/random-log.ts';
import { declareSlots, insertEvents, type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';

const SEEDS = [3, 7, 11, 22, 108];

describe('the wait histograms of computed windows', () => {
  let opened: TemporaryStore;
  beforeAll(async () => {
    opened = await temporaryStore();
  });
  afterAll(() => opened.remove());

  it(`count every sample of every tenant and window, and name its quantiles within 1% (seeds ${SEEDS.join(', ')})`, async () => {
    let samples = 0;
    for (const seed of SEEDS) {
      const { events, options } = randomLog(seed);
      const pool = `log-${seed}`;
      await declareSlots(opened.store, pool, options.slots ?? 2);
      await insertEvents(
        opened.store,
        events.map((each) => ({ ...each, pool })),
      );
      const range = { pool, windowMs: options.windowMs, fromMs: options.fromMs, toMs: options.toMs };
      for (const computation of [1, 2]) await compute(pool, options, computation);
      for (const window of await readWindows(opened.store, 'reads', range, true)) {
        const startMs = Date.parse(window.start);
        const span = { fromMs: startMs, toMs: startMs + 1 };
        const totals = await readTotals(opened.store, 'reads', { ...range, tenant: null, ...span });
        expect(totals.tenants.map(({ tenant }) => tenant)).toEqual(window.tenants.map(({ tenant }) => tenant));
        const shown = [
          ...totals.pool.map((each) => [each, window.wait_ms] as const),
          ...totals.tenants.map((each, index) => [each, window.tenants[index]?.wait_ms] as const),
        ];
        for (const [found, wait] of shown) {
          const quantiles = waitQuantiles(found);
          expect(quantiles.samples, `seed ${seed}, ${window.start}`).toBe(wait?.samples);
          for (const name of ['p50', 'p95', 'p99'] as const) {
            const exact = wait?.[name] ?? 0;
            expect(Math.abs((quantiles[name] ?? 0) - exact)).toBeLessThanOrEqual(0.01 * exact);
          }
          samples += quantiles.samples;
        }
      }
    }
    expect(samples).toBeGreaterThan(1_000);
  });

  /** Computes a log's windows, with their histograms. */
  async function compute(pool: string, options: ReturnType<typeof randomLog>['options'], computation: number) {
    const range = { pool, windowMs: options.windowMs, fromMs: options.fromMs, toMs: options.toMs };
    await computeRange(opened.store, {
      ...range,
      watermarkMs: options.watermarkMs,
      closedToMs: Number.POSITIVE_INFINITY,
      options: { ...DEFAULT_POOL_OPTIONS, costUnit: options.costUnit, maxRequestAgeMs: options.maxRequestAgeMs },
      computation,
    });
  }
});
