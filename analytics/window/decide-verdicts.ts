import { LEAST_COVERAGE_RATIO } from './decide-coverage.ts';
import type { TENANT_VERDICTS, WINDOW_VERDICTS } from './window-result.ts';

export type TenantVerdict = (typeof TENANT_VERDICTS)[number];
export type WindowVerdict = (typeof WINDOW_VERDICTS)[number];

/** 3% of its ideal service is nobody's grievance; see docs/definitions.md, "Verdicts". */
const TOLERANCE_RATIO = 0.03;
const MAX_CONFLICT_RATIO = 0.001;
const MAX_ABSENT_RATIO = 0.001;
/** Idle slot-time beside waiting requests from which it is named as a cause. */
const IDLE_CAUSE_RATIO = 0.01;

/** Part of a debt from which who has as much of it is to blame. */
const HELD_RATIO = 0.5;

export interface TenantBalance {
  /** What was due in the window (`Σ f̂`); null when the capacity is unknown. */
  readonly due: number | null;
  /** The largest lag behind it; see `GpsSpan.maxLag`. */
  readonly lag: number;
  /** What of its due requests would have had that were refused. */
  readonly refusedDue: number;
  /** The most by which it got ahead of what it was due within the window; see `GpsSpan.excess`. */
  readonly excess: number;
  /** Served, over the window as a whole, beyond what was due in it and owed from before; may be negative. */
  readonly netExcess: number;
  readonly demand: number;
  /** Late work when the window began, and when it ended. */
  readonly lateBefore: number;
  readonly lateAfter: number;
  readonly quotaRefusedCost: number;
  /** The ideal system still owed it this when the window began, and the real one had done it. */
  readonly aheadBefore: number;
  /** Relative to the mean weight of the tenants with demand, or that were served. */
  readonly relativeWeight: number;
}

/** What one scheduling decision cannot avoid, as the pool is. */
export interface Granularity {
  readonly slots: number;
  /** Of requests in service. */
  readonly largestCost: number;
}

/**
 * `B_i`: 3% of what was due, or what schedulers of whole requests cannot avoid: a request in every slot, one of its own that
 * has not ended, and a turn as long as its weight allows.
 */
export function toleranceOf(balance: Pick<TenantBalance, 'due' | 'relativeWeight'>, pool: Granularity): number {
  return Math.max(TOLERANCE_RATIO * (balance.due ?? 0), turnsOf(balance, pool) * pool.largestCost);
}

/** The same for what it got more between two moments, at each of which every slot may be in the middle of a request. */
function gainToleranceOf(balance: Pick<TenantBalance, 'due' | 'relativeWeight'>, pool: Granularity): number {
  const turns = turnsOf(balance, pool) + pool.slots + 1;
  return Math.max(TOLERANCE_RATIO * (balance.due ?? 0), turns * pool.largestCost);
}

/** And where these moments are chosen as the worst of a window. */
function excessToleranceOf(balance: Pick<TenantBalance, 'due' | 'relativeWeight'>, pool: Granularity): number {
  return Math.max(TOLERANCE_RATIO * (balance.due ?? 0), 2 * turnsOf(balance, pool) * pool.largestCost);
}

function turnsOf(balance: Pick<TenantBalance, 'relativeWeight'>, pool: Granularity): number {
  return pool.slots + 1 + 2 * balance.relativeWeight;
}

/** By the window as a whole, or for a part of it. */
export function isOver(balance: TenantBalance, pool: Granularity): boolean {
  return (
    exceeds(balance.netExcess, gainToleranceOf(balance, pool)) ||
    exceeds(balance.excess, excessToleranceOf(balance, pool))
  );
}

/**
 * Whether it was served beyond its due in earlier windows and has not given it back: by more than schedulers cannot avoid,
 * or half of what the short ones are owed from then.
 */
export function wasAhead(balance: TenantBalance, pool: Granularity, shortLagBefore: number): boolean {
  if (balance.aheadBefore <= 0) return false;
  return balance.aheadBefore >= Math.min(shortLagBefore * HELD_RATIO, excessToleranceOf(balance, pool));
}

/**
 * What it waited for and what it was refused. Refusals are a grievance only where somebody was served beyond its due: else
 * there was no room for anybody.
 */
export function shortfallOf(balance: TenantBalance, anyOver: boolean): number {
  return anyOver ? balance.lag + balance.refusedDue : balance.lag;
}

/** @param anyOver whether some tenant of the window was served over its due. */
export function decideTenantVerdict(balance: TenantBalance, pool: Granularity, anyOver: boolean): TenantVerdict {
  if (balance.due === null) return 'unknown';
  if (exceeds(shortfallOf(balance, anyOver), toleranceOf(balance, pool))) return 'short';
  if (isOver(balance, pool)) return 'over';
  if (balance.quotaRefusedCost > 0) return 'capped';
  if (balance.demand === 0 && balance.lateBefore === 0 && balance.lateAfter === 0) return 'idle';
  return 'fair';
}

/** Sums of many costs differ in their last bits; a bound that is met exactly is not exceeded. */
function exceeds(value: number, bound: number): boolean {
  return value > bound * (1 + 1e-9);
}

export interface WindowEvidence {
  readonly attempts: number;
  readonly tenantsAbsent: number;
  readonly waitsAbsent: number;
  readonly conflicts: number;
  /** Null: no gateway reports what it counted, which is no reason for doubt. */
  readonly coverageRatio: number | null;
  readonly capacityKnown: boolean;
  readonly demandExceedsCapacity: boolean;
  readonly anyShort: boolean;
}

/** Why a window's verdict must stay unknown; empty when it need not. */
export function unknownReasons(evidence: WindowEvidence): string[] {
  const beyond = (count: number, ratio: number): boolean => evidence.attempts > 0 && count > ratio * evidence.attempts;
  const reasons: string[] = [];
  if (beyond(evidence.tenantsAbsent, MAX_ABSENT_RATIO)) reasons.push('no_tenants');
  if (beyond(evidence.waitsAbsent, MAX_ABSENT_RATIO)) reasons.push('no_waits');
  if (!evidence.capacityKnown) reasons.push('no_capacity');
  if (beyond(evidence.conflicts, MAX_CONFLICT_RATIO)) reasons.push('conflicts');
  if (evidence.coverageRatio !== null && evidence.coverageRatio < LEAST_COVERAGE_RATIO) reasons.push('coverage');
  return reasons;
}

export function decideWindowVerdict(evidence: WindowEvidence, reasons: readonly string[]): WindowVerdict {
  if (reasons.length > 0) return 'unknown';
  if (evidence.anyShort) return 'unfair';
  return evidence.demandExceedsCapacity ? 'fair' : 'uncontended';
}

export interface Grievance {
  /** Tenants that were served beyond their due. */
  readonly overServedTenants: number;
  readonly idleWhileWaitingRatio: number | null;
  /** Most of what was idle while requests waited are the same number of slots all the time, and hardly any request found one free. */
  readonly idleSteadily: boolean;
  /** What was due to all tenants and not served to any, beyond what one decision cannot avoid. */
  readonly isUnserved: boolean;
  /** Σ over the short tenants of the lag at the window's start, and of the largest in it. */
  readonly shortLagBefore: number;
  readonly shortLag: number;
}

/** A cause beside tenants served over their due; `spread_thin`: tenants served beyond it, none by much. */
export type OtherCause = 'idle_slots' | 'lost_capacity' | 'carried_over' | 'spread_thin';

/**
 * What the short tenants lost to, beside tenants served over their due: slots that were idle while requests waited, which
 * are lost capacity when they were never used meanwhile, else a scheduler that left them idle; else earlier windows, when
 * their debt did not grow in this one; else capacity that was lost, or tenants each of which took a little.
 */
export function otherCauses(grievance: Grievance): OtherCause[] {
  const { overServedTenants, idleWhileWaitingRatio } = grievance;
  if (idleWhileWaitingRatio !== null && idleWhileWaitingRatio > IDLE_CAUSE_RATIO) {
    return [grievance.idleSteadily ? 'lost_capacity' : 'idle_slots'];
  }
  if (overServedTenants > 0) return [];
  if (!exceeds(grievance.shortLag, grievance.shortLagBefore)) return ['carried_over'];
  return [grievance.isUnserved ? 'lost_capacity' : 'spread_thin'];
}
