import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBucket } from '../../../scheduler-core/admission/index.ts';

/** Rates that do not divide anything, from one token a month to a million a ms. */
const rate = fc.oneof(
  fc.constantFrom(0.1, 0.003, 1 / 3, 1 / 7, 0.29, Math.PI * 1e-9, 1e6 / 7, 3e-10),
  fc.double({ min: 1e-10, max: 1e6, noNaN: true }),
);
const burst = fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.double({ min: 1e-3, max: 1e9, noNaN: true }));
/** From a simulation's 0 to a clock since 1970. */
const start: fc.Arbitrary<number> = fc.constantFrom(0, 1e-3, 12345.678, 1.8e12);
const part = fc.double({ min: 0, max: 1.2, noNaN: true });
const pause = fc.oneof(fc.constantFrom(0, 1, 1e-7, 1 / 3, 1000, -500), fc.double({ min: -100, max: 1e5, noNaN: true }));
const moves = fc.array(fc.record({ pauseMs: pause, costPart: part }), { minLength: 1, maxLength: 40 });

describe('a token bucket under any figures', () => {
  it('passes a take exactly when it said it would, and says 0 exactly when it would pass now', () => {
    fc.assert(
      fc.property(burst, rate, start, moves, (burstCost, refillPerMs, startMs, all) => {
        const tokens = new TokenBucket({ burst: burstCost, refillPerMs, nowMs: startMs });
        let nowMs = startMs;
        for (const { pauseMs, costPart } of all) {
          nowMs += pauseMs;
          const cost = burstCost * costPart;
          const waitMs = tokens.retryAfterMs(cost, nowMs);
          const passed = tokens.tryTake(cost, nowMs);
          expect(waitMs === 0).toBe(passed);
          if (cost > burstCost) expect(waitMs).toBe(Number.POSITIVE_INFINITY);
          else if (!passed) {
            expect(waitMs).toBeGreaterThan(0);
            nowMs += waitMs;
            expect(tokens.tryTake(cost, nowMs), `${cost} after ${waitMs} ms`).toBe(true);
          }
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('does not make anybody wait longer than real numbers say, beyond the last bits of the clock', () => {
    fc.assert(
      fc.property(burst, rate, start, part, (burstCost, refillPerMs, startMs, costPart) => {
        const tokens = new TokenBucket({ burst: burstCost, refillPerMs, nowMs: startMs });
        tokens.tryTake(burstCost, startMs);
        const cost = burstCost * Math.min(1, costPart);
        const ideal = cost / refillPerMs;
        const waitMs = tokens.retryAfterMs(cost, startMs);
        expect(waitMs - ideal).toBeLessThanOrEqual(8 * Number.EPSILON * (startMs + ideal) + Number.MIN_VALUE);
      }),
      { numRuns: 2000 },
    );
  });

  it('is the bucket counted by hand in whole numbers', () => {
    const step = fc.record({ pauseMs: fc.integer({ min: -20, max: 60 }), cost: fc.integer({ min: 0, max: 12 }) });
    const figures = [fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 4 })] as const;
    fc.assert(
      fc.property(...figures, fc.array(step, { maxLength: 60 }), (burstCost, refillPerMs, steps) => {
        const tokens = new TokenBucket({ burst: burstCost, refillPerMs, nowMs: 0 });
        let [level, seenMs, nowMs] = [burstCost, 0, 0];
        for (const { pauseMs, cost } of steps) {
          nowMs += pauseMs;
          for (; seenMs < nowMs; seenMs++) level = Math.min(burstCost, level + refillPerMs);
          expect(tokens.available(nowMs)).toBe(level);
          const passes = cost <= level;
          expect(tokens.tryTake(cost, nowMs)).toBe(passes);
          if (passes) level -= cost;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('never gives more than burst + rate · time, in any span, however the clock jumps back', () => {
    fc.assert(
      fc.property(burst, rate, start, moves, (burstCost, refillPerMs, startMs, all) => {
        const tokens = new TokenBucket({ burst: burstCost, refillPerMs, nowMs: startMs });
        let [nowMs, latestMs] = [startMs, startMs];
        const taken: { atMs: number; cost: number }[] = [];
        for (const { pauseMs, costPart } of all) {
          nowMs += pauseMs;
          latestMs = Math.max(latestMs, nowMs);
          const cost = burstCost * costPart;
          if (tokens.tryTake(cost, nowMs)) taken.push({ atMs: latestMs, cost });
        }
        for (const [first, { atMs: fromMs }] of taken.entries()) {
          let sum = 0;
          for (const { atMs, cost } of taken.slice(first)) {
            sum += cost;
            const most = burstCost + refillPerMs * (atMs - fromMs);
            expect(sum).toBeLessThanOrEqual(most + 2e-9 * burstCost + 1e-12 * most);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
