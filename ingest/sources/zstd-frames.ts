import { Decompress } from 'fzstd';
import { ByteReader } from './byte-reader.ts';
import { Xxh64 } from './xxh64.ts';

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const MAX_BLOCK_BYTES = 131_072;
/** The decoder reads distances of up to 25 bits right (its README); `zstd -1` to `-19` stay at a quarter of this. */
export const MAX_WINDOW_BYTES = 2 ** 25;

/** What is wrong with a Zstandard stream and how to mend it, for the end of a sentence. */
export class ZstdError extends Error {
  override readonly name = 'ZstdError';
}

interface FrameHeader {
  readonly bytes: Uint8Array;
  readonly hasChecksum: boolean;
  /** Null when the frame does not say. */
  readonly contentBytes: number | null;
}

function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = length - 1; index >= 0; index--) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}

async function readExactly(reader: ByteReader, length: number): Promise<Uint8Array> {
  const bytes = await reader.read(length);
  if (bytes.length < length) throw new ZstdError('it was cut off; copy it again');
  return bytes;
}

/** RFC 8878, 3.1.1.1. */
async function readFrameHeader(reader: ByteReader, magic: Uint8Array): Promise<FrameHeader> {
  const descriptor = (await readExactly(reader, 1))[0] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const contentCode = descriptor >>> 6;
  const contentSizeBytes = contentCode === 0 ? (isSingleSegment ? 1 : 0) : 2 ** contentCode;
  const windowBytes = isSingleSegment ? 0 : 1;
  const rest = await readExactly(reader, windowBytes + dictionaryBytes + contentSizeBytes);
  if (littleEndian(rest, windowBytes, dictionaryBytes) !== 0)
    throw new ZstdError('it needs a dictionary; compress it without');
  const contentField = littleEndian(rest, windowBytes + dictionaryBytes, contentSizeBytes);
  const contentBytes = contentSizeBytes === 0 ? null : contentSizeBytes === 2 ? contentField + 256 : contentField;

  const exponent = (rest[0] ?? 0) >>> 3;
  const mantissa = (rest[0] ?? 0) & 7;
  const window = isSingleSegment ? (contentBytes ?? 0) : 2 ** (10 + exponent) * (1 + mantissa / 8);
  if (window > MAX_WINDOW_BYTES)
    throw new ZstdError(
      'its window is over 32 MiB: unpack it first, as in `zstd -dc --long=31 FILE | evenshare load -`',
    );
  const hasChecksum = (descriptor & 4) !== 0;
  return { bytes: Buffer.concat([magic, Uint8Array.of(descriptor), rest]), hasChecksum, contentBytes };
}

interface Block {
  /** Header and payload as in the file. */
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** RFC 8878, 3.1.1.2. */
async function readBlock(reader: ByteReader): Promise<Block> {
  const head = await readExactly(reader, 3);
  const field = littleEndian(head, 0, 3);
  const type = (field >>> 1) & 3;
  const sizeBytes = field >>> 3;
  if (type === 3 || sizeBytes > MAX_BLOCK_BYTES) throw new ZstdError('it is damaged; copy it again');
  const payload = await readExactly(reader, type === 1 ? 1 : sizeBytes);
  return { bytes: Buffer.concat([head, payload]), isLast: (field & 1) === 1 };
}

/** Decodes one frame block by block, so that no more than a block is ever decoded ahead of the reader. */
async function* decodeFrame(reader: ByteReader, header: FrameHeader): AsyncGenerator<Uint8Array> {
  const output: Uint8Array[] = [];
  const decoder = new Decompress((bytes) => {
    if (bytes.length > 0) output.push(bytes);
  });
  const hash = header.hasChecksum ? new Xxh64() : null;
  let decodedBytes = 0;
  let pending = header.bytes;
  for (let isLast = false; !isLast; pending = new Uint8Array(0)) {
    const block = await readBlock(reader);
    isLast = block.isLast;
    const checksum = isLast && hash !== null ? await readExactly(reader, 4) : new Uint8Array(0);
    try {
      decoder.push(Buffer.concat([pending, block.bytes, checksum]), isLast);
    } catch (cause) {
      throw new ZstdError('it is damaged; copy it again', { cause });
    }
    for (const bytes of output) {
      hash?.update(bytes);
      decodedBytes += bytes.length;
    }
    const isWrong = hash !== null && isLast && littleEndian(checksum, 0, 4) !== hash.low32();
    if (isWrong) throw new ZstdError('its checksum does not match; copy it again');
    yield* output.splice(0);
  }
  if (header.contentBytes !== null && header.contentBytes !== decodedBytes)
    throw new ZstdError('it is damaged; copy it again');
}

/**
 * Decodes Zstandard (RFC 8878): any number of frames, skippable ones passed over, each checksum verified (the decoder
 * beneath does not, and most flipped bits would go unseen). Chunks are at most 128 KiB; memory is bounded by the window.
 * Throws `ZstdError` when the stream is damaged, cut off, or asks for a dictionary or a window over 32 MiB.
 */
export async function* decodeZstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(source);
  try {
    for (;;) {
      const magicBytes = await reader.read(4);
      if (magicBytes.length === 0) return;
      const magic = littleEndian(magicBytes, 0, 4);
      if (magic === FRAME_MAGIC) {
        yield* decodeFrame(reader, await readFrameHeader(reader, magicBytes));
      } else if (magic - (magic % 16) === SKIPPABLE_MAGIC) {
        const sizeBytes = littleEndian(await readExactly(reader, 4), 0, 4);
        if (!(await reader.skip(sizeBytes))) throw new ZstdError('it was cut off; copy it again');
      } else {
        throw new ZstdError('what follows its first part is not Zstandard');
      }
    }
  } finally {
    await reader.close();
  }
}
