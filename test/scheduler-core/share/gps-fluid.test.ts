import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FairStep, fairService, gpsFluid, maxMinFairShare } from '../../../scheduler-core/share/index.ts';

const plain = (of: ReadonlyMap<string, number>) => Object.fromEntries([...of].sort());

describe('fluid processor sharing over steps', () => {
  it('serves in the proportion of weights, gives what one leaves to the rest, and carries the rest on', () => {
    const steps = [
      { capacity: 12, offered: { a: 30, b: 2, c: 10 } },
      { capacity: 12, offered: { b: 4 } },
      { capacity: 100, offered: {} },
    ];
    const results = gpsFluid({ steps, weights: { a: 1, b: 2, c: 4 } });
    expect(results.map(({ served, backlog }) => [plain(served), plain(backlog)])).toEqual([
      [
        { a: 2, b: 2, c: 8 },
        { a: 28, c: 2 },
      ],
      [{ a: 6, b: 4, c: 2 }, { a: 22 }],
      [{ a: 22 }, {}],
    ]);
  });

  it('serves weight 0 from what is left over, equally', () => {
    const offered = new Map([
      ['a', 4],
      ['x', 9],
      ['y', 1],
    ]);
    const [first, second] = gpsFluid({
      steps: [
        { capacity: 9, offered },
        { capacity: 3, offered: { a: 4 } },
      ],
      weights: { x: 0, y: 0 },
    });
    expect(plain(first?.served ?? new Map())).toEqual({ a: 4, x: 4, y: 1 });
    expect(plain(second?.served ?? new Map())).toEqual({ a: 3, x: 0 });
  });

  it('serves all with boundless capacity and none without any', () => {
    const [all, none] = gpsFluid({
      steps: [
        { capacity: Number.POSITIVE_INFINITY, offered: { a: 5 } },
        { capacity: 0, offered: { a: 5 } },
      ],
    });
    expect([plain(all?.served ?? new Map()), plain(none?.backlog ?? new Map())]).toEqual([{ a: 5 }, { a: 5 }]);
  });

  it.each([
    { why: 'a negative capacity', step: { capacity: -1, offered: {} } },
    { why: 'boundless work', step: { capacity: 1, offered: { a: Number.POSITIVE_INFINITY } } },
  ])('refuses $why', ({ step }) => {
    expect(() => gpsFluid({ steps: [step] })).toThrow(expect.objectContaining({ code: 'EVS_INVARIANT' }));
  });

  const tenants = ['a', 'b', 'c', 'd'] as const;
  const work = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 }), fc.double({ min: 0, max: 1e4, noNaN: true }));
  const step = fc.record({
    capacity: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.double({ min: 0, max: 1e4, noNaN: true })),
    offered: fc.record({ a: work, b: work, c: work, d: work }),
  });
  const weights = fc.record({
    a: fc.constantFrom(0, 1),
    b: fc.constantFrom(1, 2),
    c: fc.constantFrom(0.1, 8),
    d: fc.constant(1),
  });

  it('is, step by step, the max-min share of what is there', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), weights, (steps, of) => {
        const results = gpsFluid({ steps, weights: of });
        const backlog = new Map(tenants.map((tenant) => [tenant, 0]));
        for (const [index, { capacity, offered }] of steps.entries()) {
          const demands = tenants.map((tenant) => (backlog.get(tenant) ?? 0) + offered[tenant]);
          const { shares } = maxMinFairShare(
            demands,
            capacity,
            tenants.map((tenant) => of[tenant]),
          );
          for (const [which, tenant] of tenants.entries()) {
            const served = results[index]?.served.get(tenant) ?? 0;
            expect(Math.abs(served - (shares[which] ?? 0)), `${tenant} in step ${index}`).toBeLessThan(1e-6);
            backlog.set(tenant, results[index]?.backlog.get(tenant) ?? 0);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('is the ideal of fair service for a system in which all work is admitted and late as the fluid is', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const results = gpsFluid({ steps });
        const fair = fairService(
          steps.map(({ capacity, offered }, index): FairStep => {
            const lateAt = (which: number, tenant: string) => results[which]?.backlog.get(tenant) ?? 0;
            return {
              capacity,
              tenants: tenants.map((tenant) => ({
                tenant,
                weight: 1,
                offeredAdmitted: offered[tenant],
                offeredRefused: 0,
                late: lateAt(index - 1, tenant),
                lateAfter: lateAt(index, tenant),
              })),
            };
          }),
        );
        for (const [index, { tenants: found }] of fair.steps.entries()) {
          for (const { tenant, share, lag } of found) {
            expect(Math.abs((results[index]?.served.get(tenant) ?? 0) - (share ?? 0))).toBeLessThan(1e-6);
            expect(lag).toBeLessThan(1e-6);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
