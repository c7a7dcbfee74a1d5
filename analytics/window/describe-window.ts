import type { FluidInShareRow } from '../queries/fluid-in-share.ts';
import type { InShareWaitsRow, WaitFigures } from '../queries/window-arrivals.ts';
import {
  decideTenantVerdict,
  decideWindowVerdict,
  type Granularity,
  isOver,
  shortfallOf,
  type TenantBalance,
  unknownReasons,
} from './decide-verdicts.ts';
import type { DecidedTenant, DecidedWindow, PoolFacts } from './decide-windows.ts';
import { describeCauses } from './describe-causes.ts';
import type { FluidWindow } from './fluid-window.ts';
import type { FluidFigures, TenantWindow, Window } from './window-result.ts';

/** From how many samples on a p99 says something. */
const SUFFICIENT_SAMPLES = 100;

const NO_WAITS: WaitFigures = { p50: null, p95: null, p99: null, max: null, samples: 0, provenance: 'measured' };

export interface Surroundings {
  /** Waits of in-share tenants; null when every tenant of the window is in share. */
  readonly inShareWaits: InShareWaitsRow | null;
  readonly fluid: FluidWindow;
  /** In-share requests by the fluid model; null when no tenant was ever beyond its share. */
  readonly fluidInShare: FluidInShareRow | null;
  /** Requests of a tenant that arrived while it was beyond its share; tenants without any are absent. */
  readonly beyondShare: ReadonlyMap<string, number>;
  /** Requests whose events disagree on a figure. */
  readonly fieldConflicts: number;
  /** Part of the decisions that gateways counted of which events are stored; null: none reports. */
  readonly coverageRatio: number | null;
  /** Every source is past it, epoch ms; `Infinity` once all are closed. */
  readonly closedToMs: number;
}

/** The window as it is stored and shown: figures, verdicts, and for every figure that cannot be known the reason. */
export function describeWindow(facts: PoolFacts, decided: DecidedWindow, around: Surroundings): Window {
  const attempts = decided.pool?.attempts ?? 0;
  const conflicts = (decided.pool?.identityConflicts ?? 0) + around.fieldConflicts;
  const evidence = {
    attempts,
    tenantsAbsent: decided.pool?.tenantsAbsent ?? 0,
    waitsAbsent: decided.pool?.waitsAbsent ?? 0,
    conflicts,
    coverageRatio: around.coverageRatio,
    capacityKnown: decided.capacity.cost !== null,
    demandExceedsCapacity: decided.fairness.contended || around.fluid.contended,
    anyShort: false,
  };
  const reasons = unknownReasons(evidence);
  // Without tenants, waits or capacity no share is a figure; conflicts and loss only withhold the verdict.
  const shareReason = reasons.find((reason) => reason !== 'conflicts' && reason !== 'coverage') ?? null;
  const servedReason = reasons.includes('no_waits') ? 'no_waits' : null;
  const granularity = { slots: slotsOf(decided, facts.windowMs), largestCost: decided.largestCostInService };
  const balances = balancesOf(decided, around, shareReason);
  const anyOver = balances.some((balance) => isOver(balance, granularity));
  const tenants = decided.tenants.map((tenant, index) =>
    describeTenant(decided, tenant, index, {
      around,
      shareReason,
      servedReason,
      reasons,
      granularity,
      balance: balances[index],
      anyOver,
    }),
  );
  const short = tenants.some((tenant) => tenant.verdict === 'short');
  const verdict = decideWindowVerdict({ ...evidence, anyShort: short }, reasons);
  const idle = idleWhileWaiting(decided, facts.windowMs);
  const end = decided.startMs + facts.windowMs;
  const isFinal = around.closedToMs >= end && decided.openRequests === 0;
  const served = figure(decided.servedCost, servedReason, 'nothing_served');
  const level = figure(decided.fairness.waterLevel, shareReason, 'all_demand_met');
  const jain = figure(decided.jainIndex, shareReason, 'nothing_served');
  return {
    start: new Date(decided.startMs).toISOString(),
    end: new Date(end).toISOString(),
    state: isFinal ? 'final' : 'provisional',
    revision: 1,
    verdict,
    verdict_reasons: reasons,
    causes:
      verdict === 'unfair'
        ? describeCauses(decided, tenants, {
            balances,
            granularity,
            fluid: around.fluid,
            idleRatio: idle.value,
            windowMs: facts.windowMs,
          })
        : [],
    coverage_ratio: around.coverageRatio,
    ...(around.coverageRatio === null ? { coverage_reason: 'not_reported' } : {}),
    cost_unit: facts.options.costUnit,
    capacity: describeCapacity(decided, servedReason),
    demand_cost: decided.fairness.demand,
    served_cost: served.value,
    ...(served.reason === null ? {} : { served_cost_reason: served.reason }),
    water_level: level.value,
    ...(level.reason === null ? {} : { water_level_reason: level.reason }),
    tenants_with_demand: decided.fairness.tenants.filter((tenant) => tenant.demand > 0).length,
    jain_index: jain.value,
    ...(jain.reason === null ? {} : { jain_index_reason: jain.reason }),
    ...minShare(decided, shareReason),
    requests: tenants.reduce((total, tenant) => total + tenant.requests, 0),
    waiting_at_end: decided.waitingAtEnd,
    ...utilization(decided, facts.windowMs, servedReason),
    wait_ms: describeWaits(decided.pool?.wait ?? NO_WAITS),
    policy_changed: decided.policyChanged,
    conflicts,
    skewed: tenants.reduce((total, tenant) => total + tenant.skewed, 0),
    lost: tenants.reduce((total, tenant) => total + tenant.lost, 0),
    in_share: describeInShare(facts, decided, around, { shareReason, provisional: !isFinal }),
    idle_while_waiting_ratio: idle.value,
    ...(idle.reason === null ? {} : { idle_while_waiting_reason: idle.reason }),
    ...describeFluid(decided, around, shareReason),
    tenants,
  };
}

interface TenantContext {
  readonly around: Surroundings;
  readonly shareReason: string | null;
  readonly servedReason: string | null;
  readonly reasons: readonly string[];
  readonly granularity: Granularity;
  readonly balance: TenantBalance | undefined;
  readonly anyOver: boolean;
}

/** What was due to each tenant and what it got, in the order of the tenants. */
function balancesOf(decided: DecidedWindow, around: Surroundings, shareReason: string | null): TenantBalance[] {
  const present = decided.tenants.filter(
    ({ work }, index) => (decided.fairness.tenants[index]?.demand ?? 0) > 0 || (work?.served ?? 0) > 0,
  );
  const weights = present.reduce((sum, { standing }) => sum + standing.weight, 0);
  return decided.tenants.map(({ tenant, standing, work, arrivals }, index): TenantBalance => {
    const { gps, served } = around.fluid.of(tenant);
    return {
      due: shareReason === null ? gps.served : null,
      lag: gps.maxLag,
      refusedDue: gps.refused,
      excess: gps.excess,
      netExcess: served - gps.served - gps.lagBefore,
      aheadBefore: gps.aheadBefore,
      demand: decided.fairness.tenants[index]?.demand ?? 0,
      lateBefore: work?.late ?? 0,
      lateAfter: work?.lateAfter ?? 0,
      quotaRefusedCost: arrivals?.quotaRefusedCost ?? 0,
      relativeWeight: weights > 0 ? (standing.weight * present.length) / weights : 1,
    };
  });
}

function describeTenant(
  decided: DecidedWindow,
  entry: DecidedTenant,
  index: number,
  context: TenantContext,
): TenantWindow {
  const fairness = decided.fairness.tenants[index];
  const served = entry.work?.served ?? 0;
  const share = context.shareReason === null ? (fairness?.share ?? null) : null;
  const arrivals = entry.arrivals;
  const { balance, reasons } = context;
  const verdict =
    reasons.length > 0 || balance === undefined
      ? 'unknown'
      : decideTenantVerdict(balance, context.granularity, context.anyOver);
  return {
    tenant: entry.tenant,
    group: entry.standing.group,
    weight: entry.standing.weight,
    verdict,
    arrived_cost: arrivals?.arrivedCost ?? 0,
    arrived_cost_raw: arrivals?.arrivedCostRaw ?? 0,
    demand_cost: fairness?.demand ?? 0,
    backlog_cost: context.shareReason === null ? (fairness?.backlog ?? 0) : null,
    fair_share_cost: share,
    served_cost: context.servedReason === null ? served : null,
    normalized_share: share !== null && share > 0 ? served / share : null,
    in_share: context.shareReason === null ? (fairness?.inShare ?? null) : null,
    lag_cost: context.shareReason === null ? (fairness?.lag ?? 0) : null,
    ideal_backlog_cost: fairness?.idealBacklogAfter ?? 0,
    requests: (arrivals?.attempts ?? 0) - (arrivals?.retries ?? 0),
    retries: arrivals?.retries ?? 0,
    rejected: { ...arrivals?.rejected },
    gave_up: arrivals?.gaveUp ?? 0,
    lost: arrivals?.lost ?? 0,
    skewed: arrivals?.skewed ?? 0,
    quota_refused_cost: arrivals?.quotaRefusedCost ?? 0,
    wait_ms: describeWaits(arrivals?.wait ?? NO_WAITS),
    fluid: context.shareReason === null && balance !== undefined ? describeFluidTenant(entry, balance, context) : null,
  };
}

function describeFluidTenant(entry: DecidedTenant, balance: TenantBalance, { around, anyOver }: TenantContext) {
  const { ideal, served, maxLag, excessWaitMs, backlog } = around.fluid.of(entry.tenant);
  return {
    ideal_cost: ideal,
    normalized_share: ideal > 0 ? served / ideal : null,
    max_lag_cost: maxLag,
    excess_wait_ms: excessWaitMs,
    in_share_requests: (entry.arrivals?.attempts ?? 0) - (around.beyondShare.get(entry.tenant) ?? 0),
    ideal_backlog_cost: backlog,
    due_cost: balance.due ?? 0,
    shortfall_cost: shortfallOf(balance, anyOver),
    excess_cost: balance.excess,
  };
}

function describeFluid(
  decided: DecidedWindow,
  around: Surroundings,
  shareReason: string | null,
): { fluid: FluidFigures | null; fluid_reason?: string } {
  if (shareReason !== null) return { fluid: null, fluid_reason: shareReason };
  const { fluid } = around;
  const jain = figure(fluid.jainIndex, null, 'nothing_served');
  const pool = decided.pool;
  const inShare = around.fluidInShare ?? {
    requests: pool?.attempts ?? 0,
    samples: pool?.wait.samples ?? 0,
    overThreshold: pool?.overThreshold ?? 0,
    p99WaitMs: pool?.wait.p99 ?? null,
  };
  const p99 = figure(inShare.p99WaitMs, null, 'no_samples');
  return {
    fluid: {
      jain_index: jain.value,
      ...(jain.reason === null ? {} : { jain_index_reason: jain.reason }),
      ...(fluid.minNormalizedShare === null
        ? { min_normalized_share: null, min_normalized_share_reason: 'no_demand' }
        : { min_normalized_share: { ...fluid.minNormalizedShare } }),
      max_lag_cost: fluid.maxLag?.value ?? 0,
      max_lag_tenant: fluid.maxLag?.tenant ?? null,
      in_share: {
        requests: inShare.requests,
        samples: inShare.samples,
        over_threshold: inShare.overThreshold,
        p99_wait_ms: p99.value,
        ...(p99.reason === null ? {} : { p99_wait_reason: p99.reason }),
        sufficient: inShare.samples >= SUFFICIENT_SAMPLES,
      },
    },
  };
}

function describeWaits(wait: WaitFigures) {
  const { p50, p95, p99, max, samples, provenance } = wait;
  if (samples > 0) return { p50, p95, p99, max, samples, provenance };
  return { p50, p95, p99, max, samples, provenance, reason: provenance === 'absent' ? 'no_waits' : 'no_samples' };
}

function describeCapacity(decided: DecidedWindow, servedReason: string | null) {
  const { cost, basis } = decided.capacity;
  if (servedReason !== null) return { cost: null, basis: 'unknown' as const, reason: servedReason };
  if (cost !== null) return { cost, basis };
  return { cost, basis, reason: decided.declared.slots === null ? 'not_declared' : 'nothing_served_yet' };
}

function minShare(decided: DecidedWindow, shareReason: string | null) {
  if (shareReason !== null) return { min_normalized_share: null, min_normalized_share_reason: shareReason };
  if (decided.minNormalizedShare !== null) return { min_normalized_share: { ...decided.minNormalizedShare } };
  return { min_normalized_share: null, min_normalized_share_reason: 'no_demand' };
}

function utilization(decided: DecidedWindow, windowMs: number, servedReason: string | null) {
  const { slots, perS } = decided.declared;
  const capacity = decided.capacity.cost;
  let ratio: number | null = null;
  if (slots !== null) ratio = decided.busyMs / Math.max(slots * windowMs, decided.busyMs, 1);
  else if (perS !== null && capacity !== null && capacity > 0) ratio = decided.servedCost / capacity;
  const { value, reason } = figure(ratio, servedReason, 'not_declared');
  return { utilization_ratio: value, ...(reason === null ? {} : { utilization_reason: reason }) };
}

/** No sweep was made where nobody waited in the whole range. */
function idleWhileWaiting(decided: DecidedWindow, windowMs: number) {
  const { slots } = decided.declared;
  if (slots === null || slots === 0) return figure(null, null, 'not_declared');
  if (decided.saturation === null || decided.saturation.waitingMs === 0) return figure(0, null, '');
  if (decided.mixedSlots) return figure(null, null, 'mixed_slots');
  return figure(decided.saturation.idleWhileWaitingMs / (slots * windowMs), null, '');
}

function describeInShare(
  facts: PoolFacts,
  decided: DecidedWindow,
  around: Surroundings,
  context: { readonly shareReason: string | null; readonly provisional: boolean },
) {
  const pool = decided.pool;
  const all = {
    requests: pool?.attempts ?? 0,
    samples: pool?.wait.samples ?? 0,
    overThreshold: pool?.overThreshold ?? 0,
    p99WaitMs: pool?.wait.p99 ?? null,
    stillWaiting: pool?.stillWaiting ?? 0,
  };
  const none = { requests: 0, samples: 0, overThreshold: 0, p99WaitMs: null, stillWaiting: 0 };
  const everyTenant = decided.fairness.tenants.every((tenant) => tenant.inShare !== false);
  const waits = context.shareReason !== null ? none : everyTenant ? all : (around.inShareWaits ?? none);
  const inShare = decided.fairness.tenants.filter((tenant) => tenant.inShare === true && tenant.demand > 0);
  const p99 = figure(waits.p99WaitMs, context.shareReason, 'no_samples');
  return {
    tenants: context.shareReason === null ? inShare.length : 0,
    requests: waits.requests,
    samples: waits.samples,
    over_threshold: waits.overThreshold,
    threshold_ms: facts.options.waitThresholdMs,
    p99_wait_ms: p99.value,
    ...(p99.reason === null ? {} : { p99_wait_reason: p99.reason }),
    sufficient: waits.samples >= SUFFICIENT_SAMPLES,
    provisional: context.provisional && waits.stillWaiting > 0,
  };
}

/** Slots for the tolerance of verdicts: the declared ones, else as many as were busy on average. */
function slotsOf(decided: DecidedWindow, windowMs: number): number {
  return decided.declared.slots ?? Math.max(1, Math.ceil(decided.busyMs / windowMs - 1e-9));
}

interface Figure {
  readonly value: number | null;
  /** Null exactly when the value is not. */
  readonly reason: string | null;
}

/** A figure, or null with the reason: withheld although arithmetic would give one, or absent by itself. */
function figure(value: number | null, withheld: string | null, absent: string): Figure {
  if (withheld !== null) return { value: null, reason: withheld };
  return value === null ? { value, reason: absent } : { value, reason: null };
}
