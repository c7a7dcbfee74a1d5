import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideTopTenants } from '../../../analytics/window/cardinality-cap.ts';
import { foldRest, standingOf } from '../../../analytics/window/fold-rest.ts';
import type { TenantWindow, Window } from '../../../analytics/window/window-result.ts';
import { seededRandom } from '../../../scheduler-core/kernel/index.ts';
import { quietTenant, windowOf } from './series-windows.ts';

const fold = (window: Window, topTenants: number) =>
  foldRest(window, decideTopTenants(window.tenants.map(standingOf), null, { topTenants, pinnedTenants: [] }).members);

const cost = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.constantFrom(0.1, 1 / 3, 1e15, 1e-9),
  fc.integer({ min: 0, max: 1_000 }),
);
const count = fc.integer({ min: 0, max: 50 });
const arbitraryTenant = fc.record({
  demand_cost: cost,
  served_cost: cost,
  fair_share_cost: cost,
  requests: count,
  retries: count,
  gave_up: count,
  rejected: fc.dictionary(fc.constantFrom('quota', 'queue_full'), count),
});
const arbitraryWindow = fc
  .uniqueArray(fc.oneof(fc.string({ maxLength: 3, unit: 'binary' }), fc.constant('__other__')), { maxLength: 40 })
  .chain((names) =>
    fc.tuple(...names.map(() => arbitraryTenant)).map((figures) =>
      windowOf(
        0,
        names.map((name, index) => quietTenant(name, figures[index])),
      ),
    ),
  );

describe('the lines of a window', () => {
  it('add up to its own figures bit for bit, in whatever order', () => {
    const cases = fc.tuple(arbitraryWindow, fc.integer({ min: 1, max: 12 }), fc.boolean());
    fc.assert(
      fc.property(cases, ([window, topTenants, backwards]) => {
        const { tenants, rest } = fold(window, topTenants);
        expect(tenants.length).toBe(Math.min(topTenants, window.tenants.length));
        expect(tenants.length + rest.tenants).toBe(window.tenants.length);
        const lines = backwards ? [rest, ...[...tenants].reverse()] : [...tenants, rest];
        const added = (name: 'demand_cost' | 'served_cost' | 'requests' | 'retries' | 'gave_up' | 'rejected') =>
          lines.reduce((sum, line) => sum + (line[name] ?? Number.NaN), 0);
        const counted = (of: (tenant: TenantWindow) => number) =>
          window.tenants.reduce((sum, tenant) => sum + of(tenant), 0);
        expect(added('demand_cost')).toBe(window.demand_cost);
        expect(added('served_cost')).toBe(window.served_cost);
        expect(added('requests')).toBe(window.requests);
        expect(added('retries')).toBe(counted((tenant) => tenant.retries));
        expect(added('gave_up')).toBe(counted((tenant) => tenant.gave_up));
        expect(added('rejected')).toBe(
          counted((tenant) => Object.values(tenant.rejected).reduce((sum, refused) => sum + refused, 0)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('of 1,000 tenants at K = 10 are 11, with at most 5 samples: those that were refused most, ties by name', () => {
    const random = seededRandom(11);
    const tenants = Array.from({ length: 1_000 }, (_, index) => {
      const requests = 20 + Math.floor(random.next() * 100);
      return quietTenant(`t${String(index).padStart(4, '0')}`, {
        requests,
        demand_cost: requests * random.next(),
        rejected: index % 3 === 0 ? { queue_full: index % 9 === 0 ? 7 : 2 } : {},
      });
    });
    const { tenants: shown, rest } = fold(windowOf(0, tenants), 10);
    expect(shown).toHaveLength(10);
    expect(rest.tenants).toBe(990);
    const names = new Set(shown.map(({ tenant }) => tenant));
    const refused = tenants.filter(({ tenant, rejected }) => !names.has(tenant) && rejected.queue_full !== undefined);
    expect(rest.rejected_tenants).toBe(refused.length);
    expect(rest.samples).toEqual(
      refused
        .filter(({ rejected }) => rejected.queue_full === 7)
        .slice(0, 5)
        .map(({ tenant, requests }) => ({ tenant, rejected: 7, attempts: requests })),
    );
  });

  it('say of the rest what they would say of one tenant', () => {
    const { rest } = fold(
      windowOf(0, [
        quietTenant('loud', { demand_cost: 100 }),
        quietTenant('a', { served_cost: 1, fair_share_cost: 4, lag_cost: 3 }),
        quietTenant('b', { served_cost: 1, fair_share_cost: 0, lag_cost: 1 }),
      ]),
      1,
    );
    expect(rest).toMatchObject({ tenants: 2, normalized_share: 0.5, lag_cost: 3, wait_p99_ms: null });
  });

  it('take the fluid figures where they are known', () => {
    const fluid = {
      ideal_cost: 8,
      normalized_share: 0.25,
      max_lag_cost: 6,
      excess_wait_ms: 1,
      in_share_requests: 3,
      ideal_backlog_cost: 0,
      due_cost: 0,
      shortfall_cost: 0,
      excess_cost: 0,
    };
    const { tenants, rest } = fold(windowOf(0, [quietTenant('a', { served_cost: 2, fluid })]), 1);
    const [line] = tenants;
    expect(line).toMatchObject({ normalized_share: 0.25, ideal_cost: 8, lag_cost: 6, in_share_requests: 3 });
    expect(rest).toMatchObject({
      tenants: 0,
      ideal_cost: 0,
      in_share_requests: 0,
      normalized_share: null,
      lag_cost: null,
    });
  });

  it('leave unknown what is unknown of one of them', () => {
    const unknown = { served_cost: null, fair_share_cost: null, normalized_share: null, in_share: null };
    const { tenants, rest } = fold(
      windowOf(0, [quietTenant('a', { demand_cost: 9, ...unknown }), quietTenant('b', unknown)]),
      1,
    );
    expect(tenants).toMatchObject([{ tenant: 'a', demand_cost: 9, served_cost: null, ideal_cost: null }]);
    expect(rest).toMatchObject({ demand_cost: 1, served_cost: null, ideal_cost: null, normalized_share: null });
  });

  it('are refused where they would not add up', () => {
    const window = { ...windowOf(0, [quietTenant('a'), quietTenant('b')]), demand_cost: 3 };
    expect(() => fold(window, 1)).toThrow(/add up/);
  });
});
