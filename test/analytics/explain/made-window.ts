import type { TenantWindow, Window } from '../../../analytics/window/window-result.ts';

export const START = '2026-11-01T14:05:00.000Z';
const END = '2026-11-01T14:06:00.000Z';
const NO_WAITS = {
  p50: null,
  p95: null,
  p99: null,
  max: null,
  samples: 0,
  provenance: 'measured',
  reason: 'no_samples',
};

export interface MadeTenant extends Partial<TenantWindow> {
  readonly tenant: string;
  readonly verdict: TenantWindow['verdict'];
  readonly fair: number | null;
  readonly served: number | null;
  readonly lag?: number;
}

/** A tenant in a window of which only what matters is said. */
export function madeTenant({ fair, served, lag = 0, ...given }: MadeTenant): TenantWindow {
  const demand = given.demand_cost ?? fair ?? 0;
  return {
    group: null,
    weight: 1,
    arrived_cost: demand,
    arrived_cost_raw: demand,
    demand_cost: demand,
    backlog_cost: 0,
    fair_share_cost: fair,
    served_cost: served,
    normalized_share: fair !== null && fair > 0 && served !== null ? served / fair : null,
    in_share: true,
    lag_cost: lag,
    ideal_backlog_cost: 0,
    requests: Math.round(demand),
    retries: 0,
    rejected: {},
    gave_up: 0,
    lost: 0,
    skewed: 0,
    quota_refused_cost: 0,
    wait_ms: NO_WAITS,
    fluid: null,
    ...given,
  };
}

/** A window with these tenants; demand, service and capacity are theirs unless it says otherwise. */
export function madeWindow(tenants: readonly TenantWindow[], given: Partial<Window> = {}): Window {
  const total = (value: (tenant: TenantWindow) => number | null): number =>
    tenants.reduce((sum, tenant) => sum + (value(tenant) ?? 0), 0);
  const short = tenants.some((tenant) => tenant.verdict === 'short');
  const over = tenants.filter((tenant) => tenant.verdict === 'over').map((tenant) => tenant.tenant);
  return {
    start: START,
    end: END,
    state: 'final',
    revision: 1,
    verdict: short ? 'unfair' : 'fair',
    verdict_reasons: [],
    causes: short && over.length > 0 ? [{ cause: 'over_served', tenants: over }] : [],
    coverage_ratio: 1,
    cost_unit: 'requests',
    capacity: { cost: total((tenant) => tenant.fair_share_cost), basis: 'measured' },
    demand_cost: total((tenant) => tenant.demand_cost),
    served_cost: total((tenant) => tenant.served_cost),
    water_level: null,
    tenants_with_demand: tenants.length,
    jain_index: null,
    min_normalized_share: null,
    requests: total((tenant) => tenant.requests),
    waiting_at_end: 0,
    utilization_ratio: 1,
    wait_ms: NO_WAITS,
    policy_changed: false,
    conflicts: 0,
    skewed: 0,
    lost: 0,
    in_share: {
      tenants: tenants.length,
      requests: 0,
      samples: 0,
      over_threshold: 0,
      threshold_ms: 500,
      p99_wait_ms: null,
      sufficient: false,
      provisional: false,
    },
    idle_while_waiting_ratio: 0,
    fluid: null,
    fluid_reason: 'not_computed',
    tenants: [...tenants],
    ...given,
  };
}

/** A tenant's fluid block in which what was due is its ideal service, and nothing was owed from before. */
export function fluidOf(
  served: number,
  { ideal, lag, inShare = 0, share = null }: { ideal: number; lag: number; inShare?: number; share?: number | null },
): NonNullable<TenantWindow['fluid']> {
  return {
    ideal_cost: ideal,
    normalized_share: share,
    max_lag_cost: lag,
    excess_wait_ms: null,
    in_share_requests: inShare,
    ideal_backlog_cost: 0,
    due_cost: ideal,
    shortfall_cost: lag,
    excess_cost: Math.max(0, served - ideal),
  };
}
