import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { EvenshareError } from '../../scheduler-core/kernel/index.ts';
import { decodeZstd, ZstdError } from './zstd-frames.ts';

const OUTPUT_CHUNK_BYTES = 131_072;

/** Formats known by their first bytes: two that are unpacked here, the others to say what they are. */
const MAGICS: readonly { readonly name: string; readonly bytes: readonly number[] }[] = [
  { name: 'gzip', bytes: [0x1f, 0x8b] },
  { name: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'a zip archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { name: 'bzip2', bytes: [0x42, 0x5a, 0x68] },
  { name: 'xz', bytes: [0xfd, 0x37, 0x7a, 0x58] },
  { name: 'Parquet', bytes: [0x50, 0x41, 0x52, 0x31] },
];
/** How many bytes `magicName` wants to see. */
export const MAGIC_BYTES = 4;

/** What a file's first bytes say that it is; null for anything else, text among it. */
export function magicName(head: Uint8Array): string | null {
  const found = MAGICS.find((magic) => magic.bytes.every((byte, index) => head[index] === byte));
  if (found !== undefined) return found.name;
  // A skippable Zstandard frame may come first: 0x184D2A50 to 0x184D2A5F.
  const isSkippable = head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18 && ((head[0] ?? 0) & 0xf0) === 0x50;
  return isSkippable ? 'zstd' : null;
}

function unreadable(where: string, what: string, cause: unknown): EvenshareError {
  // An error of the source beneath says more than that the rest is missing.
  if (cause instanceof EvenshareError) return cause;
  return new EvenshareError('EVS_INPUT_UNREADABLE', `${where} cannot be unpacked: ${what}`, {
    cause,
  });
}

async function* gunzip(source: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<Uint8Array> {
  let fedBytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      fedBytes += chunk.length;
      yield chunk;
    }
  }
  const gunzipStream = createGunzip({ chunkSize: OUTPUT_CHUNK_BYTES });
  // An error of the source destroys the stream with that error, which the loop below then throws.
  pipeline(Readable.from(counted(), { objectMode: false }), gunzipStream, () => {});
  try {
    for await (const chunk of gunzipStream) yield chunk;
  } catch (cause) {
    throw unreadable(where, 'it is damaged or was cut off; copy it again', cause);
  }
  // The engine ends at the first byte after a member that starts none, without a word.
  if (gunzipStream.bytesWritten < fedBytes) {
    throw unreadable(where, 'something else follows the end of its gzip data; copy it again', undefined);
  }
}

async function* unzstd(source: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<Uint8Array> {
  try {
    yield* decodeZstd(source);
  } catch (cause) {
    if (!(cause instanceof ZstdError)) throw cause;
    throw unreadable(where, cause.message, cause);
  }
}

/**
 * The bytes of an input as text formats need them: unpacked when `magic` is `gzip` or `zstd`, else as they are. `where`
 * names the input in messages. Throws `EVS_INPUT_UNREADABLE` when it is damaged, `EVS_INPUT_BINARY` for other archives.
 */
export function decompress(
  source: AsyncIterable<Uint8Array>,
  magic: string | null,
  where: string,
): AsyncIterable<Uint8Array> {
  switch (magic) {
    case null:
      return source;
    case 'gzip':
      return gunzip(source, where);
    case 'zstd':
      return unzstd(source, where);
    default: {
      const message = `${where} is ${magic}, which is not read: unpack it first (plain text, gzip and zstd are read)`;
      throw new EvenshareError('EVS_INPUT_BINARY', message);
    }
  }
}
