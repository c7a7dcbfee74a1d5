import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  AdaptiveAdmission,
  clientThrottleRejection,
  refillFactor,
  successRateRejection,
} from '../../../scheduler-core/control/index.ts';

const POLICY = { everyMs: 1000, targetLoadRatio: 0.6, gain: 2, leastFactor: 0.25, mostFactor: 1.5 };

describe('the factor on refill rates', () => {
  it.each([
    { why: 'one at the load to hold', load: 0.6, expected: 1 },
    { why: 'less above it, in proportion', load: 0.8, expected: 0.6 },
    { why: 'not below its bound', load: 1, expected: 0.25 },
    { why: 'more below it', load: 0.5, expected: 1.2 },
    { why: 'not above its bound', load: 0, expected: 1.5 },
  ])('$why', ({ load, expected }) => {
    expect(refillFactor(POLICY, load)).toBeCloseTo(expected, 12);
  });

  it('is renewed when due, and is back at once when the load is', () => {
    const control = new AdaptiveAdmission(POLICY, 0);
    expect([control.run(1, 999), control.factor, control.nextMs]).toEqual([false, 1, 1000]);
    expect([control.run(1, 1000), control.factor, control.nextMs]).toEqual([true, 0.25, 2000]);
    expect([control.run(0.6, 5000), control.factor, control.nextMs]).toEqual([true, 1, 6000]);
    expect(control.run(0.6, 6000)).toBe(false);
  });

  it('holds the load in closed loop: a queue that drains at 1 and is filled by quotas of 1.4 settles, without swinging', () => {
    const control = new AdaptiveAdmission({ ...POLICY, leastFactor: 0.1 }, 0);
    const loads: number[] = [];
    let depth = 0;
    for (let nowMs = 0; nowMs < 600_000; nowMs += 1000) {
      control.run(depth / 100, nowMs);
      depth = Math.min(100, Math.max(0, depth + 10 * (1.4 * control.factor - 1)));
      loads.push(depth / 100);
    }
    // 1.4 · factor = 1 where the load is 0.6 + (1 − 1/1.4)/2.
    expect(loads.at(-1)).toBeCloseTo(0.6 + (1 - 1 / 1.4) / 2, 6);
    for (const load of loads.slice(-300)) expect(load).toBeCloseTo(loads.at(-1) ?? 0, 6);
  });
});

interface Vector {
  readonly formula: string;
  readonly expected: number;
  readonly [figure: string]: number | string;
}

const vectors: { readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../../../../shared/vectors/controllers.json', import.meta.url), 'utf8'),
);

describe('the probability of rejection', () => {
  it.each(vectors.cases)('published: $formula', (vector) => {
    const figure = (name: string) => Number(vector[name]);
    const found = vector.formula.startsWith('P')
      ? successRateRejection({
          requests: figure('n'),
          successes: figure('s'),
          threshold: figure('threshold'),
          aggression: figure('aggression'),
        })
      : clientThrottleRejection({
          requests: figure('requests'),
          accepts: figure('accepts'),
          multiplier: figure('K'),
        });
    expect(found).toBeCloseTo(vector.expected, 12);
  });

  it('is 0 while enough succeeds, and without any requests', () => {
    const figures = { threshold: 0.95, aggression: 2 };
    expect(successRateRejection({ ...figures, requests: 100, successes: 95 })).toBe(0);
    expect(successRateRejection({ ...figures, requests: 100, successes: 100 })).toBe(0);
    expect(successRateRejection({ ...figures, requests: 0, successes: 0 })).toBe(0);
    expect(clientThrottleRejection({ requests: 100, accepts: 50, multiplier: 2 })).toBe(0);
    expect(clientThrottleRejection({ requests: 0, accepts: 0, multiplier: 2 })).toBe(0);
  });

  it('never reaches 1: something must get through to see that the server is back', () => {
    const figures = { requests: 1e6, successes: 0, threshold: 0.95, aggression: 1 };
    expect(successRateRejection(figures)).toBeLessThan(1);
    expect(clientThrottleRejection({ requests: 1e6, accepts: 0, multiplier: 2 })).toBeLessThan(1);
  });

  it('rises sooner with more aggression', () => {
    const figures = { requests: 100, successes: 80, threshold: 0.95 };
    const gentle = successRateRejection({ ...figures, aggression: 1 });
    expect(successRateRejection({ ...figures, aggression: 2 })).toBeCloseTo(Math.sqrt(gentle), 12);
  });
});
