import type { Policy, TenantPolicy } from '../../policy/policy.ts';

type Removal = (policy: Policy) => Policy;

function eachTenant(policy: Policy, change: (tenant: TenantPolicy) => TenantPolicy): Policy {
  return {
    ...policy,
    defaultTenant: change(policy.defaultTenant),
    tenants: new Map(Array.from(policy.tenants, ([name, tenant]) => [name, change(tenant)])),
  };
}

/** Parts of a policy that a comparison may leave out, and what is left then. */
const REMOVALS = new Map<string, Removal>([
  ['token_cost', (policy) => ({ ...policy, costUnit: 'requests', settle: false })],
  ['settlement', (policy) => ({ ...policy, settle: false })],
  ['quotas', (policy) => eachTenant(policy, (tenant) => ({ ...tenant, quota: null }))],
  ['weights', (policy) => eachTenant(policy, (tenant) => ({ ...tenant, weight: 1 }))],
  ['starvation_guard', (policy) => ({ ...policy, starvationGuard: null })],
  ['wait_budget', (policy) => ({ ...policy, waitBudget: null })],
  ['boost', (policy) => ({ ...policy, boost: null })],
  ['circuit_breaker', (policy) => ({ ...policy, circuitBreaker: null })],
  ['slo_weights', (policy) => ({ ...policy, sloWeights: null })],
  ['adaptive_admission', (policy) => ({ ...policy, adaptiveAdmission: null })],
  ['degradation', (policy) => ({ ...policy, degradation: null })],
]);

export const MECHANISMS: readonly string[] = [...REMOVALS.keys()];

/** The policy without some of its mechanisms (names of `MECHANISMS`), under another name. */
export function withoutMechanisms(policy: Policy, name: string, mechanisms: readonly string[]): Policy {
  let left: Policy = { ...policy, name };
  for (const mechanism of mechanisms) left = REMOVALS.get(mechanism)?.(left) ?? left;
  return left;
}
