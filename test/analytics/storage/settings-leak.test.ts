import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectionOption } from '../../../analytics/storage/chdb-connection.ts';
import { defineQuery, type Parameters, tsvRow } from '../../../analytics/storage/index.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';

const TABLE = (name: string): string =>
  `CREATE TABLE ${name} (n UInt8) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 1000`;
const COUNT = (name: string) =>
  defineQuery<Parameters, number>({
    name: 'count',
    sql: `SELECT count() AS n FROM ${name}`,
    decode: (row) => Number(row.n),
  });

/** That the store does not leak is in the conformance suite; here is what it is kept from. */
describe('settings that are handed to the client of the embedded engine', () => {
  let opened: TemporaryStore;
  let client: ClickHouseClient;
  beforeAll(async () => {
    opened = await temporaryStore();
    // Seam: as in chdb-connection.ts.
    client = createClient({ connection: createChdbConnection({ path: opened.path }) as unknown as ConnectionOption });
  });
  afterAll(async () => {
    await client.close();
    await opened.remove();
  });

  const insert = (table: string, n: number, settings = {}): Promise<unknown> =>
    client.insert({ table, values: [{ n }], format: 'JSONEachRow', clickhouse_settings: settings });

  it('outlive their statement: two of three inserts are dropped without a word', async () => {
    await opened.store.command('reads', TABLE('leaking'));
    await insert('leaking', 1, { insert_deduplication_token: 'A' });
    await insert('leaking', 2);
    await insert('leaking', 3);
    expect(await opened.store.query('reads', COUNT('leaking'), {})).toEqual([1]);
  });

  it('stay in their own connection: the lanes of the store insert as before', async () => {
    await opened.store.command('reads', TABLE('apart'));
    await insert('apart', 1, { insert_deduplication_token: 'A' });
    for (const lane of ['intake', 'jobs', 'reads'] as const) {
      await opened.store.insert(lane, 'apart', ['n'], tsvRow([2]) + tsvRow([3]));
      await opened.store.insert(lane, 'apart', ['n'], tsvRow([4]));
    }
    // The same rows from another lane are the same block again, which the table drops by itself.
    expect(await opened.store.query('reads', COUNT('apart'), {})).toEqual([4]);
  });
});
