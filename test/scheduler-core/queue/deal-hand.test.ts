import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dealHand } from '../../../scheduler-core/queue/deal-hand.ts';
import { fnv1a64, hash64 } from '../../../scheduler-core/queue/hash64.ts';

interface Vector {
  readonly hash?: string;
  readonly deck: number;
  readonly hand: number;
  readonly expected: readonly number[];
}

const vectors: { readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../../../../shared/vectors/shuffle-sharding.json', import.meta.url), 'utf8'),
);

describe('a hand dealt by a hash', () => {
  it.each(vectors.cases.filter(({ hash }) => hash !== undefined))('published: $hash, $hand of $deck', (vector) => {
    expect(dealHand(BigInt(vector.hash ?? 0), vector.deck, vector.hand)).toEqual(vector.expected);
  });

  it('is each of the 341,376 hands of 3 from 128 exactly six times over the hashes 0 … 2,048,255', () => {
    const counts = new Uint8Array(128 ** 3);
    for (let hash = 0; hash < 128 * 127 * 126; hash++) {
      const [low = 0, middle = 0, high = 0] = dealHand(BigInt(hash), 128, 3).sort((left, right) => left - right);
      const place = (low * 128 + middle) * 128 + high;
      counts[place] = (counts[place] ?? 0) + 1;
    }
    const seen = new Map<number, number>();
    for (const count of counts) seen.set(count, (seen.get(count) ?? 0) + 1);
    seen.delete(0);
    expect([...seen]).toEqual([[6, 341_376]]);
  });

  it('is what picking from a shrinking list of cards gives', () => {
    const sizes = fc
      .integer({ min: 1, max: 60 })
      .chain((deck) => fc.tuple(fc.constant(deck), fc.integer({ min: 1, max: deck })))
      .filter(([deck, hand]) => Math.log2(deck) * hand <= 60);
    fc.assert(
      fc.property(sizes, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), ([deckSize, handSize], hash) => {
        const deck = Array.from({ length: deckSize }, (_, card) => card);
        const expected: number[] = [];
        let rest = hash;
        for (let dealt = 0; dealt < handSize; dealt++) {
          const size = BigInt(deck.length);
          expected.push(...deck.splice(Number(rest % size), 1));
          rest /= size;
        }
        expect(dealHand(hash, deckSize, handSize)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    { why: 'a hand larger than its deck', deck: 3, hand: 4 },
    { why: 'more entropy than a hash has', deck: 1024, hand: 7 },
    { why: 'an empty hand', deck: 3, hand: 0 },
    { why: 'half a card', deck: 3, hand: 1.5 },
    { why: 'a deck that is no number', deck: Number.NaN, hand: 1 },
  ])('refuses $why', ({ deck, hand }) => {
    expect(() => dealHand(1n, deck, hand)).toThrow(expect.objectContaining({ code: 'EVS_POLICY' }));
  });

  it('may need all 60 bits', () => {
    expect(new Set(dealHand(hash64('x'), 1024, 6)).size).toBe(6);
  });
});

describe('the hash of a name', () => {
  it.each([
    { text: '', hash: 0xcbf29ce484222325n },
    { text: 'a', hash: 0xaf63dc4c8601ec8cn },
    { text: 'foobar', hash: 0x85944171f73967e8n },
  ])('is FNV-1a as published, before the finaliser: "$text"', ({ text, hash }) => {
    expect(fnv1a64(text)).toBe(hash);
  });

  it('reads a name as UTF-8', () => {
    const bytewise = (bytes: Uint8Array) =>
      bytes.reduce((hash, byte) => BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n), 0xcbf29ce484222325n);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(fnv1a64(text)).toBe(bytewise(new TextEncoder().encode(text)));
      }),
    );
  });

  it('spreads names that count up evenly, in high bits as in low ones', () => {
    const names = 64_000;
    for (const shift of [0n, 29n, 58n]) {
      const counts = new Array<number>(64).fill(0);
      for (let name = 0; name < names; name++) {
        const slot = Number((hash64(`tenant-${name}`) >> shift) & 63n);
        counts[slot] = (counts[slot] ?? 0) + 1;
      }
      const mean = names / 64;
      const chiSquare = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
      // 63 degrees of freedom: 103 is passed by chance once in a thousand.
      expect(chiSquare, `bits from ${shift}`).toBeLessThan(103);
    }
  });

  it('gives two tenants the same hand seldom: the noisy one spares nearly everybody some queue', () => {
    const noisy = new Set(dealHand(hash64('noisy'), 64, 4));
    let buried = 0;
    for (let tenant = 0; tenant < 20_000; tenant++) {
      if (dealHand(hash64(`t${tenant}`), 64, 4).every((queue) => noisy.has(queue))) buried++;
    }
    // One in 635,376.
    expect(buried).toBeLessThanOrEqual(1);
  });
});
