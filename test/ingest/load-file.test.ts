import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineQuery, type Parameters } from '../../analytics/storage/index.ts';
import { type AdapterOptions, findAdapter } from '../../ingest/adapters/index.ts';
import { createBatchWriter } from '../../ingest/batch/batch-writer.ts';
import { type LoadFileOptions, loadFile } from '../../ingest/load-file.ts';
import type { LoadReport } from '../../ingest/load-report.ts';
import { type TemporaryStore, temporaryStore } from '../support/temporary-store.ts';
import { insertGate, storeWith } from '../support/watched-store.ts';
import { BYTES, event, NOW_MS, ODDITIES, REJECTS } from './odd-log.ts';
import { chunksOf } from './sources/inputs.ts';
import { storedFrame } from './sources/zstd-encoder.ts';

const OPTIONS: AdapterOptions = { defaultPool: 'default', tenant: null, options: {}, mapping: null };

describe('loading a file', () => {
  let opened: TemporaryStore;
  let folder: string;
  beforeAll(async () => {
    opened = await temporaryStore();
    folder = await mkdtemp(join(tmpdir(), 'evenshare-test-'));
  });
  afterAll(async () => {
    await opened.remove();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    for (const table of ['requests', 'pool_capacity', 'dead_letters'])
      await opened.store.command('intake', `TRUNCATE TABLE ${table}`);
  });

  let nowMs = NOW_MS;
  const load = (given: Partial<LoadFileOptions>, store = opened.store): Promise<LoadReport> =>
    loadFile({
      path: '-',
      stdin: null,
      adapter: findAdapter('evenshare'),
      adapterOptions: OPTIONS,
      writer: createBatchWriter(store, { nowMs: () => ++nowMs, maxPendingEvents: 200_000, maxBatchEvents: 20_000 }),
      nowMs: () => nowMs,
      ...given,
    });

  const rows = async (sql: string): Promise<unknown[]> => {
    const query = defineQuery<Parameters, unknown>({ name: 'rows', sql, decode: (row) => Object.values(row) });
    return opened.store.query('reads', query, {});
  };
  const stored = async () => ({
    requests: Number((await rows('SELECT count() FROM requests FINAL')).flat()[0]),
    letters: Number((await rows('SELECT count() FROM dead_letters FINAL')).flat()[0]),
  });

  const expected = (() => {
    const rejected: Record<string, number> = {};
    for (const { becomes } of REJECTS) rejected[becomes] = (rejected[becomes] ?? 0) + 1;
    const count = (...kinds: readonly string[]): number =>
      ODDITIES.filter(({ becomes }) => kinds.includes(becomes)).length;
    const accepted = count('accepted', 'duplicate', 'conflict', 'skewed');
    return { accepted, duplicate: count('duplicate'), conflict: count('conflict'), skewed: count('skewed'), rejected };
  })();
  const figures = ({ accepted, duplicate, conflict, skewed, rejected }: LoadReport) => ({
    accepted,
    duplicate,
    conflict,
    skewed,
    rejected,
  });

  it('takes every line for what it is', async () => {
    const path = join(folder, 'odd.ndjson');
    await writeFile(path, BYTES);
    const report = await load({ path });
    expect(figures(report)).toEqual(expected);
    expect(
      await rows('SELECT request_id, tenant, pool, arrived_at_ms FROM requests FINAL ORDER BY request_id, tenant'),
    ).toEqual(
      [
        ['bom', 'a', 'default', NOW_MS],
        ['crlf', 'a', 'default', NOW_MS],
        ['extra', 'a', 'default', NOW_MS],
        ['fox', '🦊 中文', '..', NOW_MS],
        ['hostile', "x'; DROP TABLE requests; --", 'default', NOW_MS],
        ['old', 'a', 'default', Date.UTC(1999, 11, 31, 23, 59, 59)],
        ['rfc', 'a', 'default', NOW_MS],
        ['rollup', '__other__', 'default', NOW_MS],
        ['skewed', 'a', 'default', NOW_MS],
        ['twice', 'a', 'default', NOW_MS],
        ['twice', 'b', 'default', NOW_MS],
      ].map(([id, tenant, pool, atMs]) => [id, tenant, pool, String(atMs)]),
    );
    expect(await rows("SELECT labels FROM requests FINAL WHERE request_id = 'extra'")).toEqual([['{"shard":7}']]);
    expect(await rows('SELECT pool, slots FROM pool_capacity FINAL')).toEqual([['default', 8]]);
  });

  it('keeps of every refused line where it stood, why, and its bytes', async () => {
    const path = join(folder, 'odd.ndjson');
    await writeFile(path, BYTES);
    const report = await load({ path });
    const letters = await rows(
      'SELECT source, position, code, format, raw_base64, raw_bytes FROM dead_letters FINAL ORDER BY position',
    );
    expect(letters).toEqual(
      REJECTS.map(({ text, becomes }) => {
        const bytes = Buffer.from(text).subarray(0, becomes === 'line_too_long' ? 4_096 : undefined);
        const position = ODDITIES.findIndex((each) => each.text === text) + 1;
        return [path, String(position), becomes, 'evenshare', bytes.toString('base64'), String(bytes.length)];
      }),
    );
    const codes = [...new Set(REJECTS.map(({ becomes }) => becomes))];
    expect(
      report.samples.map(({ code }) => code),
      'one of each reason to look at',
    ).toEqual(codes);
    for (const { detail } of report.samples) expect(detail.length).toBeGreaterThan(5);
  });

  it.each([
    { name: 'odd.ndjson.gz', bytes: gzipSync(BYTES) },
    { name: 'two members.gz', bytes: Buffer.concat([gzipSync(BYTES.subarray(0, 500)), gzipSync(BYTES.subarray(500))]) },
    { name: 'odd.zst', bytes: storedFrame(BYTES) },
    { name: 'no ending', bytes: gzipSync(BYTES) },
  ])('reads $name by its bytes as it reads plain text', async ({ name, bytes }) => {
    const path = join(folder, name);
    await writeFile(path, bytes);
    expect(figures(await load({ path }))).toEqual(expected);
  });

  it('reads a pipe, however it is cut', async () => {
    const plain = BYTES.subarray(0, BYTES.indexOf('{"pad"'));
    const { line_too_long: _, torn_line: __, ...rejected } = expected.rejected;
    expect(figures(await load({ stdin: chunksOf(plain, 7) }))).toEqual({ ...expected, rejected });
    expect(await rows('SELECT DISTINCT source FROM dead_letters')).toEqual([['stdin']]);
  });

  it('a second time finds everything there, and adds no dead letter', async () => {
    const path = join(folder, 'odd.ndjson');
    await writeFile(path, BYTES);
    await load({ path });
    const before = await stored();
    const again = await load({ path });
    expect(again.duplicate + again.conflict).toBe(again.accepted);
    expect(await stored()).toEqual(before);
  });

  it('tells the pools that it touched and when', async () => {
    const text = [
      event('r1', { pool: 'p', arrived_at: NOW_MS + 5, dispatched_at: NOW_MS + 10, completed_at: NOW_MS + 9_000 }),
      event('r2', { pool: 'p', arrived_at: NOW_MS }),
      event('r3', { pool: 'q', arrived_at: NOW_MS + 1, dispatched_at: NOW_MS + 700 }),
    ].join('\n');
    const report = await load({ stdin: chunksOf(Buffer.from(`${text}\n`), 64) });
    expect([...report.pools]).toEqual([
      ['p', { firstArrivalMs: NOW_MS, lastArrivalMs: NOW_MS + 5, newestMs: NOW_MS + 9_000 }],
      ['q', { firstArrivalMs: NOW_MS + 1, lastArrivalMs: NOW_MS + 1, newestMs: NOW_MS + 700 }],
    ]);
  });

  it.each([
    { why: 'a table of cells', text: 'id,tenant,at\n1,a,2\n2,b,3\n'.repeat(100) },
    { why: 'three lines of prose', text: 'hello\nthis is\nno log\n' },
    { why: 'JSON of something else', text: `${JSON.stringify({ level: 'info', msg: 'hi' })}\n`.repeat(300) },
  ])('refuses $why as a whole, and stores nothing of it', async ({ text }) => {
    const failed: unknown = await load({ stdin: chunksOf(Buffer.from(text), 64) }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'EVS_INPUT_FORMAT' });
    expect(String(failed)).toMatch(/evenshare.*line 1.*--format/);
    expect(await stored()).toEqual({ requests: 0, letters: 0 });
  });

  it('refuses lines of a megabyte as a whole too', async () => {
    const lines = Array.from({ length: 12 }, () => JSON.stringify({ pad: 'x'.repeat(1_000_000) })).join('\n');
    const stdin = chunksOf(Buffer.from(lines), 65_536);
    await expect(load({ stdin })).rejects.toMatchObject({ code: 'EVS_INPUT_FORMAT' });
    expect(await stored()).toEqual({ requests: 0, letters: 0 });
  });

  it('does not take a stretch of broken lines for another format, once there was an event', async () => {
    const good = Array.from({ length: 20_000 }, (_, index) => event(`r${index}`));
    const broken = Array.from({ length: 8_000 }, () => '{"request_id":');
    const gate = insertGate(opened.store);
    gate.hold();
    const loading = load({ stdin: chunksOf(Buffer.from([...good, ...broken].join('\n')), 262_144) }, gate.store);
    await gate.someWaits();
    for (let turn = 0; turn < 500; turn++) await nextTurn();
    gate.release();
    expect(await loading).toMatchObject({ accepted: 20_000, rejected: { not_json: 7_999, torn_line: 1 } });
  });

  it('refuses a CSV whose header lacks its columns before it reads a row', async () => {
    const stdin = chunksOf(Buffer.from('a,b\n1,2\n'), 64);
    await expect(load({ stdin, adapter: findAdapter('azure-llm') })).rejects.toMatchObject({
      code: 'EVS_INPUT_FORMAT',
    });
    expect(await stored()).toEqual({ requests: 0, letters: 0 });
  });

  it.each([
    ['EVS_INPUT_MISSING', 'missing.ndjson'],
    ['EVS_INPUT_DIRECTORY', '.'],
    ['EVS_INPUT_EMPTY', 'empty.ndjson'],
    ['EVS_INPUT_BINARY', 'binary.ndjson'],
  ])('%s for %s', async (code, name) => {
    await writeFile(join(folder, 'empty.ndjson'), '');
    await writeFile(join(folder, 'binary.ndjson'), Buffer.alloc(100));
    await expect(load({ path: join(folder, name) })).rejects.toMatchObject({ code });
  });

  describe('reads no faster than the store stores', () => {
    /** Lines one at a time, counted as they are asked for. */
    function counted(lines: Iterable<string>) {
      const pulled = { bytes: 0 };
      async function* stdin(): AsyncGenerator<Uint8Array> {
        for (const each of lines) {
          const bytes = Buffer.from(`${each}\n`);
          pulled.bytes += bytes.length;
          yield bytes;
        }
      }
      return { pulled, stdin: stdin() };
    }

    function* repeat(count: number, text: (index: number) => string): Generator<string> {
      for (let index = 0; index < count; index++) yield text(index);
    }

    /** How much is asked for while the store does not answer; then lets it, and gives the report. */
    async function whileHeld(lines: Iterable<string>): Promise<{ heldBytes: number; report: LoadReport }> {
      const gate = insertGate(opened.store);
      const { pulled, stdin } = counted(lines);
      gate.hold();
      const loading = load({ stdin }, gate.store);
      await gate.someWaits();
      for (let turn = 0; turn < 500; turn++) await nextTurn();
      const heldBytes = pulled.bytes;
      gate.release();
      return { heldBytes, report: await loading };
    }

    it('small events: some tens of thousands', async () => {
      const total = 120_000;
      const { heldBytes, report } = await whileHeld(repeat(total, (index) => event(`r${index}`)));
      const each = Buffer.byteLength(event('r100000')) + 1;
      expect(heldBytes / each).toBeGreaterThan(20_000);
      expect(heldBytes / each).toBeLessThan(66_000);
      expect(report.accepted).toBe(total);
    });

    it('refused lines of a megabyte: some tens of megabytes', async () => {
      const pad = 'x'.repeat(1_000_000);
      const lines = repeat(60, (index) =>
        index === 0 ? event('r0') : JSON.stringify({ request_id: `r${index}`, pad }),
      );
      const { heldBytes, report } = await whileHeld(lines);
      expect(heldBytes).toBeLessThan(36_000_000);
      expect(report.rejected).toEqual({ missing_field: 59 });
    });
  });

  it('that the store refuses tells so, and leaves no promise behind', async () => {
    const gate = insertGate(opened.store);
    gate.failNext('requests', new Error('no room'));
    const lines = Array.from({ length: 45_000 }, (_, index) => event(`r${index}`)).join('\n');
    await expect(load({ stdin: chunksOf(Buffer.from(lines), 65_536) }, gate.store)).rejects.toThrow('no room');
  });

  it('stops when it is told to; what was loaded stays, and loading again goes on from there', async () => {
    const lines = Array.from({ length: 45_000 }, (_, index) => event(`r${index}`)).join('\n');
    const stop = new AbortController();
    const stopping = storeWith(opened.store, {
      insert: async (...args) => {
        await opened.store.insert(...args);
        stop.abort(new Error('stopped'));
      },
    });
    const stdin = () => chunksOf(Buffer.from(lines), 65_536);
    await expect(load({ stdin: stdin(), signal: stop.signal }, stopping)).rejects.toThrow('stopped');
    const before = (await stored()).requests;
    expect(before).toBeGreaterThanOrEqual(20_000);
    const again = await load({ stdin: stdin() });
    expect(again).toMatchObject({ accepted: 45_000, conflict: 0 });
    expect(again.duplicate).toBeGreaterThanOrEqual(20_000);
    expect((await stored()).requests).toBe(45_000);
  });

  it('tells how far it is, in bytes as they lie in the file', async () => {
    const path = join(folder, 'progress.gz');
    const bytes = gzipSync(Buffer.from(`${event('r1')}\n`.repeat(5_000)));
    await writeFile(path, bytes);
    const told: (readonly [number, number | null])[] = [];
    await load({ path, onProgress: (read, total) => told.push([read, total]) });
    expect(told.at(-1)).toEqual([bytes.length, bytes.length]);
  });
});
