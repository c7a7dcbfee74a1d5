import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClassBoost } from '../../../scheduler-core/guard/index.ts';

const POLICY = { afterMs: 60_000, forMs: 30_000 };

describe('the boost of a class', () => {
  it('begins when it has waited its time without being served, and ends after its time', () => {
    const boost = new ClassBoost(POLICY);
    boost.waits('batch', 1000);
    expect(boost.first(60_999)).toBeNull();
    expect(boost.first(61_000)).toBe('batch');
    boost.served('batch', 61_000);
    expect(boost.first(90_999)).toBe('batch');
    expect(boost.isBoosted('batch', 90_999)).toBe(true);
    expect(boost.first(91_000)).toBeNull();
    expect(boost.isBoosted('batch', 91_000)).toBe(false);
  });

  it('counts from the last time the class was served', () => {
    const boost = new ClassBoost(POLICY);
    boost.waits('batch', 0);
    boost.served('batch', 59_999);
    expect(boost.first(119_998)).toBeNull();
    expect(boost.first(119_999)).toBe('batch');
  });

  it('is not for a class that has nothing waiting, however long ago it was served', () => {
    const boost = new ClassBoost(POLICY);
    boost.waits('batch', 0);
    boost.served('batch', 10);
    boost.emptied('batch', 10);
    boost.waits('batch', 500_000);
    expect(boost.first(559_999)).toBeNull();
    expect(boost.first(560_000)).toBe('batch');
  });

  it('counts from the first that waits, not from the latest', () => {
    const boost = new ClassBoost(POLICY);
    for (let time = 0; time <= 60_000; time += 1000) boost.waits('batch', time);
    expect(boost.first(60_000)).toBe('batch');
  });

  it('goes on for a class that ran empty during it and has something again', () => {
    const boost = new ClassBoost(POLICY);
    boost.waits('batch', 0);
    expect(boost.first(60_000)).toBe('batch');
    boost.served('batch', 60_000);
    boost.emptied('batch', 60_000);
    expect(boost.first(70_000)).toBeNull();
    boost.waits('batch', 80_000);
    expect(boost.first(80_000)).toBe('batch');
    expect(boost.first(90_000)).toBeNull();
  });

  it('comes again at once when nothing was served during it', () => {
    const boost = new ClassBoost(POLICY);
    boost.waits('batch', 0);
    expect([boost.first(60_000), boost.first(90_000), boost.first(119_999)]).toEqual(['batch', 'batch', 'batch']);
  });

  it('serves the class boosted first first, ties by name', () => {
    const boost = new ClassBoost(POLICY);
    boost.waits('z', 0);
    boost.waits('b', 5000);
    boost.waits('a', 5000);
    expect(boost.first(60_000)).toBe('z');
    expect(boost.first(65_000)).toBe('z');
    boost.emptied('z', 65_000);
    expect(boost.first(65_000)).toBe('a');
  });

  it('does not begin on a clock that goes back', () => {
    const boost = new ClassBoost(POLICY);
    boost.waits('batch', 0);
    expect(boost.first(-1e9)).toBeNull();
  });

  it('bounds how long a waiting class goes unserved, if boosted classes go first', () => {
    const classes = ['a', 'b', 'c'];
    const arrival = fc.record({ class: fc.constantFrom(...classes), count: fc.integer({ min: 1, max: 400 }) });
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 1, maxLength: 30 }), (arrivals) => {
        const policy = { afterMs: 20, forMs: 5 };
        const boost = new ClassBoost(policy);
        const waiting = new Map(classes.map((name) => [name, 0]));
        const since = new Map<string, number>();
        let longest = 0;
        // Strict priority by name, one served a ms: without boosts the last could wait for ever.
        for (let nowMs = 0; nowMs < 600; nowMs++) {
          const arrived = nowMs % 15 === 0 ? arrivals[nowMs / 15] : undefined;
          if (arrived !== undefined) {
            if (waiting.get(arrived.class) === 0) since.set(arrived.class, nowMs);
            waiting.set(arrived.class, (waiting.get(arrived.class) ?? 0) + arrived.count);
            boost.waits(arrived.class, nowMs);
          }
          const next = boost.first(nowMs) ?? classes.find((name) => (waiting.get(name) ?? 0) > 0);
          if (next === undefined) continue;
          const left = (waiting.get(next) ?? 0) - 1;
          if (left < 0) throw new Error(`${next} has nothing waiting`);
          waiting.set(next, left);
          boost.served(next, nowMs);
          if (left === 0) boost.emptied(next, nowMs);
          since.set(next, nowMs);
          for (const name of classes) {
            if ((waiting.get(name) ?? 0) === 0) continue;
            // Its own time, and at most the whole boosts of the other two before it.
            longest = Math.max(longest, nowMs - (since.get(name) ?? 0));
          }
        }
        expect(longest).toBeLessThanOrEqual(policy.afterMs + 2 * policy.forMs);
      }),
      { numRuns: 200 },
    );
  });
});
