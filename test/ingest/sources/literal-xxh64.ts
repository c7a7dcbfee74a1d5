const MASK = (1n << 64n) - 1n;
const PRIMES: readonly [bigint, bigint, bigint, bigint, bigint] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
];

/** XXH64 with seed 0 by the letter of its specification, in whole 64-bit numbers. */
export function literalXxh64(bytes: Buffer): bigint {
  const [p1, p2, p3, p4, p5] = PRIMES;
  const rotate = (value: bigint, bits: bigint): bigint => ((value << bits) | (value >> (64n - bits))) & MASK;
  const round = (lane: bigint, input: bigint): bigint => (rotate((lane + input * p2) & MASK, 31n) * p1) & MASK;
  let at = 0;
  let hash: bigint = p5;
  if (bytes.length >= 32) {
    let lanes = [(p1 + p2) & MASK, p2, 0n, -p1 & MASK];
    for (; at + 32 <= bytes.length; at += 32)
      lanes = lanes.map((lane, index) => round(lane, bytes.readBigUInt64LE(at + index * 8)));
    const turns = [1n, 7n, 12n, 18n];
    hash = lanes.reduce((sum, lane, index) => (sum + rotate(lane, turns[index] ?? 0n)) & MASK, 0n);
    for (const lane of lanes) hash = ((hash ^ round(0n, lane)) * p1 + p4) & MASK;
  }
  hash = (hash + BigInt(bytes.length)) & MASK;
  for (; at + 8 <= bytes.length; at += 8)
    hash = (rotate(hash ^ round(0n, bytes.readBigUInt64LE(at)), 27n) * p1 + p4) & MASK;
  for (; at + 4 <= bytes.length; at += 4)
    hash = (rotate(hash ^ ((BigInt(bytes.readUInt32LE(at)) * p1) & MASK), 23n) * p2 + p3) & MASK;
  for (; at < bytes.length; at++) hash = (rotate(hash ^ ((BigInt(bytes[at] ?? 0) * p5) & MASK), 11n) * p1) & MASK;
  hash = ((hash ^ (hash >> 33n)) * p2) & MASK;
  hash = ((hash ^ (hash >> 29n)) * p3) & MASK;
  return hash ^ (hash >> 32n);
}
