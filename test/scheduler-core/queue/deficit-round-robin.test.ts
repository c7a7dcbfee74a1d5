import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, type TestContext } from 'vitest';
import type { Request } from '../../../scheduler-core/model.ts';
import { createQueue, DeficitRoundRobinQueue } from '../../../scheduler-core/queue/index.ts';
import { requirePart, type TestPart } from '../../support/require-part.ts';
import { drain, request } from './requests.ts';

interface VectorCase {
  readonly quantum: number;
  readonly queues: readonly (readonly number[])[];
  readonly expected: readonly (readonly [queue: number, cost: number])[];
  readonly deficitsAfterRound1?: readonly number[];
}

const DRR_VECTORS: TestPart = {
  name: 'drr.json',
  find: () => {
    const path = fileURLToPath(new URL('../../../../shared/vectors/drr.json', import.meta.url));
    return existsSync(path) ? path : null;
  },
  remedy: 'put the shared vectors beside the working tree',
};

function readVectors(context: TestContext): readonly VectorCase[] {
  const text = readFileSync(requirePart(context, DRR_VECTORS), 'utf8');
  // The vectors' README states this shape.
  return (JSON.parse(text) as { cases: VectorCase[] }).cases;
}

function queueOf(quantumCost: number, weights: Record<string, number> = {}): DeficitRoundRobinQueue<Request> {
  return new DeficitRoundRobinQueue<Request>({
    quantumCost,
    perTenantLimit: 100,
    weights: new Map(Object.entries(weights)),
  });
}

function served(queue: DeficitRoundRobinQueue<Request>): [string, number][] {
  return drain(queue).map(({ tenant, costEstimate }) => [tenant, costEstimate]);
}

function queueWith(vector: VectorCase): DeficitRoundRobinQueue<Request> {
  const queue = queueOf(vector.quantum);
  vector.queues.forEach((costs, index) => {
    for (const cost of costs) queue.offer(request(String(index + 1), cost));
  });
  return queue;
}

describe('deficit round robin: worked examples', () => {
  it('serves each example in its order', (context) => {
    const vectors = readVectors(context);
    expect(vectors.length).toBeGreaterThan(0);
    for (const vector of vectors) {
      const expected = vector.expected.map(([queue, cost]) => [String(queue), cost]);
      expect(served(queueWith(vector)), `quantum ${vector.quantum}`).toEqual(expected);
    }
  });

  it('carries over what the first round of an example leaves', (context) => {
    const vectors = readVectors(context).filter(({ deficitsAfterRound1 }) => deficitsAfterRound1 !== undefined);
    expect(vectors).toHaveLength(1);
    for (const vector of vectors) {
      const queue = queueWith(vector);
      for (let take = 0; take < 5; take++) queue.take();
      const deficits = vector.queues.map((_, index) => queue.deficitOf(String(index + 1)));
      expect(deficits).toEqual(vector.deficitsAfterRound1);
    }
  });
});

describe('deficit round robin: right behaviour', () => {
  it('serves a head whose cost equals the deficit', () => {
    const queue = queueOf(5);
    queue.offer(request('a', 5));
    queue.offer(request('b', 1));
    expect(served(queue)).toEqual([
      ['a', 5],
      ['b', 1],
    ]);
  });

  it('serves a head whose cost equals the deficit but for the rounding of the grants', () => {
    const queue = queueOf(0.1);
    queue.offer(request('after nine rounds', 0.9));
    queue.offer(request('after eight rounds', 0.8));
    expect(served(queue).map(([tenant]) => tenant)).toEqual(['after eight rounds', 'after nine rounds']);
  });

  it('grants one quantum on the first visit, not two', () => {
    const queue = queueOf(10);
    queue.offer(request('a', 10, 'a1'));
    queue.offer(request('a', 10, 'a2'));
    queue.offer(request('b', 10, 'b1'));
    expect(drain(queue).map(({ id }) => id)).toEqual(['a1', 'b1', 'a2']);
  });

  it('grants no second quantum when a request arrives in the midst of the visit', () => {
    const queue = queueOf(10);
    queue.offer(request('a', 6, 'a1'));
    queue.offer(request('a', 6, 'a2'));
    queue.offer(request('b', 6, 'b1'));
    expect(queue.take()?.id).toBe('a1');
    queue.offer(request('a', 6, 'a3'));
    expect(queue.take()?.id).toBe('b1');
  });

  it('takes the deficit from a queue that empties: idling earns no credit', () => {
    const queue = queueOf(10);
    queue.offer(request('a', 1));
    queue.take();
    expect(queue.deficitOf('a')).toBe(0);
    queue.offer(request('a', 15, 'a, 15'));
    queue.offer(request('b', 10, 'b, 10'));
    expect(drain(queue).map(({ id }) => id)).toEqual(['b, 10', 'a, 15']);
  });

  it('sends a tenant that comes back to the end of the round', () => {
    const queue = queueOf(10);
    for (const tenant of ['a', 'b', 'c']) queue.offer(request(tenant, 10));
    queue.take();
    queue.offer(request('a', 10));
    expect(served(queue).map(([tenant]) => tenant)).toEqual(['b', 'c', 'a']);
  });

  it('serves in proportion to the weights', () => {
    const queue = queueOf(1, { gold: 3, bronze: 1 });
    for (let index = 0; index < 8; index++) {
      queue.offer(request('bronze', 1));
      queue.offer(request('gold', 1));
    }
    const tenants = served(queue).map(([tenant]) => tenant);
    expect(tenants.slice(0, 8).filter((tenant) => tenant === 'gold')).toHaveLength(6);
  });

  it('serves each tenant first in, first out', () => {
    const queue = queueOf(3);
    for (const id of ['first', 'second', 'third']) queue.offer(request('a', 2, id));
    expect(drain(queue).map(({ id }) => id)).toEqual(['first', 'second', 'third']);
  });

  it('refuses only the tenant that has filled its own queue', () => {
    const queue = new DeficitRoundRobinQueue<Request>({ quantumCost: 1, perTenantLimit: 2 });
    queue.offer(request('flood', 1));
    queue.offer(request('flood', 1));
    expect(queue.offer(request('flood', 1))).toEqual({ refused: 'queue_full' });
    expect(queue.offer(request('small', 1))).toEqual({ refused: null });
    expect(queue.size).toBe(3);
  });

  it.each([
    ['very many rounds', 1e-6, 1e6],
    ['grants too small to register in the deficit', 1e-12, 1e6],
  ])('skips %s by arithmetic', (_, quantumCost, cost) => {
    const queue = queueOf(quantumCost);
    queue.offer(request('a', 2 * cost, 'twice'));
    queue.offer(request('b', cost, 'once'));
    expect(drain(queue).map(({ id }) => id)).toEqual(['once', 'twice']);
  });

  it.each([
    ['a quantum of 0', 0, 1],
    ['a weight of 0', 1, 0],
    ['a product that underflows to 0', 1e-200, 1e-200],
    ['a negative quantum times a negative weight', -1, -1],
    ['a weight that is no number', 1, Number.NaN],
    ['an infinite quantum', Number.POSITIVE_INFINITY, 1],
  ])('calls %s a mistake in the policy, for a named tenant and for the rest', (_, quantumCost, weight) => {
    const policyError = expect.objectContaining({ code: 'EVS_POLICY' });
    expect(() => queueOf(quantumCost, { a: weight })).toThrowError(policyError);
    expect(() =>
      createQueue({ kind: 'drr', quantumCost, perTenantLimit: 1, weights: new Map(), defaultWeight: weight }),
    ).toThrowError(policyError);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('takes no request with a cost of %s', (cost) => {
    const queue = queueOf(1);
    expect(() => queue.offer(request('a', cost))).toThrowError(expect.objectContaining({ code: 'EVS_INVARIANT' }));
    expect(queue.size).toBe(0);
    expect(queue.take()).toBeNull();
  });

  it('keeps hostile tenant names apart', () => {
    const queue = queueOf(1);
    const names = ['__proto__', 'constructor', '', 'a/b', '🦊', '__other__'];
    for (const name of names) queue.offer(request(name, 1));
    expect(served(queue).map(([tenant]) => tenant)).toEqual(names);
  });
});
