import type { DegradationParts } from './degradation-fields.ts';
import { type DisciplineParts, UNSAID, type Unsaid } from './discipline-fields.ts';
import type { NamedValue, ReadList } from './list-fields.ts';
import type { GroupPolicy, Policy, WaitBudgetPolicy } from './policy.ts';
import type { GroupedTenantParts, NamedClassParts, TenantParts } from './tenant-fields.ts';

export interface QueueParts {
  readonly totalLimit: number;
  readonly perTenantLimit: number;
}

/** A policy as a file says it, every value read and right by itself. */
export interface PolicyParts
  extends Pick<Policy, 'costUnit' | 'refuseUnknown' | 'shuffleSharding' | 'starvationGuard'>,
    Pick<Policy, 'boost' | 'circuitBreaker' | 'sloWeights' | 'adaptiveAdmission'> {
  readonly name: string | null;
  readonly settle: boolean | Unsaid;
  readonly discipline: DisciplineParts;
  readonly queue: QueueParts;
  readonly defaultTenant: TenantParts;
  readonly tenants: ReadList<GroupedTenantParts>;
  readonly weights: ReadList<NamedValue<number>>;
  readonly classes: ReadList<NamedClassParts>;
  readonly groups: ReadList<NamedValue<GroupPolicy>>;
  readonly waitBudget: WaitBudgetPolicy | null | Unsaid;
  readonly degradation: DegradationParts | null;
}

export const NO_QUEUE_LIMITS: QueueParts = {
  totalLimit: Number.POSITIVE_INFINITY,
  perTenantLimit: Number.POSITIVE_INFINITY,
};

export const NONE: ReadList<never> = { items: [], isWhole: true };

export const NOTHING_SAID_OF_TENANT: TenantParts = {
  weight: UNSAID,
  class: UNSAID,
  queueLimit: UNSAID,
  quota: UNSAID,
  waitBudgetMs: UNSAID,
};
