import {
  type ClassTerms,
  NO_TERMS,
  namesOf,
  type PolicyTerms,
  type QuotaTerms,
  type TenantTerms,
} from './policy-terms.ts';

/** `added` and `removed`: named by one of the two only; the other's terms for tenants that are not named hold there. */
export type ChangeKind = 'added' | 'removed' | 'changed';

export interface TenantChange {
  readonly tenant: string;
  readonly kind: ChangeKind;
  readonly before: TenantTerms;
  readonly after: TenantTerms;
}

export interface GroupChange {
  readonly group: string;
  readonly kind: ChangeKind;
  /** Weights; null where the group is not there. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface ClassChange {
  readonly class: string;
  readonly kind: ChangeKind;
  readonly before: ClassTerms | null;
  readonly after: ClassTerms | null;
}

/** What differs between two policies, in the order of names. */
export interface PolicyDiff {
  /** Tenants that are not named by either; null: the same holds for them. */
  readonly defaultTenant: { readonly before: TenantTerms; readonly after: TenantTerms } | null;
  readonly tenants: readonly TenantChange[];
  readonly groups: readonly GroupChange[];
  readonly classes: readonly ClassChange[];
}

/** What differs; null is no policy at all, where every tenant has weight 1. */
export function diffPolicies(before: PolicyTerms | null, after: PolicyTerms | null): PolicyDiff {
  const from = before ?? NO_TERMS;
  const to = after ?? NO_TERMS;
  const isSameDefault = isSameTenant(from.defaultTenant, to.defaultTenant);
  return {
    defaultTenant: isSameDefault ? null : { before: from.defaultTenant, after: to.defaultTenant },
    tenants: changesOf(from.tenants, to.tenants, isSameTenant).map(({ name, kind, before: old, after: now }) => ({
      tenant: name,
      kind,
      before: old ?? from.defaultTenant,
      after: now ?? to.defaultTenant,
    })),
    groups: changesOf(from.groups, to.groups, Object.is).map(({ name, ...change }) => ({ group: name, ...change })),
    classes: changesOf(from.classes, to.classes, isSameClass).map(({ name, ...change }) => ({
      class: name,
      ...change,
    })),
  };
}

export function isEmptyDiff(diff: PolicyDiff): boolean {
  return diff.defaultTenant === null && [diff.tenants, diff.groups, diff.classes].every((list) => list.length === 0);
}

interface Change<Value> {
  readonly name: string;
  readonly kind: ChangeKind;
  readonly before: Value | null;
  readonly after: Value | null;
}

function changesOf<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
  isSame: (left: Value, right: Value) => boolean,
): Change<Value>[] {
  const changes = new Map<string, Change<Value>>();
  for (const [name, old] of before) {
    const now = after.get(name);
    if (now === undefined) changes.set(name, { name, kind: 'removed', before: old, after: null });
    else if (!isSame(old, now)) changes.set(name, { name, kind: 'changed', before: old, after: now });
  }
  for (const [name, now] of after) {
    if (!before.has(name)) changes.set(name, { name, kind: 'added', before: null, after: now });
  }
  return namesOf(changes).map(([, change]) => change);
}

function isSameTenant(left: TenantTerms, right: TenantTerms): boolean {
  return (
    left.weight === right.weight &&
    left.group === right.group &&
    left.class === right.class &&
    isSameQuota(left.quota, right.quota)
  );
}

function isSameQuota(left: QuotaTerms | null, right: QuotaTerms | null): boolean {
  if (left === null || right === null) return left === right;
  return (
    left.ratePerS === right.ratePerS &&
    left.burst === right.burst &&
    left.unit === right.unit &&
    left.mode === right.mode
  );
}

function isSameClass(left: ClassTerms, right: ClassTerms): boolean {
  return (
    left.weight === right.weight &&
    left.waitBudgetMs === right.waitBudgetMs &&
    left.target?.ratio === right.target?.ratio &&
    left.target?.waitBelowMs === right.target?.waitBelowMs
  );
}
