import type { TenantWindow, Window } from '../window/window-result.ts';

/** What verdicts go by: figures in steps of a second, else those of the window. */
export interface TenantFigures {
  readonly basis: 'fluid' | 'window';
  /** Ideal service; null when shares cannot be known. */
  readonly ideal: number | null;
  readonly served: number | null;
  readonly lag: number | null;
  readonly normalizedShare: number | null;
  /** What processor sharing would have served it; null when shares cannot be known. */
  readonly due: number | null;
  /** Served beyond what was due in the window and owed from before, ≥ 0; null when either is. */
  readonly excess: number | null;
}

export function tenantFigures(tenant: TenantWindow): TenantFigures {
  const { fluid } = tenant;
  const ideal = fluid?.ideal_cost ?? tenant.fair_share_cost;
  const served = tenant.served_cost;
  return {
    basis: fluid === null ? 'window' : 'fluid',
    ideal,
    served,
    lag: fluid?.shortfall_cost ?? tenant.lag_cost,
    normalizedShare: fluid === null ? tenant.normalized_share : fluid.normalized_share,
    due: fluid?.due_cost ?? ideal,
    excess: fluid?.excess_cost ?? (ideal === null || served === null ? null : Math.max(0, served - ideal)),
  };
}

/**
 * Late work when the window began, of all tenants together: what the one just before left waiting or in service. Of a
 * tenant that lagged it is its lag and its ideal backlog, of another no more than the backlog.
 */
export function queueBefore(window: Window, before: Window | null): number {
  if (before === null || before.end !== window.start) return 0;
  return before.tenants.reduce((total, tenant) => {
    const lag = tenant.lag_cost ?? 0;
    return total + lag + (tenant.ideal_backlog_cost ?? 0);
  }, 0);
}

/**
 * Each tenant's lag at a window's start: what the window before, if it is the one just before, left undone. In steps of a
 * second it is no more than the late work less the ideal backlog then.
 */
export function lagBefore(window: Window, before: Window | null): ReadonlyMap<string, number> {
  const lags = new Map<string, number>();
  if (before === null || before.end !== window.start) return lags;
  for (const tenant of before.tenants) {
    const { fluid } = tenant;
    const lag = tenant.lag_cost ?? 0;
    const late = lag + (tenant.ideal_backlog_cost ?? 0);
    const cost = fluid === null ? lag : Math.min(fluid.max_lag_cost, Math.max(0, late - fluid.ideal_backlog_cost));
    if (cost > 0) lags.set(tenant.tenant, cost);
  }
  return lags;
}
