import { describe, expect, test } from 'vitest';
import { Xxh64 } from '../../../ingest/sources/xxh64.ts';
import { seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { randomCuts } from './inputs.ts';
import { literalXxh64 } from './literal-xxh64.ts';

const SEED = 20_260_302;
function low32(chunks: readonly Uint8Array[]): number {
  const hash = new Xxh64();
  for (const chunk of chunks) hash.update(chunk);
  return hash.low32();
}

describe('XXH64', () => {
  test.each([
    ['', 0xef46db3751d8e999n],
    ['a', 0xd24ec4f1a98c6e5bn],
    ['abc', 0x44bc2cf5ad770999n],
  ])('of %j is the published digest', (text, digest) => {
    expect(literalXxh64(Buffer.from(text))).toBe(digest);
    expect(low32([Buffer.from(text)])).toBe(Number(digest & 0xffffffffn));
  });

  test(`is the same however the bytes are cut, and what the specification says (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    for (let length = 0; length < 200; length++) {
      const bytes = Buffer.from(
        Array.from({ length: length < 100 ? length : length * 37 }, () => Math.floor(random.next() * 256)),
      );
      const expected = Number(literalXxh64(bytes) & 0xffffffffn);
      expect(low32([bytes]), `${length}`).toBe(expected);
      expect(low32(randomCuts(bytes, random)), `${length} in pieces`).toBe(expected);
    }
  });
});
