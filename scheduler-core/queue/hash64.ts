const OFFSET_BASIS = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const MIX_1 = 0xff51afd7ed558ccdn;
const MIX_2 = 0xc4ceb9fe1a85ec53n;

/**
 * A 64-bit hash of a name, the same on every machine: FNV-1a over its UTF-8 bytes, then a finaliser, since FNV leaves the
 * high bits of short names too alike. Not for secrets.
 *
 * Source: Fowler, Noll & Vo, FNV-1a (RFC 9923); Appleby, MurmurHash3, `fmix64`; both in the public domain.
 */
export function hash64(text: string): bigint {
  return finalise(fnv1a64(text));
}

/** FNV-1a, 64 bits, of the text's UTF-8 bytes; a lone surrogate counts as three bytes. */
export function fnv1a64(text: string): bigint {
  let hash = OFFSET_BASIS;
  for (const byte of utf8Bytes(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash;
}

function finalise(hash: bigint): bigint {
  let mixed = hash ^ (hash >> 33n);
  mixed = BigInt.asUintN(64, mixed * MIX_1);
  mixed ^= mixed >> 33n;
  mixed = BigInt.asUintN(64, mixed * MIX_2);
  return mixed ^ (mixed >> 33n);
}

function* utf8Bytes(text: string): Generator<number> {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) yield code;
    else {
      const continuations = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      const lead = [0, 0xc0, 0xe0, 0xf0][continuations] ?? 0;
      yield lead | (code >> (6 * continuations));
      for (let left = continuations - 1; left >= 0; left--) yield 0x80 | ((code >> (6 * left)) & 0x3f);
    }
  }
}
