import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defineQuery } from '../../../analytics/storage/index.ts';
import { DAY_MS, MINUTE_MS } from '../../../scheduler-core/kernel/index.ts';
import { contentsOf } from '../../support/store-contents.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import {
  emptyStore,
  INTAKE_NOW_MS,
  type IntakeServer,
  intakeServer,
  lines,
  recent,
  storedLetters,
  storedRequests,
} from './intake-server.ts';
import { REFERENCE_FRAME, storedFrame } from './zstd-encoder.ts';

// What a gateway may post, through the real server into the real store.

let temporary: TemporaryStore;
let intake: IntakeServer;
beforeAll(async () => {
  temporary = await temporaryStore();
});
beforeEach(async () => {
  await emptyStore(temporary.store);
  intake = await intakeServer(temporary.store);
});
afterEach(() => intake.close());
afterAll(() => temporary.remove());

const idsStored = async (): Promise<string[]> =>
  (await storedRequests(temporary.store)).map(({ request_id: id }) => id).sort();
const envelope = (id: string, data: unknown = { tenant: 'a' }) => ({
  specversion: '1.0',
  id,
  source: '/gateways/eu-1',
  type: 'com.example.decision',
  time: new Date(INTAKE_NOW_MS - MINUTE_MS).toISOString(),
  data,
});
const ALL_TAKEN = { accepted: 2, duplicate: 0, conflict: 0, rejected: [], rejected_total: 0 };

describe('a body', () => {
  test.each([
    ['lines', 'application/x-ndjson', lines(recent('r1'), recent('r2'))],
    ['lines by another name', 'application/jsonl', lines(recent('r1'), recent('r2'))],
    ['lines, the last without its end', 'application/ndjson', lines(recent('r1'), recent('r2')).trimEnd()],
    [
      'lines with CRLF, blanks and a BOM',
      'application/x-ndjson',
      `\ufeff\r\n${lines(recent('r1'))}\r\n\r\n${lines(recent('r2')).replace('\n', '\r\n')}`,
    ],
    ['an array', 'application/json', JSON.stringify([recent('r1'), recent('r2')])],
    [
      'an array, with its charset',
      'application/json; charset=utf-8',
      JSON.stringify([recent('r1'), recent('r2')], null, 2),
    ],
    ['CloudEvents, batched', 'application/cloudevents-batch+json', JSON.stringify([envelope('r1'), envelope('r2')])],
    ['CloudEvents, a line each', 'application/x-ndjson', lines(envelope('r1'), envelope('r2'))],
  ])('of %s is taken', async (_name, type, body) => {
    for (const { encoding, packed } of [
      { encoding: 'identity', packed: body },
      { encoding: 'gzip', packed: gzipSync(body) },
      { encoding: 'zstd', packed: storedFrame(Buffer.from(body)) },
    ]) {
      const answer = await intake.post(packed, { 'content-type': type, 'content-encoding': encoding });
      const duplicate = encoding === 'identity' ? 0 : 2;
      expect(answer).toMatchObject({ status: 202, body: { ...ALL_TAKEN, duplicate } });
      expect(await idsStored()).toEqual(['r1', 'r2']);
    }
    expect(await storedLetters(temporary.store)).toEqual([]);
  });

  test.each([
    ['an event', 'application/json', recent('r1')],
    ['a structured CloudEvent', 'application/cloudevents+json', envelope('r1')],
  ])('of %s alone is taken', async (_name, type, event) => {
    const answer = await intake.post(JSON.stringify(event), { 'content-type': type });
    expect(answer).toMatchObject({ status: 202, body: { ...ALL_TAKEN, accepted: 1 } });
    expect(await idsStored()).toEqual(['r1']);
  });

  test('packed by the reference implementation of Zstandard is taken', async () => {
    const answer = await intake.post(REFERENCE_FRAME, { 'content-encoding': 'zstd' });
    // Its events are of another day than the intake's.
    expect(answer).toMatchObject({ status: 202, body: { accepted: 0, rejected_total: 40 } });
    expect(answer.body.rejected).toMatchObject([
      { line: 1, code: 'too_late' },
      ...Array(39).fill({ code: 'too_late' }),
    ]);
  });

  test('of CloudEvents takes id, source and time for what the events lack', async () => {
    const body = JSON.stringify([envelope('e1'), envelope('e2', recent('own', { gateway: 'g', pool: 'p' }))]);
    await intake.post(body, { 'content-type': 'application/cloudevents-batch+json' });
    expect(await storedRequests(temporary.store)).toEqual([
      {
        request_id: 'e1',
        tenant: 'a',
        pool: 'default',
        gateway: '/gateways/eu-1',
        arrived_at_ms: INTAKE_NOW_MS - MINUTE_MS,
      },
      { request_id: 'own', tenant: 'a', pool: 'p', gateway: 'g', arrived_at_ms: INTAKE_NOW_MS - MINUTE_MS },
    ]);
  });

  test('keeps names as they are, code point for code point', async () => {
    const tenants = [
      '__other__',
      'a/b',
      '..',
      '=cmd|x',
      '中文',
      '🦊',
      "'; DROP TABLE requests --",
      '\\N',
      'é',
      'e\u0301',
    ];
    const events = tenants.map((tenant, index) => recent(`r${index}`, { tenant }));
    await intake.post(JSON.stringify(events), { 'content-type': 'application/json' });
    expect((await storedRequests(temporary.store)).map(({ tenant }) => tenant)).toEqual(tenants);
  });

  test('may say what a pool has', async () => {
    const at = INTAKE_NOW_MS - MINUTE_MS;
    await intake.post(lines({ schema: 'evenshare.pool.v1', pool: 'p', at, slots: 8 }, recent('r1', { pool: 'p' })));
    const slots = defineQuery<Record<string, never>, readonly unknown[]>({
      name: 'test-slots',
      sql: 'SELECT pool, at_ms, slots FROM pool_capacity',
      decode: (row) => [row.pool, Number(row.at_ms), row.slots],
    });
    expect(await temporary.store.query('reads', slots, {})).toEqual([['p', at, 8]]);
  });
});

describe('a body sent again', () => {
  const body = lines(recent('r1'), recent('r2'), { request_id: 'r3' }, recent('r4', { tenant: 'b' }));

  test('is counted as duplicates and changes nothing, dead letters included', async () => {
    const first = await intake.post(body);
    expect(first.body).toMatchObject({ accepted: 3, duplicate: 0, rejected_total: 1 });
    const before = { contents: await contentsOf(temporary.store), letters: await storedLetters(temporary.store) };
    const second = await intake.post(body);
    expect(second.body).toEqual({ ...first.body, duplicate: 3 });
    const after = { contents: await contentsOf(temporary.store), letters: await storedLetters(temporary.store) };
    expect(after).toEqual(before);
    expect(after.letters).toHaveLength(1);
  });

  test('while the first is under way counts each request once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => intake.post(body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202));
    const duplicates = answers.map(({ body: { duplicate } }) => Number(duplicate));
    expect(duplicates.sort()).toEqual([0, 3, 3, 3, 3, 3, 3, 3]);
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 3, requestIds: 3, letters: 1 });
  });

  test('with something new in it counts that as new; with something else in it, as a conflict', async () => {
    await intake.post(lines(recent('r1')));
    const completed = recent('r1', { dispatched_at: INTAKE_NOW_MS - 50_000, completed_at: INTAKE_NOW_MS - 40_000 });
    expect((await intake.post(lines(completed))).body).toMatchObject({ accepted: 1, duplicate: 0, conflict: 0 });
    expect((await intake.post(lines(recent('r1')))).body).toMatchObject({ accepted: 1, duplicate: 1, conflict: 0 });
    const other = { ...completed, completed_at: INTAKE_NOW_MS - 30_000 };
    expect((await intake.post(lines(other))).body).toMatchObject({ accepted: 1, duplicate: 0, conflict: 1 });
    const renamed = { ...completed, tenant: 'b' };
    expect((await intake.post(lines(renamed))).body).toMatchObject({ accepted: 1, duplicate: 0, conflict: 1 });
  });
});

describe('a rejected event', () => {
  test('is told by its line and reason, and kept with its exact bytes', async () => {
    const notUtf8 = Buffer.concat([Buffer.from('{"request_id":"caf'), Buffer.from([0xe9, 0xff]), Buffer.from('"}')]);
    const texts = ['not json', JSON.stringify({ request_id: 'x' }), '{"request_id": "spaced",  "tenant":"a"}', '"🦊"'];
    const raws = [...texts.map((text) => Buffer.from(text)), notUtf8];
    const newline = Buffer.from('\n');
    const body = Buffer.concat([
      Buffer.from(lines(recent('r1'))),
      newline,
      ...raws.flatMap((raw) => [raw, newline]),
      Buffer.from(lines(recent('r2'))),
    ]);
    const answer = await intake.post(body);
    const reasons = [
      [3, 'not_json'],
      [4, 'missing_field'],
      [5, 'missing_field'],
      [6, 'not_object'],
      [7, 'not_utf8'],
    ];
    expect(answer.body).toMatchObject({
      accepted: 2,
      rejected: reasons.map(([line, code]) => ({ line, code, detail: expect.stringMatching(/./) })),
      rejected_total: 5,
    });
    const letters = await storedLetters(temporary.store);
    expect(letters.map(({ position, code }) => [position, code])).toEqual(reasons);
    expect(letters.map(({ raw }) => raw)).toEqual(raws);
    for (const letter of letters) {
      expect(letter).toMatchObject({ rawBytes: letter.raw.length, receivedAtMs: INTAKE_NOW_MS });
      expect(letter.source).toMatch(/^http:[0-9a-f]{16}$/);
    }
    expect(await intake.metrics()).toContain('evenshare_ingest_dead_letters_total{code="missing_field"} 2');
  });

  test('of an array is told by its place, and kept with its exact bytes too', async () => {
    const raws = [
      '{ "request_id" : "x",\n "tenant": "[{\\"]" }',
      '1e3',
      '{"request_id":"y","cost":9007199254740993}',
      '[]',
    ];
    const body = ` [ ${JSON.stringify(recent('r1'))} ,${raws.join('\t,')}\n,${JSON.stringify(recent('é'))}] `;
    const answer = await intake.post(body, { 'content-type': 'application/json' });
    expect(answer.body).toMatchObject({ accepted: 2, rejected: [{ line: 2 }, { line: 3 }, { line: 4 }, { line: 5 }] });
    const letters = await storedLetters(temporary.store);
    expect(letters.map(({ position, raw }) => [position, raw.toString()])).toEqual(
      raws.map((raw, at) => [at + 2, raw]),
    );
  });

  test('of a body that is one event is kept as the body', async () => {
    const body = '\n{ "request_id": "x",   "tenant": "a" }\n';
    const answer = await intake.post(body, { 'content-type': 'application/json' });
    expect(answer.body).toMatchObject({ accepted: 0, rejected: [{ line: 1, code: 'missing_field' }] });
    expect((await storedLetters(temporary.store)).map(({ raw }) => raw.toString())).toEqual([body.trim()]);
  });

  test.each([
    ['more than 5 min in the future', 5 * MINUTE_MS + 1, 'in_future'],
    ['5 min in the future', 5 * MINUTE_MS, null],
    ['two days ago', -2 * DAY_MS, null],
    ['more than two days ago', -2 * DAY_MS - 1, 'too_late'],
  ])('that arrived %s, by the clock of the intake, is one: %j ms, %s', async (_name, offsetMs, code) => {
    const answer = await intake.post(lines(recent('r1', { arrived_at: INTAKE_NOW_MS + offsetMs })));
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject(
      code === null ? { accepted: 1, rejected: [] } : { accepted: 0, rejected: [{ line: 1, code }] },
    );
    expect((await storedLetters(temporary.store)).map((letter) => letter.code)).toEqual(code === null ? [] : [code]);
  });

  test('among very many is counted and kept, though only the first thousand are listed', async () => {
    const answer = await intake.post('x\n'.repeat(1_500));
    expect(answer.body).toMatchObject({ accepted: 0, rejected_total: 1_500 });
    expect(answer.body.rejected).toHaveLength(1_000);
    expect((await contentsOf(temporary.store)).letters).toBe(1_500);
  });
});
