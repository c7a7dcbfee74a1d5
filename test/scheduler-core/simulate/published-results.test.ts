import { describe, expect, it } from 'vitest';
import {
  type EndedRequest,
  type PolicyResult,
  readFigure,
  scenarioRequests,
  simulate,
} from '../../../scheduler-core/simulate/index.ts';
import { readScenario, runScenario, tenantOf } from './scenario-files.ts';

function expectWithin(result: PolicyResult, figure: string, [low, high]: readonly [number, number]): void {
  const value = readFigure(result, figure);
  expect(value, `${result.policy}: ${figure}`).toBeGreaterThanOrEqual(low);
  expect(value, `${result.policy}: ${figure}`).toBeLessThanOrEqual(high);
}

describe('three tenants of weights 8:2:1', () => {
  const scenario = readScenario('three-tenants');
  const figuresOf = (result: PolicyResult) => ({
    completions: ['A', 'B', 'C'].map((tenant) => tenantOf(result, tenant).completed),
    ratios: ['A', 'B', 'C'].map((tenant) => Math.round(10_000 * (tenantOf(result, tenant).completed_ratio ?? 0)) / 100),
    worstA: tenantOf(result, 'A').max_sojourn_ms,
    worstB: tenantOf(result, 'B').max_sojourn_ms,
    promotions: result.promotions,
    meanSojournMs: Math.round(10 * (result.mean_sojourn_ms ?? 0)) / 10,
  });

  it('are served as published under weighted fair queueing', () => {
    expect(figuresOf(runScenario(scenario, 'wfq', 1))).toEqual({
      completions: [224, 56, 20],
      ratios: [74.67, 18.67, 6.67],
      worstA: 960,
      worstB: 1720,
      promotions: 0,
      meanSojournMs: 615.7,
    });
  });

  it('and with a guard of 200 ms without budgets', () => {
    expect(figuresOf(runScenario(scenario, 'wfq-guard-200ms', 1))).toEqual({
      completions: [190, 91, 19],
      ratios: [63.33, 30.33, 6.33],
      worstA: 1210,
      worstB: 310,
      promotions: 363,
      meanSojournMs: 615.7,
    });
  });

  it('do not depend on the seed: nothing in them is chance', () => {
    expect(runScenario(scenario, 'wfq', 7)).toEqual(runScenario(scenario, 'wfq', 8));
  });
});

describe.each([1, 2, 3, 29])('the noisy neighbour by its scenario file, seed %i', (seed) => {
  const scenario = readScenario('noisy-neighbour');

  /** What holds under a fair discipline; fifo, the control, must break every one. */
  const claims: Readonly<Record<string, (result: PolicyResult) => boolean>> = {
    'the Jain index is at least 0.999': ({ jain_index: jain }) => jain !== null && jain >= 0.999,
    'nobody gets less than 0.956 of its share': ({ min_normalized_share: least }) => (least?.value ?? 0) >= 0.956,
    'the in-share p99 is 17.9 to 24.3 ms': ({ in_share_p99_wait_ms: p99 }) =>
      p99 !== null && p99 >= 17.9 && p99 <= 24.3,
    'no tenant within its share is refused': ({ tenants }) =>
      tenants.every(({ in_share, rejected }) => in_share !== true || Object.keys(rejected).length === 0),
    'all within their share complete 97% of their demand': ({ tenants }) =>
      tenants.every(
        ({ in_share, completed_cost, demand_cost }) => in_share !== true || completed_cost >= 0.97 * demand_cost - 5,
      ),
  };
  const thatHold = (result: PolicyResult): string[] =>
    Object.entries(claims).flatMap(([claim, holds]) => (holds(result) ? [claim] : []));

  it('starves the others under fifo, as published: every claim of fairness breaks', () => {
    const fifo = runScenario(scenario, 'fifo', seed);
    expectWithin(fifo, 'jain_index', [0.704, 0.773]);
    expectWithin(fifo, 'in_share_p99_wait_ms', [2531, 2728]);
    expectWithin(fifo, 'heavy.rate_rps', [640, 720]);
    expect(thatHold(fifo)).toEqual([]);
  });

  it('costs the others nothing under deficit round robin', () => {
    const drr = runScenario(scenario, 'drr', seed);
    expect(thatHold(drr)).toEqual(Object.keys(claims));
    expect(drr.tenants.filter(({ in_share }) => in_share === true)).toHaveLength(24);
    expectWithin(drr, 'heavy.rate_rps', [430, 490]);
    expectWithin(drr, 'utilization_ratio', [0.93, 0.97]);
    expect(drr.idle_while_waiting_ratio).toBe(0);
  });

  it('is held by its quota, which costs the others a wait where they queue behind it', () => {
    const quota = runScenario(scenario, 'quota', seed);
    const both = runScenario(scenario, 'drr-quota', seed);
    expectWithin(quota, 'in_share_p99_wait_ms', [93, 405]);
    for (const result of [quota, both]) {
      expectWithin(result, 'heavy.rate_rps', [440, 462.5]);
      expectWithin(result, 'jain_index', [0.999, 1]);
      expectWithin(result, 'min_normalized_share', [0.95, 1.01]);
      expectWithin(result, 'utilization_ratio', [0.93, 0.96]);
    }
    expectWithin(both, 'in_share_uncapped_p99_wait_ms', [16, 26]);
  });

  it('alone has nearly all of the pool, but for its quota', () => {
    const alone = readScenario('noisy-neighbour-alone');
    expectWithin(runScenario(alone, 'fifo', seed), 'heavy.rate_rps', [770, 815]);
    expectWithin(runScenario(alone, 'drr', seed), 'heavy.rate_rps', [770, 815]);
    expectWithin(runScenario(alone, 'quota', seed), 'heavy.rate_rps', [445, 456]);
  });
});

describe.each([1, 2])('the gateway rush, seed %i', (seed) => {
  const scenario = readScenario('gateway-rush');
  const run = (policy: string): PolicyResult => runScenario(scenario, policy, seed);

  it('keeps marketing waiting for a minute under fifo; 1,350 and more outlive their budgets', () => {
    expectWithin(run('fifo'), 'marketing.wait_ms.p95', [56_500, 58_500]);
    expectWithin(run('fifo-impatient'), 'over_budget', [1330, 1430]);
  });

  it('costs nobody a budget under the fair queue, with the same work done by 130 s', () => {
    const fair = run('fair');
    expectWithin(fair, 'marketing.wait_ms.p95', [110, 160]);
    expect(fair.over_budget).toBe(0);
    expect(fair.rejected).toEqual({});
    expect(Math.abs(fair.completed_cost / run('fifo').completed_cost - 1)).toBeLessThan(0.01);
    expect(fair.idle_while_waiting_ratio).toBe(0);
  });

  it('waits twice as long for its tokens without weights', () => {
    const p95 = (policy: string): number => tenantOf(run(policy), 'marketing').wait_ms.p95 ?? 0;
    expect(p95('fair-without-weights')).toBeGreaterThan(1.5 * p95('fair'));
  });

  it('raises the first level with a limit of 6000, and recovers by itself', () => {
    const { controllers } = run('fair-limit-6000');
    expect(controllers?.levels.map(({ what }) => what)).toEqual(['L1']);
    expect(controllers?.levels[0]?.from_ms).toBeLessThan(15_000);
    expect(controllers?.levels[0]?.to_ms).toBeLessThan(120_000);
    expect(run('fair-limit-6000-without-degradation').controllers?.levels).toEqual([]);
  });
});

describe.each([1, 2])('four tiers, seed %i', (seed) => {
  const scenario = readScenario('four-tiers');
  const fair = runScenario(scenario, 'fair', seed);
  const fifo = runScenario(scenario, 'fifo', seed);

  it('are refused from the cheapest on, and the dearest never', () => {
    expectWithin(fair, 'BRONZE.first_rejected_at_ms', [20_150, 20_450]);
    expectWithin(fair, 'SILVER.first_rejected_at_ms', [20_500, 21_000]);
    expectWithin(fair, 'GOLD.first_rejected_at_ms', [21_300, 22_400]);
    expect(tenantOf(fair, 'PLATINUM').first_rejected_at_ms).toBeNull();
    expect(tenantOf(fifo, 'PLATINUM').first_rejected_at_ms).not.toBeNull();
  });

  it('wait by what they pay; under fifo all alike', () => {
    expectWithin(fair, 'PLATINUM.wait_ms.p99', [50, 250]);
    for (const tier of ['GOLD', 'SILVER', 'BRONZE']) expectWithin(fair, `${tier}.wait_ms.p99`, [1300, 2500]);
    const waits = fifo.tenants.map(({ wait_ms: wait }) => wait.p99 ?? 0);
    expect(Math.max(...waits) / Math.min(...waits)).toBeLessThan(1.05);
    expect(fair.jain_index).toBeGreaterThan(0.995);
    expect(fifo.jain_index).toBeLessThan(0.98);
    expect(runScenario(scenario, 'fair-without-weights', seed).jain_index).toBeLessThan(0.8);
  });

  it('lose nothing to a second worker that steals, and half to one that does not', () => {
    const stealing = runScenario(readScenario('four-tiers-stealing'), 'fair', seed);
    const alone = runScenario(readScenario('four-tiers-workers'), 'fair', seed);
    const shared = fair.utilization_ratio ?? 0;
    expect(stealing.utilization_ratio).toBeGreaterThan(0.98 * shared);
    expect(stealing.idle_while_waiting_ratio).toBe(0);
    // One queue of 8 is not saturated before and after the burst: there half of the slots suffice.
    expect(alone.completed_cost / fair.completed_cost).toBeCloseTo(0.5, 1);
    expect(alone.idle_while_waiting_ratio).toBeCloseTo(0.5, 1);
  });

  it('shut a tenant out whose calls fail, and let it in again by few probes within 6 s of its recovery', () => {
    const failures = readScenario('four-tiers-failures');
    const refusals = (policy: string) => tenantOf(runScenario(failures, policy, seed), 'GOLD').rejected_between_ms;
    const { circuit_open: shut } = refusals('fair');
    expect(shut?.first).toBeGreaterThan(45_000);
    expect(shut?.first).toBeLessThan(45_300);
    expect(shut?.last).toBeGreaterThan(48_000);
    expect(shut?.last).toBeLessThan(54_000);
    for (const policy of ['fifo', 'fair-without-circuit-breaker'])
      expect(refusals(policy).circuit_open).toBeUndefined();

    const policy = failures.policies.find(({ name }) => name === 'fair');
    if (policy === undefined) throw new Error('there is no fair policy');
    const calls: EndedRequest[] = [];
    simulate(policy, scenarioRequests(failures, seed), {
      slots: 8,
      seed,
      onEnded: (ended) => {
        if (ended.request.tenant === 'GOLD' && ended.outcome === 'served') calls.push(ended);
      },
    });
    const lastErrorMs = Math.max(...calls.filter(({ status }) => status === 'error').map(({ endedAtMs }) => endedAtMs));
    const probes = calls.filter(({ request }) => request.arrivedAtMs > lastErrorMs);
    const closedAtMs = probes.map(({ endedAtMs }) => endedAtMs).sort((left, right) => left - right)[2] ?? 0;
    expect(closedAtMs).toBeLessThan(54_000);
    const admitted = probes.filter(({ request }) => request.arrivedAtMs < closedAtMs);
    for (const { request } of admitted) {
      const atOnce = admitted.filter(
        (other) => other.request.arrivedAtMs <= request.arrivedAtMs && other.endedAtMs > request.arrivedAtMs,
      );
      expect(atOnce.length).toBeLessThanOrEqual(3);
    }
  });
});
