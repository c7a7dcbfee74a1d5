import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { existingRequests } from '../../../ingest/batch/existing-requests.ts';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { insertEvents, type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { storeWith } from '../../support/watched-store.ts';
import { NOW_MS, request } from './submissions.ts';

const GOLDEN = join(import.meta.dirname, 'golden');
const goldenFiles = readdirSync(GOLDEN);

const STORED = [
  request('r1', { cost: 0.1, promoted: true, labels: '{"a":"\\t"}', tenantProvenance: 'derived' }),
  request('r2', { outcome: 'rejected', reason: 'quota', retryAfterMs: 250.5 }),
  request('r1', { pool: 'q', attempt: 2, status: 'timeout', inputTokens: 7 }),
  request("'; DROP TABLE requests; --", { tenant: "a','b", gateway: '\\' }),
  request('r3', { arrivedAtMs: NOW_MS - 120_000 }),
];

describe('what the store holds of the requests of a batch', () => {
  let opened: TemporaryStore;
  const statements = new Map<string, string>();
  beforeAll(async () => {
    opened = await temporaryStore();
    await insertEvents(opened.store, STORED);
  });
  afterAll(() => opened.remove());

  /** Looked up through a store that notes the statements. */
  async function find(...events: readonly DecisionEvent[]): Promise<DecisionEvent[]> {
    const noting = storeWith(opened.store, {
      query: (lane, query, params) => {
        statements.set(query.name, query.sql);
        return opened.store.query(lane, query, params);
      },
    });
    const found = await existingRequests(noting, events);
    return [...found].sort((a, b) => (a.requestId + a.pool < b.requestId + b.pool ? -1 : 1));
  }

  it('comes back as it was stored, with every field', async () => {
    const byId = [...STORED].sort((a, b) => (a.requestId + a.pool < b.requestId + b.pool ? -1 : 1));
    expect(await find(...STORED)).toEqual(byId);
  });

  it('is nothing for ids, pools and minutes that are not there, whatever is in their names', async () => {
    expect(await find(request('r9'))).toEqual([]);
    expect(await find(request('r1', { pool: "p' OR 1=1 --" }))).toEqual([]);
    expect(await find(request('r3')), 'stored in another minute').toEqual([]);
    for (const name of ["x'; DROP TABLE requests; --", "r1','r2", '\\', "r1' OR '1'='1", '%', '']) {
      expect(await find(request(name)), name).toEqual([]);
      expect(await find(request('r1', { pool: name })), name).toEqual([]);
    }
    expect(await find(...STORED)).toHaveLength(STORED.length);
  });

  it('is asked for by statements that were agreed on', async () => {
    await find(...STORED);
    const names = [...statements.keys()].sort();
    for (const name of names) {
      await expect(`${statements.get(name)}\n`).toMatchFileSnapshot(join(GOLDEN, `${name}.sql`));
    }
    expect(goldenFiles.sort(), 'written by this run; look at it and run again').toEqual(
      names.map((name) => `${name}.sql`),
    );
  });
});
