import { assertInvariant } from '../../scheduler-core/index.ts';
import type { TopTenant } from './cardinality-cap.ts';
import { exactSum, splitExactly } from './exact-sum.ts';
import type { Sample, SeriesRest, SeriesTenant } from './series-result.ts';
import type { TenantStanding } from './top-tenant-ranks.ts';
import type { TenantWindow, Window } from './window-result.ts';

/** How many refused tenants of the rest are named. */
export const MAX_SAMPLES = 5;

export interface FoldedWindow {
  /** By name. */
  readonly tenants: readonly SeriesTenant[];
  /** Its `wait_p99_ms` is null: histograms are merged where they lie. */
  readonly rest: SeriesRest;
}

/** What a tenant's place is decided by. */
export function standingOf(tenant: TenantWindow): TenantStanding {
  return {
    tenant: tenant.tenant,
    demandCost: tenant.demand_cost ?? tenant.arrived_cost ?? tenant.requests,
    normalizedShare: shareOf(tenant),
    idealCost: idealOf(tenant),
    isShort: tenant.verdict === 'short',
    attempts: attemptsOf(tenant),
    rejected: rejectedOf(tenant),
    inShare: tenant.in_share,
    waitP99Ms: tenant.wait_ms.p99,
    waitSamples: tenant.wait_ms.samples,
  };
}

/**
 * A window's lines: its top tenants and all others as one. Counts and costs of the lines add up to the pool's, exactly.
 *
 * @param window with all its tenants.
 * @param top the tenants of the window that are shown by themselves, by name.
 */
export function foldRest(window: Window, top: readonly TopTenant[]): FoldedWindow {
  const shown = new Map(top.map(({ tenant, why }) => [tenant, why]));
  const members = window.tenants.filter(({ tenant }) => shown.has(tenant)).sort(byName);
  const folded = window.tenants.filter(({ tenant }) => !shown.has(tenant));
  assertInvariant(members.length === shown.size, 'a tenant that is shown has figures');
  const demand = foldCost(window.demand_cost, members, folded, (tenant) => tenant.demand_cost);
  const ideal = foldCost(null, members, folded, idealOf);
  const served = foldCost(window.served_cost, members, folded, (tenant) => tenant.served_cost);
  const tenants = members.map((tenant, index) => ({
    tenant: tenant.tenant,
    why: shown.get(tenant.tenant) ?? 'demand',
    in_share: tenant.in_share,
    demand_cost: demand.members[index] ?? null,
    ideal_cost: ideal.members[index] ?? null,
    served_cost: served.members[index] ?? null,
    ...countsOf([tenant]),
    normalized_share: shareOf(tenant),
    lag_cost: lagOf(tenant),
    wait_p99_ms: tenant.wait_ms.p99,
  }));
  const rejected = folded.filter((tenant) => rejectedOf(tenant) > 0);
  const rest: SeriesRest = {
    tenants: folded.length,
    demand_cost: demand.rest,
    ideal_cost: ideal.rest,
    served_cost: served.rest,
    ...countsOf(folded),
    normalized_share: ratio(
      sumOf(folded, (tenant) => tenant.served_cost),
      sumOf(folded, idealOf),
    ),
    lag_cost: folded.reduce<number | null>((most, tenant) => larger(most, lagOf(tenant)), null),
    wait_p99_ms: null,
    rejected_tenants: rejected.length,
    samples: sampleOf(rejected),
  };
  assertInvariant(
    exactSum([...tenants.map((tenant) => tenant.requests), rest.requests]) === sumOf(window.tenants, (t) => t.requests),
    'the requests of the top tenants and the rest are those of all',
  );
  return { tenants, rest };
}

/** Null where one of them is not known. */
function sumOf(tenants: readonly TenantWindow[], figureOf: (tenant: TenantWindow) => number | null): number | null {
  const known: number[] = [];
  for (const tenant of tenants) {
    const figure = figureOf(tenant);
    if (figure === null) return null;
    known.push(figure);
  }
  return exactSum(known);
}

/** @param published what the window says of all tenants together; null: their exact sum. */
function foldCost(
  published: number | null,
  members: readonly TenantWindow[],
  folded: readonly TenantWindow[],
  figureOf: (tenant: TenantWindow) => number | null,
): { readonly members: readonly (number | null)[]; readonly rest: number | null } {
  const own = members.map(figureOf);
  const rest = sumOf(folded, figureOf);
  const total = published ?? sumOf([...members, ...folded], figureOf);
  const known = own.filter((figure) => figure !== null);
  if (rest === null || total === null || known.length < own.length || !Number.isFinite(total)) {
    return { members: own, rest: null };
  }
  // What rounding leaves over must not turn up in a rest of nobody.
  const parts = folded.length === 0 ? known : [...known, rest];
  const split = splitExactly(total, parts, members.length + folded.length);
  return { members: split.slice(0, known.length), rest: folded.length === 0 ? 0 : (split.at(-1) ?? 0) };
}

function countsOf(tenants: readonly TenantWindow[]) {
  const count = (of: (tenant: TenantWindow) => number): number =>
    tenants.reduce((total, tenant) => total + of(tenant), 0);
  return {
    requests: count((tenant) => tenant.requests),
    retries: count((tenant) => tenant.retries),
    rejected: count(rejectedOf),
    gave_up: count((tenant) => tenant.gave_up),
    in_share_requests: sumOf(tenants, (tenant) => tenant.fluid?.in_share_requests ?? null),
    wait_samples: count((tenant) => tenant.wait_ms.samples),
  };
}

/** Those that were refused most, ties by name. */
function sampleOf(rejected: readonly TenantWindow[]): Sample[] {
  return rejected
    .map((tenant) => ({ tenant: tenant.tenant, rejected: rejectedOf(tenant), attempts: attemptsOf(tenant) }))
    .sort((a, b) => b.rejected - a.rejected || (a.tenant < b.tenant ? -1 : 1))
    .slice(0, MAX_SAMPLES);
}

function shareOf(tenant: TenantWindow): number | null {
  return tenant.fluid === null ? tenant.normalized_share : tenant.fluid.normalized_share;
}

function idealOf(tenant: TenantWindow): number | null {
  return tenant.fluid === null ? tenant.fair_share_cost : tenant.fluid.ideal_cost;
}

function lagOf(tenant: TenantWindow): number | null {
  return tenant.fluid === null ? tenant.lag_cost : tenant.fluid.max_lag_cost;
}

function attemptsOf({ requests, retries }: TenantWindow): number {
  return requests + retries;
}

function rejectedOf({ rejected }: TenantWindow): number {
  return Object.values(rejected).reduce((total, count) => total + count, 0);
}

function ratio(served: number | null, ideal: number | null): number | null {
  return served === null || ideal === null || ideal <= 0 ? null : served / ideal;
}

function larger(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}

function byName(a: TenantWindow, b: TenantWindow): number {
  return a.tenant < b.tenant ? -1 : 1;
}
