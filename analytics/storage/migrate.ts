import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { clusterForm, clusterSchema, localTable, onCluster } from './cluster-form.ts';
import type { Lane, Store } from './open-clickhouse.ts';
import { tsvRow } from './rows.ts';
import { defineQuery } from './statement.ts';

const SCHEMA_DIRECTORY = fileURLToPath(new URL('../schema/', import.meta.url));
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;
const LANE: Lane = 'reads';
const DAY_S = 86_400;
/** In 2106 the engine's time with 32 bits begins anew: a later end would lie in the past, and drop what it is to keep. */
const LAST_MOMENT_S = 2 ** 32 - 1;

export interface Migration {
  readonly version: number;
  readonly name: string;
  /** One statement. */
  readonly sql: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly checksum: string;
}

export interface MigrationReport {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  readonly current: number;
}

/** How long rows are kept, in days (docs/configuration.md). */
export interface Retention {
  readonly requestsDays: number;
  readonly windowsDays: number;
  readonly deadLettersDays: number;
}

/** The numbered statements of `analytics/schema`, in order. */
export async function readMigrations(directory: string = SCHEMA_DIRECTORY): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => FILE_NAME.test(name)).sort();
  return Promise.all(
    names.map(async (fileName) => {
      const sql = await readFile(`${directory}/${fileName}`, 'utf8');
      return {
        version: Number(FILE_NAME.exec(fileName)?.[1]),
        name: fileName.replace(/\.sql$/, ''),
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
      };
    }),
  );
}

/**
 * Brings the store's tables to this version. Safe to repeat and to interrupt: each statement is idempotent and noted
 * after it ran. A dry run changes nothing.
 *
 * @throws EVS_STORE_SCHEMA when a migration that already ran differs from its file, or the store is of a newer version.
 */
export async function migrate(
  store: Store,
  options: { readonly dryRun: boolean; readonly migrations?: readonly Migration[] },
): Promise<MigrationReport> {
  const migrations = options.migrations ?? (await readMigrations());
  const noted = (await store.query(LANE, TABLE_ENGINES, {})).find(({ table }) => table === MIGRATIONS_TABLE);
  if (noted !== undefined) checkCluster(store.cluster, clusterOf(noted.engine));
  if (!options.dryRun) {
    for (const sql of formOf(store.cluster, [CREATE_MIGRATIONS_TABLE])(CREATE_MIGRATIONS_TABLE)) {
      await store.command(LANE, sql);
    }
  }
  const applied = noted === undefined && options.dryRun ? [] : await store.query(LANE, APPLIED_MIGRATIONS, {});
  checkHistory(migrations, applied);
  const done = new Set(applied.map((row) => row.version));
  const pending = migrations.filter((migration) => !done.has(migration.version));
  if (!options.dryRun) {
    const form = formOf(
      store.cluster,
      migrations.map(({ sql }) => sql),
    );
    for (const migration of pending) {
      for (const sql of form(migration.sql)) await store.command(LANE, sql);
      await store.insert(
        LANE,
        MIGRATIONS_TABLE,
        ['version', 'name', 'checksum'],
        tsvRow([migration.version, migration.name, migration.checksum]),
      );
    }
  }
  return {
    applied: options.dryRun ? [] : pending.map((migration) => migration.name),
    pending: options.dryRun ? pending.map((migration) => migration.name) : [],
    current: Math.max(0, ...(options.dryRun ? applied : migrations).map((row) => row.version)),
  };
}

/** Every statement of the schema as a store gets it, the table of what was applied first; `cluster` as in the store's options. */
export function migrationStatements(migrations: readonly Migration[], cluster: string | undefined): string[] {
  const statements = [CREATE_MIGRATIONS_TABLE, ...migrations.map(({ sql }) => sql)];
  return statements.flatMap(formOf(cluster, statements));
}

/** What is sent for a statement of the schema. */
function formOf(cluster: string | undefined, statements: readonly string[]): (sql: string) => readonly string[] {
  if (cluster === undefined) return (sql) => [sql];
  const schema = clusterSchema(cluster, statements);
  return (sql) => clusterForm(sql, schema);
}

/** The cluster over which a table is spread; undefined for a plain one. */
function clusterOf(engine: string): string | undefined {
  return /^Distributed\('([^']*)'/.exec(engine)?.[1];
}

/** Tables that were made in one form are not to be changed or read in the other. */
function checkCluster(configured: string | undefined, found: string | undefined): void {
  if (configured === found) return;
  const made = found === undefined ? 'as plain tables of one server' : `for the cluster "${found}"`;
  const mend = found === undefined ? 'remove store.cluster' : `set store.cluster to "${found}"`;
  throw new EvenshareError(
    'EVS_STORE_SCHEMA',
    `the tables of this database were made ${made}: ${mend}, or use another database`,
  );
}

/**
 * Sets how long rows are kept. Requests count from the later of arrival and storing, so that an old file that is loaded
 * today is kept as long as today's traffic. A table that keeps its rows so already is left alone: the roles of a fleet
 * start at any time, and each change of a table concerns every server of a cluster.
 */
export async function applyRetention(store: Store, retention: Retention): Promise<void> {
  // A computation's number is the time at which it was made, in microseconds.
  const computed = 'greatest(start_ms, toInt64(intDiv(computation, 1000)))';
  const kept: readonly (readonly [table: string, sinceMs: string, days: number])[] = [
    ['requests', 'greatest(arrived_at_ms, stored_at_ms)', retention.requestsDays],
    ['windows', computed, retention.windowsDays],
    ['tenant_windows', computed, retention.windowsDays],
    ['tenant_series', computed, retention.windowsDays],
    ['wait_histograms', computed, retention.windowsDays],
    ['tenant_rollups', computed, retention.windowsDays],
    ['pool_rollups', computed, retention.windowsDays],
    ['window_revisions', computed, retention.windowsDays],
    ['dead_letters', 'received_at_ms', retention.deadLettersDays],
    ['dead_letter_retries', 'retried_at_ms', retention.deadLettersDays],
  ];
  const engines = new Map(
    (await store.query(LANE, TABLE_ENGINES, {})).map(({ table, engine }) => [table, engine] as const),
  );
  const { cluster } = store;
  for (const [table, sinceMs, days] of kept) {
    const lifetime = `TTL toDateTime(least(intDiv(${sinceMs}, 1000) + ${Math.trunc(days) * DAY_S}, ${LAST_MOMENT_S}), 'UTC')`;
    const name = cluster === undefined ? table : localTable(table);
    if (engines.get(name)?.includes(lifetime) === true) continue;
    const where = cluster === undefined ? '' : ` ${onCluster(cluster)}`;
    // A shorter time holds for what is stored already too.
    const settings = { materialize_ttl_after_modify: 1, mutations_sync: 0 };
    await store.command(LANE, `ALTER TABLE ${name}${where} MODIFY ${lifetime}`, {}, settings);
  }
}

const MIGRATIONS_TABLE = 'schema_migrations';

const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE} (
    version UInt32,
    name String,
    checksum String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY version`;

interface TableEngine {
  readonly table: string;
  /** With its arguments and clauses, as the engine writes them. */
  readonly engine: string;
}

/** The tables of this database. */
const TABLE_ENGINES = defineQuery<Record<string, never>, TableEngine>({
  name: 'table-engines',
  sql: 'SELECT name, engine_full FROM system.tables WHERE database = currentDatabase() ORDER BY name',
  decode: (row) => ({ table: String(row.name), engine: String(row.engine_full) }),
});

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

const APPLIED_MIGRATIONS = defineQuery<Record<string, never>, AppliedMigration>({
  name: 'applied-migrations',
  sql: `SELECT version, name, checksum FROM ${MIGRATIONS_TABLE} FINAL ORDER BY version`,
  decode: (row) => ({ version: Number(row.version), name: String(row.name), checksum: String(row.checksum) }),
});

function checkHistory(migrations: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = known.get(row.version);
    if (migration === undefined) {
      throw new EvenshareError(
        'EVS_STORE_SCHEMA',
        `the store was migrated by a newer Evenshare (migration ${row.name} is unknown here): run that version, or another data folder`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new EvenshareError(
        'EVS_STORE_SCHEMA',
        `migration ${row.name} differs from the one that this store ran: a migration is never edited; restore its file`,
      );
    }
  }
}
