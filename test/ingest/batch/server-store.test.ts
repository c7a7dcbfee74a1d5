import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../../analytics/storage/index.ts';
import { type BatchWriter, createBatchWriter } from '../../../ingest/batch/batch-writer.ts';
import { MINUTE_MS } from '../../../scheduler-core/kernel/index.ts';
import { type ClickHouseHttp, startClickHouseHttp } from '../../support/clickhouse-http/start-server.ts';
import { type ServerStore, serverStore } from '../../support/clickhouse-server.ts';
import { NOW_MS, request, submission } from './submissions.ts';

// A server takes what one process hands to itself only in pieces: no parameter over 128 KiB, no address over 1 MiB.

let path: string;
let server: ClickHouseHttp;
let opened: ServerStore;
let writer: BatchWriter;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
  server = await startClickHouseHttp({ path });
  opened = await serverStore(new URL(server.url));
  await migrate(opened.store, { dryRun: false });
  let nowMs = NOW_MS;
  writer = createBatchWriter(opened.store, {
    nowMs: () => ++nowMs,
    maxPendingEvents: 100_000,
    maxBatchEvents: 20_000,
  });
});
afterAll(async () => {
  await opened.remove();
  await server.close();
  await rm(path, { recursive: true, force: true });
});

describe('a batch as large as they come, stored on a server twice', () => {
  it.each([
    ['ids of 36 characters', 15_000, (index: number) => ({ id: `${index}`.padStart(36, 'f') })],
    ['ids as long as they may be', 3_000, (index: number) => ({ id: `'\\${index}`.padStart(128, 'é') })],
    ['each in a minute of its own', 12_000, (index: number) => ({ id: `m${index}`, ageMs: index * MINUTE_MS })],
    ['each in a pool of its own', 3_000, (index: number) => ({ id: 'p', pool: `${index}`.padStart(64, 'é') })],
  ])('is known the second time: %s', async (_, count, of) => {
    const decisions = Array.from({ length: count }, (__, index) => {
      const { id, ageMs = 0, pool = 'p' }: { id: string; ageMs?: number; pool?: string } = of(index);
      return request(id, { pool, arrivedAtMs: NOW_MS - 10_000 - ageMs });
    });
    expect(await writer.submit(submission({ decisions }))).toMatchObject({ accepted: count, duplicate: 0 });
    expect(await writer.submit(submission({ decisions }))).toMatchObject({ accepted: count, duplicate: count });
  });
});
