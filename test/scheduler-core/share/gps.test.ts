import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GpsArrival, gps } from '../../../scheduler-core/share/index.ts';
import { naiveProcessorSharing } from './naive-processor-sharing.ts';

interface Vector {
  readonly arrivals: readonly GpsArrival[];
  readonly V: Readonly<Record<string, number>>;
  readonly idleAt: number;
}

const vectors: { readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../../../../shared/vectors/gps.json', import.meta.url), 'utf8'),
);

describe('generalized processor sharing', () => {
  it.each(vectors.cases)('published: $V', ({ arrivals, V, idleAt }) => {
    const result = gps(arrivals);
    for (const [t, round] of Object.entries(V)) expect(result.roundNumber(Number(t)), `V(${t})`).toBeCloseTo(round, 12);
    expect(result.idleAt).toBeCloseTo(idleAt, 12);
  });

  it('tags as published: a flow of half the weight has its first ten packets before all others', () => {
    const wf2q: { readonly cases: readonly { readonly policy: string; readonly expected: readonly number[] }[] } =
      JSON.parse(readFileSync(new URL('../../../../shared/vectors/wf2q.json', import.meta.url), 'utf8'));
    const exact = wf2q.cases.find(({ policy }) => policy.includes('exact GPS tags'));
    const packets = [...new Array<number>(11).fill(1), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    const arrivals = packets.map((flow) => ({ flow: String(flow), t: 0, size: 1 }));
    const weights = Object.fromEntries(packets.map((flow) => [String(flow), flow === 1 ? 0.5 : 0.05]));
    const { finishTimes } = gps(arrivals, { weights });
    // Finish times that differ by rounding alone are ties, and go in order of arrival.
    const order = packets
      .map((flow, index) => ({ flow, index, finish: Math.round((finishTimes[index] ?? 0) * 1e9) }))
      .sort((left, right) => left.finish - right.finish || left.index - right.index);
    expect(order.map(({ flow }) => flow)).toEqual(exact?.expected);
  });

  it('gives finish times in the order of the arrivals, which may come in any', () => {
    const arrivals = [
      { flow: 'b', t: 5, size: 1 },
      { flow: 'a', t: 0, size: 2 },
      { flow: 'b', t: 0, size: 4 },
    ];
    // Side by side until 4, when a is done; b's first has 2 left then, its second comes at 5.
    expect(gps(arrivals).finishTimes).toEqual([7, 4, 6]);
  });

  it('shares by weight', () => {
    const arrivals = ['a', 'b'].map((flow) => ({ flow, t: 0, size: 6 }));
    const { finishTimes, roundNumber } = gps(arrivals, { rate: 2, weights: { a: 3 } });
    expect(finishTimes).toEqual([4, 6]);
    expect([roundNumber(0), roundNumber(4), roundNumber(6), roundNumber(99)]).toEqual([0, 2, 6, 6]);
  });

  it('stands still while nobody is backlogged, and is 0 before the first arrival', () => {
    const arrivals = [
      { flow: 'a', t: 10, size: 2 },
      { flow: 'a', t: 20, size: 2 },
    ];
    const { roundNumber, finishTimes, idleAt } = gps(arrivals);
    expect([9, 11, 12, 15, 20, 21, 30].map(roundNumber)).toEqual([0, 1, 2, 2, 2, 3, 4]);
    expect([finishTimes, idleAt]).toEqual([[12, 22], 22]);
  });

  it('is done at once with packets of size 0, but not before those of its flow that came first', () => {
    const arrivals = [
      { flow: 'a', t: 0, size: 0 },
      { flow: 'b', t: 0, size: 3 },
      { flow: 'b', t: 0, size: 0 },
    ];
    expect(gps(arrivals).finishTimes).toEqual([0, 3, 3]);
  });

  it('knows flows by their very names', () => {
    const arrivals = ['__proto__', 'constructor', 'toString'].map((flow) => ({ flow, t: 0, size: 1 }));
    expect(gps(arrivals, { weights: {} }).finishTimes).toEqual([3, 3, 3]);
    expect(gps(arrivals, { weights: new Map([['__proto__', 2]]) }).finishTimes).toEqual([2, 3, 3]);
  });

  it('has no end without a beginning', () => {
    expect(gps([])).toMatchObject({ finishTimes: [], idleAt: Number.NEGATIVE_INFINITY });
    expect(gps([]).roundNumber(5)).toBe(0);
  });

  it.each([
    { why: 'a rate of 0', run: () => gps([], { rate: 0 }) },
    { why: 'a negative size', run: () => gps([{ flow: 'a', t: 0, size: -1 }]) },
    { why: 'a time that is no number', run: () => gps([{ flow: 'a', t: Number.NaN, size: 1 }]) },
    { why: 'a weight of 0', run: () => gps([{ flow: 'a', t: 0, size: 1 }], { weights: { a: 0 } }) },
  ])('refuses $why', ({ run }) => {
    expect(run).toThrow(expect.objectContaining({ code: 'EVS_INVARIANT' }));
  });

  const arrival = fc.record({
    flow: fc.constantFrom('a', 'b', 'c', 'd'),
    t: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.double({ min: 0, max: 100, noNaN: true })),
    size: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.double({ min: 1e-3, max: 20, noNaN: true })),
  });
  const weights = fc.record({
    a: fc.constant(1),
    b: fc.constantFrom(1, 2),
    c: fc.constantFrom(0.3, 4),
    d: fc.constant(7),
  });
  const rate = fc.constantFrom(1, 2, 0.7);

  it('is what serving every backlogged flow its part, from event to event, gives', () => {
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 40 }), weights, rate, (arrivals, of, speed) => {
        const found = gps(arrivals, { rate: speed, weights: of });
        const naive = naiveProcessorSharing(arrivals, { rate: speed, weights: of });
        for (const [index, finish] of naive.finishTimes.entries()) {
          expect(Math.abs((found.finishTimes[index] ?? Number.NaN) - finish), `packet ${index}`).toBeLessThan(1e-7);
        }
        for (const { t, v } of naive.rounds) expect(Math.abs(found.roundNumber(t) - v), `V(${t})`).toBeLessThan(1e-7);
      }),
      { numRuns: 1000 },
    );
  });

  it('has a round number that never falls', () => {
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 40 }), weights, (arrivals, of) => {
        const { roundNumber, idleAt } = gps(arrivals, { weights: of });
        let before = 0;
        for (let t = -1; t < Math.max(0, idleAt) + 1; t += 0.37) {
          expect(roundNumber(t)).toBeGreaterThanOrEqual(before);
          before = roundNumber(t);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('takes a hundred thousand packets of ten thousand flows in its stride', () => {
    const arrivals = Array.from({ length: 100_000 }, (_, index) => ({
      flow: `f${(index * 7919) % 10_000}`,
      t: index / 10,
      size: 1 + ((index * 31) % 7),
    }));
    const { finishTimes, idleAt } = gps(arrivals);
    expect(
      finishTimes.every((finish, index) => finish >= (arrivals[index]?.t ?? 0) + (arrivals[index]?.size ?? 0) - 1e-6),
    ).toBe(true);
    // It was never idle after the first few: the whole work, at rate 1.
    expect(idleAt).toBeCloseTo(
      arrivals.reduce((sum, { size }) => sum + size, 0),
      3,
    );
  });
});
