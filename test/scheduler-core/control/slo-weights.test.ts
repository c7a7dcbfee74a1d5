import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SloWeights } from '../../../scheduler-core/control/index.ts';
import type { ClassPolicy } from '../../../scheduler-core/policy/policy.ts';

const POLICY = {
  everyMs: 30_000,
  windowMs: 300_000,
  amplification: 5,
  deadBandRatio: 0.05,
  stepRatio: 0.2,
  minSamples: 20,
  leastFactor: 0.25,
  mostFactor: 4,
};

function classOf(weight: number, ratio: number | null): ClassPolicy {
  return { weight, waitBudgetMs: null, target: ratio === null ? null : { ratio, waitBelowMs: 1000 } };
}

const CLASSES = new Map([
  ['P0', classOf(70, 0.99)],
  ['P1', classOf(25, 0.99)],
  ['P2', classOf(5, null)],
]);

/** 100 requests of the class in the second before `nowMs`, of which `met` met their target. */
function observe(weights: SloWeights, name: string, met: number, nowMs: number): void {
  for (let each = 0; each < 100; each++) weights.observe(name, each < met ? 999 : 1000, nowMs - 1);
}

const none = () => 0;
const all = (weights: SloWeights) => ['P0', 'P1', 'P2'].map((name) => weights.weightOf(name) ?? Number.NaN);

describe('weights by attainment', () => {
  it('stay as they are while targets are met', () => {
    const weights = new SloWeights(POLICY, CLASSES, 0);
    for (let nowMs = 30_000; nowMs <= 600_000; nowMs += 30_000) {
      observe(weights, 'P0', 99, nowMs);
      observe(weights, 'P1', 100, nowMs);
      expect(weights.run(nowMs, none)).toBe(false);
    }
    expect(all(weights)).toEqual([70, 25, 5]);
  });

  it('go to base · (1 + amplification · deficit), normalised, a step at a time', () => {
    const weights = new SloWeights(POLICY, CLASSES, 0);
    const seen: number[][] = [];
    for (let nowMs = 30_000; nowMs <= 900_000; nowMs += 30_000) {
      observe(weights, 'P0', 99, nowMs);
      observe(weights, 'P1', 59, nowMs);
      weights.run(nowMs, none);
      seen.push(all(weights));
    }
    expect(seen[0]?.[1]).toBeCloseTo(25 * 1.2, 9);
    // 70 : 25 · 3 : 5, of 100 in all. The step comes to it within the dead band.
    expect(all(weights)[1]).toBeGreaterThan(((25 * 3) / 150) * 100 * 0.95);
    expect(all(weights)[1]).toBeLessThanOrEqual(((25 * 3) / 150) * 100 + 1e-9);
    for (const [index, each] of seen.entries()) {
      expect(each.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(100, 9);
      expect(each[1]).toBeGreaterThanOrEqual(seen[index - 1]?.[1] ?? 0);
    }
  });

  it('hold a change below the dead band, and make one at it', () => {
    // 0.01 · 5 of one class alone: 5% before normalisation, less after it.
    const just = new SloWeights(POLICY, CLASSES, 0);
    observe(just, 'P0', 100, 30_000);
    observe(just, 'P1', 98, 30_000);
    expect(just.run(30_000, none)).toBe(false);
    const more = new SloWeights(POLICY, CLASSES, 0);
    observe(more, 'P0', 100, 30_000);
    observe(more, 'P1', 97, 30_000);
    expect(more.run(30_000, none)).toBe(true);
    expect(more.factorOf('P1')).toBeCloseTo(1.1 / 1.025, 9);
  });

  it('count requests that wait beyond their target as misses before they are served', () => {
    const weights = new SloWeights(POLICY, CLASSES, 0);
    observe(weights, 'P1', 100, 30_000);
    const asked: string[] = [];
    const changed = weights.run(30_000, (name, waitBelowMs) => {
      asked.push(`${name} ${waitBelowMs}`);
      return name === 'P1' ? 900 : 0;
    });
    expect([changed, weights.factorOf('P1') > 1]).toEqual([true, true]);
    expect(asked).toEqual(['P0 1000', 'P1 1000']);
  });

  it('keep the weight of a class with too few requests to judge', () => {
    const weights = new SloWeights({ ...POLICY, minSamples: 101 }, CLASSES, 0);
    observe(weights, 'P1', 0, 30_000);
    expect(weights.run(30_000, none)).toBe(false);
    observe(weights, 'P1', 0, 60_000);
    expect(weights.run(60_000, none)).toBe(true);
    // P0 was not heard of: only P2 gives way.
    expect(weights.weightOf('P0')).toBe(70);
    expect(all(weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(100, 9);
  });

  it('forget what is older than the window', () => {
    const weights = new SloWeights(POLICY, CLASSES, 0);
    observe(weights, 'P1', 0, 30_000);
    observe(weights, 'P1', 100, 340_000);
    expect(weights.run(340_000, none)).toBe(false);
  });

  it('run once when they are due, however late', () => {
    const weights = new SloWeights(POLICY, CLASSES, 0);
    observe(weights, 'P1', 0, 29_999);
    expect([weights.run(29_999, none), weights.nextMs]).toEqual([false, 30_000]);
    expect([weights.run(100_000, none), weights.nextMs]).toEqual([true, 130_000]);
    expect(weights.run(100_001, none)).toBe(false);
  });

  it('know nothing of classes that the policy does not name', () => {
    const weights = new SloWeights(POLICY, CLASSES, 0);
    weights.observe('P9', 1e9, 1);
    expect([weights.weightOf('P9'), weights.factorOf('P9')]).toEqual([null, 1]);
  });

  it('stay normalised, within bounds, and within the step, whatever is observed', () => {
    const share = fc.record({ weight: fc.integer({ min: 1, max: 100 }), ratio: fc.option(fc.constantFrom(0.9, 0.99)) });
    const round = fc.array(fc.record({ met: fc.nat({ max: 100 }), beyond: fc.nat({ max: 500 }) }), {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        fc.array(share, { minLength: 1, maxLength: 4 }),
        fc.array(round, { maxLength: 30 }),
        (shares, rounds) => {
          const classes = new Map(shares.map(({ weight, ratio }, index) => [`c${index}`, classOf(weight, ratio)]));
          const weights = new SloWeights(POLICY, classes, 0);
          const total = shares.reduce((sum, { weight }) => sum + weight, 0);
          let before = shares.map(({ weight }) => weight);
          for (const [index, each] of rounds.entries()) {
            const nowMs = (index + 1) * 30_000;
            for (const [which, { met }] of each.entries()) observe(weights, `c${which}`, met, nowMs);
            weights.run(nowMs, (name) => each[Number(name.slice(1))]?.beyond ?? 0);
            const after = shares.map((_, which) => weights.weightOf(`c${which}`) ?? Number.NaN);
            expect(after.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(total, 6);
            for (const [which, weight] of after.entries()) {
              const was = before[which] ?? Number.NaN;
              expect(Math.abs(weight / was - 1)).toBeLessThanOrEqual(POLICY.stepRatio + 1e-9);
              const factor = weight / (shares[which]?.weight ?? Number.NaN);
              expect(factor).toBeGreaterThanOrEqual(POLICY.leastFactor * (1 - 1e-9));
              expect(factor).toBeLessThanOrEqual(POLICY.mostFactor * (1 + 1e-9));
            }
            before = after;
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** How steeply attainment answers to a share of weight around what a class needs, which rises at ten minutes. */
interface Plant {
  readonly why: string;
  readonly steepness: number;
  readonly needs: number;
}

/** Four hours in closed loop; what P1's weight did, every 30 s. */
function inClosedLoop(weights: Pick<SloWeights, 'observe' | 'run' | 'weightOf'>, plant: Plant): number[] {
  const trace: number[] = [];
  const owed = { P0: 0, P1: 0 };
  for (let nowMs = 0; nowMs < 4 * 3_600_000; nowMs += 5000) {
    const needs = { P0: 0.6, P1: nowMs > 600_000 ? plant.needs : 0.2 };
    for (const name of ['P0', 'P1'] as const) {
      const room = (weights.weightOf(name) ?? 0) / 100 - needs[name];
      const attainment = 1 / (1 + Math.exp(-plant.steepness * room - 5));
      for (let each = 0; each < 50; each++) {
        owed[name] += attainment;
        const hasMet = owed[name] >= 1;
        if (hasMet) owed[name]--;
        weights.observe(name, hasMet ? 0 : 5000, nowMs);
      }
    }
    weights.run(nowMs, none);
    if (nowMs % 30_000 === 0) trace.push(weights.weightOf('P1') ?? Number.NaN);
  }
  return trace;
}

function turns(trace: readonly number[]): number {
  const moves = trace.slice(1).map((weight, index) => Math.sign(weight - (trace[index] ?? weight)));
  const made = moves.filter((move) => move !== 0);
  return made.filter((move, index) => index > 0 && move !== made[index - 1]).length;
}

/** From the highest to the lowest of the last hour. */
function swing(trace: readonly number[]): number {
  const lastHour = trace.slice(-120);
  return Math.max(...lastHour) / Math.min(...lastHour) - 1;
}

describe('weights by attainment in closed loop, after a step', () => {
  it.each([
    { why: 'gentle', steepness: 10, needs: 0.33, mostTurns: 2, mostSwing: 0 },
    { why: 'as queues answer', steepness: 40, needs: 0.33, mostTurns: 3, mostSwing: 0.01 },
    { why: 'steep', steepness: 200, needs: 0.3, mostTurns: 12, mostSwing: 0.02 },
    { why: 'a knife’s edge, which can only be hunted for', steepness: 2000, needs: 0.3, mostTurns: 60, mostSwing: 0.1 },
  ])('come to rest on a plant that is $why', ({ mostTurns, mostSwing, ...plant }) => {
    const trace = inClosedLoop(new SloWeights(POLICY, CLASSES, 0), plant);
    expect(turns(trace), trace.slice(20, 120).join(' ')).toBeLessThanOrEqual(mostTurns);
    expect(swing(trace)).toBeLessThanOrEqual(mostSwing);
  });

  it('would swing for ever without dead band, step and damping', () => {
    const bare = { ...POLICY, deadBandRatio: 0, stepRatio: 1e9 };
    const plant = { why: 'steep', steepness: 200, needs: 0.3 };
    const trace = inClosedLoop(new SloWeights(bare, CLASSES, 0), plant);
    expect(turns(trace)).toBeGreaterThan(20);
    expect(swing(trace)).toBeGreaterThan(0.2);
  });

  it('turn but once when attainment falls and comes back', () => {
    const weights = new SloWeights(POLICY, CLASSES, 0);
    const trace: number[] = [];
    for (let nowMs = 30_000; nowMs <= 3_600_000; nowMs += 30_000) {
      observe(weights, 'P0', 100, nowMs);
      observe(weights, 'P1', nowMs > 600_000 && nowMs <= 1_500_000 ? 60 : 100, nowMs);
      weights.run(nowMs, none);
      trace.push(weights.weightOf('P1') ?? Number.NaN);
    }
    expect(turns(trace)).toBe(1);
    expect(Math.max(...trace)).toBeGreaterThan(40);
    expect(trace.at(-1)).toBeCloseTo(25, 0);
  });
});

describe('weights by attainment, by what is used', () => {
  /** P1 misses; P0 meets its target, or misses too, and has so much of what is served. */
  function controlled(metByP0: number, servedByP0: number, rounds = 20): SloWeights {
    const weights = new SloWeights(POLICY, CLASSES, 0);
    for (let nowMs = 30_000; nowMs <= rounds * 30_000; nowMs += 30_000) {
      observe(weights, 'P0', metByP0, nowMs);
      observe(weights, 'P1', 40, nowMs);
      for (const [name, cost] of [
        ['P0', servedByP0],
        ['P1', 95 - servedByP0],
        ['P2', 5],
      ] as const) {
        weights.served(name, cost);
      }
      weights.run(nowMs, none);
    }
    return weights;
  }

  it('take nothing of what a class that meets its target uses, and some more', () => {
    expect(controlled(100, 50).weightOf('P0')).toBeCloseTo(50 * 1.15, 0);
    expect(controlled(100, 65).weightOf('P0')).toBe(70);
  });

  it('take what it does not use', () => {
    expect(controlled(100, 10).weightOf('P0')).toBeLessThan(50);
  });

  it('protect a class that barely misses, not one that misses as others do', () => {
    expect(controlled(96, 65).weightOf('P0')).toBe(70);
    expect(controlled(60, 65).weightOf('P0')).toBeLessThan(69);
  });

  it('remember the busiest part of the window, and not longer', () => {
    const weights = controlled(100, 65, 2);
    for (let nowMs = 90_000; nowMs <= 1_200_000; nowMs += 30_000) {
      observe(weights, 'P0', 100, nowMs);
      observe(weights, 'P1', 40, nowMs);
      weights.served('P0', 20);
      weights.served('P1', 80);
      weights.run(nowMs, none);
      if (nowMs === 330_000) expect(weights.weightOf('P0')).toBe(70);
    }
    expect(weights.weightOf('P0')).toBeLessThan(60);
  });
});
