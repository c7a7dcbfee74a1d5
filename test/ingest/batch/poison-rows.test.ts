import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defineQuery, type Parameters } from '../../../analytics/storage/index.ts';
import { type BatchWriter, createBatchWriter } from '../../../ingest/batch/batch-writer.ts';
import { SubmissionBuilder } from '../../../ingest/batch/submission.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { storeWith } from '../../support/watched-store.ts';
import { letter, NOW_MS, request } from './submissions.ts';

// Rows that the store itself does not take, though each is an event: a constraint of the real engine refuses them.

const STORED = defineQuery<Parameters, string>({
  name: 'stored',
  sql: 'SELECT request_id FROM requests FINAL ORDER BY request_id',
  decode: (row) => String(row.request_id),
});
const LETTERS = defineQuery<Parameters, unknown>({
  name: 'letters',
  sql: 'SELECT code, position, base64Decode(raw_base64) AS raw, detail FROM dead_letters FINAL ORDER BY position',
  decode: ({ code, position, raw, detail }) => ({ code, position: Number(position), raw, detail }),
});

let opened: TemporaryStore;
beforeAll(async () => {
  opened = await temporaryStore();
  const constraint = "ADD CONSTRAINT no_poison CHECK NOT startsWith(request_id, 'poison')";
  await opened.store.command('intake', `ALTER TABLE requests ${constraint}`);
});
afterEach(async () => {
  for (const table of ['requests', 'dead_letters']) await opened.store.command('intake', `TRUNCATE TABLE ${table}`);
});
afterAll(() => opened.remove());

const stored = (): Promise<string[]> => opened.store.query('reads', STORED, {});
const letters = (): Promise<unknown[]> => opened.store.query('reads', LETTERS, {});

function writerOn(store = opened.store): BatchWriter {
  let nowMs = NOW_MS;
  return createBatchWriter(store, { nowMs: () => ++nowMs, maxPendingEvents: 100_000, maxBatchEvents: 20_000 });
}

/** As a source does that keeps the bytes of its records until they are stored. */
function batchOf(ids: readonly string[], { keepsOrigins } = { keepsOrigins: true }): SubmissionBuilder {
  const builder = new SubmissionBuilder({ keepsOrigins });
  for (const [position, id] of ids.entries()) {
    builder.add({ kind: 'decision', event: request(id) }, (code, detail) =>
      letter(position, { code, detail, raw: Buffer.from(`the bytes of ${id}`) }),
    );
  }
  return builder;
}

const numbered = (count: number, poison: readonly number[]): string[] =>
  Array.from({ length: count }, (_, index) => `${poison.includes(index) ? 'poison' : 'r'}-${index}`);

describe('a row that the store does not take', () => {
  it.each([
    ['the only one', 1, [0]],
    ['the first', 100, [0]],
    ['the last', 101, [100]],
    ['one of thousands', 12_000, [7_777]],
    ['one of several', 3_000, [0, 1, 2, 500, 1_499, 1_500, 2_999]],
  ])('becomes a dead letter with its own bytes, and the rest is stored: %s', async (_, count, poison) => {
    const result = await writerOn().submit(batchOf(numbered(count, poison)));
    expect(result).toMatchObject({ accepted: count - poison.length, duplicate: 0, conflict: 0 });
    expect(result.refused?.map(({ position }) => position)).toEqual(poison);
    expect((await stored()).length).toBe(count - poison.length);
    expect(await letters()).toEqual(
      poison.map((position) => ({
        code: 'store_refused',
        position,
        raw: `the bytes of poison-${position}`,
        detail: expect.stringContaining('ClickHouse error 469'),
      })),
    );
  });

  it('is found where the store says, whatever else its words look like', async () => {
    // The engine quotes the values of a row that it refuses.
    const ids = numbered(2_000, [150, 1_200]).map((id, index) => (index === 150 ? 'poison at row 1' : id));
    let inserts = 0;
    const counting = storeWith(opened.store, {
      insert: (lane, table, ...rest) => {
        if (table === 'requests') inserts++;
        return opened.store.insert(lane, table, ...rest);
      },
    });
    expect(await writerOn(counting).submit(batchOf(ids))).toMatchObject({ accepted: 1_998 });
    expect((await letters()).length).toBe(2);
    expect(inserts).toBeLessThan(60);
    inserts = 0;
    expect(await writerOn(counting).submit(batchOf(numbered(2_000, [150, 1_200])))).toMatchObject({ accepted: 1_998 });
    expect(inserts).toBeLessThan(10);
  });

  it('adds nothing when its batch comes again, cut elsewhere', async () => {
    const ids = numbered(40, [11]);
    await writerOn().submit(batchOf(ids));
    const writer = writerOn();
    await Promise.all([writer.submit(batchOf(ids)), writer.submit(batchOf(ids.slice(0, 20)))]);
    expect((await stored()).length).toBe(39);
    expect((await letters()).length).toBe(1);
  });

  it('fails whoever sent it where its bytes are gone, and nobody who came along', async () => {
    const writer = writerOn();
    const [bad, good] = await Promise.allSettled([
      writer.submit(batchOf(['a', 'poison-1'], { keepsOrigins: false })),
      writer.submit(batchOf(['b'])),
    ]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'EVS_STORE_FAILED', retryable: false } });
    expect(good).toMatchObject({ status: 'fulfilled', value: { accepted: 1 } });
    expect(await letters()).toEqual([]);
  });

  it('stops the work when there is no end of them: then it is not the rows', async () => {
    const all = Array.from({ length: 3_000 }, (_, index) => `poison-${index}`);
    const refusing = storeWith(opened.store, {
      insert: async () => {
        throw new EvenshareError('EVS_STORE_FAILED', 'refused', { cause: { code: '469' } });
      },
    });
    await expect(writerOn(refusing).submit(batchOf(all))).rejects.toMatchObject({ code: 'EVS_STORE_FAILED' });
    expect(await letters()).toEqual([]);
  });

  it.each([
    ['a table that is missing', '60', 'EVS_STORE_SCHEMA'],
    ['a fault without a name', '4242', 'EVS_STORE_FAILED'],
  ] as const)('is not looked for when it is something else: %s', async (_, number, code) => {
    let inserts = 0;
    const failing = storeWith(opened.store, {
      insert: async () => {
        inserts++;
        throw new EvenshareError(code, 'no', { cause: { code: number } });
      },
    });
    await expect(writerOn(failing).submit(batchOf(['a', 'b', 'c']))).rejects.toMatchObject({ code });
    expect(inserts).toBe(1);
  });
});
