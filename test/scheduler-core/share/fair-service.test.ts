import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FairStep, fairService, fairStep, type TenantWork } from '../../../scheduler-core/index.ts';
import { naiveWaterFilling } from './naive-water-filling.ts';

const TENANTS = ['a', 'b', 'c', '__other__'];
const amount = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.double({ min: 0, max: 1000, noNaN: true }));

const work = (tenant: string): fc.Arbitrary<TenantWork> =>
  fc.record({
    tenant: fc.constant(tenant),
    weight: fc.constantFrom(0, 1, 1, 2, 0.5),
    offeredAdmitted: amount,
    offeredRefused: fc.oneof(fc.constant(0), amount),
    late: amount,
    lateAfter: amount,
  });

const step: fc.Arbitrary<FairStep> = fc.record({
  tenants: fc.subarray(TENANTS).chain((names) => fc.tuple(...names.map(work))),
  capacity: fc.oneof({ weight: 8, arbitrary: fc.double({ min: 0, max: 500, noNaN: true }) }, fc.constant(null)),
});

/** The definitions, line by line: demand, backlog, share, what is owed afterwards, lag. */
function literal(steps: readonly FairStep[]) {
  let owed = new Map<string, number>();
  return steps.map(({ tenants, capacity }) => {
    const backlog = tenants.map((each) => Math.min(owed.get(each.tenant) ?? 0, each.late));
    const demand = tenants.map((each, i) => each.offeredAdmitted + each.offeredRefused + (backlog[i] ?? 0));
    const claims = tenants.map((each, i) => ({ demand: demand[i] ?? 0, weight: each.weight }));
    const share = naiveWaterFilling(claims, capacity ?? Number.POSITIVE_INFINITY);
    const next = new Map<string, number>();
    const rows = tenants.map((each, i) => {
      const q = Math.max(0, each.offeredAdmitted + (backlog[i] ?? 0) - (share[i] ?? 0));
      next.set(each.tenant, q);
      const lagBefore = Math.max(0, each.late - (owed.get(each.tenant) ?? 0));
      return {
        demand: demand[i] ?? 0,
        backlog: backlog[i] ?? 0,
        share: share[i] ?? 0,
        q,
        lagBefore,
        lag: Math.max(0, each.lateAfter - q),
      };
    });
    owed = next;
    return rows;
  });
}

describe('fair service', () => {
  it('is the recursion of the definitions, step by step', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const expected = literal(steps);
        const found = fairService(steps);
        for (const [index, rows] of expected.entries()) {
          const result = found.steps[index];
          const known = steps[index]?.capacity !== null;
          for (const [position, row] of rows.entries()) {
            const tenant = result?.tenants[position];
            expect(tenant?.demand).toBeCloseTo(row.demand, 6);
            expect(tenant?.backlog).toBeCloseTo(row.backlog, 6);
            expect(tenant?.idealBacklogAfter).toBeCloseTo(row.q, 6);
            expect(tenant?.lagBefore).toBeCloseTo(row.lagBefore, 6);
            expect(tenant?.lag).toBeCloseTo(row.lag, 6);
            if (known) expect(tenant?.share).toBeCloseTo(row.share, 6);
            else expect([tenant?.share, tenant?.inShare]).toEqual([null, null]);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is the same in one go and in two, with what was owed handed on', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.array(step, { maxLength: 8 }), (before, after) => {
        const first = fairService(before);
        const second = fairService(after, first.after);
        const whole = fairService([...before, ...after]);
        expect([...first.steps, ...second.steps]).toEqual(whole.steps);
        expect([...second.after]).toEqual([...whole.after]);
      }),
    );
  });

  const one = (given: Partial<TenantWork>): TenantWork => ({
    tenant: 'a',
    weight: 1,
    offeredAdmitted: 0,
    offeredRefused: 0,
    late: 0,
    lateAfter: 0,
    ...given,
  });

  it('carries a flood as backlog, but only as long as it is still late', () => {
    const flood = { capacity: 10, tenants: [one({ offeredAdmitted: 25 })] };
    const kept = fairService([flood, { capacity: 10, tenants: [one({ late: 15 })] }]);
    expect(kept.steps[1]?.tenants[0]).toMatchObject({ demand: 15, backlog: 15, share: 10, idealBacklogAfter: 5 });
    const served = fairService([flood, { capacity: 10, tenants: [one({ late: 4 })] }]);
    expect(served.steps[1]?.tenants[0]).toMatchObject({ demand: 4, backlog: 4, share: 4, idealBacklogAfter: 0 });
  });

  it('lets refused work evaporate with its step', () => {
    const { steps, after } = fairService([
      { capacity: 10, tenants: [one({ offeredRefused: 25 })] },
      { capacity: 10, tenants: [one({ late: 25 })] },
    ]);
    expect(steps[0]?.tenants[0]).toMatchObject({ demand: 25, share: 10, idealBacklogAfter: 0 });
    expect(steps[1]?.tenants[0]).toMatchObject({ demand: 0, backlog: 0 });
    expect([...after]).toEqual([]);
  });

  it('forgets what a tenant is owed when a step does not list it', () => {
    const { steps } = fairService([
      { capacity: 1, tenants: [one({ offeredAdmitted: 5 })] },
      { capacity: 1, tenants: [one({ tenant: 'b', offeredAdmitted: 1 })] },
      { capacity: 1, tenants: [one({ late: 5 })] },
    ]);
    expect(steps[2]?.tenants[0]?.backlog).toBe(0);
  });

  it('keeps a starved tenant in share, so that its waits go on counting', () => {
    const { result } = fairStep(
      {
        capacity: 10,
        tenants: [
          one({ tenant: 'noisy', offeredAdmitted: 100, lateAfter: 91 }),
          one({ offeredAdmitted: 2, lateAfter: 2 }),
        ],
      },
      new Map(),
    );
    expect(result.contended).toBe(true);
    expect(result.tenants.map((tenant) => [tenant.inShare, tenant.lag])).toEqual([
      [false, 0],
      [true, 2],
    ]);
  });

  it('calls demand that equals capacity up to rounding uncontended, without a water level', () => {
    const thirds = [one({ tenant: 'a', offeredAdmitted: 0.1 }), one({ tenant: 'b', offeredAdmitted: 0.2 })];
    const { result } = fairStep({ capacity: 0.3, tenants: thirds }, new Map());
    expect([result.contended, result.waterLevel]).toEqual([false, null]);
    expect(result.tenants.every((tenant) => tenant.inShare === true)).toBe(true);
  });

  it('finds no lag under a server that gives each step its fair share, and finds it under first come, first served', () => {
    const flood = { noisy: 200, small: 2 };
    const lagUnder = (
      serve: (owed: Readonly<Record<'noisy' | 'small', number>>) => Record<'noisy' | 'small', number>,
    ) => {
      const owed = { noisy: 0, small: 0 };
      const steps: FairStep[] = [];
      for (let second = 0; second < 10; second++) {
        const late = { ...owed };
        const offered = second === 0 ? flood : { noisy: 1, small: 2 };
        owed.noisy += offered.noisy;
        owed.small += offered.small;
        const served = serve(owed);
        owed.noisy -= served.noisy;
        owed.small -= served.small;
        const tenants = (['noisy', 'small'] as const).map((tenant) =>
          one({ tenant, offeredAdmitted: offered[tenant], late: late[tenant], lateAfter: owed[tenant] }),
        );
        steps.push({ capacity: 10, tenants });
      }
      return Math.max(...fairService(steps).steps.map((result) => result.tenants[1]?.lag ?? 0));
    };
    const fair = lagUnder((owed) => {
      const small = Math.min(owed.small, 5);
      return { small, noisy: Math.min(owed.noisy, 10 - small) };
    });
    const firstComeFirstServed = lagUnder((owed) => {
      const total = owed.noisy + owed.small;
      return { noisy: (10 * owed.noisy) / total, small: (10 * owed.small) / total };
    });
    expect(fair).toBe(0);
    expect(firstComeFirstServed).toBeGreaterThan(5);
  });
});
