import { copyBack, UnpackError } from './unpack.ts';

/** What snappy-java puts before its blocks: a magic of 8 bytes, two versions. */
const XERIAL_MAGIC = Uint8Array.of(0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00);
const XERIAL_HEADER_BYTES = 16;

/**
 * Unpacks Snappy as Kafka's producers write it: one raw block, or snappy-java's sequence of blocks, each with its length
 * (32 bits, big-endian) before it. https://github.com/google/snappy/blob/main/format_description.txt
 *
 * @throws UnpackError
 */
export function unpackSnappy(packed: Uint8Array, maxBytes: number): Buffer {
  if (!XERIAL_MAGIC.every((byte, index) => packed[index] === byte)) return unpackBlock(packed, maxBytes);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const blocks: Buffer[] = [];
  let bytes = 0;
  for (let at = XERIAL_HEADER_BYTES; at < packed.length; ) {
    if (at + 4 > packed.length) throw new UnpackError('it is cut off');
    const length = view.getUint32(at);
    at += 4;
    if (length > packed.length - at) throw new UnpackError('it is cut off');
    const block = unpackBlock(packed.subarray(at, at + length), maxBytes - bytes);
    bytes += block.length;
    blocks.push(block);
    at += length;
  }
  return Buffer.concat(blocks);
}

function unpackBlock(packed: Uint8Array, maxBytes: number): Buffer {
  const { value: length, next } = readVarint(packed);
  if (length > maxBytes) throw new UnpackError('it unpacks to more than is accepted');
  const out = Buffer.allocUnsafe(length);
  let to = 0;
  for (let at = next; at < packed.length; ) {
    const tag = packed[at++] ?? 0;
    const low = tag & 3;
    if (low === 0) {
      const more = (tag >>> 2) - 59;
      const size = more <= 0 ? (tag >>> 2) + 1 : littleEndian(packed, at, more) + 1;
      at += Math.max(0, more);
      if (size > packed.length - at || size > length - to) throw new UnpackError('a literal leaves its bounds');
      out.set(packed.subarray(at, at + size), to);
      at += size;
      to += size;
      continue;
    }
    const offsetBytes = low === 3 ? 4 : low;
    const size = low === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
    const high = low === 1 ? (tag >>> 5) << 8 : 0;
    const offset = high + littleEndian(packed, at, offsetBytes);
    at += offsetBytes;
    copyBack(out, { to, offset, size });
    to += size;
  }
  if (to !== length) throw new UnpackError('it is shorter than it says');
  return out;
}

function readVarint(bytes: Uint8Array): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[index];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, next: index + 1 };
  }
  throw new UnpackError('its length is damaged');
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) throw new UnpackError('it is cut off');
    value += byte * 2 ** (8 * index);
  }
  return value;
}
