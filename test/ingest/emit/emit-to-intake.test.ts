import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEmitter } from '../../../ingest/emit/index.ts';
import { contentsOf } from '../../support/store-contents.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { INTAKE_NOW_MS, type IntakeServer, intakeServer } from '../sources/intake-server.ts';
import { manualParts } from './manual-parts.ts';

// The emitter against the real intake over the real store.

let temporary: TemporaryStore;
let intake: IntakeServer;
beforeAll(async () => {
  temporary = await temporaryStore();
  intake = await intakeServer(temporary.store, { maxBodyBytes: 65_536 });
});
afterAll(async () => {
  await intake.close();
  await temporary.remove();
});

it('everything that was emitted is stored once, what the intake rejects is in the dead letters and counted', async () => {
  // Batches twice as large as the intake takes: the emitter finds that out.
  const emitter = createEmitter({
    url: intake.url,
    parts: manualParts(),
    maxBatchEvents: 5_000,
    maxBatchBytes: 1_048_576,
  });
  for (let index = 0; index < 3_000; index++) {
    const arrivedAtMs = INTAKE_NOW_MS - 60_000 + index;
    const identity = { request_id: `r${index}`, tenant: `t${index % 7}`, arrived_at: arrivedAtMs };
    emitter.emit(identity);
    emitter.emit({ ...identity, completed_at: new Date(arrivedAtMs + 20), status: 'ok', label: 'x'.repeat(40) });
  }
  emitter.emit({ request_id: 'rejected', tenant: 'a', arrived_at: INTAKE_NOW_MS, outcome: 'rejected' });
  expect(await emitter.close()).toBe(true);
  expect(emitter.stats()).toMatchObject({
    emitted: 6_001,
    delivered: 6_001,
    rejected: 1,
    retries: 0,
    dropped: { buffer_full: 0, unreadable: 0, refused: 0, closed: 0 },
  });
  expect(await contentsOf(temporary.store)).toMatchObject({ requests: 3_000, requestIds: 3_000, letters: 1 });
});
