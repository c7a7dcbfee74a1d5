import { afterAll, beforeAll, describe, it } from 'vitest';
import { findClickHouseServer, NO_SERVER, type ServerStore, serverStore } from '../../support/clickhouse-server.ts';
import { storeConformance } from './store-conformance.ts';

const url = findClickHouseServer();

describe('a ClickHouse server is a store', () => {
  if (url === null) {
    it('as the conformance suite says', (context) => context.skip(NO_SERVER));
    return;
  }
  let opened: ServerStore;
  beforeAll(async () => {
    opened = await serverStore(url);
  });
  afterAll(() => opened.remove());
  storeConformance(() => opened.store);
});
