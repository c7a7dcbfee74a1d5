import { assertInvariant } from '../kernel/assert.ts';

const BUCKETS = 30;

interface Bucket {
  index: number;
  met: number;
  missed: number;
}

/** How many requests met their target and how many missed it, over the last `windowMs`, to a thirtieth of it. */
export class AttainmentWindow {
  readonly #bucketMs: number;
  readonly #buckets: readonly Bucket[];
  #newestIndex = Number.NEGATIVE_INFINITY;

  constructor(windowMs: number) {
    assertInvariant(windowMs > 0 && Number.isFinite(windowMs), `a window must be > 0 ms, got ${windowMs}`);
    this.#bucketMs = windowMs / BUCKETS;
    this.#buckets = Array.from({ length: BUCKETS }, () => ({ index: Number.NaN, met: 0, missed: 0 }));
  }

  /** One request's outcome. A clock that goes back counts into the newest bucket. */
  observe(hasMet: boolean, nowMs: number): void {
    this.#newestIndex = Math.max(this.#newestIndex, Math.floor(nowMs / this.#bucketMs));
    const index = this.#newestIndex;
    const bucket = this.#buckets[((index % BUCKETS) + BUCKETS) % BUCKETS];
    assertInvariant(bucket !== undefined, 'a ring has all its cells');
    if (bucket.index !== index) {
      bucket.index = index;
      bucket.met = 0;
      bucket.missed = 0;
    }
    if (hasMet) bucket.met++;
    else bucket.missed++;
  }

  /** The counts of the window that ends now. */
  counts(nowMs: number): { readonly met: number; readonly missed: number } {
    const lastIndex = Math.max(this.#newestIndex, Math.floor(nowMs / this.#bucketMs));
    let met = 0;
    let missed = 0;
    for (const bucket of this.#buckets) {
      if (!(bucket.index > lastIndex - BUCKETS)) continue;
      met += bucket.met;
      missed += bucket.missed;
    }
    return { met, missed };
  }
}
