import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  LANES,
  migrationStatements,
  openClickHouse,
  readMigrations,
  type Store,
} from '../../analytics/storage/index.ts';
import { storeWith } from './watched-store.ts';

export const CLUSTER = 'two';

/**
 * Two shards that are both this process: the engine runs them itself, as it does with a shard that is its own server.
 * It reads `config.xml` of the working folder.
 */
const CONFIG = `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers>
    <${CLUSTER}>
${'<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>9000</port></replica></shard>\n'.repeat(2)}
    </${CLUSTER}>
  </remote_servers>
</clickhouse>
`;

export interface TwoShards {
  /** Tables in their cluster form, as far as one process can have it. */
  readonly cluster: Store;
  /** The same engine with plain tables, in a database of its own. */
  readonly plain: Store;
  readonly remove: () => Promise<void>;
}

/**
 * Both shards hold the same tables, and each is shown the rows that its number says: what a statement would get from two
 * servers. The test mocks `prefer_localhost_replica` to 1, since nothing listens for other servers here. Replicas, `ON CLUSTER` and the way to another server are not there. Changes the working folder of the process.
 */
export async function twoShards(): Promise<TwoShards> {
  const path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
  const before = process.cwd();
  await writeFile(join(path, 'config.xml'), CONFIG);
  process.chdir(path);
  const data = join(path, 'data');
  const inner = await openClickHouse({ kind: 'embedded', path: data });
  const plain = await openClickHouse({ kind: 'embedded', path: data });
  process.chdir(before);
  await plain.command('reads', 'CREATE DATABASE plain');
  const filters = await shardFilters();
  for (const lane of LANES) {
    await inner.command(lane, `SET additional_table_filters = {${filters.join(', ')}}`);
    await plain.command(lane, 'USE plain');
  }
  return {
    cluster: storeWith(inner, {
      cluster: CLUSTER,
      command: (lane, sql, params, settings) => inner.command(lane, ofOneProcess(sql), params, settings),
    }),
    plain,
    remove: async () => {
      await Promise.all([inner.close(), plain.close()]);
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** A statement of the cluster form without what needs other servers or Keeper. */
export function ofOneProcess(sql: string): string {
  return sql
    .replaceAll(` ON CLUSTER '${CLUSTER}'`, '')
    .replaceAll(/Replicated(\w*MergeTree)\('[^']*', '\{replica\}'(?:, )?/g, '$1(')
    .replaceAll(/(?<!non_)replicated_deduplication_window/g, 'non_replicated_deduplication_window');
}

/** A view's rows lie where requests do: those of one pool and hour in both shards. */
const OF_VIEWS = 'cityHash64(first_arrival_ms)';

/** Which rows of a local table a shard sees: those that the shard key sends there. */
async function shardFilters(): Promise<string[]> {
  const filters: string[] = [];
  for (const sql of migrationStatements(await readMigrations(), CLUSTER)) {
    const [, local, key] = /Distributed\('\w+', currentDatabase\(\), '(\w+)'(?:, (.*))?\)$/.exec(sql) ?? [];
    if (local === undefined) continue;
    // 0: the table itself is read, by a view that is told of new rows.
    filters.push(`'${local}': 'shardNum() IN (0, ${key ?? OF_VIEWS} % 2 + 1)'`);
  }
  return filters;
}
