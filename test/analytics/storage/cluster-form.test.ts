import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clusterForm,
  clusterSchema,
  defineQuery,
  migrationStatements,
  openClickHouse,
  type Parameters,
  readMigrations,
  type Store,
} from '../../../analytics/storage/index.ts';

const GOLDEN = join(import.meta.dirname, 'golden-cluster');
/** As they were before this run, so that a statement without one fails although Vitest writes it. */
const goldenFiles = await readdir(GOLDEN);
const CLUSTER = 'fleet-1';
const migrations = await readMigrations();
const schema = clusterSchema(
  CLUSTER,
  migrations.map(({ sql }) => sql),
);
const forms = migrations.map(({ name, sql }) => ({ name, sql, form: clusterForm(sql, schema) }));

/** What the engine's own parser makes of a text. */
const PARSED = defineQuery<Parameters & { readonly sql: string }, string>({
  name: 'parsed',
  sql: 'SELECT formatQuerySingleLine({sql:String}) AS parsed',
  decode: (row) => String(row.parsed),
});

const form = (sql: string, ...others: readonly string[]): readonly string[] =>
  clusterForm(sql, clusterSchema('c', [sql, ...others]));
const table = (name: string, columns: string, clauses: string): string =>
  `CREATE TABLE IF NOT EXISTS ${name} (${columns}) ENGINE = ReplacingMergeTree ${clauses}`;

describe('the cluster form of every migration', () => {
  it.each(forms)('$name is what was agreed on', async ({ name, form: statements }) => {
    await expect(`${statements.join('\n;\n')}\n`).toMatchFileSnapshot(join(GOLDEN, `${name}.sql`));
  });

  it('has a golden text for each, and none is left of one that is gone (written by this run; look at it and run again)', () => {
    expect(goldenFiles.sort()).toEqual(forms.map(({ name }) => `${name}.sql`).sort());
  });

  it.each(forms)(
    '$name concerns the whole cluster, may be repeated, and makes no table that is not replicated',
    ({ form: statements }) => {
      for (const statement of statements) {
        expect(statement).toMatch(/^(?:CREATE [A-Z ]+ IF NOT EXISTS \w+|ALTER TABLE \w+) ON CLUSTER 'fleet-1' /);
        expect(statement).not.toMatch(/--|non_replicated/);
        if (statement.startsWith('ALTER')) expect(statement).toContain('IF NOT EXISTS');
        if (!statement.startsWith('CREATE TABLE')) continue;
        expect(statement).toMatch(
          /ENGINE = (?:Replicated\w*MergeTree\('\/clickhouse\/tables\/fleet-1\/\{shard\}\/\{database\}\/\{table\}', '\{replica\}'|Distributed\('fleet-1', currentDatabase\(\), '\w+_local')/,
        );
      }
    },
  );

  it('gives each table a Distributed twin of the same columns, and rows that merge into one the same shard', () => {
    for (const { name, form: statements } of forms.filter(({ sql }) => /^CREATE TABLE/m.test(sql))) {
      expect(statements, name).toHaveLength(2);
      const [local = '', twin = ''] = statements;
      const of = /^CREATE TABLE IF NOT EXISTS (\w+)_local /.exec(local)?.[1] ?? '';
      expect(twin).toMatch(new RegExp(`^CREATE TABLE IF NOT EXISTS ${of} ON CLUSTER 'fleet-1' AS ${of}_local\n`));
      const sortingKey = /ORDER BY \(?([^)\n]*)/.exec(local)?.[1]?.split(', ') ?? [];
      const shardKey = /cityHash64\((.*)\)\)$/.exec(twin)?.[1]?.split(', ') ?? [];
      expect(sortingKey, name).toEqual(expect.arrayContaining(shardKey));
      expect(shardKey.length > 0, `${name}: only what a view fills has no shard key`).toBe(
        !schema.filledByViews.has(of),
      );
    }
  });

  it.each([
    ['requests', 'cityHash64(pool, tenant)'],
    ['tenant_windows', 'cityHash64(pool, tenant)'],
    ['tenant_weights', 'cityHash64(pool, tenant)'],
    ['windows', 'cityHash64(pool)'],
    ['pool_capacity', 'cityHash64(pool)'],
    ['coverage_reports', 'cityHash64(pool)'],
    ['alert_states', 'cityHash64(pool)'],
    ['alert_outbox', 'cityHash64(id)'],
    ['dead_letters', 'cityHash64(source)'],
    ['dead_letter_retries', 'cityHash64(letter_id)'],
    ['stream_progress', 'cityHash64(topic)'],
  ])('%s is sharded by %s', (name, key) => {
    const twin = forms.flatMap(({ form: statements }) => statements).find((sql) => sql.includes(` AS ${name}_local\n`));
    expect(twin).toContain(`'${name}_local', ${key})`);
  });

  describe('to the engine', () => {
    let path: string;
    let store: Store;
    beforeAll(async () => {
      path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
      store = await openClickHouse({ kind: 'embedded', path });
    });
    afterAll(async () => {
      await store.close();
      await rm(path, { recursive: true, force: true });
    });

    it('is SQL, statement by statement, and so is that of the table of migrations', async () => {
      for (const sql of migrationStatements(migrations, CLUSTER)) {
        const [parsed = ''] = await store.query('reads', PARSED, { sql });
        expect(parsed, sql).toContain('ON CLUSTER `fleet-1`');
        expect(parsed.startsWith('CREATE TABLE') ? parsed : 'ENGINE = Distributed', sql).toMatch(
          /ENGINE = (?:Replicated\w*MergeTree|Distributed)/,
        );
      }
    });

    it('has all columns and clauses of the plain form', async () => {
      for (const { name, sql, form: statements } of forms.filter((one) => /^CREATE TABLE/m.test(one.sql))) {
        const [plain = ''] = await store.query('reads', PARSED, { sql });
        const [local = ''] = await store.query('reads', PARSED, { sql: statements[0] ?? '' });
        const asPlain = local
          .replace(/_local ON CLUSTER `fleet-1`/, '')
          .replace(/Replicated(\w*MergeTree)\('[^']*', '\{replica\}'(?:, )?/, '$1(')
          .replace('MergeTree()', 'MergeTree')
          .replace('= replicated_', '= non_replicated_')
          .replace('SETTINGS replicated_', 'SETTINGS non_replicated_');
        expect(asPlain, name).toBe(plain);
      }
    });
  });
});

describe('the cluster form of a statement', () => {
  it('takes brackets, commas and comments in quotes for what they are', () => {
    const [local, twin] = form(
      table(
        't',
        "-- a comment, with 'one quote\n a String DEFAULT ') ENGINE = Log -- ''', b UInt8 /* ) */",
        'ORDER BY (a, b)',
      ),
    );
    expect(local).toBe(
      "CREATE TABLE IF NOT EXISTS t_local ON CLUSTER 'c' ( \n a String DEFAULT ') ENGINE = Log -- ''', b UInt8  )\n" +
        "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/c/{shard}/{database}/{table}', '{replica}')\n" +
        'ORDER BY (a, b)',
    );
    expect(twin).toBe(
      "CREATE TABLE IF NOT EXISTS t ON CLUSTER 'c' AS t_local\nENGINE = Distributed('c', currentDatabase(), 't_local', cityHash64(a))",
    );
  });

  it('keeps what the engine is told, behind the place in Keeper', () => {
    const [local] = form('CREATE TABLE IF NOT EXISTS t (a UInt8, v UInt8) ENGINE = ReplacingMergeTree(v)\nORDER BY a');
    expect(local).toContain("'{replica}', v)\nORDER BY a");
  });

  it('shards by plain columns of the sorting key, not by what is computed of them', () => {
    const [, twin] = form(table('t', 'a UInt8, b UInt8', 'ORDER BY (intDiv(a, 10), b)'));
    expect(twin).toContain('cityHash64(b)');
    expect(form(table('t', 'tenant String, pool String', 'ORDER BY (tenant, pool)'))[1]).toContain(
      'cityHash64(pool, tenant)',
    );
    expect(() => form(table('t', 'a UInt8', 'ORDER BY tuple()'))).toThrow(/no column to shard it by/);
  });

  it('changes columns of both tables, and of the local one alone what is none', () => {
    const made = table('t', 'a UInt8', 'ORDER BY a');
    expect(
      form('ALTER TABLE t ADD COLUMN IF NOT EXISTS b UInt8 DEFAULT greatest(a, 1), ADD INDEX i b TYPE minmax', made),
    ).toEqual([
      "ALTER TABLE t_local ON CLUSTER 'c' ADD COLUMN IF NOT EXISTS b UInt8 DEFAULT greatest(a, 1), ADD INDEX i b TYPE minmax",
      "ALTER TABLE t ON CLUSTER 'c' ADD COLUMN IF NOT EXISTS b UInt8 DEFAULT greatest(a, 1)",
    ]);
    expect(form('ALTER TABLE t MODIFY SETTING merge_with_ttl_timeout = 1', made)).toHaveLength(1);
  });

  it('lets a view run where the rows come in, and read other tables over all shards', () => {
    const view = `CREATE MATERIALIZED VIEW IF NOT EXISTS v TO u AS
SELECT t.a, 'FROM t' AS word FROM t INNER JOIN w ON w.a = t.a WHERE t.a IN (SELECT a FROM t)`;
    const tables = ['t', 'u', 'w'].map((name) => table(name, 'a UInt8', 'ORDER BY a'));
    expect(form(view, ...tables)).toEqual([
      `CREATE MATERIALIZED VIEW IF NOT EXISTS v ON CLUSTER 'c' TO u_local AS
SELECT t_local.a, 'FROM t' AS word FROM t_local INNER JOIN w ON w.a = t_local.a WHERE t_local.a IN (SELECT a FROM t_local)`,
    ]);
    expect(clusterForm(tables[1] ?? '', clusterSchema('c', [...tables, view]))[1]).toMatch(/'u_local'\)$/);
  });

  it.each([
    ['DROP TABLE requests', /no CREATE TABLE/],
    ['ALTER TABLE elsewhere ADD COLUMN IF NOT EXISTS a UInt8', /no CREATE TABLE/],
    ['CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a', /no CREATE TABLE/],
    ['CREATE TABLE IF NOT EXISTS t (a UInt8) ENGINE = Log', /none of the MergeTree family/],
    ['CREATE MATERIALIZED VIEW IF NOT EXISTS v TO u AS SELECT 1', /no known table/],
  ])('refuses %s', (sql, why) => {
    expect(() => form(sql)).toThrow(
      expect.objectContaining({ code: 'EVS_STORE_SCHEMA', message: expect.stringMatching(why) }),
    );
  });

  it.each(['', 'a b', "x' ON", 'x`', 'x\\', '{cluster}', '1st', 'ü', 'x\n', 'x'.repeat(64)])(
    'refuses a cluster called %j',
    (name) => {
      expect(() => clusterSchema(name, [])).toThrow(expect.objectContaining({ code: 'EVS_CONFIG' }));
    },
  );
});
