import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../analytics/storage/index.ts';
import { contentsOf } from '../../support/store-contents.ts';
import { type TemporaryStore, temporaryStore } from '../../support/temporary-store.ts';
import { until } from '../../support/until.ts';
import {
  emptyStore,
  type IntakeServer,
  type IntakeServerOptions,
  intakeServer,
  lines,
  recent,
} from './intake-server.ts';
import { REFERENCE_FRAME, repeatedFrame, storedFrame } from './zstd-encoder.ts';

// What the intake refuses as a whole: nothing of it is stored, and the sender is told why as problem details.

let temporary: TemporaryStore;
let open: IntakeServer[];
beforeAll(async () => {
  temporary = await temporaryStore();
});
beforeEach(async () => {
  await emptyStore(temporary.store);
  open = [];
});
afterEach(async () => {
  for (const intake of open) await intake.close();
});
afterAll(() => temporary.remove());

async function serve(options: IntakeServerOptions = {}, store: Store = temporary.store): Promise<IntakeServer> {
  const intake = await intakeServer(store, options);
  open.push(intake);
  return intake;
}

const NOTHING = { requests: 0, letters: 0 };
const VALID = lines(recent('r1'));

describe('a body', () => {
  test.each([
    ['plain text, which a page of another site may post', 'text/plain'],
    ['a form, which it may post too', 'application/x-www-form-urlencoded'],
    ['a form with parts', 'multipart/form-data; boundary=x'],
    ['something else', 'application/xml'],
  ])('said to be %s is refused with 415', async (_name, type) => {
    const answer = await (await serve()).post(VALID, { 'content-type': type });
    expect(answer).toMatchObject({ status: 415, body: { status: 415, code: 'EVS_HTTP' } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await contentsOf(temporary.store)).toMatchObject(NOTHING);
  });

  test.each([
    ['empty', 'application/x-ndjson', '', /empty/],
    ['empty, said to be JSON', 'application/json', '', /empty/],
    ['broken JSON', 'application/json', '[{"request_id":"r1"', /is not JSON/],
    [
      'lines, said to be JSON',
      'application/json',
      lines(recent('r1'), recent('r2')),
      /is not JSON.*application\/x-ndjson/,
    ],
    ['JSON that is not UTF-8', 'application/json', Buffer.from('[{"request_id":"\xe9"}]', 'latin1'), /not UTF-8/],
  ])('that is %s is refused with 400 and told why', async (_name, type, body, detail) => {
    const answer = await (await serve()).post(body, { 'content-type': type });
    expect(answer).toMatchObject({ status: 400, body: { code: 'EVS_HTTP', detail: expect.stringMatching(detail) } });
    expect(await contentsOf(temporary.store)).toMatchObject(NOTHING);
  });

  test('over the limit is refused with 413, also where its length was not announced', async () => {
    const intake = await serve({ maxBodyBytes: 2_048 });
    const large = lines(...Array.from({ length: 40 }, (_, index) => recent(`r${index}`)));
    expect(large.length).toBeGreaterThan(2_048);
    expect(await intake.post(large)).toMatchObject({ status: 413, body: { status: 413 } });
    expect(await postInChunks(intake.url, large)).toBe(413);
    expect(await contentsOf(temporary.store)).toMatchObject(NOTHING);
    expect((await intake.post(VALID)).status).toBe(202);
  });
});

describe('a packed body', () => {
  const GZIP = { 'content-encoding': 'gzip' };

  test('that unpacks to far more than the limit is refused with 413', async () => {
    const intake = await serve({ maxBodyBytes: 65_536 });
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(65_536);
    const answer = await intake.post(bomb, GZIP);
    expect(answer).toMatchObject({ status: 413, body: { detail: expect.stringMatching(/unpacks to more than/) } });
  });

  test.each([
    ['is not packed', Buffer.from(VALID)],
    ['was cut off', gzipSync(VALID).subarray(0, -6)],
    ['is damaged', Buffer.concat([gzipSync(VALID).subarray(0, 12), Buffer.from('damaged, damaged')])],
    ['has something else after its end', Buffer.concat([gzipSync(VALID), Buffer.from(VALID)])],
  ])('that %s is refused with 400', async (_name, body) => {
    const answer = await (await serve()).post(body, GZIP);
    expect(answer).toMatchObject({ status: 400, body: { code: 'EVS_HTTP', detail: expect.stringMatching(/gzip/) } });
    expect(await contentsOf(temporary.store)).toMatchObject(NOTHING);
  });

  test('of Zstandard that unpacks to far more than the limit is refused with 413, before it is all unpacked', async () => {
    const intake = await serve({ maxBodyBytes: 65_536 });
    const bomb = repeatedFrame(0x20, 8_000);
    expect(bomb.length).toBeLessThan(65_536);
    const answer = await intake.post(bomb, { 'content-encoding': 'zstd' });
    expect(answer).toMatchObject({ status: 413, body: { detail: expect.stringMatching(/unpacks to more than/) } });
  });

  test.each([
    ['is not packed', Buffer.from(VALID)],
    ['was cut off', storedFrame(Buffer.from(VALID)).subarray(0, -6)],
    ['is damaged', Buffer.concat([REFERENCE_FRAME.subarray(0, 40), Buffer.from('damaged, damaged')])],
    ['has something else after its end', Buffer.concat([storedFrame(Buffer.from(VALID)), Buffer.from(VALID)])],
  ])('of Zstandard that %s is refused with 400', async (_name, body) => {
    const answer = await (await serve()).post(body, { 'content-encoding': 'zstd' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'EVS_HTTP', detail: expect.stringMatching(/zstd/) } });
    expect(await contentsOf(temporary.store)).toMatchObject(NOTHING);
  });

  test('in several parts, each packed, is taken whole', async () => {
    const body = Buffer.concat([gzipSync(VALID), gzipSync(lines(recent('r2')))]);
    expect((await (await serve()).post(body, GZIP)).body).toMatchObject({ accepted: 2 });
  });

  test('in another way than gzip is refused with 415', async () => {
    const answer = await (await serve()).post(VALID, { 'content-encoding': 'br' });
    expect(answer).toMatchObject({
      status: 415,
      body: { detail: expect.stringMatching(/must be gzip, zstd or identity/) },
    });
  });
});

describe('a sender', () => {
  const OPERATOR = 'operator-token-of-the-test';
  const INGEST = 'ingest-token-of-the-test';
  const tokens = [
    { token: OPERATOR, scope: 'operator' },
    { token: INGEST, scope: 'ingest' },
  ] as const;

  test.each([
    ['none', null, 401],
    ['an unknown one', 'something-else-entirely', 401],
    ['one of scope ingest', INGEST, 202],
    ['one of scope operator', OPERATOR, 202],
  ])('with %s of the tokens that are configured gets its answer: %s, %i', async (_name, token, status) => {
    const intake = await serve({ tokens });
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const answer = await intake.post(VALID, headers);
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect((await contentsOf(temporary.store)).requests).toBe(status === 202 ? 1 : 0);
  });

  test('with a token of scope ingest may read nothing', async () => {
    const intake = await serve({ tokens });
    const response = await fetch(`${intake.url}/api/v1/pools`, { headers: { authorization: `Bearer ${INGEST}` } });
    expect(response.status).toBe(403);
  });
});

describe('an intake that is behind', () => {
  test('answers 429 with Retry-After, keeps what it has taken, and takes the same again later', async () => {
    const gate = new Gate();
    const intake = await serve({ maxPendingEvents: 5 }, gate.before(temporary.store));
    const bodyOf = (prefix: string) => lines(...[1, 2, 3].map((index) => recent(`${prefix}${index}`)));
    const first = intake.post(bodyOf('a'));
    await gate.reached;
    const refused = await intake.post(bodyOf('b'));
    expect(refused).toMatchObject({ status: 429, body: { status: 429, code: 'EVS_BUSY' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    gate.open();
    expect(await first).toMatchObject({ status: 202, body: { accepted: 3 } });
    expect((await intake.post(bodyOf('b'))).status).toBe(202);
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 6, requestIds: 6 });
  });
});

describe('an intake that holds as much as it may', () => {
  const some = (prefix: string) => lines(...Array.from({ length: 30 }, (_, index) => recent(`${prefix}${index}`)));

  test.each([
    ['as it came', (text: string) => text, {}],
    ['unpacked', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ])('answers 429 for the bytes of a body %s, and takes it when others are done', async (_, pack, headers) => {
    const gate = new Gate();
    const intake = await serve({ maxHeldBytes: 3_000 }, gate.before(temporary.store));
    const first = intake.post(some('a'));
    await gate.reached;
    const refused = await intake.post(pack(some('b')), headers);
    expect(refused).toMatchObject({ status: 429, body: { status: 429, code: 'EVS_BUSY' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    gate.open();
    // Alone it may be larger than all together.
    expect(await first).toMatchObject({ status: 202, body: { accepted: 30 } });
    // Its room is given back once its connection has let go of it.
    await until('there is room', async () =>
      (await intake.post(pack(some('b')), headers)).status === 202 ? true : null,
    );
    expect(await contentsOf(temporary.store)).toMatchObject({ requests: 60, requestIds: 60 });
  });
});

/** Holds up the inserts of a store until it is opened. */
class Gate {
  readonly reached: Promise<void>;
  open: () => void = () => undefined;
  readonly #opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
  #arrive: () => void = () => undefined;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#arrive = resolve;
    });
  }

  before(store: Store): Store {
    return {
      kind: store.kind,
      query: (lane, query, params) => store.query(lane, query, params),
      queryBinary: (lane, query, params) => store.queryBinary(lane, query, params),
      command: (...args) => store.command(...args),
      insert: async (...args) => {
        this.#arrive();
        await this.#opened;
        await store.insert(...args);
      },
      close: () => store.close(),
    };
  }
}

/** Posts without a Content-Length; the status of the answer. */
function postInChunks(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/v1/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('error', reject);
    for (let at = 0; at < body.length; at += 1_000) request.write(body.slice(at, at + 1_000));
    request.end();
  });
}
