import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openClickHouse, type Store, tsvRow } from '../../analytics/storage/index.ts';
import type { DecisionEvent } from '../../ingest/event/decision-event.ts';
import { REQUEST_COLUMNS, requestCells } from '../../ingest/event/event-row.ts';

export interface TemporaryStore {
  readonly store: Store;
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** A migrated store on the real embedded engine, in a folder of its own. One per test file: the engine binds one folder a process. */
export async function temporaryStore(): Promise<TemporaryStore> {
  const path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
  const store = await openClickHouse({ kind: 'embedded', path });
  await migrate(store, { dryRun: false });
  return {
    store,
    path,
    remove: async () => {
      await store.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** An event with everything absent but what is given. */
export function event(
  given: Partial<DecisionEvent> & Pick<DecisionEvent, 'requestId' | 'tenant' | 'arrivedAtMs'>,
): DecisionEvent {
  return {
    pool: 'p',
    attempt: 1,
    class: null,
    outcome: null,
    reason: null,
    dispatchedAtMs: null,
    completedAtMs: null,
    status: null,
    costEstimate: null,
    cost: null,
    inputTokens: null,
    outputTokens: null,
    slots: null,
    originalRequestId: null,
    retryAfterMs: null,
    promoted: null,
    weight: null,
    queueDepth: null,
    waitBudgetMs: null,
    gateway: null,
    labels: null,
    tenantProvenance: null,
    waitProvenance: null,
    ...given,
  };
}

export async function insertEvents(store: Store, events: readonly DecisionEvent[]): Promise<void> {
  await store.insert('intake', 'requests', REQUEST_COLUMNS, events.map((one) => tsvRow(requestCells(one, 0))).join(''));
}

export async function declareSlots(store: Store, pool: string, slots: number, atMs = 0): Promise<void> {
  await store.insert(
    'intake',
    'pool_capacity',
    ['pool', 'at_ms', 'source', 'slots', 'capacity_per_s', 'stored_at_ms'],
    tsvRow([pool, atMs, 'test', slots, null, 0]),
  );
}
