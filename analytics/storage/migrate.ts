import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { Lane, Store } from './open-clickhouse.ts';
import { tsvRow } from './rows.ts';
import { defineQuery } from './statement.ts';

const SCHEMA_DIRECTORY = fileURLToPath(new URL('../schema/', import.meta.url));
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;
const LANE: Lane = 'reads';

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
  if (!options.dryRun) await store.command(LANE, CREATE_MIGRATIONS_TABLE);
  const [noted] = await store.query(LANE, MIGRATIONS_TABLES, {});
  const applied = noted?.tables === 0 ? [] : await store.query(LANE, APPLIED_MIGRATIONS, {});
  checkHistory(migrations, applied);
  const done = new Set(applied.map((row) => row.version));
  const pending = migrations.filter((migration) => !done.has(migration.version));
  if (!options.dryRun) {
    for (const migration of pending) {
      await store.command(LANE, migration.sql);
      await store.insert(
        LANE,
        'schema_migrations',
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

/**
 * Sets how long rows are kept. Requests count from the later of arrival and storing, so that an old file that is loaded
 * today is kept as long as today's traffic.
 */
export async function applyRetention(store: Store, retention: Retention): Promise<void> {
  const clause = (column: string, days: number): string =>
    `MODIFY TTL toDateTime(intDiv(${column}, 1000), 'UTC') + toIntervalDay(${Math.trunc(days)})`;
  // A shorter time holds for what is stored already too; an unchanged one starts no work.
  const settings = { materialize_ttl_after_modify: 1, mutations_sync: 0 };
  await store.command(
    LANE,
    `ALTER TABLE requests ${clause('greatest(arrived_at_ms, stored_at_ms)', retention.requestsDays)}`,
    {},
    settings,
  );
  // A computation's number is the time at which it was made, in microseconds.
  const computed = 'greatest(start_ms, toInt64(intDiv(computation, 1000)))';
  await store.command(LANE, `ALTER TABLE windows ${clause(computed, retention.windowsDays)}`, {}, settings);
  await store.command(LANE, `ALTER TABLE tenant_windows ${clause(computed, retention.windowsDays)}`, {}, settings);
  await store.command(
    LANE,
    `ALTER TABLE dead_letters ${clause('received_at_ms', retention.deadLettersDays)}`,
    {},
    settings,
  );
  await store.command(
    LANE,
    `ALTER TABLE dead_letter_retries ${clause('retried_at_ms', retention.deadLettersDays)}`,
    {},
    settings,
  );
}

const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
    version UInt32,
    name String,
    checksum String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree
ORDER BY version`;

/** 0 in a store that was never migrated, 1 else. */
const MIGRATIONS_TABLES = defineQuery<Record<string, never>, { readonly tables: number }>({
  name: 'migrations-tables',
  sql: "SELECT count() AS tables FROM system.tables WHERE database = currentDatabase() AND name = 'schema_migrations'",
  decode: (row) => ({ tables: Number(row.tables) }),
});

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

const APPLIED_MIGRATIONS = defineQuery<Record<string, never>, AppliedMigration>({
  name: 'applied-migrations',
  sql: 'SELECT version, name, checksum FROM schema_migrations FINAL ORDER BY version',
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
