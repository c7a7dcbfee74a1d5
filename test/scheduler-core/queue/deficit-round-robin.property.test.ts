import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Request } from '../../../scheduler-core/model.ts';
import { DeficitRoundRobinQueue, FifoQueue, type QueueDiscipline } from '../../../scheduler-core/queue/index.ts';
import { NaiveRoundRobin } from './naive-round-robin.ts';

const TENANTS = ['a', 'b', 'c', 'd', 'e'];
/** Powers of two, so that the oracle's sums are exact. */
const weight = fc.constantFrom(0.25, 0.5, 1, 2, 4);
const weights = fc.record(Object.fromEntries(TENANTS.map((tenant) => [tenant, weight])));
/** From far below the costs (rounds must be skipped) to far above them. */
const quantum = fc.constantFrom(0.25, 1, 7, 64, 500);
const cost = fc.integer({ min: 0, max: 200 });

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ tenant: fc.constantFrom(...TENANTS), cost }) },
  { weight: 2, arbitrary: fc.constant('take' as const) },
);

describe('deficit round robin against a slow one that skips nothing', () => {
  it('makes the same decision at every step, whatever comes in between', () => {
    fc.assert(
      fc.property(quantum, weights, fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 120 }), (...drawn) => {
        const [quantumCost, weightByTenant, perTenantLimit, steps] = drawn;
        const fast = new DeficitRoundRobinQueue<Request>({
          quantumCost,
          perTenantLimit,
          weights: new Map(Object.entries(weightByTenant)),
        });
        const slow = new NaiveRoundRobin(quantumCost, perTenantLimit, (tenant) => weightByTenant[tenant] ?? 1);
        for (const [index, each] of steps.entries()) {
          if (each === 'take') {
            expect(fast.take()).toBe(slow.take());
          } else {
            const request = { id: `${index}`, tenant: each.tenant, arrivedAtMs: 0, costEstimate: each.cost, slots: 1 };
            expect(fast.offer(request).refused === null).toBe(slow.offer(request));
          }
          expect(fast.size).toBe(slow.active.reduce((sum, { waiting }) => sum + waiting.length, 0));
        }
        for (let next = slow.take(); next !== null; next = slow.take()) expect(fast.take()).toBe(next);
        expect(fast.take()).toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});

/** Some tenants, each with a weight and what it has waiting from the start, offered in the order of `order`. */
const backlog = fc.uniqueArray(fc.constantFrom(...TENANTS), { minLength: 2 }).chain((tenants) =>
  fc.record({
    quantumCost: quantum,
    weights: fc.tuple(...tenants.map((tenant) => fc.tuple(fc.constant(tenant), weight))),
    requests: fc
      .tuple(...tenants.map((tenant) => fc.array(fc.tuple(fc.constant(tenant), cost), { minLength: 1, maxLength: 40 })))
      .chain((perTenant) => fc.shuffledSubarray(perTenant.flat(), { minLength: perTenant.flat().length })),
  }),
);

type Backlog = typeof backlog extends fc.Arbitrary<infer T> ? T : never;

/**
 * Whether for all pairs of tenants that still wait, over every interval so far, the normalized services differ by at
 * most Q + L/wᵢ + L/wⱼ: the spread of servedᵢ/wᵢ − servedⱼ/wⱼ over time is the worst interval's difference.
 */
function keepsTheBound(queue: QueueDiscipline<Request>, { quantumCost, weights, requests }: Backlog): boolean {
  const waiting = new Map<string, number>();
  for (const [index, [tenant, costEstimate]] of requests.entries()) {
    queue.offer({ id: `${index}`, tenant, arrivedAtMs: 0, costEstimate, slots: 1 }, 0);
    waiting.set(tenant, (waiting.get(tenant) ?? 0) + 1);
  }
  const largestCost = Math.max(...requests.map(([, each]) => each));
  const normalized = new Map(weights.map(([tenant]) => [tenant, 0]));
  const weightByTenant = new Map(weights);
  const pairs = weights.flatMap(([one, oneWeight], index) =>
    weights.slice(index + 1).map(([other, otherWeight]) => ({
      one,
      other,
      bound: quantumCost + largestCost / oneWeight + largestCost / otherWeight,
      least: 0,
      greatest: 0,
    })),
  );
  for (let taken = queue.take(0); taken !== null; taken = queue.take(0)) {
    const { tenant, costEstimate } = taken;
    normalized.set(tenant, (normalized.get(tenant) ?? 0) + costEstimate / (weightByTenant.get(tenant) ?? 1));
    waiting.set(tenant, (waiting.get(tenant) ?? 0) - 1);
    for (const pair of pairs) {
      if (waiting.get(pair.one) === 0 || waiting.get(pair.other) === 0) continue;
      const difference = (normalized.get(pair.one) ?? 0) - (normalized.get(pair.other) ?? 0);
      pair.least = Math.min(pair.least, difference);
      pair.greatest = Math.max(pair.greatest, difference);
      if (pair.greatest - pair.least > pair.bound + 1e-9) return false;
    }
  }
  return true;
}

describe('the fairness bound |served_i/w_i − served_j/w_j| ≤ Q + L/w_i + L/w_j of tenants that wait throughout', () => {
  it('holds under deficit round robin, over every interval', () => {
    fc.assert(
      fc.property(backlog, (drawn) => {
        const weightByTenant = new Map(drawn.weights);
        const { quantumCost } = drawn;
        const options = { quantumCost, perTenantLimit: 100, weights: weightByTenant };
        return keepsTheBound(new DeficitRoundRobinQueue<Request>(options), drawn);
      }),
      { numRuns: 500 },
    );
  });

  it('is broken by fifo, the control', () => {
    const fifo = fc.property(backlog, (drawn) => keepsTheBound(new FifoQueue<Request>({ totalLimit: 1000 }), drawn));
    expect(fc.check(fifo, { numRuns: 500 }).failed).toBe(true);
  });
});
