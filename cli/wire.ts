import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyRetention, migrate, openClickHouse, type Store } from '../analytics/storage/index.ts';
import {
  type BatchWatch,
  type BatchWriter,
  createBatchWriter,
  DEFAULT_GATHER_LIMITS,
  DEFAULT_MAX_BATCH_EVENTS,
  DEFAULT_MAX_PENDING_EVENTS,
} from '../ingest/index.ts';
import type { CliContext } from './context.ts';
import { declarePools } from './declare-pools.ts';
import type { Config } from './load-config.ts';

/**
 * Opens the configured store, brings its tables to this version, and notes what the configuration says of pools, with
 * the time from which it holds.
 */
export async function openStore(config: Config, context: CliContext): Promise<Store> {
  const store = await openClickHouse(config.store);
  try {
    await migrate(store, { dryRun: false });
    await applyRetention(store, config.retention);
    await declarePools(store, config, context.clock.nowMs());
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A store in a folder of its own that goes away with the command: nothing to set up, nothing left behind. */
export async function withTemporaryStore<Result>(use: (store: Store) => Promise<Result>): Promise<Result> {
  const path = await mkdtemp(join(tmpdir(), 'evenshare-'));
  try {
    const store = await openClickHouse({ kind: 'embedded', path });
    try {
      await migrate(store, { dryRun: false });
      return await use(store);
    } finally {
      await store.close();
    }
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** `watch` is told of batches and failures, where somebody counts them. */
export function openWriter(store: Store, context: CliContext, watch?: BatchWatch): BatchWriter {
  return createBatchWriter(store, {
    nowMs: context.clock.nowMs,
    maxPendingEvents: DEFAULT_MAX_PENDING_EVENTS,
    maxBatchEvents: DEFAULT_MAX_BATCH_EVENTS,
    gather: { ...DEFAULT_GATHER_LIMITS, sleep: context.clock.sleep },
    ...(watch === undefined ? {} : { watch }),
  });
}
