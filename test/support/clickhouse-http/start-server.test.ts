import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ClickHouseHttp, startClickHouseHttp } from './start-server.ts';

// What the documentation of ClickHouse's HTTP interface shows with curl, asked of the test server without any client.

let path: string;
let server: ClickHouseHttp;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
  server = await startClickHouseHttp({ path, users: { default: '', me: 'secret' } });
});
afterAll(async () => {
  await server.close();
  await rm(path, { recursive: true, force: true });
});
beforeEach(() => server.switches.set());

const ask = (search: string, init: RequestInit = {}): Promise<Response> => fetch(`${server.url}/${search}`, init);
const post = (body: string | Uint8Array, search = '', headers: Record<string, string> = {}): Promise<Response> =>
  ask(search, { method: 'POST', body: Buffer.from(body), headers });
const textOf = async (response: Promise<Response>): Promise<string> => (await response).text();
const q = (sql: string): string => `?query=${encodeURIComponent(sql)}`;

describe('asking', () => {
  it.each(['', 'ping', 'replicas_status'])('says that it is there: /%s', async (where) => {
    expect(await textOf(ask(where))).toBe('Ok.\n');
  });

  it('takes the statement from the URL, the body, or first one and then the other', async () => {
    expect(await textOf(ask(q('SELECT 1')))).toBe('1\n');
    expect(await textOf(post('SELECT 1'))).toBe('1\n');
    expect(await textOf(post('SELECT 1', '?query='))).toBe('1\n');
    expect(await textOf(post('1', q('SELECT')))).toBe('1\n');
    expect((await post('ECT 1', q('SEL'))).status).toBe(400);
  });

  it('answers in the format that the statement, the URL or a header names', async () => {
    expect(await textOf(ask(q('SELECT 1 AS a, 2 AS b FORMAT JSONEachRow')))).toBe('{"a":1,"b":2}\n');
    expect(await textOf(post('SELECT 1, 2', '?default_format=CSV'))).toBe('1,2\n');
    const response = await post('SELECT 1, 2', '', { 'X-ClickHouse-Format': 'CSV' });
    expect([response.headers.get('x-clickhouse-format'), await response.text()]).toEqual(['CSV', '1,2\n']);
  });

  it('inserts what comes with the statement or after it, and reads it back', async () => {
    expect(await textOf(post('CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a'))).toBe('');
    await post('INSERT INTO t VALUES (1),(2)');
    await post('(3)', q('INSERT INTO t FORMAT Values'));
    const inserted = await post('4\n5\n', q('INSERT INTO t FORMAT TabSeparated'));
    expect(JSON.parse(inserted.headers.get('x-clickhouse-summary') ?? '')).toMatchObject({ written_rows: '2' });
    expect(await textOf(ask(q('SELECT a FROM t ORDER BY a')))).toBe('1\n2\n3\n4\n5\n');
    await post('DROP TABLE t');
  });

  it('lets GET read only, and takes one statement at a time', async () => {
    const refused = await ask(q('CREATE TABLE t2 (a UInt8) ENGINE = Memory'));
    expect([refused.status, refused.headers.get('x-clickhouse-exception-code')]).toEqual([500, '164']);
    const several = await post("SELECT ';' -- ;\n; SELECT 2");
    expect([several.status, await several.text()]).toEqual([400, expect.stringContaining('Multi-statements')]);
    expect(await textOf(post("SELECT ';' /* ; */ ;"))).toBe(';\n');
  });
});

describe('parameters and settings', () => {
  it('reads parameters as escaped text', async () => {
    expect(await textOf(post("SELECT {x:UInt8}, {s:String} = 'a b'", '?param_x=7&param_s=a%20b'))).toBe('7\t1\n');
    expect(await textOf(post("SELECT splitByChar('\\t', {s:String})", '?param_s=abc%5C%09123'))).toBe(
      "['abc','123']\n",
    );
    const torn = await post('SELECT {s:String}', '?param_s=abc%09123');
    expect(torn.headers.get('x-clickhouse-exception-code')).toBe('457');
    expect(await textOf(post('SELECT isNull({n:Nullable(String)})', '?param_n=%5CN'))).toBe('1\n');
    expect(await textOf(post('SELECT {a:Array(String)}[2]', "?param_a=['x','it\\'s']"))).toBe("it\\'s\n");
    expect(await textOf(post('SELECT {x:UInt8}'))).toContain('456');
  });

  it('reads them from a form too, and refuses a field beyond the limit of either', async () => {
    const form = new FormData();
    form.set('query', 'SELECT length({s:String})');
    form.set('param_s', 'x'.repeat(131_072));
    expect(await textOf(ask('', { method: 'POST', body: form }))).toBe('131072\n');
    form.set('param_s', 'x'.repeat(131_073));
    expect(await textOf(ask('', { method: 'POST', body: form }))).toContain('Field value too long');
    expect(await textOf(post('SELECT 1', `?param_s=${'x'.repeat(131_073)}`))).toContain('Field value too long');
  });

  it('holds a setting for one request, and knows which there are', async () => {
    expect(await textOf(post("SELECT getSetting('max_threads')", '?max_threads=3'))).toBe('3\n');
    expect(await textOf(post("SELECT getSetting('max_threads') = 3"))).toBe('0\n');
    const unknown = await post('SELECT 1', '?no_such_thing=1');
    expect([unknown.status, unknown.headers.get('x-clickhouse-exception-code')]).toEqual([404, '115']);
  });

  it('takes the database from the URL or a header, and the id of the query', async () => {
    await post('CREATE DATABASE other');
    expect(await textOf(post('SELECT currentDatabase()', '?database=other'))).toBe('other\n');
    expect(await textOf(post('SELECT currentDatabase()', '', { 'X-ClickHouse-Database': 'other' }))).toBe('other\n');
    expect(await textOf(post('SELECT currentDatabase()'))).toBe('default\n');
    expect((await post('SELECT 1', '?database=nowhere')).status).toBe(404);
    expect((await post('SELECT 1', '?query_id=mine')).headers.get('x-clickhouse-query-id')).toBe('mine');
    const [one, two] = await Promise.all(['a', 'b'].map(() => post('SELECT sleep(0.3)', '?query_id=same')));
    expect([one?.status, two?.status].sort()).toEqual([200, 500]);
  });
});

describe('compression', () => {
  it('unpacks what comes packed', async () => {
    expect(await textOf(post(gzipSync('SELECT 1'), '', { 'Content-Encoding': 'gzip' }))).toBe('1\n');
    expect((await post('SELECT 1', '', { 'Content-Encoding': 'compress' })).status).toBe(501);
  });

  it('packs the answer only when both the setting and the header ask for it', async () => {
    const encodingOf = async (search: string, accept: string): Promise<string | null> =>
      (await post('SELECT 1', search, { 'Accept-Encoding': accept })).headers.get('content-encoding');
    expect(await encodingOf('?enable_http_compression=1', 'gzip')).toBe('gzip');
    expect(await encodingOf('', 'gzip')).toBeNull();
    expect(await encodingOf('?enable_http_compression=1', 'identity')).toBeNull();
    expect(gunzipSync(gzipSync('1\n')).toString()).toBe(
      await textOf(post('SELECT 1', '?enable_http_compression=1', { 'Accept-Encoding': 'gzip' })),
    );
  });
});

describe('users', () => {
  it.each([
    ['no name', '', {}, 200],
    ['Basic', '', { Authorization: `Basic ${Buffer.from('me:secret').toString('base64')}` }, 200],
    ['headers', '', { 'X-ClickHouse-User': 'me', 'X-ClickHouse-Key': 'secret' }, 200],
    ['the URL', '?user=me&password=secret', {}, 200],
    ['a wrong password', '?user=me&password=guess', {}, 403],
    ['nobody', '', { 'X-ClickHouse-User': 'nobody' }, 403],
  ])('are known by %s', async (_, search, headers, status) => {
    const response = await post('SELECT 1', search, headers);
    expect(response.status).toBe(status);
    if (status === 403) expect(response.headers.get('x-clickhouse-exception-code')).toBe('516');
    await response.text();
  });
});

describe('sessions', () => {
  it('keep temporary tables and nothing else, for one statement at a time', async () => {
    await post('CREATE TEMPORARY TABLE scratch (n UInt8)', '?session_id=s');
    await post('INSERT INTO scratch SELECT 5', '?session_id=s&max_threads=3');
    expect(await textOf(post("SELECT n, getSetting('max_threads') = 3 FROM scratch", '?session_id=s'))).toBe('5\t0\n');
    expect((await post('SELECT n FROM scratch')).status).toBe(404);
    const [one, two] = await Promise.all(['a', 'b'].map(() => post('SELECT sleep(0.3)', '?session_id=s')));
    const codes = [one, two].map((each) => each?.headers.get('x-clickhouse-exception-code'));
    expect(codes.sort()).toEqual(['373', null]);
    expect(await textOf(post('SELECT 1', '?session_id=absent&session_check=1'))).toContain('372');
  });
});

describe('failures', () => {
  it.each([
    ['SELECT * FROM nowhere', 404, '60'],
    ['SELECT nothing', 404, '47'],
    ['SELECT', 400, '62'],
    ["SELECT CAST('x' AS UInt8)", 400, '6'],
    ['SELECT throwIf(1)', 500, '395'],
  ])('have a status and a code: %s', async (sql, status, code) => {
    const response = await post(sql, '?wait_end_of_query=1');
    expect([response.status, response.headers.get('x-clickhouse-exception-code')]).toEqual([status, code]);
    expect(await response.text()).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: .* \\(version .*\\)\n$`, 's'));
  });

  it('stand in the body once the header is out, with the tag that it named, unless all was to be waited for', async () => {
    const sql = 'SELECT number, throwIf(number = 500000) FROM numbers(1000000) SETTINGS max_block_size = 1000';
    const response = await post(sql);
    expect(response.status).toBe(200);
    const seen: Uint8Array[] = [];
    const whole = (async () => {
      for await (const chunk of response.body ?? []) seen.push(chunk);
    })();
    await expect(whole, 'the answer has no end').rejects.toThrow();
    const tag = response.headers.get('x-clickhouse-exception-tag');
    expect(Buffer.concat(seen).toString()).toContain(`\r\n__exception__\r\n${tag}\r\nCode: 395.`);
    expect((await post(sql, '?wait_end_of_query=1')).status).toBe(500);
  });

  it('come about when they are asked for, so often', async () => {
    server.switches.set({ match: 'insert', times: 1, does: { kind: 'exception', code: 243 } });
    await post('CREATE TABLE full (a UInt8) ENGINE = MergeTree ORDER BY a');
    expect(await textOf(post('INSERT INTO full VALUES (1)'))).toContain('NOT_ENOUGH_SPACE');
    expect((await post('INSERT INTO full VALUES (1)')).status).toBe(200);
    server.switches.set(
      { times: 1, does: { kind: 'cut', when: 'after' } },
      { times: 1, does: { kind: 'page', status: 502 } },
    );
    await expect(post('INSERT INTO full VALUES (2)'), 'executed, and never told').rejects.toThrow();
    expect((await post('SELECT 1')).status).toBe(502);
    expect(await textOf(post('SELECT count() FROM full'))).toBe('2\n');
  });
});
