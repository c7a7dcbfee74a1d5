import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyRetention, defineQuery, migrate, type Parameters, type Store } from '../../../analytics/storage/index.ts';
import { computeRange } from '../../../analytics/window/compute-range.ts';
import { DEFAULT_POOL_OPTIONS } from '../../../analytics/window/pool-model.ts';
import { readWindows } from '../../../analytics/window/read-windows.ts';
import { randomLog } from '../../support/random-log.ts';
import { declareSlots, insertEvents } from '../../support/temporary-store.ts';
import { CLUSTER, type TwoShards, twoShards } from '../../support/two-shards.ts';
import { storeWith } from '../../support/watched-store.ts';
import { fillStore, OTHERWISE, PARAMETERS } from '../queries/query-cases.ts';
import { placeholdersOf, readStatements, rowsOf, type Statement } from '../queries/statements.ts';

vi.mock('../../../analytics/storage/statement.ts', async (original) => {
  const actual = await original<typeof import('../../../analytics/storage/statement.ts')>();
  // Nothing listens for other servers here.
  const inProcess = { prefer_localhost_replica: 1 };
  return {
    ...actual,
    READ_SETTINGS: { ...actual.READ_SETTINGS, ...inProcess },
    INSERT_SETTINGS: { ...actual.INSERT_SETTINGS, ...inProcess },
  };
});

const COLUMNS = defineQuery<Parameters & { readonly table: string }, Record<string, unknown>>({
  name: 'columns',
  sql: `SELECT name, type, default_kind, default_expression FROM system.columns
WHERE database = currentDatabase() AND table = {table:String} ORDER BY position`,
  decode: (row) => row,
});
const TABLES = defineQuery<Parameters, string>({
  name: 'tables',
  sql: `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'Distributed' ORDER BY name`,
  decode: (row) => String(row.name),
});

const ROWS_PER_SHARD = defineQuery<Parameters, number>({
  name: 'rows-per-shard',
  sql: 'SELECT count() AS held FROM requests FINAL GROUP BY _shard_num ORDER BY held',
  decode: (row) => Number(row.held),
});

/** Logs that once told a mistake in the windows: retries across a boundary, tied clocks, weight 0. */
const SEEDS = [22, 108, 109, 3, 7, 11];

const statements = await readStatements();
const queries = statements.flatMap(({ name, sql, query }) => (query === null ? [] : [{ name, sql, query }]));
/** Queries of the schema's tables; those of the job's temporary ones are part of a computation. */
const plainQueries = queries.filter(({ sql }) => !/\bwindow_rows\b|\bcompleted_rows\b|:Identifier\}/.test(sql));

/** Statements that store what they read, in a table of the schema. */
const fills = statements.filter(({ sql }) => /^INSERT INTO (?:\w+_rollups)\b/.test(sql));
const CONTENTS = (table: string) =>
  defineQuery<Parameters, Record<string, unknown>>({
    name: 'contents',
    sql: `SELECT * FROM ${table} FINAL ORDER BY ALL`,
    decode: (row) => row,
  });

function parametersOf({ name, sql }: Pick<Statement, 'name' | 'sql'>): Parameters {
  const known: Parameters = { ...PARAMETERS, ...OTHERWISE[name] };
  return Object.fromEntries(
    placeholdersOf(sql).map((placeholder) => {
      const value = known[placeholder.name];
      if (value === undefined) throw new Error(`query-cases.ts has no value for {${placeholder.name}:…} of ${name}`);
      return [placeholder.name, value];
    }),
  );
}

describe('a cluster of two shards in one process', () => {
  const seedsWithTenants: number[] = [];
  let opened: TwoShards;
  let stores: readonly [cluster: Store, plain: Store];
  beforeAll(async () => {
    opened = await twoShards();
    stores = [opened.cluster, opened.plain];
    for (const store of stores) await migrate(store, { dryRun: false });
  });
  afterAll(() => opened.remove());

  it('has every table as local and as Distributed one, with the same columns as a plain one', async () => {
    const tables = await opened.cluster.query('reads', TABLES, {});
    expect(tables).toContain('requests');
    for (const table of tables) {
      const [distributed, local] = await Promise.all(
        [table, `${table}_local`].map((name) => opened.cluster.query('reads', COLUMNS, { table: name })),
      );
      expect(distributed, table).toEqual(local);
      expect(distributed, table).toEqual(await opened.plain.query('reads', COLUMNS, { table }));
    }
  });

  it('is migrated once', async () => {
    expect((await migrate(opened.cluster, { dryRun: false })).applied).toEqual([]);
  });

  it.each([
    [
      'plain tables as a cluster',
      () => storeWith(opened.plain, { cluster: CLUSTER }),
      /plain tables.*remove store\.cluster/,
    ],
    [
      'a cluster’s tables as plain ones',
      () => storeWith(opened.cluster, {}),
      /for the cluster "two".*set store\.cluster/,
    ],
    ['another cluster', () => storeWith(opened.cluster, { cluster: 'three' }), /set store\.cluster to "two"/],
  ])('is not taken for what it is not: %s', async (_, store, why) => {
    for (const dryRun of [true, false]) {
      const refused: unknown = await migrate(store(), { dryRun }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'EVS_STORE_SCHEMA', message: expect.stringMatching(why) });
    }
  });

  it('keeps rows for as long as it was told, on every server; told again, nothing is sent', async () => {
    const sent: string[] = [];
    const watched = storeWith(opened.cluster, {
      cluster: CLUSTER,
      command: (lane, sql, params, settings) => {
        sent.push(sql);
        return opened.cluster.command(lane, sql, params, settings);
      },
    });
    const retention = { requestsDays: 36_500, windowsDays: 36_500, deadLettersDays: 36_500 };
    await applyRetention(watched, retention);
    const first = sent.splice(0);
    expect(first.length).toBeGreaterThan(4);
    for (const sql of first) expect(sql).toMatch(/^ALTER TABLE \w+_local ON CLUSTER 'two' MODIFY TTL /);
    await applyRetention(watched, retention);
    expect(sent).toEqual([]);
    await applyRetention(watched, { ...retention, requestsDays: 30_000 });
    expect(sent.map((sql) => sql.split(' ')[2])).toEqual(['requests_local']);
  });

  it.each(SEEDS)('computes the windows of one server, byte by byte (log of seed %i)', async (seed) => {
    const [onCluster, onPlain] = await Promise.all(stores.map((store) => windowsOf(store, seed)));
    expect(onCluster).toBe(onPlain);
    if (onPlain?.includes('"tenants":[{') === true) seedsWithTenants.push(seed);
  });

  it('had its rows in both shards, for logs that had some', async () => {
    expect(seedsWithTenants.length).toBeGreaterThan(SEEDS.length / 2);
    const shards = await opened.cluster.query('reads', ROWS_PER_SHARD, {});
    expect(shards).toHaveLength(2);
    expect(Math.min(...shards)).toBeGreaterThan(10);
  });

  describe('answers', () => {
    beforeAll(async () => {
      // Rows that are not merged yet are counted too: on both sides they stay so.
      for (const store of stores) await store.command('intake', 'SYSTEM STOP MERGES');
      for (const store of stores) await fillStore({ store, path: '', remove: async () => {} });
    });

    it.each(fills)('$name, which fills a table from others, as one server does', async ({ sql, name }) => {
      const table = /^INSERT INTO (\w+)/.exec(sql)?.[1] ?? '';
      const contents = stores.map(async (store) => {
        await store.command('jobs', sql, parametersOf({ sql, name }));
        return store.query('reads', CONTENTS(table), {});
      });
      const [onCluster, onPlain] = await Promise.all(contents);
      expect(onCluster).toEqual(onPlain);
    });

    it.each(plainQueries)('$name as one server does', async (statement) => {
      const params = parametersOf(statement);
      const [onCluster, onPlain] = await Promise.all(
        stores.map((store) => rowsOf(store, 'reads', statement.query, params)),
      );
      expect(onCluster).toEqual(onPlain);
    });
  });
});

/** The windows of a random log, as JSON. */
async function windowsOf(store: Store, seed: number): Promise<string> {
  const { events, options } = randomLog(seed);
  const pool = `log-${seed}`;
  await declareSlots(store, pool, options.slots ?? 2);
  await insertEvents(
    store,
    events.map((each) => ({ ...each, pool })),
  );
  const range = { pool, windowMs: options.windowMs, fromMs: options.fromMs, toMs: options.toMs };
  await computeRange(store, {
    ...range,
    watermarkMs: options.watermarkMs,
    closedToMs: Number.POSITIVE_INFINITY,
    options: { ...DEFAULT_POOL_OPTIONS, costUnit: options.costUnit, maxRequestAgeMs: options.maxRequestAgeMs },
    computation: 1,
  });
  return JSON.stringify(await readWindows(store, 'reads', range, true));
}
