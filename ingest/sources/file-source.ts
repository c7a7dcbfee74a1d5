import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { FramedRecord } from '../adapters/adapter.ts';
import { CsvFramer } from './csv-framing.ts';
import { decompress, MAGIC_BYTES, magicName } from './decompress.ts';
import { LineFramer } from './line-framing.ts';

const READ_CHUNK_BYTES = 262_144;
/** Within how many bytes of unpacked text a NUL tells that it is none. */
const BINARY_CHECK_BYTES = 65_536;
/** How many bytes of text are handed on before other work of the process gets its turn. */
const TURN_BYTES = 1_048_576;

export interface FileSourceOptions {
  /** A path, or `-` for `stdin`. */
  readonly path: string;
  /** What `-` means; null where there is no such thing. */
  readonly stdin: AsyncIterable<Uint8Array> | null;
  readonly framing: 'lines' | 'csv';
  /** The character between cells, for `csv`; default a comma. */
  readonly csvDelimiter?: string;
  /** The columns of a `csv` input, once, before any record; may throw `EVS_INPUT_FORMAT`. */
  readonly onHeader?: (columns: readonly string[]) => void;
  /** Bytes read so far as they lie in the file (compressed), and the file's size where it is known. */
  readonly onProgress?: (bytesRead: number, bytesTotal: number | null) => void;
}

interface RawInput {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Null for pipes. */
  readonly bytesTotal: number | null;
  /** How messages name the input. */
  readonly where: string;
}

function openFailure(where: string, cause: unknown): EvenshareError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new EvenshareError('EVS_INPUT_MISSING', `${where} does not exist: check the path`, { cause });
  }
  if (code === 'EISDIR') {
    return new EvenshareError('EVS_INPUT_DIRECTORY', `${where} is a directory: name the files in it`, { cause });
  }
  const why =
    code === 'EACCES' || code === 'EPERM' ? 'may not be read: check its permissions' : `cannot be read (${code})`;
  return new EvenshareError('EVS_INPUT_UNREADABLE', `${where} ${why}`, { cause });
}

async function* readFile(path: string, where: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_CHUNK_BYTES });
  } catch (cause) {
    throw openFailure(where, cause);
  }
}

async function openInput(options: FileSourceOptions): Promise<RawInput> {
  if (options.path === '-') {
    if (options.stdin === null) throw new EvenshareError('EVS_USAGE', '- needs something on the standard input');
    return { chunks: options.stdin, bytesTotal: null, where: 'the standard input' };
  }
  const where = JSON.stringify(options.path);
  const stats = await stat(options.path).catch((cause: unknown) => {
    throw openFailure(where, cause);
  });
  if (stats.isDirectory()) {
    throw new EvenshareError('EVS_INPUT_DIRECTORY', `${where} is a directory: name the files in it`);
  }
  return { chunks: readFile(options.path, where), bytesTotal: stats.isFile() ? stats.size : null, where };
}

async function* reportProgress(
  input: RawInput,
  onProgress: FileSourceOptions['onProgress'],
): AsyncGenerator<Uint8Array> {
  let bytesRead = 0;
  for await (const chunk of input.chunks) {
    bytesRead += chunk.length;
    onProgress?.(bytesRead, input.bytesTotal);
    yield chunk;
  }
}

/** Unpacks by what the first bytes say, whatever the file is called. */
async function* unpacked(source: AsyncGenerator<Uint8Array>, where: string): AsyncGenerator<Uint8Array> {
  const head: Uint8Array[] = [];
  let headBytes = 0;
  while (headBytes < MAGIC_BYTES) {
    const next = await source.next();
    if (next.done === true) break;
    head.push(next.value);
    headBytes += next.value.length;
  }
  const first = Buffer.concat(head);
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (first.length > 0) yield first;
    yield* source;
  }
  try {
    yield* decompress(whole(), magicName(first), where);
  } finally {
    // Not awaited: a pipe that says nothing would otherwise keep a reader that has left.
    void source.return(undefined);
  }
}

/** Passes bytes on until it sees that they are no text, or that there are none. */
async function* checkedText(source: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<Uint8Array> {
  let seenBytes = 0;
  for await (const chunk of source) {
    const unchecked = chunk.subarray(0, Math.max(0, BINARY_CHECK_BYTES - seenBytes));
    if (unchecked.includes(0)) {
      const message = `${where} is not text (it holds NUL bytes): name a log file; UTF-16 has to be converted to UTF-8`;
      throw new EvenshareError('EVS_INPUT_BINARY', message);
    }
    seenBytes += chunk.length;
    yield chunk;
  }
  if (seenBytes === 0) throw new EvenshareError('EVS_INPUT_EMPTY', `${where} is empty: there is nothing to read`);
}

/**
 * Reads a log file or the standard input as records, in batches of at most 5,000 records and about 1 MiB of text. Plain
 * text, gzip and zstd are told apart by their first bytes. Reads no faster than it is asked to, in bounded memory
 * whatever the size of the input or of a line; leaving the loop early closes the file.
 *
 * Records that cannot be handed to an adapter come as `refused`, in their place. Throws `EvenshareError`:
 * `EVS_INPUT_MISSING`, `EVS_INPUT_DIRECTORY`, `EVS_INPUT_EMPTY`, `EVS_INPUT_BINARY`, `EVS_INPUT_UNREADABLE` (also after
 * some records: what was cut off is known only at the end), and whatever `onHeader` throws.
 */
export async function* readRecords(options: FileSourceOptions): AsyncGenerator<readonly FramedRecord[]> {
  const input = await openInput(options);
  const framer =
    options.framing === 'lines'
      ? new LineFramer({ isVerbatim: false })
      : new CsvFramer({
          delimiter: options.csvDelimiter ?? ',',
          onHeader: options.onHeader ?? (() => {}),
          where: input.where,
        });
  let sinceTurnBytes = 0;
  for await (const chunk of checkedText(
    unpacked(reportProgress(input, options.onProgress), input.where),
    input.where,
  )) {
    for (const batch of framer.push(chunk)) if (batch.length > 0) yield batch;
    sinceTurnBytes += chunk.length;
    // Unpacking may go on for long without waiting for anything, and what only awaits never lets timers and sockets run.
    if (sinceTurnBytes >= TURN_BYTES) {
      sinceTurnBytes = 0;
      await nextTurn();
    }
  }
  const last = framer.end();
  if (last.length > 0) yield last;
}
