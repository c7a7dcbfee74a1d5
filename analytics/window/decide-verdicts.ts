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

export interface TenantBalance {
  /** Ideal service of the window; null when the capacity is unknown. */
  readonly fairShare: number | null;
  readonly served: number;
  readonly lag: number;
  readonly demand: number;
  readonly lateAfter: number;
  readonly quotaRefusedCost: number;
}

/** Slots × the largest cost in service: what one scheduling decision cannot avoid. */
export function decideTenantVerdict(balance: TenantBalance, oneDecisionCost: number): TenantVerdict {
  if (balance.fairShare === null) return 'unknown';
  const tolerance = Math.max(TOLERANCE_RATIO * balance.fairShare, oneDecisionCost);
  if (exceeds(balance.lag, tolerance)) return 'short';
  if (exceeds(balance.served, balance.fairShare + tolerance)) return 'over';
  if (balance.quotaRefusedCost > 0) return 'capped';
  if (balance.demand === 0 && balance.lateAfter === 0) return 'idle';
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
  /** Tenants that were served beyond their share. */
  readonly overServedTenants: number;
  readonly idleWhileWaitingRatio: number | null;
  /** Σ lag over the short tenants, at the window's start and at its end. */
  readonly shortLagBefore: number;
  readonly shortLag: number;
}

/**
 * What the short tenants lost to, beside tenants served over their share: idle slots; else earlier windows, when their
 * debt did not grow in this one (`carried_over`); else lost capacity.
 */
export function otherCauses(grievance: Grievance): string[] {
  const { overServedTenants, idleWhileWaitingRatio } = grievance;
  if (idleWhileWaitingRatio !== null && idleWhileWaitingRatio > IDLE_CAUSE_RATIO) return ['idle_slots'];
  if (overServedTenants > 0) return [];
  return [exceeds(grievance.shortLag, grievance.shortLagBefore) ? 'lost_capacity' : 'carried_over'];
}
