import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TenantWindow } from '../../../dashboards/api-schema.ts';
import { RESERVED_FOR_LOWEST, shareBars, TOP_BY_DEMAND } from '../../../dashboards/web/share-bars.ts';
import { noisyHour } from '../noisy-hour.ts';

const BURST = noisyHour({ fromMs: 0, minutes: 6 }).windows.at(-1)?.tenants ?? [];

function tenantLike(tenant: string, figures: Partial<TenantWindow>): TenantWindow {
  const [sample] = BURST;
  if (sample === undefined) throw new Error('the noisy hour has no tenants');
  return { ...sample, tenant, ...figures };
}

const cost = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: null, freq: 20 });
const tenants = fc
  .array(
    fc.record({
      demand_cost: cost,
      fair_share_cost: cost,
      served_cost: cost,
      normalized_share: fc.option(fc.double({ min: 0, max: 3, noNaN: true }), { nil: null, freq: 10 }),
    }),
    { maxLength: 60 },
  )
  .map((figures) => figures.map((each, index) => tenantLike(`tenant ${index}`, each)));

describe('shareBars', () => {
  test('the bars add up to the window, whatever is folded into the remainder', () => {
    fc.assert(
      fc.property(tenants, (all) => {
        for (const [column, field] of [
          ['demand_cost', 'demandCost'],
          ['fair_share_cost', 'fairShareCost'],
          ['served_cost', 'servedCost'],
        ] as const) {
          const bars = shareBars(all).map((bar) => bar[field]);
          const whole = all.map((tenant) => tenant[column]);
          const known = !bars.includes(null) && !whole.includes(null);
          if (known) expect(sum(bars)).toBe(sum(whole));
          // A remainder that holds an unknown figure is unknown itself.
          expect(bars.includes(null)).toBe(whole.includes(null));
        }
      }),
    );
  });

  test('no tenant is shown twice or lost, and the places are bounded', () => {
    fc.assert(
      fc.property(tenants, (all) => {
        const bars = shareBars(all);
        const named = bars.flatMap((bar) => (bar.kind === 'tenant' ? [bar.tenant] : []));
        const folded = bars.reduce((count, bar) => count + (bar.kind === 'rest' ? bar.tenantCount : 0), 0);
        expect(new Set(named).size).toBe(named.length);
        expect(named.length + folded).toBe(all.length);
        expect(named.length).toBeLessThanOrEqual(TOP_BY_DEMAND + RESERVED_FOR_LOWEST);
      }),
    );
  });

  test('the worst served of thousands has a place however little it asked for', () => {
    const loud = Array.from({ length: 3_000 }, (_, index) =>
      tenantLike(`loud${index}`, { demand_cost: 1_000, normalized_share: 1 }),
    );
    const bars = shareBars([...loud, tenantLike('hurt', { demand_cost: 1, normalized_share: 0.01 })]);
    expect(bars[TOP_BY_DEMAND]).toMatchObject({ kind: 'tenant', tenant: 'hurt', place: 'lowest' });
    expect(bars.at(-1)).toMatchObject({ kind: 'rest', tenantCount: 3_001 - TOP_BY_DEMAND - RESERVED_FOR_LOWEST });
  });

  test('the remainder is told by its kind: a tenant may bear any name', () => {
    const bars = shareBars(
      BURST.map((tenant) => ({
        ...tenant,
        tenant: `5 other tenants${tenant.tenant === 'heavy' ? '' : tenant.tenant}`,
      })),
    );
    expect(bars.filter((bar) => bar.kind === 'rest')).toHaveLength(1);
    expect(bars[0]).toMatchObject({ kind: 'tenant', tenant: '5 other tenants' });
  });

  test('does not depend on the order of its input', () => {
    fc.assert(
      fc.property(tenants, fc.integer({ min: 0, max: 59 }), (all, cut) => {
        expect(shareBars([...all.slice(cut), ...all.slice(0, cut)])).toEqual(shareBars(all));
      }),
    );
  });
});

function sum(parts: readonly (number | null)[]): number {
  return parts.reduce<number>((total, part) => total + (part ?? 0), 0);
}
