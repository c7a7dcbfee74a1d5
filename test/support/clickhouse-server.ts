import { openClickHouse, type Store, type StoreOptions } from '../../analytics/storage/index.ts';

/** Said at the end of a run without a server. Under CI=true too it is no failure: not every machine can have one. */
export const NO_SERVER =
  'EVENSHARE_TEST_CLICKHOUSE_URL names no ClickHouse server: set it (with user and password) to run the suite against one';

/** The server that the conformance suite is to run against besides the embedded engine, or null. */
export function findClickHouseServer(): URL | null {
  const url = process.env.EVENSHARE_TEST_CLICKHOUSE_URL ?? '';
  return url === '' ? null : new URL(url);
}

export interface ServerStore {
  readonly store: Store;
  readonly remove: () => Promise<void>;
}

/** A store in a database of its own on that server. */
export async function serverStore(url: URL): Promise<ServerStore> {
  const database = `evenshare_test_${process.pid}_${crypto.randomUUID().slice(0, 8)}`;
  const options = (name: string): StoreOptions => ({
    kind: 'server',
    url: url.origin,
    username: url.username === '' ? 'default' : decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: name,
  });
  const home = await openClickHouse(options('default'));
  await home.command('reads', `CREATE DATABASE ${database}`);
  const store = await openClickHouse(options(database));
  return {
    store,
    remove: async () => {
      await store.close();
      await home.command('reads', `DROP DATABASE ${database}`);
      await home.close();
    },
  };
}
