import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Throughput } from '../../../scheduler-core/admission/index.ts';
import { quantileRank } from '../../../scheduler-core/share/index.ts';

/** Ten requests a bucket of the given rates per busy slot, oldest first, from time 0. */
function served(rates: readonly number[], options = { quantile: 0.25, slots: 4 }): Throughput {
  const throughput = new Throughput(options);
  for (const [second, rate] of rates.entries()) {
    for (let each = 0; each < 10; each++) throughput.record(rate * 40, 40, second * 1000 + each * 90);
  }
  return throughput;
}

describe('throughput', () => {
  it('is not known before a few requests have ended', () => {
    const throughput = new Throughput({ quantile: 0.25, slots: 4 });
    for (let each = 0; each < 4; each++) throughput.record(10, 10, each);
    expect(throughput.costPerMs(5)).toBeNull();
    throughput.record(10, 10, 5);
    expect(throughput.costPerMs(5)).toBe(4);
  });

  it('is a low quantile of what the buckets of the last half minute had, times the slots', () => {
    const rates = Array.from({ length: 30 }, (_, second) => 1 + ((second * 7) % 30) / 10);
    expect(served(rates).costPerMs(30_000)).toBeCloseTo(4 * (quantileRank(rates.slice(1), 0.25) ?? 0), 9);
  });

  it('falls at once when a server leaves, and rises when one comes', () => {
    const throughput = served([2, 2, 2]);
    expect(throughput.costPerMs(3000)).toBeCloseTo(8, 9);
    throughput.setSlots(1);
    expect(throughput.costPerMs(3000)).toBeCloseTo(2, 9);
    throughput.setSlots(0);
    expect(throughput.costPerMs(3000)).toBe(0);
    throughput.setSlots(5);
    expect(throughput.costPerMs(3000)).toBeCloseTo(10, 9);
  });

  it('takes no pool for slow that was merely idle', () => {
    const throughput = new Throughput({ quantile: 0.1, slots: 4 });
    for (let second = 0; second < 25; second++) throughput.record(20, 10, second * 1000);
    expect(throughput.costPerMs(25_000)).toBeCloseTo(8, 9);
  });

  it('is not fooled by one slow request among few', () => {
    const throughput = new Throughput({ quantile: 0.1, slots: 1 });
    for (let second = 0; second < 25; second++) throughput.record(10, second === 12 ? 100 : 10, second * 1000);
    // Joined by fives, the slow one has four beside it.
    expect(throughput.costPerMs(25_000)).toBeCloseTo(50 / 140, 9);
  });

  it('follows a pool that has become slower, and keeps what it knew last when nothing ends any more', () => {
    const throughput = served([3, 3, 3, 1, 1, 1, 1, 1]);
    expect(throughput.costPerMs(8000)).toBeCloseTo(4, 9);
    expect(throughput.costPerMs(500_000)).toBeCloseTo(4, 9);
  });

  it('forgets what is older than its span', () => {
    const throughput = served([0.1, ...Array.from({ length: 40 }, () => 2)], { quantile: 0.01, slots: 1 });
    expect(throughput.costPerMs(41_000)).toBeCloseTo(2, 9);
  });

  it('counts into the newest bucket on a clock that goes back', () => {
    const throughput = served([2, 2]);
    throughput.record(1e9, 1, -5e6);
    expect(throughput.costPerMs(-5e6)).toBeCloseTo(8, 9);
  });

  it('lies between the slowest and the fastest request that it saw', () => {
    const ended = fc.record({
      cost: fc.integer({ min: 1, max: 1000 }),
      slotMs: fc.integer({ min: 1, max: 1000 }),
      pauseMs: fc.double({ min: 0, max: 700, noNaN: true }),
    });
    const quantile = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(fc.array(ended, { minLength: 5, maxLength: 200 }), quantile, (requests, q) => {
        const throughput = new Throughput({ quantile: q, slots: 1 });
        let nowMs = 0;
        for (const { cost, slotMs, pauseMs } of requests) {
          nowMs += pauseMs;
          throughput.record(cost, slotMs, nowMs);
          throughput.costPerMs(nowMs);
        }
        const rates = requests.map(({ cost, slotMs }) => cost / slotMs);
        const rate = throughput.costPerMs(nowMs);
        if (rate === null) return;
        expect(rate).toBeGreaterThanOrEqual(Math.min(...rates) * (1 - 1e-12));
        expect(rate).toBeLessThanOrEqual(Math.max(...rates) * (1 + 1e-12));
      }),
    );
  });
});
