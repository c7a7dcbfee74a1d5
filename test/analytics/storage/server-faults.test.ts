import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defineQuery, openClickHouse, type Parameters, type Store, tsvRow } from '../../../analytics/storage/index.ts';
import { type ClickHouseHttp, startClickHouseHttp } from '../../support/clickhouse-http/start-server.ts';
import type { Misdeed } from '../../support/clickhouse-http/switches.ts';

// What a server, the network and whatever stands between may do to a statement: what is worth another attempt is told
// apart from what is not, and nothing that failed passes for done.

const REQUEST_TIMEOUT_MS = 1_500;

let path: string;
let server: ClickHouseHttp;
let store: Store;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
  server = await startClickHouseHttp({ path });
  store = await openClickHouse({
    kind: 'server',
    url: server.url,
    username: 'default',
    password: '',
    database: 'default',
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  await store.command('reads', 'CREATE TABLE t (n UInt32) ENGINE = MergeTree ORDER BY n');
});
afterEach(() => server.switches.set());
afterAll(async () => {
  await store.close();
  await server.close();
  await rm(path, { recursive: true, force: true });
});

const COUNT = defineQuery<Parameters, number>({
  name: 'count',
  sql: 'SELECT count() AS n FROM t',
  decode: (row) => Number(row.n),
});
const NUMBERS = defineQuery<Parameters, number>({
  name: 'numbers',
  sql: 'SELECT number AS n, throwIf(number = {last:UInt64}) FROM numbers(500000)',
  decode: (row) => Number(row.n),
});
const LENGTH = defineQuery<Parameters, number>({
  name: 'length',
  sql: 'SELECT length({text:String}) AS n',
  decode: (row) => Number(row.n),
});

const insert = (n: number): Promise<void> => store.insert('intake', 't', ['n'], tsvRow([n]));
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

const AGAIN: readonly (readonly [string, Misdeed, string])[] = [
  ['cut before it was executed', { kind: 'cut', when: 'before' }, 'EVS_STORE_UNREACHABLE'],
  ['cut after it was executed', { kind: 'cut', when: 'after' }, 'EVS_STORE_UNREACHABLE'],
  ['cut amid the answer', { kind: 'cut', when: 'amid' }, 'EVS_STORE_UNREACHABLE'],
  ['an exception amid the answer', { kind: 'exception_after_header', code: 241 }, 'EVS_STORE_UNREACHABLE'],
  ['never answered', { kind: 'hang' }, 'EVS_STORE_UNREACHABLE'],
  ['the page of a proxy that finds no server', { kind: 'page', status: 502 }, 'EVS_STORE_UNREACHABLE'],
  ['the page of a proxy that is overloaded', { kind: 'page', status: 503 }, 'EVS_STORE_UNREACHABLE'],
  ['the page of a proxy, with a status of success', { kind: 'page', status: 200 }, 'EVS_STORE_UNREACHABLE'],
  ['no space', { kind: 'exception', code: 243 }, 'EVS_STORE_FULL'],
  ...[
    [3, 'the request was cut on its way'],
    [49, 'a fault of its own'],
    [159, 'too long'],
    [201, 'over a quota'],
    [202, 'too many statements'],
    [225, 'no keeper'],
    [236, 'aborted, as it shuts down'],
    [241, 'no memory'],
    [242, 'a replica without its keeper'],
    [252, 'too many parts'],
    [285, 'too few replicas'],
    [319, 'not known whether it was executed'],
    [373, 'the session is still at the statement before'],
    [394, 'cancelled by somebody'],
    [439, 'no thread'],
    [1000, 'a fault of a library'],
    [1002, 'a fault that it does not know'],
  ].map(([code, why]) => [String(why), { kind: 'exception', code: Number(code) }, 'EVS_STORE_UNREACHABLE'] as const),
];

describe.each(AGAIN)('%s', (_, misdeed, code) => {
  it.each([
    ['an insert', () => insert(1)],
    ['a read', () => store.query('reads', COUNT, {})],
    ['a statement', () => store.command('reads', 'SELECT 1 FROM numbers(10)')],
  ])('fails %s in a way that is worth another attempt, and the next works', async (_what, work) => {
    server.switches.set({ times: 1, does: misdeed });
    expect(await failureOf(work())).toMatchObject({ code, retryable: true });
    await work();
  });
});

describe('what another attempt does not mend', () => {
  it.each([
    ['a table that is missing', 60, 'EVS_STORE_SCHEMA'],
    ['a column that is missing', 16, 'EVS_STORE_SCHEMA'],
    ['a wrong password', 516, 'EVS_STORE_UNREACHABLE'],
    ['a grant that is missing', 497, 'EVS_STORE_UNREACHABLE'],
    ['a user that may only read', 164, 'EVS_STORE_UNREACHABLE'],
    ['a row that does not parse', 27, 'EVS_STORE_FAILED'],
    ['a row against a constraint', 469, 'EVS_STORE_FAILED'],
  ])('%s', async (_, code, expected) => {
    server.switches.set({ times: 1, does: { kind: 'exception', code } });
    expect(await failureOf(insert(1))).toMatchObject({ code: expected, retryable: false });
  });
});

it('an exception that comes late in a result is told by its code, not as a torn answer', async () => {
  const failed = await failureOf(store.query('reads', NUMBERS, { last: 499_999 }));
  expect(failed).toMatchObject({ message: expect.stringContaining('395') });
});

it('what was executed and cut is there once more after another attempt, no less', async () => {
  await store.command('reads', 'TRUNCATE TABLE t');
  server.switches.set({ match: 'insert', times: 1, does: { kind: 'cut', when: 'after' } });
  await failureOf(insert(7));
  await insert(7);
  expect(await store.query('reads', COUNT, {})).toEqual([2]);
});

it.each([
  ['in the address', "\n'é\\", 100],
  ['in a form', "\n'é\\", 10_000],
  ['as long as a server takes', 'x', 131_072],
])('a parameter arrives whole: %s', async (_, part, times) => {
  expect(await store.query('reads', LENGTH, { text: part.repeat(times) })).toEqual([Buffer.byteLength(part) * times]);
});

it('goes on with a server that went away and came back elsewhere in time', async () => {
  const port = Number(new URL(server.url).port);
  await server.close();
  expect(await failureOf(insert(1))).toMatchObject({ code: 'EVS_STORE_UNREACHABLE', retryable: true });
  server = await startClickHouseHttp({ path, port });
  await insert(1);
});
