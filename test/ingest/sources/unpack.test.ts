import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unpackLz4 } from '../../../ingest/sources/lz4.ts';
import { unpackSnappy } from '../../../ingest/sources/snappy.ts';
import { UnpackError } from '../../../ingest/sources/unpack.ts';

const MAX_BYTES = 1_048_576;
const TEXT = Buffer.from('to be or not to be, '.repeat(3));

const bytes = (...parts: readonly (number | string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))));

/** A Snappy block by hand: the first 20 bytes as they are, the others a copy of what lies 20 before. */
const SNAPPY = bytes(60, 19 << 2, TEXT.subarray(0, 20), ((40 - 1) << 2) | 2, 20, 0);
/** The same as snappy-java writes it, in two blocks. */
const be32 = (value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value);
  return out;
};
const XERIAL = bytes(
  Buffer.of(0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1),
  ...[be32(SNAPPY.length), SNAPPY, be32(SNAPPY.length), SNAPPY],
);

const le32 = (value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value);
  return out;
};
/** Literals, then a match of 40 − 5, then the last five as literals: an LZ4 block ends with literals. */
const LZ4_BLOCK = bytes(0xff, 20 - 15, TEXT.subarray(0, 20), 20, 0, 35 - 4 - 15, 5 << 4, TEXT.subarray(55));
const lz4Head = (flags: number): Buffer => bytes(Buffer.of(0x04, 0x22, 0x4d, 0x18), flags, 4 << 4, 0);
const LZ4 = bytes(lz4Head(0x60), le32(LZ4_BLOCK.length), LZ4_BLOCK, le32(0));
/** Linked blocks with checksums: the second copies all of the first; a third one is stored as it is. */
const LINKED_BLOCK = bytes(0x0f, 60, 0, 55 - 4 - 15, 5 << 4, TEXT.subarray(55));
const LINKED = bytes(
  lz4Head(0x50),
  ...[le32(LZ4_BLOCK.length), LZ4_BLOCK, le32(0xdead)],
  ...[le32(LINKED_BLOCK.length), LINKED_BLOCK, le32(0xbeef)],
  ...[le32(0x8000_0000 + 3), 'end', le32(0), le32(0)],
);

describe('packed batches', () => {
  it.each([
    ['Snappy', unpackSnappy, SNAPPY, TEXT],
    ['Snappy in the frames of snappy-java', unpackSnappy, XERIAL, bytes(TEXT, TEXT)],
    ['an empty Snappy block', unpackSnappy, Buffer.of(0), Buffer.of()],
    ['LZ4', unpackLz4, LZ4, TEXT],
    ['LZ4 with linked blocks, checksums and a stored block', unpackLz4, LINKED, bytes(TEXT, TEXT, 'end')],
  ])('of %s are what was packed', (_, unpack, packed, expected) => {
    expect(unpack(packed, MAX_BYTES).toString()).toBe(expected.toString());
    if (expected.length > 0) expect(() => unpack(packed, expected.length - 1)).toThrow(UnpackError);
  });

  it.each([
    ['Snappy', unpackSnappy, [SNAPPY, XERIAL]],
    ['LZ4', unpackLz4, [LZ4, LINKED]],
  ] as const)('of %s, damaged in any way, are refused or read, within their bound', (_, unpack, samples) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 6 }),
        fc.option(fc.nat(200)),
        (sample, flips, cutAt) => {
          const packed = Buffer.from(sample.subarray(0, cutAt ?? sample.length));
          for (const [at, value] of flips) if (at < packed.length) packed[at] = value;
          try {
            expect(unpack(packed, 10_000).length).toBeLessThanOrEqual(10_000);
          } catch (error) {
            if (!(error instanceof UnpackError)) throw error;
          }
        },
      ),
      { numRuns: 20_000 },
    );
  });
});
