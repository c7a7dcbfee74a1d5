import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costAheadInFairQueue, decideWaitBudget, predictWaitMs } from '../../../scheduler-core/admission/index.ts';

const infinite = Number.POSITIVE_INFINITY;

describe('a predicted wait', () => {
  it.each([
    { why: 'work ahead by what is served', costAhead: 600, costPerMs: 3, expected: 200 },
    { why: 'nothing ahead and a slot free', costAhead: 0, costPerMs: null, expected: 0 },
    { why: 'nothing known of the servers', costAhead: 1, costPerMs: null, expected: null },
    { why: 'no server left', costAhead: 1, costPerMs: 0, expected: infinite },
    { why: 'a slot that frees first', costAhead: 600, costPerMs: 3, untilSlotFreeMs: 7, expected: 207 },
  ])('$why: $expected', ({ expected, why: _, ...forecast }) => {
    expect(predictWaitMs(forecast)).toBe(expected);
  });
});

describe('work ahead in a fair queue', () => {
  const backlog = { requestCost: 10, ownCost: 0, totalCost: 100_000, weight: 1, activeWeight: 4 };

  it.each([
    { why: 'a flood of others delays a newcomer by its own size times their weight only', ...backlog, expected: 30 },
    { why: 'its own flood delays it by itself and by what the others get meanwhile', ownCost: 1000, expected: 4030 },
    { why: 'nobody delays by more than he has', ownCost: 1000, totalCost: 1500, expected: 1500 },
    { why: 'alone, by its own queue', ownCost: 70, totalCost: 70, activeWeight: 1, expected: 70 },
    { why: 'a weight beyond rounding is no gain', ownCost: 7, activeWeight: 1 - 1e-16, expected: 7 },
  ])('$why', ({ expected, why: _, ...changes }) => {
    expect(costAheadInFairQueue({ ...backlog, ...changes })).toBeCloseTo(expected, 9);
  });

  it('is about what fluid sharing serves before the request is done', () => {
    const others = fc.array(
      fc.record({ cost: fc.integer({ min: 1, max: 500 }), weight: fc.integer({ min: 1, max: 9 }) }),
      {
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(others, fc.nat({ max: 300 }), fc.integer({ min: 1, max: 9 }), (rest, ownCost, weight) => {
        const requestCost = 10;
        const found = costAheadInFairQueue({
          requestCost,
          ownCost,
          totalCost: ownCost + rest.reduce((sum, { cost }) => sum + cost, 0),
          weight,
          activeWeight: weight + rest.reduce((sum, each) => sum + each.weight, 0),
        });
        const level = (ownCost + requestCost) / weight;
        const fluid = rest.reduce((sum, { cost, weight: w }) => sum + Math.min(cost, w * level), ownCost);
        expect(found).toBeGreaterThanOrEqual(fluid - 1e-9);
      }),
    );
  });
});

describe('the wait budget', () => {
  const question = { predictedWaitMs: 900, waitBudgetMs: 500, promotedWaitMs: 20, mayPromote: true };

  it.each([
    { why: 'admits what is in time', predictedWaitMs: 499, expected: { kind: 'admit' } },
    { why: 'admits what is just in time', predictedWaitMs: 500, expected: { kind: 'admit' } },
    { why: 'admits when nobody can tell', predictedWaitMs: null, expected: { kind: 'admit' } },
    { why: 'admits whoever waits for ever', waitBudgetMs: infinite, expected: { kind: 'admit' } },
    { why: 'promotes what would be late', expected: { kind: 'promote' } },
    { why: 'promotes when nobody can tell', promotedWaitMs: null, expected: { kind: 'promote' } },
    {
      why: 'refuses without a budget of promotions',
      mayPromote: false,
      expected: { kind: 'refuse', retryAfterMs: 400 },
    },
    {
      why: 'spends no promotion that would come too late',
      promotedWaitMs: 501,
      expected: { kind: 'refuse', retryAfterMs: 400 },
    },
    {
      why: 'cannot tell when a server returns',
      predictedWaitMs: infinite,
      promotedWaitMs: infinite,
      expected: { kind: 'refuse', retryAfterMs: null },
    },
  ])('$why', ({ expected, why: _, ...changes }) => {
    expect(decideWaitBudget({ ...question, ...changes })).toEqual(expected);
  });
});
