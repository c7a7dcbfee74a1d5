import { countDeadLetters } from './dead-letters.ts';
import type { FairnessReader, PoolSummary, WindowsQuery } from './fairness-reader.ts';
import { readPolicyAt } from './policies.ts';
import { LATEST_WINDOWS, POOL_SPANS } from './queries/pool-state.ts';
import { STORED_WINDOWS } from './queries/stored-windows.ts';
import type { Store } from './storage/index.ts';
import type { PoolOptions } from './window/pool-model.ts';
import { readWindows } from './window/read-windows.ts';
import { readTenantSeries } from './window/tenant-series.ts';
import type { PoolWindows, Quality } from './window/window-result.ts';

export interface StoreReaderOptions {
  readonly windowMs: number;
  readonly poolOptions: (pool: string) => PoolOptions;
}

/** The read door over a store: what was computed, never computed anew. */
export function createStoreReader(store: Store, options: StoreReaderOptions): FairnessReader {
  const { windowMs } = options;

  const summarize = async (
    span: { readonly pool: string; readonly lastArrivalMs: number },
    latestMs: number | undefined,
  ): Promise<PoolSummary> => {
    const [stored] =
      latestMs === undefined
        ? []
        : await store.query('reads', STORED_WINDOWS, {
            pool: span.pool,
            window_ms: windowMs,
            from_ms: latestMs,
            to_ms: latestMs + 1,
          });
    const { tenants: _, ...latest } = stored?.window ?? { tenants: [] };
    return {
      pool: span.pool,
      cost_unit: options.poolOptions(span.pool).costUnit,
      latest: 'start' in latest ? latest : null,
      newest_arrival_ms: span.lastArrivalMs,
      computed_to_ms: latestMs === undefined ? null : latestMs + windowMs,
    };
  };

  return {
    async pools() {
      const spans = await store.query('reads', POOL_SPANS, {});
      const latest = new Map(
        (await store.query('reads', LATEST_WINDOWS, { window_ms: windowMs })).map((row) => [row.pool, row.startMs]),
      );
      return Promise.all(spans.map((span) => summarize(span, latest.get(span.pool))));
    },

    async windows(query: WindowsQuery): Promise<PoolWindows> {
      const params = { pool: query.pool, window_ms: query.windowMs, from_ms: query.fromMs, to_ms: query.toMs };
      const stored = await store.query('reads', STORED_WINDOWS, params);
      const windows = query.withTenants
        ? await readWindows(store, 'reads', query, true)
        : stored.map((row) => row.window);
      const quality: Quality = {
        accepted: stored.reduce((total, row) => total + row.attempts, 0),
        duplicate: null,
        duplicate_reason: 'counted_at_intake',
        conflict: stored.reduce((total, row) => total + row.window.conflicts, 0),
        skewed: stored.reduce((total, row) => total + row.window.skewed, 0),
        late: 0,
        rejected: await deadLetters(query.fromMs, query.toMs),
      };
      return { pool: query.pool, windows, quality };
    },

    async groupWeights(pool, atMs) {
      return (await readPolicyAt(store, pool, atMs))?.terms.groups ?? new Map();
    },

    async tenantSeries(query) {
      return { pool: query.pool, windows: await readTenantSeries(store, 'reads', query) };
    },

    deadLetters: (sinceMs) => deadLetters(sinceMs, Number.MAX_SAFE_INTEGER),
  };

  async function deadLetters(fromMs: number, toMs: number): Promise<Record<string, number>> {
    const rows = await countDeadLetters(store, { fromMs, toMs });
    return Object.fromEntries(rows.map((row) => [row.code, row.count]));
  }
}
