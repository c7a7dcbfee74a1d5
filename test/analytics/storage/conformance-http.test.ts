import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type ClickHouseHttp, startClickHouseHttp } from '../../support/clickhouse-http/start-server.ts';
import { type ServerStore, serverStore } from '../../support/clickhouse-server.ts';
import { storeConformance } from './store-conformance.ts';

// The client's web transport over real HTTP, also where no server can be had: ClickHouse's interface as documented, in
// front of the embedded engine. conformance-server.test.ts runs the same against a real server.

describe('a ClickHouse server, as its HTTP interface is documented, is a store', () => {
  let path: string;
  let server: ClickHouseHttp;
  let opened: ServerStore;
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
    server = await startClickHouseHttp({ path, users: { default: '', gateway: 'p:ss %wörd' } });
    const url = new URL(server.url);
    url.username = 'gateway';
    url.password = encodeURIComponent('p:ss %wörd');
    opened = await serverStore(url);
  });
  afterAll(async () => {
    await opened.remove();
    await server.close();
    await rm(path, { recursive: true, force: true });
  });
  storeConformance(() => opened.store);
});
