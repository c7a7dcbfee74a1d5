import type { TenantVerdict, TenantWindow } from '../api-schema.ts';

export const TOP_BY_DEMAND = 15;
export const RESERVED_FOR_LOWEST = 5;

/** Figures of one bar, in the pool's cost unit; null where any of its tenants has none. */
export interface ShareFigures {
  readonly demandCost: number | null;
  readonly fairShareCost: number | null;
  readonly servedCost: number | null;
  /** served ÷ fair share; null without a fair share. */
  readonly normalizedShare: number | null;
}

/** A bar of the share chart. The remainder is told by `kind`: a tenant may be called anything, "other tenants" too. */
export type ShareBar = ShareFigures &
  (
    | {
        readonly kind: 'tenant';
        readonly tenant: string;
        readonly verdict: TenantVerdict;
        readonly place: 'demand' | 'lowest';
      }
    | { readonly kind: 'rest'; readonly tenantCount: number }
  );

/**
 * The bars of a window: the tenants with the most demand, then, in places kept for them so that the loud do not bury the
 * hurt, those with the lowest normalized share, then everybody else as one. Costs of all bars add up to the window's.
 */
export function shareBars(tenants: readonly TenantWindow[]): readonly ShareBar[] {
  const byDemand = [...tenants].sort(
    (a, b) => (b.demand_cost ?? -1) - (a.demand_cost ?? -1) || (a.tenant < b.tenant ? -1 : 1),
  );
  const top = byDemand.slice(0, TOP_BY_DEMAND);
  const others = byDemand.slice(TOP_BY_DEMAND);
  const lowest = others
    .filter((tenant) => tenant.normalized_share !== null)
    .sort((a, b) => (a.normalized_share ?? 0) - (b.normalized_share ?? 0) || (a.tenant < b.tenant ? -1 : 1))
    .slice(0, RESERVED_FOR_LOWEST);
  const shown = new Set(lowest);
  const rest = others.filter((tenant) => !shown.has(tenant));
  return [
    ...top.map((tenant) => tenantBar(tenant, 'demand')),
    ...lowest.map((tenant) => tenantBar(tenant, 'lowest')),
    ...(rest.length === 0 ? [] : [restBar(rest)]),
  ];
}

function tenantBar(tenant: TenantWindow, place: 'demand' | 'lowest'): ShareBar {
  return {
    kind: 'tenant',
    tenant: tenant.tenant,
    verdict: tenant.verdict,
    place,
    demandCost: tenant.demand_cost,
    fairShareCost: tenant.fair_share_cost,
    servedCost: tenant.served_cost,
    normalizedShare: tenant.normalized_share,
  };
}

function restBar(rest: readonly TenantWindow[]): ShareBar {
  const fairShareCost = sumOf(rest.map((tenant) => tenant.fair_share_cost));
  const servedCost = sumOf(rest.map((tenant) => tenant.served_cost));
  const known = fairShareCost !== null && servedCost !== null && fairShareCost > 0;
  return {
    kind: 'rest',
    tenantCount: rest.length,
    demandCost: sumOf(rest.map((tenant) => tenant.demand_cost)),
    fairShareCost,
    servedCost,
    normalizedShare: known ? servedCost / fairShareCost : null,
  };
}

/** Null as soon as one part is unknown: a sum of what happens to be known would be a wrong figure. */
function sumOf(parts: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const part of parts) {
    if (part === null) return null;
    sum += part;
  }
  return sum;
}
