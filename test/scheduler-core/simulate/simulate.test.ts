import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecisionEvent } from '../../../ingest/event/decision-event.ts';
import { type Policy, parsePolicy } from '../../../scheduler-core/policy/index.ts';
import { jainIndex, quantileRank } from '../../../scheduler-core/share/index.ts';
import {
  type EndedRequest,
  noisyNeighbour,
  noisyNeighbourPolicy,
  type SimulatedRequest,
  simulate,
} from '../../../scheduler-core/simulate/index.ts';
import { literalWindows } from '../../support/literal-windows.ts';

const FIFO = parsePolicy({ name: 'fifo', discipline: 'fifo', queue: { total_limit: 40 } });
const QUOTA = parsePolicy({
  name: 'quota',
  discipline: { kind: 'drr', quantum: 1 },
  queue: { per_tenant_limit: 20 },
  tenants: [{ name: 'heavy', weight: 2, quota: { rate_per_s: 300, burst: 20 } }],
});

function eventOf({ request, outcome, reason, dispatchedAtMs, endedAtMs }: EndedRequest): DecisionEvent {
  const isRejected = outcome === 'rejected';
  const isInstant = isRejected && endedAtMs === request.arrivedAtMs;
  return {
    requestId: request.id,
    pool: 'p',
    tenant: request.tenant,
    attempt: 1,
    arrivedAtMs: request.arrivedAtMs,
    class: null,
    outcome: isRejected ? 'rejected' : 'admitted',
    reason: reason === 'quota' ? 'quota' : isRejected ? 'queue_full' : null,
    dispatchedAtMs,
    completedAtMs: isInstant ? null : endedAtMs,
    status: null,
    costEstimate: null,
    cost: 1,
    inputTokens: null,
    outputTokens: null,
    slots: request.slots ?? 1,
    originalRequestId: null,
    retryAfterMs: null,
    promoted: null,
    weight: null,
    queueDepth: null,
    waitBudgetMs: null,
    gateway: null,
    labels: null,
    tenantProvenance: null,
    waitProvenance: null,
  };
}

function requestsOf(seed: number, patienceMs: number | null): SimulatedRequest[] {
  const bursts = [{ fromMs: 500, toMs: 1500 }];
  const drawn = [...noisyNeighbour({ seed, durationMs: 2000, bursts, rateScale: 0.4 })];
  if (patienceMs === null) return drawn;
  const client = { givesUpAfterMs: patienceMs, retry: null, failing: [] };
  return drawn.map((request) => ({ ...request, client }));
}

describe('simulate', () => {
  it('has the shares, the Jain index and the waits that the definitions say, computed literally', () => {
    const property = fc.property(
      fc.nat(1000),
      fc.constantFrom(FIFO, QUOTA, noisyNeighbourPolicy('drr')),
      fc.option(fc.integer({ min: 5, max: 200 })),
      fc.integer({ min: 0, max: 3 }),
      (seed, policy, patienceMs, step) => {
        const ended: EndedRequest[] = [];
        const measured = { fromMs: 500 * step, toMs: 500 * step + 500 };
        const [result] = simulate(policy, requestsOf(seed, patienceMs), {
          slots: 3,
          run: { fromMs: 0, toMs: 2000 },
          measured,
          onEnded: (each) => ended.push(each),
        }).policies;
        const endMs = Math.max(...ended.map(({ endedAtMs }) => endedAtMs));
        const window = literalWindows(ended.map(eventOf), {
          windowMs: 500,
          fromMs: 0,
          toMs: measured.toMs,
          watermarkMs: endMs,
          maxRequestAgeMs: Number.POSITIVE_INFINITY,
          costUnit: 'requests',
          slots: 3,
          capacityPerS: null,
          weights: new Map(Array.from(policy.tenants, ([tenant, { weight }]) => [tenant, weight])),
        }).find(({ startMs }) => startMs === measured.fromMs);
        if (window === undefined || result === undefined) return;
        expect(result.capacity_cost).toBeCloseTo(window.capacity ?? Number.NaN, 6);
        expect(result.jain_index).toBeCloseTo(window.jain ?? Number.NaN, 9);
        expect(result.min_normalized_share?.value).toBeCloseTo(window.minimum?.value ?? Number.NaN, 9);
        expect(result.in_share_p99_wait_ms).toBe(quantileRank(window.inShareWaits, 0.99));
        expect(result.idle_while_waiting_ratio).toBeCloseTo(window.idleWhileWaiting ?? Number.NaN, 9);
        for (const tenant of result.tenants) {
          const expected = window.tenants.get(tenant.tenant);
          expect(tenant.demand_cost).toBeCloseTo(expected?.demand ?? 0, 9);
          expect(tenant.served_cost).toBeCloseTo(expected?.served ?? 0, 9);
          expect(tenant.fair_share_cost).toBeCloseTo(expected?.share ?? 0, 9);
          expect(tenant.lag_cost).toBeCloseTo(expected?.lag ?? 0, 9);
          expect(tenant.quota_refused_cost).toBe(expected?.quotaRefusedCost ?? 0);
        }
      },
    );
    fc.assert(property, { numRuns: 12 });
  });

  const noisy = (policies: Policy | readonly Policy[], seed: number) =>
    simulate(policies, noisyNeighbour({ seed, durationMs: 5000, bursts: [{ fromMs: 1000, toMs: 4000 }] }), {
      slots: 8,
      seed,
      measured: { fromMs: 1000, toMs: 4000 },
    });

  it('gives the same bytes for the same policy, requests and seed, and others for another', () => {
    const bytes = JSON.stringify(noisy([FIFO, QUOTA], 3));
    expect(JSON.stringify(noisy([FIFO, QUOTA], 3))).toBe(bytes);
    expect(JSON.stringify(noisy([FIFO, QUOTA], 4))).not.toBe(bytes);
  });

  it('gives a policy the same figures alone as beside others', () => {
    const [, beside] = noisy([FIFO, QUOTA], 3).policies;
    expect(noisy(QUOTA, 3).policies).toEqual([beside]);
  });

  it('reads requests that can be read but once', () => {
    const { requests, policies } = noisy([FIFO, QUOTA], 3);
    expect(requests).toBeGreaterThan(5000);
    for (const { tenants } of policies) {
      expect(tenants.reduce((sum, { arrived }) => sum + arrived, 0)).toBeGreaterThan(5000);
    }
  });

  it('counts every request once: what arrived was served, refused or given up', () => {
    for (const policy of [FIFO, QUOTA]) {
      const ended: EndedRequest[] = [];
      const [result] = simulate(policy, requestsOf(5, 50), { slots: 3, onEnded: (each) => ended.push(each) }).policies;
      const count = (outcome: EndedRequest['outcome']): number =>
        ended.filter((each) => each.outcome === outcome).length;
      const rejected = Object.values(result?.rejected ?? {}).reduce((sum, each) => sum + each, 0);
      expect([rejected, result?.given_up]).toEqual([count('rejected'), count('given_up')]);
      expect(ended).toHaveLength(requestsOf(5, 50).length);
    }
  });

  it('says why a figure is not known, and never 0 for it', () => {
    const [nobody] = simulate(FIFO, [], { slots: 1, measured: { fromMs: 0, toMs: 10 } }).policies;
    expect(nobody).toMatchObject({
      jain_index: null,
      jain_index_reason: 'nothing_served_yet',
      min_normalized_share: null,
      in_share_p99_wait_ms: null,
      in_share_p99_wait_reason: 'no_samples',
      mean_sojourn_ms: null,
      mean_sojourn_reason: 'no_samples',
      capacity_cost: null,
      capacity_reason: 'nothing_served_yet',
      tenants: [],
    });
  });

  it('has its Jain index over tenants with a share, as jainIndex has it', () => {
    const [result] = noisy(FIFO, 3).policies;
    const shares = result?.tenants.flatMap(({ normalized_share: share }) => (share === null ? [] : [share])) ?? [];
    expect(result?.jain_index).toBeCloseTo(jainIndex(shares) ?? Number.NaN, 12);
  });
});
