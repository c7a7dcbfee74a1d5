import { expect, it } from 'vitest';
import { defineQuery, migrate, type Parameters, type Store, tsvRow } from '../../../analytics/storage/index.ts';

interface Count {
  readonly n: number;
}

/** Reads that only these tests make. */
const count = (table: string) =>
  defineQuery<Parameters, Count>({
    name: 'count',
    sql: `SELECT count() AS n FROM ${table}`,
    decode: (row) => ({ n: Number(row.n) }),
  });

/** One value, undecoded: as the client hands it over. */
const value = (expression: string) =>
  defineQuery<Parameters, unknown>({ name: 'value', sql: `SELECT ${expression} AS value`, decode: (row) => row.value });

/**
 * What the rest of the product relies on of a store, whichever target it is. Written once, run against each; every test
 * makes its own tables.
 */
export function storeConformance(storeOf: () => Store): void {
  const all = async (query: ReturnType<typeof value>, params: Parameters = {}): Promise<unknown[]> =>
    storeOf().query('reads', query, params);
  const rows = async (table: string): Promise<number> => (await storeOf().query('reads', count(table), {}))[0]?.n ?? 0;
  const create = (table: string, columns: string, engine = 'MergeTree'): Promise<void> =>
    storeOf().command(
      'reads',
      `CREATE TABLE ${table} (${columns}) ENGINE = ${engine} ORDER BY tuple() SETTINGS non_replicated_deduplication_window = 1000`,
    );

  it('keeps counts of 64 bits exact, in and out', async () => {
    await create('counts', 'n UInt64, i Int64');
    const largest = 2n ** 64n - 1n;
    await storeOf().insert('intake', 'counts', ['n', 'i'], tsvRow([largest, -(2n ** 63n)]) + tsvRow([2 ** 53 - 1, 1]));
    const query = defineQuery<Parameters, readonly bigint[]>({
      name: 'counts',
      sql: 'SELECT n, i FROM counts ORDER BY n DESC',
      decode: (row) => [BigInt(String(row.n)), BigInt(String(row.i))],
    });
    expect(await storeOf().query('reads', query, {})).toEqual([
      [largest, -(2n ** 63n)],
      [2n ** 53n - 1n, 1n],
    ]);
    expect(await all(value('toString({n:UInt64})'), { n: largest })).toEqual([String(largest)]);
  });

  it('keeps times to the millisecond, in UTC, whatever the date', async () => {
    await create('times', "at_ms Int64, at DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(at_ms, 'UTC')");
    const times = [0, 1, 999, 1_790_848_800_001, Date.UTC(2026, 2, 29, 1, 59, 59, 999), Date.UTC(1999, 11, 31)];
    await storeOf().insert('intake', 'times', ['at_ms'], times.map((at) => tsvRow([at])).join(''));
    const query = defineQuery<Parameters, readonly [number, string]>({
      name: 'times',
      sql: 'SELECT at_ms, toString(at) AS shown FROM times ORDER BY at_ms',
      decode: (row) => [Number(row.at_ms), String(row.shown)],
    });
    const shown = (at: number): string => new Date(at).toISOString().replace('T', ' ').replace('Z', '');
    expect(await storeOf().query('reads', query, {})).toEqual(
      [...times].sort((a, b) => a - b).map((at) => [at, shown(at)]),
    );
    expect(await all(value('toString({at:Int64})'), { at: 1_790_848_800_001 })).toEqual(['1790848800001']);
  });

  it('keeps null apart from nothing, zero and the word for it', async () => {
    await create('nulls', 'id UInt8, text Nullable(String), figure Nullable(Float64)');
    const given = [null, '', '\\N', 'NULL', 'null'];
    await storeOf().insert(
      'intake',
      'nulls',
      ['id', 'text', 'figure'],
      given.map((text, id) => tsvRow([id, text, id === 0 ? null : 0])).join(''),
    );
    const query = defineQuery<Parameters, readonly unknown[]>({
      name: 'nulls',
      sql: 'SELECT text, figure FROM nulls ORDER BY id',
      decode: (row) => [row.text, row.figure],
    });
    expect(await storeOf().query('reads', query, {})).toEqual(given.map((text, id) => [text, id === 0 ? null : 0]));
    expect(await all(value('isNull({x:Nullable(String)})'), { x: null })).toEqual([1]);
  });

  it('refuses a null for a column that has none, instead of making it 0 or 1970', async () => {
    await create('strict', 'n Int64');
    await expect(storeOf().insert('intake', 'strict', ['n'], tsvRow([null]))).rejects.toMatchObject({
      code: expect.stringMatching(/^EVS_STORE_/),
    });
    expect(await rows('strict')).toBe(0);
  });

  it('keeps every figure to the last bit', async () => {
    await create('figures', 'id UInt16, x Float64');
    const figures = [0.1, 1 / 3, 5e-324, Number.MAX_VALUE, 2 ** 53 - 1, 1e21, 123456789.12345679, 0.1 + 0.2, 1e-7];
    await storeOf().insert('intake', 'figures', ['id', 'x'], figures.map((x, id) => tsvRow([id, x])).join(''));
    const query = defineQuery<Parameters, number>({
      name: 'figures',
      sql: 'SELECT x FROM figures ORDER BY id',
      decode: (row) => Number(row.x),
    });
    expect(await storeOf().query('reads', query, {})).toEqual(figures);
    expect(await all(value('{x:Float64} = 0.30000000000000004'), { x: 0.1 + 0.2 })).toEqual([1]);
  });

  it('takes parameters as values, whatever is in them', async () => {
    for (const text of ["'; DROP TABLE counts; --", "a','b", '\\', '\\N', '\t\n\r\0', '{x:String}', '🦊 中文', '']) {
      expect(await all(value('{x:String}'), { x: text })).toEqual([text]);
      expect(await all(value('{x:Array(String)}'), { x: [text, 'b'] })).toEqual([[text, 'b']]);
    }
  });

  it('does not let a token of one insert drop later ones', async () => {
    await create('tokens', 'n UInt8');
    const insert = (n: number, settings = {}): Promise<void> =>
      storeOf().insert('intake', 'tokens', ['n'], tsvRow([n]), settings);
    await insert(1, { insert_deduplication_token: 'A' });
    for (const n of [2, 3, 4]) await insert(n);
    expect(await rows('tokens')).toBe(4);
    // The same token again is the same batch again.
    await insert(1, { insert_deduplication_token: 'A' });
    expect(await rows('tokens')).toBe(4);
    await insert(1, { insert_deduplication_token: 'B' });
    expect(await rows('tokens')).toBe(5);
  });

  it('does not let a token of one command drop later ones', async () => {
    await create('commands', 'n UInt8');
    const command = (n: number, settings = {}): Promise<void> =>
      storeOf().command('intake', 'INSERT INTO commands SELECT {n:UInt8}', { n }, settings);
    await command(1, { insert_deduplication_token: 'A' });
    for (const n of [2, 3]) await command(n);
    await storeOf().insert('intake', 'commands', ['n'], tsvRow([4]));
    expect(await rows('commands')).toBe(4);
  });

  it('leaves no setting behind on a connection', async () => {
    const changed = value('groupArray(name)').sql.replace(' AS value', ' AS value FROM system.settings WHERE changed');
    const query = defineQuery<Parameters, unknown>({ name: 'changed', sql: changed, decode: (row) => row.value });
    for (const lane of ['intake', 'jobs', 'reads'] as const) {
      const before = await storeOf().query(lane, query, {});
      await storeOf().command(lane, 'SELECT 1', {}, { max_threads: 1, insert_deduplication_token: 'leak' });
      expect(await storeOf().query(lane, query, {})).toEqual(before);
    }
  });

  it('refuses rows whose end would be cut with the end of the statement', async () => {
    await create('ends', 'n UInt8, text String');
    for (const text of ['', ' ', 'a;', 'a ', '\u00a0']) {
      await expect(storeOf().insert('intake', 'ends', ['n', 'text'], tsvRow([1, text]))).rejects.toMatchObject({
        code: 'EVS_INVARIANT',
      });
      await storeOf().insert('intake', 'ends', ['text', 'n'], tsvRow([text, 1]));
    }
    expect(await rows("ends WHERE text IN ('', ' ', 'a;', 'a ', '\u00a0')")).toBe(5);
  });

  it('makes one part of one insert, and none of an empty one', async () => {
    await create('parts', 'n UInt32');
    const parts = async (): Promise<number> =>
      (await storeOf().query('reads', count("system.parts WHERE table = 'parts' AND active"), {}))[0]?.n ?? 0;
    await storeOf().insert('intake', 'parts', ['n'], '');
    expect(await parts()).toBe(0);
    let text = '';
    for (let n = 0; n < 20_000; n++) text += tsvRow([n]);
    await storeOf().insert('intake', 'parts', ['n'], text);
    expect([await parts(), await rows('parts')]).toEqual([1, 20_000]);
  });

  it('keeps the temporary tables of the jobs to the jobs, one statement at a time', async () => {
    await storeOf().command('jobs', 'CREATE TEMPORARY TABLE scratch (n UInt8)');
    const inserts = [1, 2, 3].map((n) => storeOf().command('jobs', `INSERT INTO scratch SELECT ${n}`));
    expect(await storeOf().query('jobs', count('scratch'), {})).toEqual([{ n: 3 }]);
    await Promise.all(inserts);
    await expect(storeOf().query('reads', count('scratch'), {})).rejects.toMatchObject({ code: 'EVS_STORE_SCHEMA' });
    await storeOf().command('jobs', 'DROP TEMPORARY TABLE scratch');
  });

  it('goes on in the jobs after a statement that failed', async () => {
    await expect(storeOf().command('jobs', 'SELECT * FROM nowhere')).rejects.toMatchObject({
      code: 'EVS_STORE_SCHEMA',
    });
    expect(await storeOf().query('jobs', count('numbers(7)'), {})).toEqual([{ n: 7 }]);
  });

  it.each([
    ['SELECT * FROM nowhere', 'EVS_STORE_SCHEMA', 'a table that is missing'],
    ['SELECT nothing FROM numbers(1)', 'EVS_STORE_SCHEMA', 'a column that is missing'],
    ['SELECT * FROM nobody.nothing', 'EVS_STORE_SCHEMA', 'a database that is missing'],
    ["SELECT 'SECRET_WORD", 'EVS_STORE_FAILED', 'a statement that is none'],
    ["SELECT throwIf(1, 'a word (SECRET_WORD)')", 'EVS_STORE_FAILED', 'a statement that fails as it runs'],
    ["SELECT CAST('(SECRET_WORD)' AS UInt8)", 'EVS_STORE_FAILED', 'a value that does not fit'],
  ])('tells by a code of its own what went wrong: %s → %s (%s)', async (sql, code) => {
    const failed = await storeOf()
      .command('reads', sql)
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ code, retryable: false });
    expect(String(failed), 'nothing of the statement in the message').not.toContain('SECRET_WORD');
  });

  it('can be migrated, and again, and holds the tables then', async () => {
    const first = await migrate(storeOf(), { dryRun: false });
    expect(first.applied.length).toBe(first.current);
    expect((await migrate(storeOf(), { dryRun: false })).applied).toEqual([]);
    expect(await rows('requests')).toBe(0);
  });
}
