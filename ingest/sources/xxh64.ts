/**
 * XXH64 with seed 0 (Collet, "xxHash fast digest algorithm", XXH64 section), whose low 32 bits are the checksum of a
 * Zstandard frame. 64-bit words are held as two 32-bit halves: BigInt would be some twenty times slower.
 */

const STRIPE_BYTES = 32;
const LANES = 4;

/** The five primes of the algorithm as [high, low]. */
const PRIME_1 = [0x9e3779b1, 0x85ebca87] as const;
const PRIME_2 = [0xc2b2ae3d, 0x27d4eb4f] as const;
const PRIME_3 = [0x165667b1, 0x9e3779f9] as const;
const PRIME_4 = [0x85ebca77, 0xc2b2ae63] as const;
const PRIME_5 = [0x27d4eb2f, 0x165667c5] as const;
type Word = readonly [high: number, low: number];

/** High half of the 64-bit product of two unsigned 32-bit numbers. */
function multiplyHigh(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const low = Math.imul(a0, b0);
  const middle1 = Math.imul(a0, b1);
  const middle2 = Math.imul(a1, b0);
  const carry = (low >>> 16) + (middle1 & 0xffff) + (middle2 & 0xffff);
  return (Math.imul(a1, b1) + (middle1 >>> 16) + (middle2 >>> 16) + (carry >>> 16)) | 0;
}

/** An accumulator of 64 bits that changes in place: the hot loop allocates nothing. */
class Accumulator {
  high = 0;
  low = 0;

  set(word: Word): this {
    this.high = word[0] | 0;
    this.low = word[1] | 0;
    return this;
  }

  add(high: number, low: number): this {
    const sum = (this.low + low) | 0;
    this.high = (this.high + high + (sum >>> 0 < low >>> 0 ? 1 : 0)) | 0;
    this.low = sum;
    return this;
  }

  xor(high: number, low: number): this {
    this.high ^= high;
    this.low ^= low;
    return this;
  }

  multiply(word: Word): this {
    const high = Math.imul(this.high, word[1]) + Math.imul(this.low, word[0]) + multiplyHigh(this.low, word[1]);
    this.low = Math.imul(this.low, word[1]);
    this.high = high | 0;
    return this;
  }

  /** By 1 to 31 bits. */
  rotateLeft(bits: number): this {
    const { high, low } = this;
    this.high = (high << bits) | (low >>> (32 - bits));
    this.low = (low << bits) | (high >>> (32 - bits));
    return this;
  }

  /** Xors the word with itself shifted right. */
  xorShift(bits: number): this {
    const { high, low } = this;
    return bits >= 32
      ? this.xor(0, high >>> (bits - 32))
      : this.xor(high >>> bits, (low >>> bits) | (high << (32 - bits)));
  }

  round(high: number, low: number): this {
    return this.addProduct(high, low, PRIME_2).rotateLeft(31).multiply(PRIME_1);
  }

  /** Adds an input word times a prime. */
  private addProduct(high: number, low: number, word: Word): this {
    const productHigh = Math.imul(high, word[1]) + Math.imul(low, word[0]) + multiplyHigh(low, word[1]);
    return this.add(productHigh | 0, Math.imul(low, word[1]));
  }
}

function word32(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

/** Feeds one 64-bit input word to an accumulator. */
function rounded(high: number, low: number): Accumulator {
  return new Accumulator().round(high, low);
}

/** A running XXH64: `update` any number of times, then `low32` once. */
export class Xxh64 {
  private readonly lanes: readonly [Accumulator, Accumulator, Accumulator, Accumulator];
  private readonly stripe = new Uint8Array(STRIPE_BYTES);
  private stripeBytes = 0;
  private totalBytes = 0;

  constructor() {
    this.lanes = [
      new Accumulator().set(PRIME_1).add(PRIME_2[0], PRIME_2[1]),
      new Accumulator().set(PRIME_2),
      new Accumulator(),
      new Accumulator().add(~PRIME_1[0], ~PRIME_1[1]).add(0, 1),
    ];
  }

  update(bytes: Uint8Array): void {
    this.totalBytes += bytes.length;
    let at = 0;
    if (this.stripeBytes > 0) {
      at = Math.min(STRIPE_BYTES - this.stripeBytes, bytes.length);
      this.stripe.set(bytes.subarray(0, at), this.stripeBytes);
      this.stripeBytes += at;
      if (this.stripeBytes < STRIPE_BYTES) return;
      this.consume(this.stripe, 0);
      this.stripeBytes = 0;
    }
    for (; at + STRIPE_BYTES <= bytes.length; at += STRIPE_BYTES) this.consume(bytes, at);
    this.stripe.set(bytes.subarray(at));
    this.stripeBytes = bytes.length - at;
  }

  /** The low 32 bits of the digest of everything so far, as an unsigned number. */
  low32(): number {
    const digest = this.start();
    digest.add(Math.floor(this.totalBytes / 2 ** 32) | 0, this.totalBytes | 0);
    let at = 0;
    for (; at + 8 <= this.stripeBytes; at += 8) {
      const lane = rounded(word32(this.stripe, at + 4), word32(this.stripe, at));
      digest.xor(lane.high, lane.low).rotateLeft(27).multiply(PRIME_1).add(PRIME_4[0], PRIME_4[1]);
    }
    if (at + 4 <= this.stripeBytes) {
      const lane = new Accumulator().add(0, word32(this.stripe, at)).multiply(PRIME_1);
      digest.xor(lane.high, lane.low).rotateLeft(23).multiply(PRIME_2).add(PRIME_3[0], PRIME_3[1]);
      at += 4;
    }
    for (; at < this.stripeBytes; at++) {
      const lane = new Accumulator().add(0, this.stripe[at] ?? 0).multiply(PRIME_5);
      digest.xor(lane.high, lane.low).rotateLeft(11).multiply(PRIME_1);
    }
    digest.xorShift(33).multiply(PRIME_2).xorShift(29).multiply(PRIME_3).xorShift(32);
    return digest.low >>> 0;
  }

  private consume(bytes: Uint8Array, at: number): void {
    for (let lane = 0; lane < LANES; lane++) {
      const from = at + lane * 8;
      this.lanes[lane]?.round(word32(bytes, from + 4), word32(bytes, from));
    }
  }

  /** The lanes converged, or the short-input seed. */
  private start(): Accumulator {
    if (this.totalBytes < STRIPE_BYTES) return new Accumulator().set(PRIME_5);
    const rotations = [1, 7, 12, 18] as const;
    const digest = new Accumulator();
    for (const [index, lane] of this.lanes.entries()) {
      const turned = new Accumulator().set([lane.high, lane.low]).rotateLeft(rotations[index] ?? 1);
      digest.add(turned.high, turned.low);
    }
    for (const lane of this.lanes) {
      const merged = rounded(lane.high, lane.low);
      digest.xor(merged.high, merged.low).multiply(PRIME_1).add(PRIME_4[0], PRIME_4[1]);
    }
    return digest;
  }
}
