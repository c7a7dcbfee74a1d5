import { parsePolicy } from '../policy/parse-policy.ts';
import type { Discipline, Policy, PolicyCostUnit } from '../policy/policy.ts';

/** Disciplines that make a policy by themselves: equal weights, no limits, no quotas. */
export const PLAIN_POLICIES: readonly Exclude<Discipline['kind'], 'priority'>[] = ['fifo', 'drr', 'wfq', 'wf2q', 'vtc'];

export interface PlainPolicyOptions {
  readonly costUnit: PolicyCostUnit;
  /** Q of drr, in that unit; > 0. Default: that of policy files. */
  readonly quantumCost?: number;
}

/** The policy of a name of `PLAIN_POLICIES`; null for any other. */
export function plainPolicy(name: string, { costUnit, quantumCost }: PlainPolicyOptions): Policy | null {
  const kind = PLAIN_POLICIES.find((known) => known === name);
  if (kind === undefined) return null;
  const discipline = kind === 'drr' && quantumCost !== undefined ? { kind, quantum: quantumCost } : kind;
  return parsePolicy({ name, cost_unit: costUnit, discipline });
}
