import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineQuery, type Parameters } from '../../../analytics/storage/index.ts';
import { type BatchWriter, createBatchWriter } from '../../../ingest/batch/batch-writer.ts';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { type InsertGate, insertGate, storeWith } from '../../support/watched-store.ts';
import { letter, NOW_MS, request, submission } from './submissions.ts';

const STORED = defineQuery<Parameters, string>({
  name: 'stored',
  sql: 'SELECT request_id FROM requests FINAL ORDER BY request_id',
  decode: (row) => String(row.request_id),
});
const COUNT = (table: string) =>
  defineQuery<Parameters, number>({
    name: 'count',
    sql: `SELECT count() AS n FROM ${table} FINAL`,
    decode: (row) => Number(row.n),
  });

describe('the batch writer', () => {
  let opened: TemporaryStore;
  let gate: InsertGate;
  let writer: BatchWriter;
  let nowMs: number;
  beforeAll(async () => {
    opened = await temporaryStore();
  });
  afterAll(() => opened.remove());
  beforeEach(async () => {
    for (const table of ['requests', 'request_spans', 'pool_capacity', 'coverage_reports', 'dead_letters']) {
      await opened.store.command('intake', `TRUNCATE TABLE ${table}`);
    }
    nowMs = NOW_MS;
    gate = insertGate(opened.store);
    // Every reading of the clock is another one: no two inserts are the same rows.
    writer = createBatchWriter(gate.store, { nowMs: () => ++nowMs, maxPendingEvents: 100, maxBatchEvents: 20 });
  });

  const stored = (): Promise<string[]> => opened.store.query('reads', STORED, {});
  const count = async (table: string): Promise<number> => (await opened.store.query('reads', COUNT(table), {}))[0] ?? 0;

  it('stores all that a submission holds, in the order of its effects, and only then says so', async () => {
    const pending = writer.submit(
      submission({
        decisions: [request('r1')],
        pools: [{ pool: 'p', atMs: NOW_MS, slots: 8, capacityPerS: null }],
        coverage: [{ gateway: 'g', pool: 'p', fromMs: NOW_MS - 1, toMs: NOW_MS, decisions: 3 }],
        letters: [letter(1)],
      }),
    );
    expect(writer.pendingEvents).toBe(4);
    expect(await pending).toEqual({ accepted: 1, duplicate: 0, conflict: 0, skewed: 0 });
    expect(gate.inserts).toEqual(['requests', 'pool_capacity', 'coverage_reports', 'dead_letters']);
    expect([
      await stored(),
      await count('pool_capacity'),
      await count('coverage_reports'),
      await count('dead_letters'),
    ]).toEqual([['r1'], 1, 1, 1]);
    expect(writer.pendingEvents).toBe(0);
  });

  it('stores what comes while an insert is under way with the next one, and answers each for itself', async () => {
    gate.hold();
    const first = writer.submit(submission({ decisions: [request('r0')] }));
    const others = Array.from({ length: 15 }, (_, index) =>
      writer.submit(
        submission({
          decisions: [request(`r${index + 1}`), request('r0'), request(`s${index + 1}`, { dispatchedAtMs: 0 })],
        }),
      ),
    );
    gate.release();
    expect(await first).toMatchObject({ accepted: 1, duplicate: 0 });
    for (const result of await Promise.all(others))
      expect(result).toEqual({ accepted: 3, duplicate: 1, conflict: 0, skewed: 1 });
    // 46 events of one turn, at most 20 at a time, no submission split: 19, 18 and 9 of them.
    expect(gate.inserts).toEqual(['requests', 'requests', 'requests']);
    expect((await stored()).length).toBe(31);
  });

  it('never splits a submission, however large', async () => {
    const decisions = Array.from({ length: 50 }, (_, index) => request(`r${index}`));
    expect(await writer.submit(submission({ decisions }))).toMatchObject({ accepted: 50 });
    expect(gate.inserts).toEqual(['requests']);
  });

  describe('counts what an event adds', () => {
    it.each([
      { why: 'the same again', first: {}, second: {}, adds: 'duplicate' },
      { why: 'less than is known', first: { cost: 3 }, second: {}, adds: 'duplicate' },
      { why: 'more than is known', first: {}, second: { cost: 3 }, adds: 'new' },
      { why: 'another cost', first: { cost: 3 }, second: { cost: 4 }, adds: 'conflict' },
      {
        why: 'a smaller cost, which changes nothing and yet disagrees',
        first: { cost: 4 },
        second: { cost: 3 },
        adds: 'conflict',
      },
      { why: 'another tenant', first: {}, second: { tenant: 'b' }, adds: 'conflict' },
      { why: 'another arrival', first: {}, second: { arrivedAtMs: NOW_MS - 9_999 }, adds: 'conflict' },
      { why: 'another attempt', first: {}, second: { attempt: 2 }, adds: 'new' },
      { why: 'another pool', first: {}, second: { pool: 'q' }, adds: 'new' },
      {
        why: 'other labels, which are notes',
        first: { labels: '{"a":1}' },
        second: { labels: '{"a":0}' },
        adds: 'duplicate',
      },
    ])('$why: $adds, within one batch and over two', async ({ first, second, adds }) => {
      const expected = {
        accepted: 1,
        duplicate: adds === 'duplicate' ? 1 : 0,
        conflict: adds === 'conflict' ? 1 : 0,
        skewed: 0,
      };
      const together = await writer.submit(submission({ decisions: [request('one', first), request('one', second)] }));
      expect(together).toEqual({ ...expected, accepted: 2 });
      await writer.submit(submission({ decisions: [request('two', first)] }));
      expect(await writer.submit(submission({ decisions: [request('two', second)] }))).toEqual(expected);
    });

    it('of three events over three batches by all that is known', async () => {
      const send = (given: Partial<DecisionEvent>): Promise<unknown> =>
        writer.submit(submission({ decisions: [request('r', given)] }));
      expect(await send({ outcome: 'admitted' })).toMatchObject({ duplicate: 0, conflict: 0 });
      expect(await send({ dispatchedAtMs: NOW_MS - 9_000 })).toMatchObject({ duplicate: 0, conflict: 0 });
      expect(await send({ outcome: 'admitted', dispatchedAtMs: NOW_MS - 9_000 })).toMatchObject({
        duplicate: 1,
        conflict: 0,
      });
      expect(await send({ outcome: 'rejected', reason: 'quota' })).toMatchObject({ duplicate: 0, conflict: 1 });
    });

    it('names that only look alike are apart', async () => {
      const names = ["a','b", '\\', '\\N', '🦊', 'é', 'e\u0301', ' a', 'a '];
      const send = () =>
        writer.submit(submission({ decisions: names.map((name) => request(name, { tenant: name, pool: name })) }));
      expect(await send()).toEqual({ accepted: names.length, duplicate: 0, conflict: 0, skewed: 0 });
      expect(await send()).toEqual({ accepted: names.length, duplicate: names.length, conflict: 0, skewed: 0 });
      expect(await stored()).toEqual(names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    });

    it.each([
      { why: 'dispatched before it arrived', given: { dispatchedAtMs: NOW_MS - 10_001 }, skewed: 1 },
      {
        why: 'completed before dispatch',
        given: { dispatchedAtMs: NOW_MS - 9_000, completedAtMs: NOW_MS - 9_001 },
        skewed: 1,
      },
      { why: 'given up before it arrived', given: { completedAtMs: NOW_MS - 10_001 }, skewed: 1 },
      { why: 'all at once', given: { dispatchedAtMs: NOW_MS - 10_000, completedAtMs: NOW_MS - 10_000 }, skewed: 0 },
    ])('clocks that disagree: $why is $skewed', async ({ given, skewed }) => {
      expect(await writer.submit(submission({ decisions: [request('r', given)] }))).toMatchObject({ skewed });
    });
  });

  describe('under pressure', () => {
    const many = (name: string, count: number) =>
      submission({ decisions: Array.from({ length: count }, (_, index) => request(`${name}${index}`)) });

    it('refuses what would be too much, and takes it once there is room', async () => {
      gate.hold();
      const first = writer.submit(many('a', 60));
      const second = writer.submit(many('b', 40));
      const refused: unknown = await writer.submit(many('c', 1)).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'EVS_BUSY', retryable: true });
      expect(writer.pendingEvents, 'what was refused weighs nothing').toBe(100);
      gate.release();
      await Promise.all([first, second]);
      expect(await writer.submit(many('c', 1))).toMatchObject({ accepted: 1, duplicate: 0 });
      expect((await stored()).length).toBe(101);
    });

    it('takes one submission that is too large by itself, when nothing else is pending', async () => {
      expect(await writer.submit(many('a', 150))).toMatchObject({ accepted: 150 });
    });

    it('drains: everything that was taken is stored then', async () => {
      await writer.drain();
      gate.hold();
      const pending = [writer.submit(many('a', 30)), writer.submit(many('b', 30))];
      const drained = writer.drain();
      gate.release();
      await drained;
      expect((await stored()).length).toBe(60);
      expect(writer.pendingEvents).toBe(0);
      await Promise.all(pending);
    });
  });

  describe('that gathers', () => {
    const LIMITS = { everyMs: 100, fullEvents: 10 };
    /** Time that stands still but for what is slept for; a sleep lasts until it is let go or hurried. */
    const sleeper = () => {
      const asked: number[] = [];
      let wake = (): void => {};
      let tellAsleep = (): void => {};
      let asleep = new Promise<void>((resolve) => {
        tellAsleep = resolve;
      });
      return {
        asked,
        asleep: () => asleep,
        wake: (): void => {
          nowMs += asked.at(-1) ?? 0;
          wake();
          asleep = new Promise((resolve) => {
            tellAsleep = resolve;
          });
        },
        sleep: (durationMs: number, signal: AbortSignal): Promise<void> =>
          new Promise((resolve) => {
            asked.push(durationMs);
            wake = resolve;
            signal.addEventListener('abort', () => resolve(), { once: true });
            tellAsleep();
          }),
      };
    };
    const gathering = (sleep: ReturnType<typeof sleeper>['sleep']): BatchWriter =>
      createBatchWriter(gate.store, {
        nowMs: () => nowMs,
        maxPendingEvents: 100,
        maxBatchEvents: 20,
        gather: { ...LIMITS, sleep },
      });
    const one = (name: string) => submission({ decisions: [request(name)] });

    it('stores a lone event at once, and what comes within the time after it in one insert', async () => {
      const { asked, asleep, sleep, wake } = sleeper();
      const gatherer = gathering(sleep);
      expect(await gatherer.submit(one('a'))).toMatchObject({ accepted: 1 });
      expect(asked).toEqual([]);
      nowMs += 30;
      const pending = [gatherer.submit(one('b'))];
      await asleep();
      for (const name of ['c', 'd', 'e']) pending.push(gatherer.submit(one(name)));
      expect(asked).toEqual([70]);
      expect(gate.inserts).toEqual(['requests']);
      wake();
      await Promise.all(pending);
      expect(gate.inserts).toEqual(['requests', 'requests']);
      expect(await stored()).toEqual(['a', 'b', 'c', 'd', 'e']);
    });

    it('waits no longer once an insert is full', async () => {
      const { asleep, sleep } = sleeper();
      const gatherer = gathering(sleep);
      await gatherer.submit(one('first'));
      const pending = [gatherer.submit(one('r0'))];
      await asleep();
      for (let index = 1; index < 10; index++) pending.push(gatherer.submit(one(`r${index}`)));
      // Nobody wakes the sleeper: it is hurried.
      await Promise.all(pending);
      expect(gate.inserts).toEqual(['requests', 'requests']);
    });

    it('waits no longer once it is to drain', async () => {
      const { asleep, sleep } = sleeper();
      const gatherer = gathering(sleep);
      await gatherer.submit(one('a'));
      const pending = gatherer.submit(one('b'));
      await asleep();
      await gatherer.drain();
      expect(await pending).toMatchObject({ accepted: 1 });
      expect(await stored()).toEqual(['a', 'b']);
    });

    it('makes few parts of very many small submissions', async () => {
      let slept = 0;
      const gatherer = createBatchWriter(gate.store, {
        nowMs: () => nowMs,
        maxPendingEvents: 100_000,
        maxBatchEvents: 20_000,
        // While it sleeps, time passes and 20 more come.
        gather: {
          everyMs: 100,
          fullEvents: 1_000,
          sleep: async (durationMs) => {
            slept++;
            nowMs += durationMs;
            for (let index = 0; index < 20; index++) pending.push(gatherer.submit(one(`s${slept}-${index}`)));
          },
        },
      });
      const pending = [gatherer.submit(one('s0'))];
      for (let at = 0; at < pending.length && slept < 50; at++) {
        await pending[at];
        if (at === pending.length - 1) pending.push(gatherer.submit(one(`t${at}`)));
      }
      await Promise.all(pending);
      expect(pending.length).toBeGreaterThan(1_000);
      expect((await stored()).length).toBe(pending.length);
      expect(gate.inserts.length).toBeLessThanOrEqual(slept + 2);
    });
  });

  it('one submission that the store cannot take fails alone, whoever came along with it', async () => {
    const bad = new EvenshareError('EVS_STORE_FAILED', 'no such value', { cause: { code: '469' } });
    const refusing = createBatchWriter(
      storeWith(gate.store, {
        insert: (lane, table, columns, rows, settings) =>
          rows.includes('poison') ? Promise.reject(bad) : gate.store.insert(lane, table, columns, rows, settings),
      }),
      { nowMs: () => ++nowMs, maxPendingEvents: 100, maxBatchEvents: 100 },
    );
    const names = ['a', 'b', 'poison-1', 'c', 'd', 'e', 'poison-2', 'f', 'g'];
    const settled = await Promise.allSettled(
      names.map((name) => refusing.submit(submission({ decisions: [request(name)] }))),
    );
    expect(settled.map((each) => each.status === 'fulfilled')).toEqual(names.map((name) => !name.startsWith('poison')));
    expect(await stored()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(refusing.pendingEvents).toBe(0);
  });

  it('a store that is away is asked once, not by halves', async () => {
    let asked = 0;
    const away = createBatchWriter(
      storeWith(gate.store, {
        insert: async () => {
          asked++;
          throw new EvenshareError('EVS_STORE_UNREACHABLE', 'away', { retryable: true });
        },
      }),
      { nowMs: () => ++nowMs, maxPendingEvents: 100, maxBatchEvents: 100 },
    );
    const settled = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) => away.submit(submission({ decisions: [request(name)] }))),
    );
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(asked).toBe(1);
  });

  it.each(['requests', 'pool_capacity', 'coverage_reports', 'dead_letters'])(
    'an insert into %s that fails refuses the whole batch; the same again is harmless, and what follows works',
    async (table) => {
      const whole = (name: string) =>
        submission({
          decisions: [request(name)],
          pools: [{ pool: 'p', atMs: NOW_MS, slots: 8, capacityPerS: null }],
          coverage: [{ gateway: 'g', pool: 'p', fromMs: NOW_MS - 1, toMs: NOW_MS, decisions: 3 }],
          letters: [letter(1)],
        });
      gate.failNext(table, new Error('no room'));
      const failed = await Promise.allSettled([writer.submit(whole('a')), writer.submit(whole('b'))]);
      expect(failed.map((result) => result.status)).toEqual(['rejected', 'rejected']);
      expect(failed.every((result) => result.status === 'rejected' && String(result.reason).includes('no room'))).toBe(
        true,
      );
      expect(writer.pendingEvents).toBe(0);
      expect(await writer.submit(whole('c'))).toMatchObject({ accepted: 1, duplicate: 0 });
      const again = await Promise.all([writer.submit(whole('a')), writer.submit(whole('b'))]);
      expect(again.map((result) => result.accepted)).toEqual([1, 1]);
      expect(await stored()).toEqual(['a', 'b', 'c']);
      expect([await count('pool_capacity'), await count('coverage_reports'), await count('dead_letters')]).toEqual([
        1, 1, 1,
      ]);
    },
  );

  it('answers an empty submission', async () => {
    expect(await writer.submit(submission({}))).toEqual({ accepted: 0, duplicate: 0, conflict: 0, skewed: 0 });
    expect(gate.inserts).toEqual([]);
  });

  describe('dead letters', () => {
    const LETTERS = defineQuery<Parameters, unknown>({
      name: 'letters',
      sql: `SELECT source, position, code, base64Decode(raw_base64) AS raw, raw_bytes, received_at_ms
FROM dead_letters FINAL ORDER BY source, position, raw_base64`,
      decode: (row) => [row.source, Number(row.position), row.code, row.raw, Number(row.raw_bytes)],
    });
    const letters = (): Promise<unknown[]> => opened.store.query('reads', LETTERS, {});

    it('of the same file read twice are stored once', async () => {
      const file = [letter(1), letter(7, { code: 'time_unit' })];
      await writer.submit(submission({ letters: file }));
      await writer.submit(submission({ letters: file.map((each) => ({ ...each, receivedAtMs: NOW_MS + 5_000 })) }));
      expect(await letters()).toEqual([
        ['file.ndjson', 1, 'not_json', '{1', 2],
        ['file.ndjson', 7, 'time_unit', '{7', 2],
      ]);
    });

    it('of another file, line or content are others', async () => {
      const others = [
        letter(1),
        letter(1, { source: 'other.ndjson' }),
        letter(2),
        letter(1, { raw: Buffer.from('x') }),
      ];
      await writer.submit(submission({ letters: others }));
      expect((await letters()).length).toBe(4);
    });

    it('keep their bytes, whatever they are', async () => {
      const raw = Buffer.from([0, 9, 10, 92, 255, 254, 39, 128]);
      await writer.submit(submission({ letters: [letter(1, { raw, source: "a\tb\n'\\" })] }));
      const query = defineQuery<Parameters, unknown>({
        name: 'bytes',
        sql: 'SELECT source, raw_base64 FROM dead_letters FINAL',
        decode: (row) => [row.source, row.raw_base64],
      });
      expect(await opened.store.query('reads', query, {})).toEqual([["a\tb\n'\\", raw.toString('base64')]]);
    });
  });
});
