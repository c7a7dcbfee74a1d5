import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  defineQuery,
  type Migration,
  migrate,
  openClickHouse,
  type Parameters,
  readMigrations,
  type Store,
} from '../../../analytics/storage/index.ts';
import { storeWith } from '../../support/watched-store.ts';

const TABLES = defineQuery<Parameters, string>({
  name: 'tables',
  sql: 'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
  decode: (row) => String(row.name),
});
const NOTES = defineQuery<Parameters, string>({
  name: 'notes',
  sql: 'SELECT name FROM schema_migrations ORDER BY version',
  decode: (row) => String(row.name),
});

const table = (version: number): Migration => ({
  version,
  name: `000${version}_t${version}`,
  sql: `CREATE TABLE IF NOT EXISTS t${version} (n UInt8) ENGINE = MergeTree ORDER BY n`,
  checksum: `checksum-${version}`,
});
const THREE = [table(1), table(2), table(3)];

describe('migrations', () => {
  let path: string;
  let store: Store;
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
    store = await openClickHouse({ kind: 'embedded', path });
  });
  beforeEach(async () => {
    for (const name of await store.query('reads', TABLES, {})) await store.command('reads', `DROP TABLE ${name} SYNC`);
  });
  afterAll(async () => {
    await store.close();
    await rm(path, { recursive: true, force: true });
  });

  const run = (migrations: readonly Migration[], dryRun = false, on = store) => migrate(on, { dryRun, migrations });

  it('run in order and once', async () => {
    expect(await run(THREE)).toEqual({ applied: ['0001_t1', '0002_t2', '0003_t3'], pending: [], current: 3 });
    expect(await run(THREE)).toEqual({ applied: [], pending: [], current: 3 });
    expect(await run([...THREE, table(4)])).toEqual({ applied: ['0004_t4'], pending: [], current: 4 });
    expect(await store.query('reads', TABLES, {})).toEqual(['schema_migrations', 't1', 't2', 't3', 't4']);
  });

  it('a dry run says what would run and changes nothing, not even in an empty store', async () => {
    expect(await run(THREE, true)).toEqual({ applied: [], pending: ['0001_t1', '0002_t2', '0003_t3'], current: 0 });
    expect(await store.query('reads', TABLES, {})).toEqual([]);
    await run([table(1)]);
    expect(await run(THREE, true)).toEqual({ applied: [], pending: ['0002_t2', '0003_t3'], current: 1 });
    expect(await store.query('reads', TABLES, {})).toEqual(['schema_migrations', 't1']);
  });

  it.each([false, true])(
    'a file that was edited after it ran is refused, nothing else runs (dry run: %s)',
    async (dry) => {
      await run([table(1)]);
      const edited = { ...table(1), checksum: 'another' };
      const refused: unknown = await run([edited, table(2)], dry).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'EVS_STORE_SCHEMA' });
      expect(String(refused)).toContain('0001_t1');
      expect(await store.query('reads', TABLES, {})).toEqual(['schema_migrations', 't1']);
    },
  );

  it('a store of a newer version is refused', async () => {
    await run(THREE);
    const refused: unknown = await run([table(1), table(2)]).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'EVS_STORE_SCHEMA' });
    expect(String(refused)).toMatch(/newer.*0003_t3/);
  });

  it('cut off between a statement and its note, they go on where they were', async () => {
    let notes = 0;
    const cut = storeWith(store, {
      insert: (...args) => (++notes === 2 ? Promise.reject(new Error('cut off')) : store.insert(...args)),
    });
    await expect(run(THREE, false, cut)).rejects.toThrow('cut off');
    expect(await store.query('reads', TABLES, {})).toEqual(['schema_migrations', 't1', 't2']);
    expect(await store.query('reads', NOTES, {})).toEqual(['0001_t1']);
    expect((await run(THREE)).applied).toEqual(['0002_t2', '0003_t3']);
    expect(await store.query('reads', NOTES, {})).toEqual(['0001_t1', '0002_t2', '0003_t3']);
  });

  it('two processes that start at once end as one would', async () => {
    await Promise.all([run(THREE), run(THREE)]);
    expect(await run(THREE)).toEqual({ applied: [], pending: [], current: 3 });
    expect(await store.query('reads', TABLES, {})).toEqual(['schema_migrations', 't1', 't2', 't3']);
  });

  it('of the product are numbered without a gap, one statement each, and harmless to repeat', async () => {
    const migrations = await readMigrations();
    expect(migrations.map((migration) => migration.version)).toEqual(migrations.map((_, index) => index + 1));
    expect(new Set(migrations.map((migration) => migration.checksum)).size).toBe(migrations.length);
    for (const { name, sql } of migrations) {
      const statement = sql.replaceAll(/--.*$/gm, '').trim();
      expect(statement, name).toMatch(/^(CREATE|ALTER) [^;]*IF NOT EXISTS[^;]*$/);
    }
    await migrate(store, { dryRun: false });
    for (const { sql } of migrations) await store.command('reads', sql);
    expect((await migrate(store, { dryRun: false })).applied).toEqual([]);
  });
});
