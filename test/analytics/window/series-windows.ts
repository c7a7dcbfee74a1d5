import type { TenantWindow, Window } from '../../../analytics/window/window-result.ts';
import { FINAL, storedTenant } from '../queries/window-cases.ts';

export const WINDOW_MS = 60_000;

/** A tenant without anything, but for what is given. */
export function quietTenant(tenant: string, given: Partial<TenantWindow> = {}): TenantWindow {
  return {
    ...storedTenant(tenant),
    demand_cost: 1,
    fair_share_cost: 1,
    served_cost: 1,
    normalized_share: 1,
    in_share: true,
    lag_cost: 0,
    requests: 1,
    retries: 0,
    rejected: {},
    gave_up: 0,
    wait_ms: { p50: 0, p95: 0, p99: 0, max: 0, samples: 1, provenance: 'measured' },
    fluid: null,
    ...given,
  };
}

/** A window of these tenants, with its totals added up one by one as the product does. */
export function windowOf(startMs: number, tenants: readonly TenantWindow[]): Window {
  const sum = (of: (tenant: TenantWindow) => number | null): number =>
    tenants.reduce((total, tenant) => total + (of(tenant) ?? 0), 0);
  return {
    ...FINAL,
    start: new Date(startMs).toISOString(),
    end: new Date(startMs + WINDOW_MS).toISOString(),
    demand_cost: sum((tenant) => tenant.demand_cost),
    served_cost: tenants.some((tenant) => tenant.served_cost === null) ? null : sum((tenant) => tenant.served_cost),
    requests: sum((tenant) => tenant.requests),
    tenants: [...tenants],
  };
}
