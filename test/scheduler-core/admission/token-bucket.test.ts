import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TokenBucket } from '../../../scheduler-core/admission/index.ts';

interface Take {
  readonly t: number;
  readonly n: number;
  readonly ok: boolean;
  readonly retryAfterMs?: number;
}

interface Vector {
  readonly burst: number;
  readonly ratePerS?: number;
  readonly refillPerMs?: number;
  readonly takes: readonly Take[];
}

const vectors: { readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../../../../shared/vectors/token-bucket.json', import.meta.url), 'utf8'),
);

const infinite = Number.POSITIVE_INFINITY;
const bucket = (burst: number, refillPerMs: number) => new TokenBucket({ burst, refillPerMs, nowMs: 0 });

describe('a token bucket', () => {
  it.each(vectors.cases)('published: burst $burst, $ratePerS/s or $refillPerMs/ms', (vector) => {
    const tokens = bucket(vector.burst, vector.refillPerMs ?? (vector.ratePerS ?? 0) / 1000);
    for (const [index, { t, n, ok, retryAfterMs }] of vector.takes.entries()) {
      expect(tokens.tryTake(n, t), `take ${index}`).toBe(ok);
      if (retryAfterMs !== undefined) expect(tokens.retryAfterMs(n, t)).toBe(retryAfterMs);
    }
  });

  it('gives the burst once and nothing more at rate 0', () => {
    const tokens = bucket(2, 0);
    expect([tokens.tryTake(1, 0), tokens.tryTake(1, 1e9), tokens.tryTake(1, 2e9)]).toEqual([true, true, false]);
    expect(tokens.retryAfterMs(1, 2e9)).toBe(infinite);
    expect(tokens.retryAfterMs(0, 2e9)).toBe(0);
  });

  it('never covers a cost above its burst, and says so even when full', () => {
    const tokens = bucket(3, 1);
    expect(tokens.tryTake(3.0000001, 1e6)).toBe(false);
    expect(tokens.retryAfterMs(3.0000001, 1e6)).toBe(infinite);
    expect(tokens.retryAfterMs(infinite, 1e6)).toBe(infinite);
    expect(tokens.available(1e6)).toBe(3);
  });

  it('changes nothing when a take fails', () => {
    const tokens = bucket(10, 0.1);
    tokens.tryTake(8, 0);
    for (let time = 0; time < 30; time++) expect(tokens.tryTake(9, time)).toBe(false);
    expect(tokens.available(30)).toBeCloseTo(5, 12);
    expect(tokens.retryAfterMs(9, 30)).toBeCloseTo(40, 9);
  });

  it('neither mints nor drains on a clock that goes back', () => {
    const tokens = bucket(10, 1);
    tokens.tryTake(10, 100);
    expect(tokens.available(50)).toBe(0);
    expect(tokens.tryTake(1, 50)).toBe(false);
    expect(tokens.available(104)).toBe(4);
    expect(tokens.tryTake(4, 104)).toBe(true);
    // Back and forth over the same span: it refilled once.
    for (const time of [90, 104, 0, 104]) expect(tokens.available(time)).toBe(0);
    expect(tokens.retryAfterMs(1, 94)).toBe(11);
    expect(tokens.tryTake(1, 94 + 11)).toBe(true);
  });

  it('shows no less on a clock that went back than it has shown before', () => {
    const tokens = bucket(10, 1);
    tokens.tryTake(10, 0);
    expect(tokens.available(6)).toBe(6);
    expect(tokens.available(2)).toBe(6);
    expect(tokens.tryTake(6, 2)).toBe(true);
    expect([tokens.available(6), tokens.available(7)]).toEqual([0, 1]);
  });

  it('counts a take on a clock that went back against what was there', () => {
    const tokens = bucket(10, 1);
    tokens.tryTake(4, 100);
    expect(tokens.tryTake(6, 10)).toBe(true);
    expect(tokens.available(100)).toBe(0);
  });

  it('cuts its level with a lower burst and mints nothing with a higher one', () => {
    const tokens = bucket(100, 1);
    tokens.reconfigure({ burst: 30 }, 0);
    expect(tokens.available(0)).toBe(30);
    tokens.reconfigure({ burst: 200 }, 0);
    expect(tokens.available(0)).toBe(30);
    expect(tokens.available(1000)).toBe(200);
  });

  it('refills at the old rate until the moment of change and at the new one from then on', () => {
    const tokens = bucket(100, 1);
    tokens.tryTake(100, 0);
    tokens.reconfigure({ refillPerMs: 5 }, 10);
    expect(tokens.available(12)).toBe(20);
    tokens.reconfigure({ refillPerMs: 0 }, 12);
    expect(tokens.available(1e9)).toBe(20);
    expect([tokens.burst, tokens.refillPerMs]).toEqual([100, 0]);
  });

  it('keeps to the time already seen when reconfigured on a clock that went back', () => {
    const tokens = bucket(100, 1);
    tokens.tryTake(100, 50);
    tokens.reconfigure({ refillPerMs: 2 }, 20);
    expect([tokens.available(50), tokens.available(55)]).toEqual([0, 10]);
  });

  it('passes takes in step with its refill, although 0.29 × 100 rounds to less than 29', () => {
    const tokens = bucket(29, 0.29);
    tokens.tryTake(29, 0);
    expect(tokens.tryTake(29, 100)).toBe(true);
  });

  it('costs nothing to ask for nothing', () => {
    const tokens = bucket(1, 0);
    tokens.tryTake(1, 0);
    expect(tokens.tryTake(0, 0)).toBe(true);
  });

  it.each([
    { why: 'a negative burst', make: () => bucket(-1, 1) },
    { why: 'a boundless burst', make: () => bucket(infinite, 1) },
    { why: 'a negative rate', make: () => bucket(1, -1) },
    { why: 'a rate that is no number', make: () => bucket(1, Number.NaN) },
    { why: 'a start without a time', make: () => new TokenBucket({ burst: 1, refillPerMs: 1, nowMs: Number.NaN }) },
    { why: 'a cost that is no number', make: () => bucket(1, 1).tryTake(Number.NaN, 0) },
    { why: 'a negative cost, which would mint', make: () => bucket(1, 1).tryTake(-1, 0) },
    { why: 'a change to a negative rate', make: () => bucket(1, 1).reconfigure({ refillPerMs: -1 }, 0) },
  ])('refuses $why', ({ make }) => {
    expect(make).toThrow(expect.objectContaining({ code: 'EVS_INVARIANT' }));
  });
});
