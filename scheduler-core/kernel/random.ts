/** A seeded source of chance. The same seed gives the same numbers on every machine. */
export interface Random {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Exponentially distributed with the given mean (> 0), in the mean's unit. */
  exponential(mean: number): number;
  /** A generator of its own for one part of a simulation, so that parts do not disturb each other. */
  fork(label: string): Random;
}

const UINT32 = 2 ** 32;

function hash32(text: string, seed: number): number {
  let hash = (seed ^ 0x811c9dc5) >>> 0;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

/**
 * A `sfc32` generator (Doty-Humphrey, PractRand: a 128-bit state, chaotic with a counter) started from one integer.
 * Not for secrets.
 */
export function seededRandom(seed: number): Random {
  // Signed, for 32 bits with a sign are kept as they are, and without one as an object each.
  let a = hash32('a', seed) | 0;
  let b = hash32('b', seed) | 0;
  let c = hash32('c', seed) | 0;
  let counter = 1;

  const nextUint32 = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) nextUint32();

  const next = (): number => nextUint32() / UINT32;
  return {
    next,
    exponential: (mean) => -mean * Math.log(1 - next()),
    fork: (label) => seededRandom(hash32(label, seed)),
  };
}
