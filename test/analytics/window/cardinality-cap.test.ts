import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideTopTenants, type Membership, MINIMUM_STAY_WINDOWS } from '../../../analytics/window/cardinality-cap.ts';
import type { TenantStanding } from '../../../analytics/window/top-tenant-ranks.ts';
import { seededRandom } from '../../../scheduler-core/kernel/index.ts';

const K = { topTenants: 10, pinnedTenants: [] };

function standing(tenant: string, given: Partial<TenantStanding> = {}): TenantStanding {
  return {
    tenant,
    demandCost: 1,
    normalizedShare: 1,
    idealCost: 1,
    isShort: false,
    attempts: 20,
    rejected: 0,
    inShare: true,
    waitP99Ms: 0,
    waitSamples: 20,
    ...given,
  };
}

/** A thousand tenants, each louder than the one before. */
function crowd(given: Readonly<Record<string, Partial<TenantStanding>>> = {}): TenantStanding[] {
  return Array.from({ length: 1_000 }, (_, index) => {
    const tenant = `t${String(index).padStart(4, '0')}`;
    return standing(tenant, { demandCost: 100 + index, ...given[tenant] });
  });
}

const namesOf = (tenants: readonly TenantStanding[], previous: Membership | null = null, options = K): string[] =>
  decideTopTenants(tenants, previous, options).members.map(({ tenant }) => tenant);

/** What a rule that looks at demand alone would show. */
const loudest = (tenants: readonly TenantStanding[], most: number): string[] =>
  [...tenants]
    .sort((a, b) => b.demandCost - a.demandCost)
    .slice(0, most)
    .map(({ tenant }) => tenant);

describe('who is shown', () => {
  it('are the loudest where nobody is hurt', () => {
    const tenants = crowd();
    expect(namesOf(tenants)).toEqual(loudest(tenants, 10).sort());
  });

  const HURT = {
    t0003: { demandCost: 0.5, attempts: 10, rejected: 9 },
    t0004: { demandCost: 0.5, attempts: 4, normalizedShare: 0.1, isShort: true },
    t0005: { demandCost: 0.5, attempts: 3, waitP99Ms: 9_000 },
  };

  it.each(Object.keys(HURT))('is %s too, small and hurt; by demand alone it would not be', (tenant) => {
    const tenants = crowd(HURT);
    expect(namesOf(tenants)).toContain(tenant);
    expect(loudest(tenants, 10)).not.toContain(tenant);
  });

  it('is told with the reason', () => {
    const tenants = crowd(HURT);
    const { members } = decideTopTenants(tenants, null, { ...K, pinnedTenants: ['t0500', 'absent'] });
    expect(members.filter(({ why }) => why !== 'demand')).toEqual([
      { tenant: 't0003', why: 'rejected' },
      { tenant: 't0004', why: 'low_share' },
      { tenant: 't0005', why: 'slow' },
      { tenant: 't0500', why: 'pinned' },
    ]);
    expect(members).toHaveLength(10);
  });

  it('is one that is refused much of something, not one of hundreds that are refused their only request', () => {
    const few = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `t0${index + 500}`,
        { attempts: 1, rejected: 1, normalizedShare: 0, demandCost: 0.1 },
      ]),
    );
    const tenants = crowd({ ...HURT, ...few });
    expect(namesOf(tenants)).toEqual(expect.arrayContaining(['t0003', 't0004']));
  });

  it('is a tenant beyond its share not for its waits: they are its own doing', () => {
    const tenants = crowd({ t0001: { inShare: false, waitP99Ms: 60_000 }, t0002: { waitP99Ms: 10 } });
    expect(namesOf(tenants)).toContain('t0002');
    expect(namesOf(tenants)).not.toContain('t0001');
  });

  it('is nobody besides, when more are pinned than there is room for; how many were left out is told', () => {
    const pinnedTenants = crowd().map(({ tenant }) => tenant);
    const { members, pinnedLeftOut } = decideTopTenants(crowd(HURT), null, { topTenants: 10, pinnedTenants });
    expect(members.map(({ tenant }) => tenant)).toEqual(pinnedTenants.slice(0, 10));
    expect(pinnedLeftOut).toBe(990);
  });

  it.each([1, 2, 3, 4, 5, 7, 50, 500])('is never more than K = %d, and that many where there are', (topTenants) => {
    expect(namesOf(crowd(HURT), null, { topTenants, pinnedTenants: [] })).toHaveLength(topTenants);
    expect(namesOf(crowd(HURT).slice(0, 3), null, { topTenants, pinnedTenants: [] })).toHaveLength(
      Math.min(topTenants, 3),
    );
  });
});

const arbitraryStanding = fc.record({
  demandCost: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ min: 0, max: 1e9, noNaN: true })),
  normalizedShare: fc.option(fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 2, noNaN: true }))),
  idealCost: fc.option(fc.integer({ min: 0, max: 5 })),
  isShort: fc.boolean(),
  attempts: fc.integer({ min: 0, max: 30 }),
  rejectedRatio: fc.constantFrom(0, 0, 0.5, 0.9, 1),
  inShare: fc.option(fc.boolean()),
  waitP99Ms: fc.option(fc.integer({ min: 0, max: 5 })),
});
const arbitraryTenants = fc.uniqueArray(fc.string({ maxLength: 3, unit: 'binary' }), { maxLength: 60 }).chain((names) =>
  fc.tuple(...names.map(() => arbitraryStanding)).map((figures) =>
    names.map((tenant, index) => {
      const { rejectedRatio, ...given } = figures[index] ?? { rejectedRatio: 0, attempts: 0 };
      return standing(tenant, { ...given, rejected: Math.floor(given.attempts * rejectedRatio) });
    }),
  ),
);
const arbitraryOptions = fc.record({
  topTenants: fc.integer({ min: 1, max: 20 }),
  pinnedTenants: fc.array(fc.string({ maxLength: 1, unit: 'binary' }), { maxLength: 5 }),
});

describe('for any tenants', () => {
  it('their order does not matter, neither to who is shown nor to what the next window is told', () => {
    const cases = fc
      .tuple(arbitraryTenants, arbitraryTenants, arbitraryOptions)
      .chain(([before, now, options]) =>
        fc.tuple(
          fc.constant({ before, now, options }),
          fc.shuffledSubarray(before, { minLength: before.length }),
          fc.shuffledSubarray(now, { minLength: now.length }),
        ),
      );
    fc.assert(
      fc.property(cases, ([{ before, now, options }, otherBefore, otherNow]) => {
        const decided = (first: TenantStanding[], second: TenantStanding[]) =>
          decideTopTenants(second, decideTopTenants(first, null, options).membership, options);
        expect(decided(otherBefore, otherNow)).toEqual(decided(before, now));
      }),
    );
  });

  it('the first of every kind are shown whoever was before, K at most, and the state stays small', () => {
    fc.assert(
      fc.property(fc.array(arbitraryTenants, { minLength: 1, maxLength: 4 }), arbitraryOptions, (windows, options) => {
        let previous: Membership | null = null;
        for (const tenants of windows) {
          const alone = decideTopTenants(tenants, null, options);
          const { members, membership } = decideTopTenants(tenants, previous, options);
          const names = members.map(({ tenant }) => tenant);
          expect(names).toEqual([...new Set(names)].sort());
          expect(names).toHaveLength(Math.min(options.topTenants, tenants.length));
          expect(membership.length).toBeLessThanOrEqual(options.topTenants);
          if (options.topTenants - alone.members.filter(({ why }) => why === 'pinned').length >= 4) {
            const refused = tenants.filter(({ attempts, rejected }) => attempts >= 10 && rejected > 0);
            const worst = Math.max(...refused.map(({ attempts, rejected }) => rejected / attempts));
            const first = refused.filter(({ attempts, rejected }) => rejected / attempts === worst);
            if (first.length > 0) expect(first.some(({ tenant }) => names.includes(tenant))).toBe(true);
            const most = Math.max(0, ...tenants.map(({ demandCost }) => demandCost));
            const shown = tenants.filter(({ tenant }) => names.includes(tenant));
            // A newcomer must ask for a quarter more than those that are shown.
            expect(Math.max(0, ...shown.map(({ demandCost }) => demandCost)) * 1.25).toBeGreaterThanOrEqual(most);
          }
          previous = membership;
        }
      }),
    );
  });
});

/** Which windows of a sequence show a tenant. */
function shownIn(windows: readonly (readonly TenantStanding[])[], tenant: string): boolean[] {
  let previous: Membership | null = null;
  return windows.map((tenants) => {
    const { members, membership } = decideTopTenants(tenants, previous, K);
    previous = membership;
    return members.some((member) => member.tenant === tenant);
  });
}

const changes = (shown: readonly boolean[]): number =>
  shown.filter((now, index) => index > 0 && now !== shown[index - 1]).length;

describe('a line does not flicker', () => {
  const MINUTES = 120;

  it('when its tenant’s demand goes up and down around that of the last one shown', () => {
    const random = seededRandom(7);
    const windows = Array.from({ length: MINUTES }, () =>
      crowd(
        Object.fromEntries(
          Array.from({ length: 12 }, (_, index) => [
            `t00${index + 10}`,
            { demandCost: 5_000 * (0.95 + 0.1 * random.next()) },
          ]),
        ),
      ),
    );
    let flickers = 0;
    let flickersByDemandAlone = 0;
    for (let index = 10; index < 22; index++) {
      const tenant = `t00${index}`;
      flickers += changes(shownIn(windows, tenant));
      flickersByDemandAlone += changes(windows.map((tenants) => loudest(tenants, 10).includes(tenant)));
    }
    expect(flickers).toBe(0);
    expect(flickersByDemandAlone).toBeGreaterThan(200);
  });

  it('but a flood is shown at once', () => {
    const before = crowd();
    const { membership } = decideTopTenants(before, null, K);
    expect(namesOf(crowd({ t0001: { demandCost: 2_000 }, t0002: { demandCost: 3_000 } }), membership)).toEqual(
      expect.arrayContaining(['t0001', 't0002']),
    );
  });

  it.each([
    ['refused every other minute', (minute: number) => (minute % 2 === 0 ? { rejected: 18 } : {})],
    [
      'starved every third minute',
      (minute: number) => (minute % 3 === 0 ? { normalizedShare: 0.2, isShort: true } : {}),
    ],
    ['slow now and then', (minute: number) => (minute % MINIMUM_STAY_WINDOWS === 0 ? { waitP99Ms: 5_000 } : {})],
    ['loud every other minute', (minute: number) => ({ demandCost: minute % 2 === 0 ? 9_999 : 1 })],
  ] as const)('when its tenant is %s', (_how, given) => {
    const windows = Array.from({ length: MINUTES }, (_, minute) => crowd({ t0001: given(minute) }));
    expect(shownIn(windows, 't0001')).toEqual(windows.map(() => true));
  });

  it('and goes when its tenant has earned no place for the time of a stay', () => {
    const windows = Array.from({ length: 30 }, (_, minute) => crowd({ t0001: minute === 0 ? { rejected: 18 } : {} }));
    const shown = shownIn(windows, 't0001');
    expect(shown.indexOf(false)).toBe(MINIMUM_STAY_WINDOWS + 1);
    expect(shown.slice(MINIMUM_STAY_WINDOWS + 1)).not.toContain(true);
  });
});
