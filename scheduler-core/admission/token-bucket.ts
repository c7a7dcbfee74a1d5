import { assertInvariant } from '../kernel/assert.ts';

/** Of a cost: what rounding may take from a level that, in real numbers, just covers it. Such a debt is paid back. */
const COVER_SLACK = 1e-9;

export interface TokenBucketOptions {
  /** What may be taken at once; ≥ 0, finite. The bucket starts full. */
  readonly burst: number;
  /** Units that come back per ms; ≥ 0, finite. */
  readonly refillPerMs: number;
  readonly nowMs: number;
}

/**
 * A token bucket: a level that rises by `refillPerMs` up to `burst`; a take that the level covers lowers it, any other
 * changes nothing. Over any span T at most `burst + refillPerMs · T` is taken, to a billionth of the largest cost.
 *
 * Time comes in with each call and is finite. A clock that goes back neither mints nor drains: the level stands still
 * until the clock has caught up. No call allocates.
 * Source: THEORY.md, "Token bucket".
 */
export class TokenBucket {
  #burst: number;
  #refillPerMs: number;
  /** The level at `#levelAtMs`. Below 0 by no more than the slack of one take. */
  #level: number;
  #levelAtMs: number;
  /** The latest time that any call has told. */
  #latestMs: number;

  constructor({ burst, refillPerMs, nowMs }: TokenBucketOptions) {
    assertBucket(burst, refillPerMs);
    assertInvariant(Number.isFinite(nowMs), `the time of a token bucket must be finite, got ${nowMs}`);
    this.#burst = burst;
    this.#refillPerMs = refillPerMs;
    this.#level = burst;
    this.#levelAtMs = nowMs;
    this.#latestMs = nowMs;
  }

  /** The most that one take may ask for. */
  get burst(): number {
    return this.#burst;
  }

  get refillPerMs(): number {
    return this.#refillPerMs;
  }

  /** What could be taken now, in [0, burst]. */
  available(nowMs: number): number {
    return Math.max(0, this.#levelAt(this.#notBefore(nowMs)));
  }

  /** Takes `cost` (≥ 0) and says true, or changes nothing and says false. */
  tryTake(cost: number, nowMs: number): boolean {
    const atMs = this.#notBefore(nowMs);
    const level = this.#levelAt(atMs);
    if (!this.#covers(level, cost)) return false;
    this.#level = level - cost;
    this.#levelAtMs = atMs;
    return true;
  }

  /**
   * How long until `tryTake(cost, nowMs + wait)` succeeds, if nobody takes meanwhile, ms: 0 exactly when it would now;
   * Infinity for a cost above the burst, or when nothing comes back. Exact: who waits in whole ms rounds up.
   */
  retryAfterMs(cost: number, nowMs: number): number {
    const atMs = this.#notBefore(nowMs);
    const level = this.#levelAt(atMs);
    if (this.#covers(level, cost)) return 0;
    if (cost > this.#burst || this.#refillPerMs === 0) return Number.POSITIVE_INFINITY;
    let waitMs = atMs - nowMs + (cost - level) / this.#refillPerMs;
    // The caller's clock will show the rounded sum: late on a day of 10¹² ms, small waits would vanish in it.
    let stepMs = Math.max(Math.abs(nowMs), waitMs, Number.MIN_VALUE / Number.EPSILON) * Number.EPSILON;
    while (!this.#covers(this.#levelAt(nowMs + waitMs), cost)) {
      waitMs += stepMs;
      stepMs *= 2;
    }
    return waitMs;
  }

  /** New figures from now on: what came back until now came at the old rate; a lower burst cuts the level, a higher adds none. */
  reconfigure({ burst, refillPerMs }: { readonly burst?: number; readonly refillPerMs?: number }, nowMs: number): void {
    const atMs = this.#notBefore(nowMs);
    const level = this.#levelAt(atMs);
    const nextBurst = burst ?? this.#burst;
    const nextRefillPerMs = refillPerMs ?? this.#refillPerMs;
    assertBucket(nextBurst, nextRefillPerMs);
    this.#burst = nextBurst;
    this.#refillPerMs = nextRefillPerMs;
    this.#level = Math.min(level, nextBurst);
    this.#levelAtMs = atMs;
  }

  /** The bucket's own time, which does not go back. */
  #notBefore(nowMs: number): number {
    if (nowMs > this.#latestMs) this.#latestMs = nowMs;
    return this.#latestMs;
  }

  /** Grows with the time, rounding included. Settled only by what changes it: else each question would round it anew. */
  #levelAt(atMs: number): number {
    return Math.min(this.#burst, this.#level + (atMs - this.#levelAtMs) * this.#refillPerMs);
  }

  #covers(level: number, cost: number): boolean {
    assertInvariant(cost >= 0, 'a cost must be ≥ 0');
    return cost <= this.#burst && cost * (1 - COVER_SLACK) <= Math.max(0, level);
  }
}

function assertBucket(burst: number, refillPerMs: number): void {
  assertInvariant(burst >= 0 && Number.isFinite(burst), `a burst must be ≥ 0 and finite, got ${burst}`);
  assertInvariant(
    refillPerMs >= 0 && Number.isFinite(refillPerMs),
    `a refill rate must be ≥ 0 and finite, got ${refillPerMs}`,
  );
}
