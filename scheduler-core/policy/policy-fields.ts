import { checkLimits, checkParts } from './check-parts.ts';
import { adaptiveAdmissionField, sloWeightsField } from './controller-fields.ts';
import { degradationField } from './degradation-fields.ts';
import { type DisciplineParts, disciplineField, UNSAID, type Unsaid } from './discipline-fields.ts';
import { choice, type Field, flag, orNull, text } from './field.ts';
import {
  boostField,
  circuitBreakerField,
  shuffleShardingField,
  starvationGuardField,
  waitBudgetField,
} from './guard-fields.ts';
import type { PolicyCostUnit, WaitBudgetPolicy } from './policy.ts';
import { NO_QUEUE_LIMITS, NONE, NOTHING_SAID_OF_TENANT, type PolicyParts, type QueueParts } from './policy-parts.ts';
import { type Key, type Keys, key, record } from './record.ts';
import {
  classesField,
  defaultTenantField,
  groupsField,
  queueLimitField,
  tenantsField,
  weightsField,
} from './tenant-fields.ts';

export const COST_UNITS: ReadonlyMap<string, PolicyCostUnit> = new Map([
  ['requests', 'requests'],
  ['service_ms', 'service_ms'],
  ['tokens', 'tokens'],
  ['estimated_tokens', 'tokens'],
]);

export const nameOfPolicyKey: Key<string | null> = key<string | null>(
  {
    name: 'name',
    about: 'What results call the policy.',
    absent: null,
    defaultText: 'the name of the file',
  },
  text('a name, not empty'),
);

export function costUnitKey(absent: PolicyCostUnit): Key<PolicyCostUnit> {
  const about = 'What a request costs: 1 each, or what it says of itself in this unit. estimated_tokens is tokens.';
  return key({ name: 'cost_unit', about, absent }, choice(COST_UNITS));
}

export const settleKey: Key<boolean | Unsaid> = key<boolean | Unsaid>(
  {
    name: 'settle',
    about: 'Whether the difference between estimated and actual cost is charged on completion.',
    absent: UNSAID,
    defaultText: 'true; false for requests',
  },
  flag(),
);

export const disciplineKey: Key<DisciplineParts> = key(
  { name: 'discipline', about: 'Who is next.', absent: { kind: 'wfq' }, defaultText: 'wfq' },
  disciplineField,
);

const queueField = record<QueueParts>(
  {
    totalLimit: key(
      {
        name: 'total_limit',
        about: 'Requests that may wait in all.',
        absent: NO_QUEUE_LIMITS.totalLimit,
        defaultText: 'unlimited',
      },
      queueLimitField,
    ),
    perTenantLimit: key(
      {
        name: 'per_tenant_limit',
        about: 'Requests of one tenant that may wait, where it is not said of the tenant.',
        absent: NO_QUEUE_LIMITS.perTenantLimit,
        defaultText: 'unlimited',
      },
      queueLimitField,
    ),
  },
  { what: 'a mapping' },
);

/** A part of a policy that is off where it is not named. */
function part<T>(name: string, about: string, field: Field<T>): Key<T | null> {
  return key<T | null>({ name, about, absent: null }, orNull(field));
}

function policyKeys(weight: Field<number>): Keys<PolicyParts> {
  return {
    name: nameOfPolicyKey,
    costUnit: costUnitKey('requests'),
    settle: settleKey,
    discipline: disciplineKey,
    queue: key(
      { name: 'queue', about: 'How many may wait.', absent: NO_QUEUE_LIMITS, defaultText: 'no limits' },
      queueField,
    ),
    tenants: key(
      { name: 'tenants', about: 'What holds for each.', absent: NONE, defaultText: 'none' },
      tenantsField(weight),
    ),
    weights: key(
      {
        name: 'weights',
        about: 'Short for tenants of which nothing else is said.',
        absent: NONE,
        defaultText: 'none',
      },
      weightsField(weight),
    ),
    defaultTenant: key(
      {
        name: 'default_tenant',
        about: 'What holds for tenants that are not named, and where a named one leaves something out.',
        absent: NOTHING_SAID_OF_TENANT,
        defaultText: 'weight 1',
      },
      defaultTenantField(weight),
    ),
    refuseUnknown: key(
      { name: 'refuse_unknown_tenants', about: 'Whether tenants that are not named are refused.', absent: false },
      flag(),
    ),
    classes: key(
      {
        name: 'classes',
        about: 'A list of mappings with a name each, or a mapping from names. Where it stands, it holds every class.',
        absent: NONE,
        defaultText: 'those that tenants name',
      },
      classesField,
    ),
    groups: key(
      {
        name: 'groups',
        about: 'A mapping from names. Where it stands, it holds every group. Schedulers do not look at it.',
        absent: NONE,
        defaultText: 'those that tenants name',
      },
      groupsField,
    ),
    shuffleSharding: part('shuffle_sharding', 'Many tenants dealt onto few queues.', shuffleShardingField),
    starvationGuard: part('starvation_guard', 'Requests that waited too long go first.', starvationGuardField),
    waitBudget: key<WaitBudgetPolicy | null | Unsaid>(
      {
        name: 'wait_budget',
        about: 'What happens to requests that cannot be served within their wait budgets.',
        absent: UNSAID,
        defaultText: 'on where a tenant or class has a budget',
      },
      orNull(waitBudgetField),
    ),
    boost: part('boost', 'Classes that were not served for long go first.', boostField),
    circuitBreaker: part('circuit_breaker', 'Refuses tenants whose calls keep failing.', circuitBreakerField),
    sloWeights: part('slo_weights', 'Weights of classes follow how well they meet their targets.', sloWeightsField),
    adaptiveAdmission: part('adaptive_admission', 'Refill rates of quotas follow the load.', adaptiveAdmissionField),
    degradation: part('degradation', 'What gives way under load, step by step.', degradationField),
  };
}

/** The fuller form: every field of a policy. */
export function policyField(weight: Field<number>): Field<PolicyParts> {
  return record<PolicyParts>(policyKeys(weight), {
    what: 'a mapping',
    check: (parts, place) => {
      checkParts({ ...parts, levels: parts.degradation === null ? NONE : parts.degradation?.levels }, place);
      checkLimits(parts, place);
    },
  });
}
