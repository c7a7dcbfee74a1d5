import type { TenantWindow, Window } from '../../../analytics/window/window-result.ts';

/** 2026-10-01T10:00:00Z. */
export const FROM_MS = 1_790_848_800_000;
export const WINDOW_MS = 60_000;
export const TO_MS = FROM_MS + 2 * WINDOW_MS;

const waits = { p50: 1, p95: 2.5, p99: 3, max: 4, samples: 120, provenance: 'measured' };

export function storedTenant(tenant: string, given: Partial<TenantWindow> = {}): TenantWindow {
  return {
    tenant,
    group: null,
    weight: 1,
    verdict: 'fair',
    arrived_cost: 3,
    arrived_cost_raw: 4,
    demand_cost: 3.5,
    backlog_cost: 0.5,
    fair_share_cost: 3,
    served_cost: 2,
    normalized_share: 2 / 3,
    in_share: false,
    lag_cost: 0.25,
    ideal_backlog_cost: 0.5,
    requests: 3,
    retries: 1,
    rejected: { queue_full: 2, wait_budget: 1 },
    gave_up: 1,
    lost: 0,
    skewed: 0,
    quota_refused_cost: 5,
    wait_ms: waits,
    fluid: {
      ideal_cost: 2.5,
      normalized_share: 0.8,
      max_lag_cost: 0.375,
      excess_wait_ms: 1_200,
      in_share_requests: 2,
      ideal_backlog_cost: tenant === 'a' ? 0.75 : 0,
      due_cost: 2.25,
      shortfall_cost: 0.125,
      excess_cost: 0.0625,
    },
    ...given,
  };
}

/** A window in which every figure is known. */
export const FINAL: Window = {
  start: new Date(FROM_MS).toISOString(),
  end: new Date(FROM_MS + WINDOW_MS).toISOString(),
  state: 'final',
  revision: 2,
  verdict: 'unfair',
  verdict_reasons: [],
  causes: [
    { cause: 'over_served', tenants: ['a', "it's"] },
    { cause: 'idle_slots', tenants: [] },
  ],
  coverage_ratio: null,
  coverage_reason: 'not_reported',
  cost_unit: 'requests',
  capacity: { cost: 10, basis: 'measured' },
  demand_cost: 12,
  served_cost: 9.5,
  water_level: 4,
  tenants_with_demand: 2,
  jain_index: 0.9,
  min_normalized_share: { value: 0.5, tenant: "it's" },
  requests: 7,
  waiting_at_end: 2,
  utilization_ratio: 0.95,
  wait_ms: waits,
  policy_changed: true,
  conflicts: 1,
  skewed: 2,
  lost: 3,
  in_share: {
    tenants: 1,
    requests: 3,
    samples: 120,
    over_threshold: 4,
    threshold_ms: 500,
    p99_wait_ms: 2601.6,
    sufficient: true,
    provisional: false,
  },
  idle_while_waiting_ratio: 0.02,
  fluid: null,
  fluid_reason: 'not_computed',
  tenants: [storedTenant('a'), storedTenant("it's", { verdict: 'short', rejected: {} })],
};

/** The next one, in which those that hang on the capacity are not. */
export const PROVISIONAL: Window = {
  ...FINAL,
  start: new Date(FROM_MS + WINDOW_MS).toISOString(),
  end: new Date(TO_MS).toISOString(),
  state: 'provisional',
  revision: 1,
  verdict: 'unknown',
  verdict_reasons: ['no_capacity'],
  causes: [],
  capacity: { cost: null, basis: 'unknown', reason: 'not_declared' },
  water_level: null,
  water_level_reason: 'no_capacity',
  jain_index: null,
  jain_index_reason: 'no_capacity',
  min_normalized_share: null,
  min_normalized_share_reason: 'no_capacity',
  tenants: [
    storedTenant('a', {
      verdict: 'unknown',
      backlog_cost: null,
      fair_share_cost: null,
      normalized_share: null,
      in_share: null,
      lag_cost: null,
      ideal_backlog_cost: 0,
      wait_ms: { p50: null, p95: null, p99: null, max: null, samples: 0, provenance: 'measured', reason: 'no_samples' },
    }),
  ],
};

/** The windows as `fillStore` stores them, newest computation each. */
export const STORED: readonly Window[] = [FINAL, PROVISIONAL];
