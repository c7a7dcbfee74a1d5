import { POOL_SPANS, type PoolSpan } from '../queries/pool-state.ts';
import type { Lane, Store } from '../storage/index.ts';

/** Every pool that holds requests, by name, with the span of their arrivals and ends. */
export function readPoolSpans(store: Store, lane: Lane): Promise<PoolSpan[]> {
  return store.query(lane, POOL_SPANS, {});
}
