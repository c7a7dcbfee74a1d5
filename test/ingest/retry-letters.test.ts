import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeadLetterFilter, readDeadLetterBytes, readDeadLetters } from '../../analytics/index.ts';
import { applyRetention, defineQuery, type Parameters } from '../../analytics/storage/index.ts';
import type { AdapterOptions } from '../../ingest/adapters/index.ts';
import type { BatchWriter } from '../../ingest/batch/batch-writer.ts';
import { type DeadLetter, deadLetterId, storeDeadLetters } from '../../ingest/dead-letters.ts';
import { createBatchWriter, findAdapter } from '../../ingest/index.ts';
import { type RetryOptions, type RetryResult, retryLetters } from '../../ingest/retry-letters.ts';
import { DAY_MS, EvenshareError, MINUTE_MS } from '../../scheduler-core/kernel/index.ts';
import { contentsOf } from '../support/store-contents.ts';
import { type TemporaryStore, temporaryStore } from '../support/temporary-store.ts';

const NOW_MS = Date.parse('2026-03-15T12:00:00Z');

let temporary: TemporaryStore;
let writer: BatchWriter;
let nowMs = NOW_MS;
beforeAll(async () => {
  temporary = await temporaryStore();
  writer = createBatchWriter(temporary.store, {
    nowMs: () => nowMs,
    maxPendingEvents: 10_000,
    maxBatchEvents: 1_000,
  });
});
afterAll(() => temporary.remove());

const event = (id: string, given: object = {}) =>
  Buffer.from(JSON.stringify({ request_id: id, tenant: 'a', arrived_at: NOW_MS - 1_000, ...given }));

const letter = (source: string, position: number, raw: Uint8Array, given: Partial<DeadLetter> = {}): DeadLetter => ({
  receivedAtMs: NOW_MS,
  code: 'missing_field',
  detail: 'it was so then',
  source,
  position,
  format: 'evenshare',
  raw,
  ...given,
});

const OPTIONS: AdapterOptions = { defaultPool: 'default', tenant: null, options: {}, mapping: null };

function retryOptions(given: Partial<AdapterOptions> = {}, more: Partial<RetryOptions> = {}): RetryOptions {
  return {
    store: temporary.store,
    writer,
    nowMs: () => nowMs,
    maxFutureMs: 5 * MINUTE_MS,
    formatOf: ({ format }) => {
      const adapter = findAdapter(format);
      return { adapter, parse: adapter.open({ ...OPTIONS, ...given }) };
    },
    ...more,
  };
}

const entries = (filter: DeadLetterFilter) => readDeadLetters(temporary.store, filter, { letters: 1_000 });

/** As the command does: the letters of a source that wait. */
async function retry(source: string, options = retryOptions()): Promise<RetryResult[]> {
  const waiting = await entries({ source });
  const bytes = await readDeadLetterBytes(temporary.store, waiting);
  nowMs += 1;
  return retryLetters(
    waiting.map((entry) => ({ ...entry, raw: bytes.get(entry.id) ?? new Uint8Array() })),
    options,
  );
}

const STORED = defineQuery<Parameters, { readonly requests: number; readonly deliveries: number }>({
  name: 'stored',
  sql: 'SELECT count() AS requests, sum(deliveries) AS deliveries FROM requests FINAL WHERE startsWith(request_id, {id:String})',
  decode: (row) => ({ requests: Number(row.requests), deliveries: Number(row.deliveries) }),
});
const stored = async (id: string) => (await temporary.store.query('reads', STORED, { id }))[0];

describe('a dead letter', () => {
  it('has the id that the store computes for it, whatever its source is called', async () => {
    const letters = ['plain.ndjson', "it's\n中文\t\\ \0🦊", 'kafka:t/0', ''].map((source, position) =>
      letter(source, position, Buffer.from([0xff, position])),
    );
    await storeDeadLetters(temporary.store, letters);
    const known = await entries({ fromMs: NOW_MS, toMs: NOW_MS + 1 });
    expect(known.map(({ id }) => id).sort()).toEqual(letters.map(deadLetterId).sort());
  });

  it('that comes again in another month is one letter, received when it last came', async () => {
    const months = [0, 31, 62, 31].map((days) => NOW_MS + days * DAY_MS);
    for (const receivedAtMs of months) {
      await storeDeadLetters(temporary.store, [letter('months', 7, Buffer.from('{'), { receivedAtMs })]);
    }
    expect(await entries({ source: 'months' })).toMatchObject([{ receivedAtMs: NOW_MS + 62 * DAY_MS, position: 7 }]);
    const first = { source: 'months', toMs: NOW_MS + 1 };
    expect(await entries(first), 'it is not one letter more in the month it came first').toEqual([]);
  });

  it('is another one with other bytes, place or source', async () => {
    await storeDeadLetters(temporary.store, [
      letter('same/1', 1, Buffer.from('a')),
      letter('same/1', 1, Buffer.from('b')),
      letter('same/1', 2, Buffer.from('a')),
      letter('same/2', 1, Buffer.from('a')),
      letter('same/1', 1, Buffer.from('a')),
    ]);
    expect((await entries({ source: 'same/' })).length).toBe(4);
    expect((await entries({ source: 'same/1' })).length).toBe(3);
  });

  it('is found by reason, time, source and the first digits of its id', async () => {
    await storeDeadLetters(temporary.store, [
      letter('found', 1, Buffer.from('x'), { code: 'not_json', receivedAtMs: NOW_MS - 2_000 }),
      letter('found', 2, Buffer.from('y'), { code: 'too_late', receivedAtMs: NOW_MS - 1_000 }),
    ]);
    const positions = async (filter: DeadLetterFilter) =>
      (await entries({ source: 'found', ...filter })).map(({ position }) => position);
    expect(await positions({})).toEqual([2, 1]);
    expect(await positions({ code: 'not_json' })).toEqual([1]);
    expect(await positions({ fromMs: NOW_MS - 1_000 })).toEqual([2]);
    expect(await positions({ toMs: NOW_MS - 1_000 })).toEqual([1]);
    const id = deadLetterId({ source: 'found', position: 2, raw: Buffer.from('y') });
    for (const digits of [4, 9, 16]) expect(await positions({ idPrefix: id.slice(0, digits) })).toEqual([2]);
  });

  it('pages: each letter once, the newest first, also those of one moment', async () => {
    const letters = Array.from({ length: 25 }, (_, index) =>
      letter('pages', index, Buffer.from('x'), { receivedAtMs: NOW_MS + Math.floor(index / 10) }),
    );
    await storeDeadLetters(temporary.store, letters);
    const seen: number[] = [];
    for (let after: Awaited<ReturnType<typeof entries>>[number] | undefined; ; ) {
      const page = await readDeadLetters(temporary.store, { source: 'pages' }, { letters: 7, after });
      if (page.length === 0) break;
      seen.push(...page.map(({ position }) => position));
      after = page.at(-1);
    }
    expect(seen.length).toBe(25);
    expect(new Set(seen.slice(0, 5))).toEqual(new Set([20, 21, 22, 23, 24]));
    expect(new Set(seen)).toEqual(new Set(letters.map(({ position }) => position)));
  });
});

describe('a retry', () => {
  it('after the fix stores the request once; another retry, or the letter delivered again, does nothing', async () => {
    const letters = Array.from({ length: 50 }, (_, index) =>
      letter('kafka:fixed/0', index, event(`fixed-${index}`, { tenant: undefined })),
    );
    await storeDeadLetters(temporary.store, letters);
    const results = await retry('kafka:fixed/', retryOptions({ tenant: 'the one who was missing' }));
    expect(results).toEqual(results.map(({ id }) => ({ id, kind: 'stored', events: 1, duplicate: 0 })));
    expect(await stored('fixed-')).toEqual({ requests: 50, deliveries: 50 });
    expect(await retry('kafka:fixed/')).toEqual([]);
    await storeDeadLetters(
      temporary.store,
      letters.map((one) => ({ ...one, receivedAtMs: NOW_MS + 40 * DAY_MS })),
    );
    expect(await retry('kafka:fixed/')).toEqual([]);
    expect(await stored('fixed-')).toEqual({ requests: 50, deliveries: 50 });
    const all = await entries({ source: 'kafka:fixed/', withStored: true });
    expect(all.map(({ isStored, code, retries }) => ({ isStored, code, retries }))).toEqual(
      letters.map(() => ({ isStored: true, code: 'missing_field', retries: 1 })),
    );
  });

  it('cut off after the events and before its note is repeated without a double', async () => {
    await storeDeadLetters(temporary.store, [letter('cut', 1, event('cut-1'))]);
    const store = { ...temporary.store, kind: 'embedded' as const };
    const dying = Object.assign(store, {
      insert: () => Promise.reject(new EvenshareError('EVS_STORE_UNREACHABLE', 'gone', { retryable: true })),
    });
    await expect(retry('cut', retryOptions({}, { store: dying }))).rejects.toMatchObject({
      code: 'EVS_STORE_UNREACHABLE',
    });
    expect((await stored('cut-'))?.requests).toBe(1);
    expect(await retry('cut')).toMatchObject([{ kind: 'stored', events: 1, duplicate: 1 }]);
    expect((await stored('cut-'))?.requests).toBe(1);
  });

  it('of what is still no event leaves it, with its newest reason', async () => {
    await storeDeadLetters(temporary.store, [
      letter('again', 1, Buffer.from('{"tenant":'), { code: 'torn_line' }),
      letter('again', 2, Buffer.from('{}'), { code: 'unknown_schema' }),
      letter('again', 3, Buffer.from([0xff]), { code: 'not_utf8' }),
      letter('again', 4, Buffer.from('  '), { code: 'empty_value' }),
    ]);
    await retry('again');
    await retry('again');
    expect(
      (await entries({ source: 'again' }))
        .map(({ position, code, cameCode, retries }) => [position, cameCode, code, retries])
        .sort(),
    ).toEqual([
      [1, 'torn_line', 'torn_line', 2],
      [2, 'unknown_schema', 'missing_field', 2],
      [3, 'not_utf8', 'not_utf8', 2],
      [4, 'empty_value', 'empty_value', 2],
    ]);
    expect((await entries({ source: 'again', code: 'unknown_schema' })).length, 'it is found by what it is now').toBe(
      0,
    );
  });

  it('takes what came too late for a stream, and refuses what is still in its future', async () => {
    await storeDeadLetters(temporary.store, [
      letter('kafka:time/0', 1, event('time-old', { arrived_at: NOW_MS - 900 * DAY_MS }), { code: 'too_late' }),
      letter('kafka:time/0', 2, event('time-then', { arrived_at: NOW_MS + 5 * MINUTE_MS }), { code: 'in_future' }),
      letter('kafka:time/0', 3, event('time-far', { arrived_at: NOW_MS + DAY_MS }), { code: 'in_future' }),
    ]);
    const results = await retry('kafka:time/');
    expect(results.map((result) => (result.kind === 'refused' ? result.code : result.kind)).sort()).toEqual([
      'in_future',
      'stored',
      'stored',
    ]);
  });

  it('is not made of what cannot be read any more: a line of which only the beginning was kept, a row without its header', async () => {
    await storeDeadLetters(temporary.store, [
      letter('kept', 1, event('kept-1'), { code: 'line_too_long' }),
      letter('kept', 2, Buffer.from('a,b'), { format: 'csv' }),
    ]);
    const before = await contentsOf(temporary.store);
    expect((await retry('kept')).map(({ kind }) => kind)).toEqual(['impossible', 'impossible']);
    expect((await entries({ source: 'kept' })).map(({ retries }) => retries)).toEqual([0, 0]);
    expect(await contentsOf(temporary.store)).toEqual(before);
  });

  it('that the store refuses for one row keeps that letter and stores the others', async () => {
    await storeDeadLetters(
      temporary.store,
      [1, 2, 3].map((n) => letter('poison', n, event(`poison-${n}`))),
    );
    const poisoned: BatchWriter = {
      submit: (submission) =>
        submission.decisions[0]?.requestId === 'poison-2'
          ? Promise.reject(new EvenshareError('EVS_STORE_FAILED', 'the store failed (ClickHouse error 117)'))
          : writer.submit(submission),
      pendingEvents: 0,
      drain: () => writer.drain(),
    };
    await retry('poison', retryOptions({}, { writer: poisoned }));
    expect(await entries({ source: 'poison' })).toMatchObject([{ position: 2, code: 'store_refused', retries: 1 }]);
    expect(await stored('poison-')).toEqual({ requests: 2, deliveries: 2 });
  });

  it('notes are kept as long as letters are', async () => {
    await applyRetention(temporary.store, { requestsDays: 100_000, windowsDays: 100_000, deadLettersDays: 100_000 });
    expect((await entries({ source: 'kafka:fixed/', withStored: true })).length).toBe(50);
  });
});
