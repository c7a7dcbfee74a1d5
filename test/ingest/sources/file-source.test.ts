import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FileSourceOptions, readRecords } from '../../../ingest/sources/file-source.ts';
import { brief, readBytes } from './inputs.ts';
import { REFERENCE_FRAME, REFERENCE_TEXT, repeatedFrame, storedFrame } from './zstd-encoder.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'evenshare-file-source-'));
});
afterAll(async () => rm(directory, { recursive: true, force: true }));

async function fileOf(name: string, bytes: Uint8Array | string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, bytes);
  return path;
}
async function readPath(path: string, options: Partial<FileSourceOptions> = {}): Promise<string[]> {
  const records: string[] = [];
  for await (const batch of readRecords({ path, stdin: null, framing: 'lines', ...options }))
    records.push(...batch.map(brief));
  return records;
}

const TEXT = '{"a":1}\r\n\n{"b":"é"}\n{"c":';
const READ = ['1: {"a":1}', '3: {"b":"é"}', '4~ {"c":'];

describe('a file', () => {
  test.each([
    ['plain.log', Buffer.from(TEXT)],
    ['called.gz', Buffer.from(TEXT)],
    ['gzip.log', gzipSync(TEXT)],
    ['zstd.log', storedFrame(Buffer.from(TEXT))],
    ['members.gz', Buffer.concat([gzipSync(TEXT.slice(0, 12)), gzipSync(TEXT.slice(12))])],
    [
      'frames.zst',
      Buffer.concat([storedFrame(Buffer.from(TEXT.slice(0, 12))), storedFrame(Buffer.from(TEXT.slice(12)))]),
    ],
  ])('%s is read by what it is, not by its name', async (name, bytes) => {
    expect(await readPath(await fileOf(name, bytes))).toEqual(READ);
  });

  test('compressed by the reference implementation is read', async () => {
    const read = await readPath(await fileOf('reference.zst', REFERENCE_FRAME));
    expect(read).toEqual(
      REFERENCE_TEXT.trimEnd()
        .split('\n')
        .map((line, index) => `${index + 1}: ${line}`),
    );
  });

  test('is told by progress in bytes as they lie on the disk', async () => {
    const bytes = gzipSync(TEXT.repeat(10_000));
    const progress: [number, number | null][] = [];
    const path = await fileOf('progress.gz', bytes);
    await readPath(path, { onProgress: (bytesRead, bytesTotal) => progress.push([bytesRead, bytesTotal]) });
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
  });

  test('of CSV gives its header first and stops where the header is refused', async () => {
    const path = await fileOf('x.csv', 'id;n\n1;2\n');
    const seen: string[] = [];
    const options = {
      framing: 'csv',
      csvDelimiter: ';',
      onHeader: (columns: readonly string[]) => seen.push(...columns),
    } as const;
    const batches: unknown[] = [];
    for await (const batch of readRecords({ path, stdin: null, ...options })) batches.push(batch);
    expect(seen).toEqual(['id', 'n']);
    expect(batches).toEqual([[{ kind: 'record', record: { text: '1;2', fields: { id: '1', n: '2' }, line: 2 } }]]);
    const refuse = (): void => {
      throw new Error('wrong header');
    };
    await expect(readPath(path, { ...options, onHeader: refuse })).rejects.toThrow('wrong header');
  });
});

describe('what cannot be read fails with a code and one line that names it', () => {
  test.each<[string, () => Promise<string>]>([
    ['EVS_INPUT_MISSING', async () => join(directory, 'nothing')],
    ['EVS_INPUT_MISSING', async () => join(await fileOf('plain', 'x'), 'below')],
    ['EVS_INPUT_DIRECTORY', async () => directory],
    ['EVS_INPUT_EMPTY', () => fileOf('empty', '')],
    ['EVS_INPUT_EMPTY', () => fileOf('empty.gz', gzipSync(''))],
    ['EVS_INPUT_EMPTY', () => fileOf('empty.zst', storedFrame(Buffer.alloc(0)))],
    ['EVS_INPUT_BINARY', () => fileOf('nul', 'a\nb\u0000\n')],
    ['EVS_INPUT_BINARY', () => fileOf('utf16', Buffer.from('{"a":1}\n', 'utf16le'))],
    ['EVS_INPUT_BINARY', () => fileOf('nul.gz', gzipSync(Buffer.alloc(10)))],
    ['EVS_INPUT_BINARY', () => fileOf('zip', 'PK\u0003\u0004rest')],
    ['EVS_INPUT_UNREADABLE', () => fileOf('cut.gz', gzipSync(TEXT).subarray(0, -6))],
    [
      'EVS_INPUT_UNREADABLE',
      () => fileOf('damaged.gz', Buffer.concat([gzipSync(TEXT).subarray(0, 12), Buffer.alloc(30, 7)])),
    ],
    ['EVS_INPUT_UNREADABLE', () => fileOf('more.gz', Buffer.concat([gzipSync(TEXT), Buffer.from(TEXT)]))],
    ['EVS_INPUT_UNREADABLE', () => fileOf('cut.zst', REFERENCE_FRAME.subarray(0, -6))],
    ['EVS_INPUT_UNREADABLE', () => fileOf('more.zst', Buffer.concat([REFERENCE_FRAME, Buffer.from(TEXT)]))],
  ])('%s (case %#)', async (code, make) => {
    const path = await make();
    const message = expect.stringMatching(/^[^\n]+: [^\n]+$/);
    await expect(readPath(path)).rejects.toThrow(expect.objectContaining({ name: 'EvenshareError', code, message }));
    await expect(readPath(path)).rejects.toThrow(path);
  });

  test('the standard input where there is none', async () => {
    await expect(readPath('-')).rejects.toThrow(expect.objectContaining({ code: 'EVS_USAGE' }));
  });
});

describe('the standard input', () => {
  test.each([1, 2, 3, 4, 5, 7, 65_536])('is read in chunks of %d bytes, compressed or not', async (chunkBytes) => {
    for (const bytes of [Buffer.from(TEXT), gzipSync(TEXT), storedFrame(Buffer.from(TEXT))]) {
      expect((await readBytes(bytes, { chunkBytes })).map(brief)).toEqual(READ);
    }
  });

  test('is told by progress without a total', async () => {
    const progress: (number | null)[] = [];
    await readBytes(Buffer.from(TEXT), { onProgress: (bytesRead, bytesTotal) => progress.push(bytesRead, bytesTotal) });
    expect(progress).toEqual([Buffer.byteLength(TEXT), null]);
  });
});

describe('a reader that is slow or leaves', () => {
  /** Lines without end; counts what was taken from it and whether it was closed. */
  function endless(): { chunks: AsyncGenerator<Uint8Array>; taken: () => number; isClosed: () => boolean } {
    let taken = 0;
    let isClosed = false;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          taken++;
          yield Buffer.from('{"a":1}\n'.repeat(1000));
        }
      } finally {
        isClosed = true;
      }
    }
    return { chunks: chunks(), taken: () => taken, isClosed: () => isClosed };
  }

  test('is never read ahead of', async () => {
    const source = endless();
    let batches = 0;
    for await (const _ of readRecords({ path: '-', stdin: source.chunks, framing: 'lines' })) {
      expect(source.taken()).toBe(++batches);
      if (batches === 50) break;
    }
    expect(source.isClosed()).toBe(true);
  });

  test('closes what it read from, at the first record and compressed too', async () => {
    const source = endless();
    for await (const _ of readRecords({ path: '-', stdin: source.chunks, framing: 'lines' })) break;
    expect(source.isClosed()).toBe(true);
    for await (const _ of readRecords({
      path: await fileOf('leave.gz', gzipSync(TEXT.repeat(1e5))),
      stdin: null,
      framing: 'lines',
    }))
      break;
    for await (const _ of readRecords({
      path: await fileOf('leave.zst', storedFrame(Buffer.from(TEXT))),
      stdin: null,
      framing: 'lines',
    }))
      break;
  });

  test('other work has its turn while much is unpacked from little', async () => {
    let turns = 0;
    let isReading = true;
    const count = (): void => {
      turns++;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    // 4 KiB that unpack to 128 MiB of one line: nothing in it waits for the outside.
    const records = await readBytes(repeatedFrame(0x61, 1024));
    isReading = false;
    expect(records.map(brief)).toEqual(['1! line_too_long']);
    expect(turns).toBeGreaterThan(100);
  });
});
