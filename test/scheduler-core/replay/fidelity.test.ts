import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadEnvelope, waitDistance } from '../../../scheduler-core/replay/index.ts';

const waits = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 30 });

/** The distance of two distribution functions at every whole number, one by one. */
function literalDistance(left: readonly number[], right: readonly number[]): { ks: number; area: number } {
  let ks = 0;
  let area = 0;
  for (let at = 0; at <= 20; at++) {
    const part = (values: readonly number[]): number => values.filter((value) => value <= at).length / values.length;
    const distance = Math.abs(part(left) - part(right));
    ks = Math.max(ks, distance);
    area += distance;
  }
  return { ks, area };
}

describe('the distance of two sets of waits', () => {
  it('is that of their distribution functions, looked at one by one', () => {
    fc.assert(
      fc.property(waits, waits, (left, right) => {
        const { ks, w1OverMean } = waitDistance(left, right);
        const expected = literalDistance(left, right);
        expect(ks).toBeCloseTo(expected.ks, 12);
        const mean = left.reduce((sum, value) => sum + value, 0) / left.length;
        if (mean === 0) expect(w1OverMean).toBeNull();
        else expect(w1OverMean).toBeCloseTo(expected.area / mean, 9);
      }),
    );
  });

  it('is 0 for the same waits in any order, and 1 where they have nothing in common', () => {
    expect(waitDistance([3, 1, 2], [2, 3, 1])).toEqual({ p50ErrorRatio: 0, p99ErrorRatio: 0, ks: 0, w1OverMean: 0 });
    expect(waitDistance([1, 2], [11, 12])).toEqual({ p50ErrorRatio: 5, p99ErrorRatio: 5, ks: 1, w1OverMean: 10 / 1.5 });
  });

  it('is null where it cannot be known: nothing to compare, or a recorded 0 to divide by', () => {
    expect(waitDistance([1], [])).toEqual({ p50ErrorRatio: null, p99ErrorRatio: null, ks: null, w1OverMean: null });
    expect(waitDistance([0], [1])).toEqual({ p50ErrorRatio: null, p99ErrorRatio: null, ks: 1, w1OverMean: null });
  });
});

describe('the envelope of loads', () => {
  it('has the least and the largest offered load of any minute', () => {
    const arrivals = [
      { arrivedAtMs: 0, slotMs: 60_000 },
      { arrivedAtMs: 59_999, slotMs: 60_000 },
      { arrivedAtMs: 60_000, slotMs: 30_000 },
    ];
    expect(loadEnvelope(arrivals, 2, { fromMs: 0, toMs: 120_000 })).toEqual({ loadMin: 0.25, loadMax: 1 });
    expect(loadEnvelope(arrivals, 2, { fromMs: 0, toMs: 0 })).toBeNull();
  });
});
