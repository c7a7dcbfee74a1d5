import { rm } from 'node:fs/promises';
import { migrate, openClickHouse, readMigrations, type Store } from '../../../analytics/storage/index.ts';
import {
  createBatchWriter,
  DEFAULT_MAX_BATCH_EVENTS,
  DEFAULT_MAX_PENDING_EVENTS,
  findAdapter,
  loadFile,
} from '../../../ingest/index.ts';
import { type ProcessFigures, watchProcess } from '../process-figures.ts';
import { POOL } from './generate-requests.ts';
import { countRequests } from './store-figures.ts';

export interface LoadInput {
  readonly file: string;
  /** Folder for the store, made and removed here. */
  readonly storePath: string;
}

export interface LoadFigures extends ProcessFigures {
  readonly requests: number;
  readonly parts: number;
  readonly elapsedMs: number;
}

/** The migrations of the sources: the benchmark runs in the package's folder. */
export async function openMigrated(path: string): Promise<Store> {
  const store = await openClickHouse({ kind: 'embedded', path });
  await migrate(store, { dryRun: false, migrations: await readMigrations('analytics/schema') });
  return store;
}

async function measureLoad(input: LoadInput, load: (store: Store) => Promise<void>): Promise<LoadFigures> {
  const store = await openMigrated(input.storePath);
  try {
    const figures = watchProcess();
    const startMs = performance.now();
    await load(store);
    const elapsedMs = performance.now() - startMs;
    return { elapsedMs, ...figures(), ...(await countRequests(store)) };
  } finally {
    await store.close();
    await rm(input.storePath, { recursive: true, force: true });
  }
}

/** The file as a user loads it. */
export function loadByEvenshare(input: LoadInput): Promise<LoadFigures> {
  return measureLoad(input, async (store) => {
    const writer = createBatchWriter(store, {
      nowMs: Date.now,
      maxPendingEvents: DEFAULT_MAX_PENDING_EVENTS,
      maxBatchEvents: DEFAULT_MAX_BATCH_EVENTS,
    });
    await loadFile({
      path: input.file,
      stdin: null,
      adapter: findAdapter('evenshare'),
      adapterOptions: { defaultPool: POOL, tenant: null, options: {}, mapping: null },
      writer,
      nowMs: Date.now,
    });
  });
}

const WIRE_COLUMNS = `request_id String, pool String, tenant String, arrived_at String, outcome Nullable(String),
    reason Nullable(String), cost_estimate Nullable(Float64), dispatched_at Nullable(String),
    completed_at Nullable(String), status Nullable(String), input_tokens Nullable(UInt64), output_tokens Nullable(UInt64)`;

/** Null where the event names no such time. */
const inMs = (column: string): string => `toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(${column}, 3, 'UTC'))`;

/** The same file into the same table by the engine's own reader, which checks nothing but the types. */
export function loadByEngine(input: LoadInput): Promise<LoadFigures> {
  return measureLoad(input, async (store) => {
    await store.command(
      'intake',
      `INSERT INTO requests (pool, tenant, request_id, attempt, arrived_at_ms, outcome, reason, dispatched_at_ms,
    completed_at_ms, cost_estimate, input_tokens, output_tokens, status, stored_at_ms)
SELECT pool, tenant, request_id, 1, assumeNotNull(${inMs('arrived_at')}), outcome, reason, ${inMs('dispatched_at')},
    ${inMs('completed_at')}, cost_estimate, input_tokens, output_tokens, status, toUnixTimestamp64Milli(now64(3))
FROM file({file:String}, 'JSONEachRow', {columns:String})
SETTINGS input_format_skip_unknown_fields = 1, async_insert = 0`,
      { file: input.file, columns: WIRE_COLUMNS },
    );
  });
}
