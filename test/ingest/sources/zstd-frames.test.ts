import { describe, expect, test } from 'vitest';
import { decodeZstd, ZstdError } from '../../../ingest/sources/zstd-frames.ts';
import { seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { chunksOf } from './inputs.ts';
import { REFERENCE_FRAME, REFERENCE_TEXT, repeatedFrame, skippableFrame, storedFrame } from './zstd-encoder.ts';

const SEED = 20_260_302;

async function decode(bytes: Uint8Array, chunkBytes = 65_536): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decodeZstd(chunksOf(bytes, chunkBytes))) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

describe('Zstandard', () => {
  test.each([1, 2, 3, 17, 100, 1_000_000])(
    'from the reference implementation is read in chunks of %d',
    async (chunkBytes) => {
      expect(await decode(REFERENCE_FRAME, chunkBytes)).toBe(REFERENCE_TEXT);
    },
  );

  test('of several frames, some of them skippable or empty, is read to its end', async () => {
    const text = 'x'.repeat(300_000);
    const frames = [
      skippableFrame(Buffer.from('note')),
      REFERENCE_FRAME,
      storedFrame(Buffer.alloc(0)),
      storedFrame(Buffer.from(text)),
    ];
    const whole = Buffer.concat([...frames, skippableFrame(Buffer.alloc(100_000)), REFERENCE_FRAME]);
    for (const chunkBytes of [5, 4096, 1e7])
      expect(await decode(whole, chunkBytes)).toBe(REFERENCE_TEXT + text + REFERENCE_TEXT);
  });

  test.each([
    { hasChecksum: false },
    { hasContentSize: true },
    { hasChecksum: false, hasContentSize: true },
    { windowExponent: 15 },
  ])('with %j is read', async (options) => {
    expect(await decode(storedFrame(Buffer.from('{"a":1}\n'), options))).toBe('{"a":1}\n');
    expect(await decode(storedFrame(Buffer.alloc(0), options))).toBe('');
  });

  test(`a single flipped bit never goes unseen (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    for (let trial = 0; trial < 400; trial++) {
      const damaged = Buffer.from(REFERENCE_FRAME);
      const at = Math.floor(random.next() * damaged.length);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << Math.floor(random.next() * 8));
      const outcome = await decode(damaged).catch((error: unknown) => error);
      // Unused bits may flip without harm: then what comes out is right.
      if (outcome !== REFERENCE_TEXT) expect(outcome, `byte ${at}`).toBeInstanceOf(ZstdError);
    }
  });

  test('cut off anywhere is an error, never a shorter file', async () => {
    for (let length = 1; length < REFERENCE_FRAME.length; length++) {
      await expect(decode(REFERENCE_FRAME.subarray(0, length)), `${length} bytes`).rejects.toThrow(ZstdError);
    }
  });

  test('with a content size that is not its own is an error', async () => {
    const frame = storedFrame(Buffer.from('abc'), { hasContentSize: true, hasChecksum: false });
    frame.writeUInt32LE(4, 6);
    await expect(decode(frame)).rejects.toThrow(ZstdError);
  });

  test.each([
    [storedFrame(Buffer.from('abc'), { windowExponent: 17 }), 'window is over 32 MiB'],
    [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 80, 7, 1, 0, 0]), 'dictionary'],
    [Buffer.concat([REFERENCE_FRAME, Buffer.from('{"a":1}\n')]), 'not Zstandard'],
    [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 80, 7, 0, 0]), 'damaged'],
  ])('that is refused says why (case %#)', async (bytes, why) => {
    await expect(decode(bytes)).rejects.toThrow(why);
  });

  test('is decoded a block at a time: four bytes that become 128 KiB do not become a gigabyte at once', async () => {
    let chunks = 0;
    for await (const chunk of decodeZstd(chunksOf(repeatedFrame(0x61, 8192), 65_536))) {
      expect(chunk.length).toBeLessThanOrEqual(131_072);
      if (++chunks === 100) break;
    }
    expect(chunks).toBe(100);
  });
});
