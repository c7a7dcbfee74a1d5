import { describe, expect, it } from 'vitest';
import { readScenario, runScenario, tenantOf } from './scenario-files.ts';

describe.each([1, 3, 4])('three classes with targets, seed %i', (seed) => {
  const scenario = readScenario('slo-classes');
  const p99 = (policy: string, tenant: string): number =>
    tenantOf(runScenario(scenario, policy, seed), tenant).wait_ms.p99 ?? Number.NaN;
  const longest = (policy: string, tenant: string): number =>
    tenantOf(runScenario(scenario, policy, seed), tenant).max_wait_ms ?? Number.NaN;

  it.each(['fair', 'fair-drr'])(
    'keep their promises under %s: P0 waits little, P2 not for ever, weights do not oscillate',
    (policy) => {
      const result = runScenario(scenario, policy, seed);
      expect(tenantOf(result, 'P0').wait_ms.p99).toBeLessThan(300);
      expect(tenantOf(result, 'P2').max_wait_ms).toBeLessThan(90_000);
      for (const { turns } of result.controllers?.class_weights ?? []) expect(turns).toBeLessThanOrEqual(2);
      expect(result.controllers?.class_weights.map((each) => each.class)).toEqual(['P0', 'P1', 'P2']);
    },
  );

  it('do not under fifo, nor the last of them under strict priority', () => {
    expect(p99('fifo', 'P0')).toBeGreaterThan(14_000);
    expect(longest('strict', 'P2')).toBeGreaterThan(90_000);
  });

  it('with fixed weights keep P1 waiting for ten seconds', () => {
    expect(longest('fixed-weights', 'P2')).toBeGreaterThan(75_000);
    expect(p99('fixed-weights', 'P1')).toBeGreaterThan(8_000);
  });
});
