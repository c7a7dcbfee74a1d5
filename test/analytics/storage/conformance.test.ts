import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openClickHouse, type Store } from '../../../analytics/storage/index.ts';
import { storeConformance } from './store-conformance.ts';

describe('the embedded engine is a store', () => {
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
  storeConformance(() => store);
});
