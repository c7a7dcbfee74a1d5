import { type Groups, groupedMaxMinFairShare } from './grouped-max-min.ts';

/** One tenant's work in one step, in the pool's cost unit (symbols: THEORY.md, "Work"). */
export interface TenantWork {
  readonly tenant: string;
  /** `w_i` ≥ 0. */
  readonly weight: number;
  /** `oA_i`: offered by admitted requests. */
  readonly offeredAdmitted: number;
  /** `oR_i`: offered by refused or given-up requests; it evaporates with the step. */
  readonly offeredRefused: number;
  /** `v_i` at the step's start: late work of open requests. */
  readonly late: number;
  /** `v_i` at the step's end. */
  readonly lateAfter: number;
}

export interface FairStep {
  /** One entry per tenant with anything to account for, each tenant at most once. */
  readonly tenants: readonly TenantWork[];
  /** `C` in the pool's cost unit; null when it cannot be known. */
  readonly capacity: number | null;
  /** Tenants that stand together, in the order of `tenants`; default: each for itself. */
  readonly groups?: Groups | null;
}

/** One tenant's fair service in one step, in the order of the step's tenants. */
export interface TenantFairness {
  readonly tenant: string;
  /** `d_i = oA_i + oR_i + b_i`. */
  readonly demand: number;
  /** `b_i = min(q_i, v_i)`. */
  readonly backlog: number;
  /** `f_i`; null when the capacity is unknown. */
  readonly share: number | null;
  /** `q_i` after the step. */
  readonly idealBacklogAfter: number;
  /** `max(0, v_i − q_i)` at the step's start: what an earlier step left undone. */
  readonly lagBefore: number;
  /** The same at the step's end. */
  readonly lag: number;
  /** `d_i ≤ f_i·(1 + 1e-9)`; null when the capacity is unknown. */
  readonly inShare: boolean | null;
}

export interface FairStepResult {
  readonly tenants: readonly TenantFairness[];
  /** `λ`; null when all demand was met or the capacity is unknown. */
  readonly waterLevel: number | null;
  readonly demand: number;
  /** Demand exceeds the capacity, beyond rounding; false when the capacity is unknown. */
  readonly contended: boolean;
}

/** The ideal backlog `q_i` per tenant that a step hands to the next; tenants without any are absent. */
export type IdealBacklog = ReadonlyMap<string, number>;

/** Relative slack of comparisons: sums of many costs differ in their last bits. */
const SLACK = 1e-9;

/**
 * One step of the recursion that defines fair service: demand from offered work and backlog, weighted max-min shares,
 * and the backlog that an ideal system carries on. Pure; the minute job, audits and replays all call it.
 *
 * An unknown capacity grants every demand: nothing is called unfair for want of a figure, and shares are null.
 * Source: THEORY.md, "Fair service".
 */
export function fairStep(step: FairStep, before: IdealBacklog): { result: FairStepResult; after: IdealBacklog } {
  const backlogs = step.tenants.map((work) => Math.min(before.get(work.tenant) ?? 0, work.late));
  const demands = step.tenants.map(
    (work, index) => work.offeredAdmitted + work.offeredRefused + (backlogs[index] ?? 0),
  );
  const weights = step.tenants.map((work) => work.weight);
  const capacity = step.capacity ?? Number.POSITIVE_INFINITY;
  const { shares, waterLevel } = groupedMaxMinFairShare(demands, capacity, weights, step.groups ?? null);

  const after = new Map<string, number>();
  let totalDemand = 0;
  const tenants = step.tenants.map((work, index): TenantFairness => {
    const demand = demands[index] ?? 0;
    const share = shares[index] ?? 0;
    const backlog = backlogs[index] ?? 0;
    const left = work.offeredAdmitted + backlog - share;
    // What rounding leaves is no backlog: as a demand of its own it would make any service look boundless.
    const idealBacklogAfter = left > SLACK * demand ? left : 0;
    if (idealBacklogAfter > 0) after.set(work.tenant, idealBacklogAfter);
    totalDemand += demand;
    return {
      tenant: work.tenant,
      demand,
      backlog,
      share: step.capacity === null ? null : share,
      idealBacklogAfter,
      lagBefore: Math.max(0, work.late - (before.get(work.tenant) ?? 0)),
      lag: Math.max(0, work.lateAfter - idealBacklogAfter),
      inShare: step.capacity === null ? null : demand <= share * (1 + SLACK),
    };
  });
  const contended = totalDemand > capacity * (1 + SLACK);
  const level = contended && waterLevel < Number.POSITIVE_INFINITY ? waterLevel : null;
  return { result: { tenants, waterLevel: level, demand: totalDemand, contended }, after };
}

/**
 * The recursion over steps in time order. A tenant that a step does not list owes nothing afterwards: its late work is 0.
 *
 * @param initial the ideal backlog before the first step; default none.
 */
export function fairService(
  steps: Iterable<FairStep>,
  initial: IdealBacklog = new Map(),
): { steps: FairStepResult[]; after: IdealBacklog } {
  const results: FairStepResult[] = [];
  let backlog = initial;
  for (const step of steps) {
    const { result, after } = fairStep(step, backlog);
    results.push(result);
    backlog = after;
  }
  return { steps: results, after: backlog };
}
