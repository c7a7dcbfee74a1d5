import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import type { BodyShare } from './body-budget.ts';
import { decompress } from './decompress.ts';
import { HttpInputError } from './http-input-error.ts';

export interface UnpackOptions {
  /** Of the unpacked body. */
  readonly maxBytes: number;
  /** What is unpacked is counted there as it comes. */
  readonly share: BodyShare;
  /** Gives other work of the process its turn. */
  readonly yieldTurn: () => Promise<void>;
}

/** How many unpacked bytes come before other work gets its turn: Zstandard is unpacked here, not in another thread. */
const TURN_BYTES = 1_048_576;
const ENCODINGS = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['zstd', 'zstd'],
]);

/**
 * A request's body as text: unpacked when `encoding` (Content-Encoding) is gzip or zstd. Stops at the first byte over
 * the limit, so that a small body that unpacks to a large one costs no more than that.
 *
 * @throws HttpInputError 400 (empty, damaged), 413, 415 (another encoding); EVS_BUSY.
 */
export async function unpackBody(body: unknown, encoding: string | undefined, options: UnpackOptions): Promise<Buffer> {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new HttpInputError(400, 'the body is empty: send at least one event');
  }
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === 'identity') return body;
  const magic = ENCODINGS.get(name);
  if (magic === undefined) throw new HttpInputError(415, 'content-encoding must be gzip, zstd or identity');
  try {
    return await gather(decompress(inOnePiece(body), magic, 'the body'), options);
  } catch (cause) {
    if (!(cause instanceof EvenshareError && cause.code === 'EVS_INPUT_UNREADABLE')) throw cause;
    throw new HttpInputError(400, `the body is not ${magic} as it says, is damaged or was cut off`, { cause });
  }
}

async function* inOnePiece(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}

async function gather(chunks: AsyncIterable<Uint8Array>, options: UnpackOptions): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let sinceTurnBytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > options.maxBytes) {
      throw new HttpInputError(413, `the body unpacks to more than ${options.maxBytes} bytes: send smaller ones`);
    }
    options.share.take(chunk.length);
    parts.push(chunk);
    sinceTurnBytes += chunk.length;
    if (sinceTurnBytes < TURN_BYTES) continue;
    sinceTurnBytes = 0;
    await options.yieldTurn();
  }
  return Buffer.concat(parts, bytes);
}
