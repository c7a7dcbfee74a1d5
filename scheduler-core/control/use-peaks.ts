/** A part of the window is at least this part of it: shorter ones would tell chance, not use. */
const LEAST_PART = 1 / 10;

/**
 * What part of the work served went to each of some classes, at its peak over the parts of a window. A part ends when it is
 * looked at and long enough. Memory: ten parts.
 */
export class UsePeaks {
  readonly #partMs: number;
  readonly #windowMs: number;
  readonly #servedCosts: number[];
  readonly #parts: { readonly endMs: number; readonly shares: readonly number[] }[] = [];
  #partFromMs: number;

  /** @param classes how many; they are told by number. */
  constructor(classes: number, windowMs: number, nowMs: number) {
    this.#windowMs = windowMs;
    this.#partMs = windowMs * LEAST_PART;
    this.#servedCosts = new Array<number>(classes).fill(0);
    this.#partFromMs = nowMs;
  }

  served(classNumber: number, cost: number): void {
    this.#servedCosts[classNumber] = (this.#servedCosts[classNumber] ?? 0) + cost;
  }

  /** Per class, the largest part of the work that it had in any part of the window, in [0, 1]; 0 before the first ended. */
  peaks(nowMs: number): number[] {
    if (nowMs - this.#partFromMs >= this.#partMs) this.#endPart(nowMs);
    while (this.#parts[0] !== undefined && nowMs - this.#parts[0].endMs >= this.#windowMs) this.#parts.shift();
    return this.#servedCosts.map((_, index) =>
      this.#parts.reduce((peak, { shares }) => Math.max(peak, shares[index] ?? 0), 0),
    );
  }

  #endPart(nowMs: number): void {
    const total = this.#servedCosts.reduce((sum, cost) => sum + cost, 0);
    if (total > 0) this.#parts.push({ endMs: nowMs, shares: this.#servedCosts.map((cost) => cost / total) });
    this.#servedCosts.fill(0);
    this.#partFromMs = nowMs;
  }
}
