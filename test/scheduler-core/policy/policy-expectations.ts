import { expect } from 'vitest';
import { EvenshareError } from '../../../scheduler-core/kernel/index.ts';
import { type Policy, parsePolicy } from '../../../scheduler-core/policy/index.ts';

export const INF = Number.POSITIVE_INFINITY;

/** What holds where a file says nothing. */
export const BARE: Policy = {
  name: 'policy',
  costUnit: 'requests',
  settle: false,
  discipline: { kind: 'wfq' },
  totalLimit: INF,
  tenants: new Map(),
  defaultTenant: { weight: 1, class: null, queueLimit: INF, quota: null, waitBudgetMs: null, group: null },
  refuseUnknown: false,
  classes: new Map(),
  groups: new Map(),
  shuffleSharding: null,
  starvationGuard: null,
  waitBudget: null,
  boost: null,
  circuitBreaker: null,
  sloWeights: null,
  adaptiveAdmission: null,
  degradation: null,
};

/** The mistakes of a policy, one an item. */
export function mistakesOf(source: unknown): string[] {
  try {
    parsePolicy(source);
  } catch (error) {
    expect(error).toBeInstanceOf(EvenshareError);
    const { code, message } = error as EvenshareError;
    expect(code).toBe('EVS_POLICY');
    expect(message).not.toMatch(/[\n\r\u2028\u2029]/);
    return message.replace(/^the policy: /, '').split('; ');
  }
  return [];
}
