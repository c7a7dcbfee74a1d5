/** Parts of one unit that amounts are counted in. */
export const FRACTIONS_PER_UNIT = 2 ** 40;
const UNITS_PER_FRACTION = 2 ** -40;
/** So often can 2⁻⁴⁰ths of a unit be added at once without rounding. */
const MOST_TIMES = 2 ** 12;

/**
 * Sums of amounts of work, kept as whole units and 2⁻⁴⁰ths, both integers: added and taken away in any order they come to
 * the same bits, as long as the whole units stay under 2⁵³.
 */
export class ExactAmounts {
  readonly #whole: Float64Array;
  readonly #fraction: Float64Array;

  /** @param size how many sums, numbered from 0; all 0 at first. */
  constructor(size: number) {
    this.#whole = new Float64Array(size);
    this.#fraction = new Float64Array(size);
  }

  /** Adds integers: `whole` units and `fraction` 2⁻⁴⁰ths, either of which may be negative. */
  add(index: number, whole: number, fraction: number): void {
    const sum = (this.#fraction[index] ?? 0) + fraction;
    // Kept in [0, 1 unit), so that one amount has one form and the sums stay exact.
    const carried = Math.floor(sum * UNITS_PER_FRACTION);
    this.#fraction[index] = sum - carried * FRACTIONS_PER_UNIT;
    this.#whole[index] = (this.#whole[index] ?? 0) + whole + carried;
  }

  /** Adds the same integers so many times. */
  addTimes(index: number, whole: number, fraction: number, times: number): void {
    for (let left = times; left > 0; left -= MOST_TIMES) {
      const now = Math.min(left, MOST_TIMES);
      this.add(index, whole * now, fraction * now);
    }
  }

  /** Adds `sign` times what a sum has come to elsewhere. */
  addFrom(index: number, other: ExactAmounts, at: number, sign: 1 | -1): void {
    this.add(index, sign * other.whole(at), sign * other.fraction(at));
  }

  clear(index: number): void {
    this.#whole[index] = 0;
    this.#fraction[index] = 0;
  }

  isZero(index: number): boolean {
    return this.#whole[index] === 0 && this.#fraction[index] === 0;
  }

  /** The whole units of a sum; with `fraction` it is the sum. */
  whole(index: number): number {
    return this.#whole[index] ?? 0;
  }

  /** Its 2⁻⁴⁰ths, in [0, 2⁴⁰). */
  fraction(index: number): number {
    return this.#fraction[index] ?? 0;
  }

  /** As one number; never negative, for amounts that are none. */
  value(index: number): number {
    return Math.max(0, this.whole(index) + this.fraction(index) * UNITS_PER_FRACTION);
  }
}

/** The 2⁻⁴⁰ths of an amount beyond its whole units. */
export function fractionOf(amount: number): number {
  return Math.floor((amount - Math.floor(amount)) * FRACTIONS_PER_UNIT + 0.5);
}
