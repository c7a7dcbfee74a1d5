import { describe, expect, it } from 'vitest';
import { parsePolicy, parsePolicyWeights } from '../../../scheduler-core/policy/index.ts';
import { mistakesOf } from './policy-expectations.ts';

describe('the weights alone', () => {
  it('may be 0, as analytics allows and schedulers do not', () => {
    const text = 'fair_queue: { tenants: [{ name: a, weight: 0 }, { name: b, weight: 2 }, { name: c }] }';
    expect([...parsePolicyWeights(text)]).toEqual([
      ['a', 0],
      ['b', 2],
      ['c', 1],
    ]);
    expect(mistakesOf(text)).toEqual(['fair_queue.tenants[0].weight: must be a number > 0, not 0']);
    expect([...parsePolicyWeights('weights: { a: 0, 007: 2 }\ndiscipline: drr')]).toEqual([
      ['a', 0],
      ['007', 2],
    ]);
  });

  it('are relative to those of tenants that are not named', () => {
    expect([...parsePolicyWeights('weights: { a: 3 }\ndefault_tenant: { weight: 2 }')]).toEqual([['a', 1.5]]);
    expect(() => parsePolicyWeights('default_tenant: { weight: 0 }', { name: 'x.yaml' })).toThrow(
      'policy "x.yaml": default_tenant.weight: must be > 0: other weights are relative to it',
    );
  });

  it('stand in a whole policy too, where it is read for analytics', () => {
    const text = 'weights: { a: 0 }\ndefault_tenant: { weight: 0 }';
    const policy = parsePolicy(text, { allowsZeroWeight: true });
    expect([policy.tenants.get('a')?.weight, policy.defaultTenant.weight]).toEqual([0, 0]);
    expect(mistakesOf(text).length).toBe(2);
    expect(() => parsePolicy('weights: { a: -1 }', { allowsZeroWeight: true })).toThrow('must be a number ≥ 0, not -1');
  });

  it('are refused with everything else that is wrong', () => {
    expect(() => parsePolicyWeights('weights: { a: -1 }\nboots: {}')).toThrow(
      'the policy: weights.a: must be a number ≥ 0, not -1; boots: is not a key here (did you mean "boost"?)',
    );
  });
});
