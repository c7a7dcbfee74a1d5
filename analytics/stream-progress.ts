import { STREAM_PROGRESS, type StreamProgressRow } from './queries/stream-progress.ts';
import type { Store } from './storage/index.ts';

/** Per partition of each topic: the offsets that are stored, and what their messages became. Of the last 30 days. */
export function readStreamProgress(store: Store): Promise<StreamProgressRow[]> {
  return store.query('reads', STREAM_PROGRESS, {});
}
