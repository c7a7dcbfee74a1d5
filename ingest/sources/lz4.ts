import { copyBack, UnpackError } from './unpack.ts';

const MAGIC = 0x184d2204;
/** By the code of the frame's descriptor. */
const BLOCK_BYTES: Readonly<Record<number, number>> = { 4: 65_536, 5: 262_144, 6: 1_048_576, 7: 4_194_304 };

interface Frame {
  readonly maxBlockBytes: number;
  readonly areBlocksLinked: boolean;
  readonly hasBlockChecksums: boolean;
  /** Where its first block begins. */
  readonly next: number;
}

/**
 * Unpacks an LZ4 frame, as Kafka's producers write it. Checksums are passed over: the record batch has its own.
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 *
 * @throws UnpackError
 */
export function unpackLz4(packed: Uint8Array, maxBytes: number): Buffer {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const frame = readFrame(view);
  const blocks: Buffer[] = [];
  let bytes = 0;
  /** Linked blocks refer to what came before them. */
  let before: Buffer = EMPTY;
  for (let at = frame.next; ; ) {
    const head = uint32(view, at);
    at += 4;
    if (head === 0) return Buffer.concat(blocks, bytes);
    const isStored = head >= 0x8000_0000;
    const length = head % 0x8000_0000;
    if (length > packed.length - at) throw new UnpackError('it is cut off');
    const block = packed.subarray(at, at + length);
    at += length + (frame.hasBlockChecksums ? 4 : 0);
    const room = Math.min(frame.maxBlockBytes, maxBytes - bytes);
    if (isStored && length > room) throw new UnpackError('it unpacks to more than is accepted');
    const unpacked = isStored ? Buffer.from(block) : unpackBlock(block, before, room);
    blocks.push(unpacked);
    bytes += unpacked.length;
    if (frame.areBlocksLinked) before = Buffer.concat([before, unpacked]).subarray(-WINDOW_BYTES);
  }
}

/** As far back as a copy may reach. */
const WINDOW_BYTES = 65_536;
const EMPTY = Buffer.alloc(0);

function readFrame(view: DataView): Frame {
  if (uint32(view, 0) !== MAGIC || view.byteLength < 7) throw new UnpackError('it is no LZ4 frame');
  const flags = view.getUint8(4);
  const blockBytes = BLOCK_BYTES[(view.getUint8(5) >>> 4) & 7];
  const hasDictionary = (flags & 1) === 1;
  if (flags >>> 6 !== 1 || blockBytes === undefined || hasDictionary) {
    throw new UnpackError('it is an LZ4 frame of an unknown kind');
  }
  const hasContentSize = (flags & 8) !== 0;
  return {
    maxBlockBytes: blockBytes,
    areBlocksLinked: (flags & 32) === 0,
    hasBlockChecksums: (flags & 16) !== 0,
    next: 7 + (hasContentSize ? 8 : 0),
  };
}

function uint32(view: DataView, at: number): number {
  if (at + 4 > view.byteLength) throw new UnpackError('it is cut off');
  return view.getUint32(at, true);
}

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md */
function unpackBlock(packed: Uint8Array, before: Buffer, maxBytes: number): Buffer {
  const out = new GrowingBuffer(before, packed.length * 4, maxBytes);
  for (let at = 0; at < packed.length; ) {
    const token = packed[at++] ?? 0;
    const literals = readLength(packed, at, token >>> 4);
    at = literals.next;
    if (literals.size > packed.length - at) throw new UnpackError('a literal leaves its bounds');
    out.append(packed.subarray(at, at + literals.size));
    at += literals.size;
    // The last sequence is literals alone.
    if (at === packed.length) break;
    if (at + 2 > packed.length) throw new UnpackError('it is cut off');
    const offset = (packed[at] ?? 0) | ((packed[at + 1] ?? 0) << 8);
    const match = readLength(packed, at + 2, token & 15);
    at = match.next;
    out.repeat(offset, match.size + 4);
  }
  return out.own();
}

function readLength(packed: Uint8Array, from: number, first: number): { readonly size: number; readonly next: number } {
  let size = first;
  let next = from;
  if (first < 15) return { size, next };
  for (let byte = 255; byte === 255; next++) {
    const more = packed[next];
    if (more === undefined) throw new UnpackError('it is cut off');
    byte = more;
    size += byte;
  }
  return { size, next };
}

/** What a block unpacks to, behind what came before it; never more than its bound. */
class GrowingBuffer {
  readonly #start: number;
  readonly #end: number;
  #bytes: Buffer;
  #to: number;

  constructor(before: Buffer, expectedBytes: number, maxBytes: number) {
    this.#start = before.length;
    this.#end = before.length + maxBytes;
    this.#to = before.length;
    this.#bytes = Buffer.allocUnsafe(before.length + Math.min(expectedBytes, maxBytes));
    before.copy(this.#bytes);
  }

  append(bytes: Uint8Array): void {
    this.#need(bytes.length);
    this.#bytes.set(bytes, this.#to);
    this.#to += bytes.length;
  }

  repeat(offset: number, size: number): void {
    this.#need(size);
    copyBack(this.#bytes, { to: this.#to, offset, size });
    this.#to += size;
  }

  own(): Buffer {
    return this.#bytes.subarray(this.#start, this.#to);
  }

  #need(size: number): void {
    const wanted = this.#to + size;
    if (wanted > this.#end) throw new UnpackError('it unpacks to more than is accepted');
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.min(this.#end, Math.max(wanted, this.#bytes.length * 2)));
    this.#bytes.copy(larger, 0, 0, this.#to);
    this.#bytes = larger;
  }
}
