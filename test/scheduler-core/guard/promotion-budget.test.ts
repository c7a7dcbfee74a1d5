import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PromotionBudget } from '../../../scheduler-core/guard/index.ts';

const HOUR_MS = 3_600_000;
const infinite = Number.POSITIVE_INFINITY;
const load = (inFlight: number, promotedInFlight: number, dispatches = 1000) => ({
  inFlight,
  promotedInFlight,
  dispatches,
});

describe('the budget of promotions in flight', () => {
  it.each([
    { why: 'one in ten, this one included', inFlight: 9, promotedInFlight: 0, expected: true },
    { why: 'not two in ten', inFlight: 9, promotedInFlight: 1, expected: false },
    { why: 'not two in nineteen', inFlight: 18, promotedInFlight: 1, expected: false },
    { why: 'two in twenty', inFlight: 19, promotedInFlight: 1, expected: true },
    { why: 'never beside another where one is too many', inFlight: 4, promotedInFlight: 1, expected: false },
  ])('$why', ({ inFlight, promotedInFlight, expected }) => {
    const budget = new PromotionBudget({ inFlightRatio: 0.1, perTenantHourly: infinite });
    expect(budget.tryPromote('a', load(inFlight, promotedInFlight), 0)).toBe(expected);
  });

  it('takes 0.29 of a hundred for 29, although the product rounds to less', () => {
    const budget = new PromotionBudget({ inFlightRatio: 0.29, perTenantHourly: infinite });
    expect(budget.tryPromote('a', load(99, 28), 0)).toBe(true);
    expect(budget.tryPromote('a', load(99, 29), 0)).toBe(false);
  });

  it('is no budget at ratio 1 and allows none at ratio 0', () => {
    const open = new PromotionBudget({ inFlightRatio: 1, perTenantHourly: infinite });
    const shut = new PromotionBudget({ inFlightRatio: 0, perTenantHourly: infinite });
    expect([open.tryPromote('a', load(5, 5), 0), shut.tryPromote('a', load(1e6, 0), 0)]).toEqual([true, false]);
  });

  it('keeps its ratio on a pool of one slot: one dispatch in ten', () => {
    const budget = new PromotionBudget({ inFlightRatio: 0.1, perTenantHourly: infinite });
    const promoted: number[] = [];
    for (let dispatches = 0; dispatches < 100; dispatches++) {
      if (budget.tryPromote('a', load(0, 0, dispatches), dispatches)) promoted.push(dispatches);
    }
    expect(promoted).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  });

  it('keeps its ratio of all dispatches on any pool that is always full', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0.01, max: 0.99, noNaN: true }), (slots, ratio) => {
        const budget = new PromotionBudget({ inFlightRatio: ratio, perTenantHourly: infinite });
        const inFlight: boolean[] = [];
        let promotions = 0;
        for (let dispatches = 0; dispatches < 1000; dispatches++) {
          if (inFlight.length === slots) inFlight.shift();
          const wasPromoted = inFlight.filter(Boolean).length;
          const now = budget.tryPromote('a', load(inFlight.length, wasPromoted, dispatches), dispatches);
          if (now) promotions++;
          inFlight.push(now);
        }
        expect(promotions).toBeLessThanOrEqual(ratio * 1000 + slots + 1);
        expect(promotions).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the budget of promotions per tenant and hour', () => {
  const hourly = (perTenantHourly: number) => new PromotionBudget({ inFlightRatio: 1, perTenantHourly });

  it('is spent by one tenant without touching another', () => {
    const budget = hourly(2);
    expect(['a', 'a', 'a', 'b'].map((tenant) => budget.tryPromote(tenant, load(0, 0), 0))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('comes back an hour after each promotion, not on the full hour', () => {
    const budget = hourly(2);
    const times = [HOUR_MS - 2, HOUR_MS - 1, HOUR_MS, 2 * HOUR_MS - 3, 2 * HOUR_MS - 2, 2 * HOUR_MS - 2];
    expect(times.map((time) => budget.tryPromote('a', load(0, 0), time))).toEqual([
      true,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it('charges nobody for what the pool refuses', () => {
    const budget = new PromotionBudget({ inFlightRatio: 0.1, perTenantHourly: 1 });
    expect(budget.tryPromote('a', load(9, 1), 0)).toBe(false);
    expect(budget.tryPromote('a', load(9, 0), 0)).toBe(true);
  });

  it('does not let a tenant without budget use up what a small pool may promote', () => {
    const budget = new PromotionBudget({ inFlightRatio: 0.5, perTenantHourly: 1 });
    expect(budget.tryPromote('a', load(0, 0, 0), 0)).toBe(true);
    expect(budget.tryPromote('a', load(0, 0, 2), 1)).toBe(false);
    expect(budget.tryPromote('b', load(0, 0, 2), 1)).toBe(true);
  });

  it('says beforehand when a search for whom to promote is in vain', () => {
    expect(hourly(0).mayPromote(load(0, 0))).toBe(false);
    expect(hourly(1).mayPromote(load(0, 0))).toBe(true);
  });

  it('forgets tenants that have had none for an hour', () => {
    const budget = hourly(3);
    for (let tenant = 0; tenant < 100_000; tenant++) budget.tryPromote(`t${tenant}`, load(0, 0), tenant * 36);
    expect(budget.tenants).toBe(100_000);
    budget.tryPromote('late', load(0, 0), 1.5 * HOUR_MS);
    expect(budget.tenants).toBe(50_000);
    budget.tryPromote('late', load(0, 0), 3 * HOUR_MS);
    expect(budget.tenants).toBe(1);
  });

  it('is the count of the last hour, by a list of all', () => {
    const ask = fc.record({ tenant: fc.constantFrom('a', 'b'), pauseMs: fc.nat({ max: HOUR_MS / 4 }) });
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 80 }), fc.nat({ max: 5 }), (asked, limit) => {
        const budget = hourly(limit);
        const all: { tenant: string; atMs: number }[] = [];
        let nowMs = 0;
        for (const { tenant, pauseMs } of asked) {
          nowMs += pauseMs;
          const recent = all.filter((each) => each.tenant === tenant && nowMs - each.atMs < HOUR_MS);
          const expected = recent.length < limit;
          expect(budget.tryPromote(tenant, load(0, 0), nowMs)).toBe(expected);
          if (expected) all.push({ tenant, atMs: nowMs });
        }
      }),
      { numRuns: 1000 },
    );
  });
});
