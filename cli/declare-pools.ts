import { declareCapacity, declareWeights, type Store } from '../analytics/index.ts';
import type { Config } from './load-config.ts';

/** Notes in the store what the configuration says of pools where it is new; see `declareCapacity`. */
export async function declarePools(store: Store, config: Config, nowMs: number): Promise<void> {
  for (const [pool, settings] of Object.entries(config.pools)) {
    const merged = { ...config.poolDefaults, ...settings };
    await declareCapacity(
      store,
      pool,
      { slots: merged.slots ?? null, capacityPerS: merged.capacity_per_s ?? null },
      nowMs,
    );
    await declareWeights(store, pool, merged.weights ?? {}, nowMs);
  }
}
