import { leaveBelowOf } from './degradation-fields.ts';
import { DEFAULT_QUANTUM_COST, UNSAID, type Unsaid } from './discipline-fields.ts';
import { DEFAULT_WAIT_BUDGET } from './guard-fields.ts';
import type {
  ClassPolicy,
  DegradationPolicy,
  Discipline,
  GroupPolicy,
  Policy,
  TenantPolicy,
  WaitBudgetPolicy,
} from './policy.ts';
import { NOTHING_SAID_OF_TENANT, type PolicyParts } from './policy-parts.ts';
import type { TenantParts } from './tenant-fields.ts';

/** A policy from what a file says, every default filled in. The parts are without mistakes. */
export function buildPolicy(parts: PolicyParts, fallbackName: string): Policy {
  const defaultTenant = tenantOf(parts.defaultTenant, {
    weight: 1,
    class: null,
    queueLimit: parts.queue.perTenantLimit,
    quota: null,
    waitBudgetMs: null,
    group: null,
  });
  const tenants = tenantsOf(parts, defaultTenant);
  const classes = classesOf(parts);
  return {
    name: parts.name ?? fallbackName,
    costUnit: parts.costUnit,
    settle: said(parts.settle, parts.costUnit !== 'requests'),
    discipline: disciplineOf(parts, classes),
    totalLimit: parts.queue.totalLimit,
    tenants,
    defaultTenant,
    refuseUnknown: parts.refuseUnknown,
    classes,
    groups: groupsOf(parts),
    shuffleSharding: parts.shuffleSharding,
    starvationGuard: parts.starvationGuard,
    waitBudget: said(parts.waitBudget, waitBudgetFor([defaultTenant, ...tenants.values(), ...classes.values()])),
    boost: parts.boost,
    circuitBreaker: parts.circuitBreaker,
    sloWeights: parts.sloWeights,
    adaptiveAdmission: parts.adaptiveAdmission,
    degradation: degradationOf(parts),
  };
}

function said<T>(value: T | Unsaid, otherwise: T): T {
  return value === UNSAID ? otherwise : value;
}

function tenantOf(parts: TenantParts, otherwise: TenantPolicy): TenantPolicy {
  return {
    weight: said(parts.weight, otherwise.weight),
    class: said(parts.class, otherwise.class),
    queueLimit: said(parts.queueLimit, otherwise.queueLimit),
    quota: said(parts.quota, otherwise.quota),
    waitBudgetMs: said(parts.waitBudgetMs, otherwise.waitBudgetMs),
    group: null,
  };
}

function tenantsOf(parts: PolicyParts, defaultTenant: TenantPolicy): Map<string, TenantPolicy> {
  const tenants = new Map<string, TenantPolicy>();
  for (const { value } of parts.tenants.items) {
    tenants.set(value.name, { ...tenantOf(value, defaultTenant), group: value.group });
  }
  for (const { value } of parts.weights.items) {
    tenants.set(value.name, tenantOf({ ...NOTHING_SAID_OF_TENANT, weight: value.value }, defaultTenant));
  }
  return tenants;
}

/** The classes as listed; where none is, those that `order` and tenants name, in the order in which they do. */
function classesOf({ classes, discipline, tenants, defaultTenant }: PolicyParts): Map<string, ClassPolicy> {
  const known = new Map<string, ClassPolicy>();
  for (const { value } of classes.items) {
    const { weight, waitBudgetMs, target } = value;
    known.set(value.name, { weight, waitBudgetMs, target });
  }
  const order = discipline.kind === 'priority' && discipline.order !== UNSAID ? discipline.order.items : [];
  const named = [
    ...order.map(({ value }) => value),
    ...tenants.items.map(({ value }) => value.class),
    defaultTenant.class,
  ];
  for (const name of named) {
    if (typeof name === 'string' && !known.has(name)) known.set(name, { weight: 1, waitBudgetMs: null, target: null });
  }
  return known;
}

/** The groups as listed; where none is, those that tenants name. */
function groupsOf({ groups, tenants }: PolicyParts): Map<string, GroupPolicy> {
  const known = new Map(groups.items.map(({ value: { name, value } }) => [name, value]));
  for (const { value } of tenants.items) {
    if (value.group !== null && !known.has(value.group)) known.set(value.group, { weight: 1 });
  }
  return known;
}

function disciplineOf({ discipline, costUnit }: PolicyParts, classes: ReadonlyMap<string, ClassPolicy>): Discipline {
  switch (discipline.kind) {
    case 'drr':
      return { kind: 'drr', quantumCost: said(discipline.quantumCost, DEFAULT_QUANTUM_COST[costUnit]) };
    case 'priority': {
      const order =
        discipline.order === UNSAID ? [...classes.keys()] : discipline.order.items.map(({ value }) => value);
      return { kind: 'priority', mode: discipline.mode, order };
    }
    default:
      return discipline;
  }
}

/** Whoever states a budget wants it kept. */
function waitBudgetFor(all: readonly { readonly waitBudgetMs: number | null }[]): WaitBudgetPolicy | null {
  return all.some(({ waitBudgetMs }) => waitBudgetMs !== null) ? DEFAULT_WAIT_BUDGET : null;
}

function degradationOf({ degradation }: PolicyParts): DegradationPolicy | null {
  if (degradation === null) return null;
  const levels = degradation.levels.items.map(({ value }) => ({
    name: value.name,
    enterAbove: value.enterAbove,
    leaveBelow: leaveBelowOf(value),
    action: value.action,
    class: value.class,
  }));
  return { ...degradation, levels };
}
