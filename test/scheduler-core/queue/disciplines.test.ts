import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  createQueue,
  DeficitRoundRobinQueue,
  FifoQueue,
  type QueueDiscipline,
  StrictPriorityQueue,
  VirtualTokenCounterQueue,
  WeightedFairQueue,
  WorstCaseFairQueue,
} from '../../../scheduler-core/queue/index.ts';
import { drain, type Entry, entries } from './entries.ts';

function vectors<Case>(name: string): readonly Case[] {
  // The vectors' README states this shape.
  const path = new URL(`../../../../shared/vectors/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { cases: Case[] }).cases;
}

const ids = (taken: readonly Entry[]): string[] => taken.map(({ id }) => id);
const flows = (taken: readonly Entry[]): string[] => taken.map(({ flowKey }) => flowKey);

const FAIR: readonly (readonly [string, () => QueueDiscipline<Entry>])[] = [
  ['wfq', () => new WeightedFairQueue<Entry>()],
  ['wf2q', () => new WorstCaseFairQueue<Entry>()],
  ['drr', () => new DeficitRoundRobinQueue<Entry>(10)],
  ['vtc', () => new VirtualTokenCounterQueue<Entry>()],
];
const ALL: typeof FAIR = [
  ...FAIR,
  ['fifo', () => new FifoQueue<Entry>()],
  ['priority', () => new StrictPriorityQueue<Entry>(['a', 'b'])],
  ['weighted priority', () => createQueue<Entry>({ kind: 'priority', mode: 'weighted', order: [] }, 7)],
];

describe('worked examples', () => {
  interface DrrCase {
    readonly quantum: number;
    readonly queues: readonly (readonly number[])[];
    readonly expected: readonly (readonly [number, number])[];
    readonly deficitsAfterRound1?: readonly number[];
  }

  it.each(vectors<DrrCase>('drr'))('drr serves the example with quantum $quantum in its order', (example) => {
    const queue = new DeficitRoundRobinQueue<Entry>(example.quantum);
    const entry = entries();
    example.queues.forEach((costs, index) => {
      for (const cost of costs) queue.push(entry({ flow: String(index + 1), cost }));
    });
    const taken = drain(queue).map(({ flowKey, cost }) => [Number(flowKey), cost]);
    expect(taken).toEqual(example.expected);
  });

  it('drr carries over what the first round leaves', () => {
    const example = vectors<DrrCase>('drr').find(({ deficitsAfterRound1 }) => deficitsAfterRound1 !== undefined);
    const queue = new DeficitRoundRobinQueue<Entry>(example?.quantum ?? 0);
    const entry = entries();
    example?.queues.forEach((costs, index) => {
      for (const cost of costs) queue.push(entry({ flow: String(index + 1), cost }));
    });
    for (let take = 0; take < 5; take++) queue.take(1);
    expect(example?.queues.map((_, index) => queue.deficitOf(entry.seat(String(index + 1))))).toEqual(
      example?.deficitsAfterRound1,
    );
  });

  it('wf2q alternates a flow of half the weight with ten small ones', () => {
    const example = vectors<{ policy: string; expected: readonly number[] }>('wf2q').find(
      ({ policy }) => policy === 'wf2q',
    );
    const queue = new WorstCaseFairQueue<Entry>();
    const entry = entries();
    for (let packet = 0; packet < 11; packet++) queue.push(entry({ flow: '1', cost: 1, weight: 0.5 }));
    for (let flow = 2; flow <= 11; flow++) queue.push(entry({ flow: String(flow), cost: 1, weight: 0.05 }));
    expect(flows(drain(queue)).map(Number)).toEqual(example?.expected);
  });
});

describe('idling earns nothing', () => {
  it.each(FAIR)('%s: a flow that was away shares evenly from its return on', (_, create) => {
    const queue = create();
    const entry = entries();
    for (let index = 0; index < 100; index++) queue.push(entry({ flow: 'busy', cost: 10 }));
    for (let index = 0; index < 50; index++) queue.take(1);
    for (let index = 0; index < 20; index++) queue.push(entry({ flow: 'back', cost: 10 }));
    const taken = flows(drain(queue)).slice(0, 20);
    expect(Math.abs(taken.filter((flow) => flow === 'back').length - 10)).toBeLessThanOrEqual(1);
  });

  it.each(FAIR)('%s: a flow that was served alone owes nothing to one that comes later', (_, create) => {
    const queue = create();
    const entry = entries();
    for (let index = 0; index < 50; index++) queue.push(entry({ flow: 'early', cost: 10 }));
    for (let index = 0; index < 40; index++) queue.take(1);
    for (let index = 0; index < 10; index++) queue.push(entry({ flow: 'late', cost: 10 }));
    const taken = flows(drain(queue)).slice(0, 10);
    expect(Math.abs(taken.filter((flow) => flow === 'early').length - 5)).toBeLessThanOrEqual(1);
  });

  it('fifo fails both: it serves whoever came first', () => {
    const queue = new FifoQueue<Entry>();
    const entry = entries();
    for (let index = 0; index < 50; index++) queue.push(entry({ flow: '', cost: 10, id: 'busy' }));
    for (let index = 0; index < 20; index++) queue.push(entry({ flow: '', cost: 10, id: 'back' }));
    expect(new Set(ids(drain(queue)).slice(0, 20))).toEqual(new Set(['busy']));
  });
});

describe('weights', () => {
  it.each(FAIR)('%s serves 3 : 1', (_, create) => {
    const queue = create();
    const entry = entries();
    for (let index = 0; index < 80; index++) {
      queue.push(entry({ flow: 'bronze', cost: 10 }));
      queue.push(entry({ flow: 'gold', cost: 10, weight: 3 }));
    }
    const gold = flows(drain(queue).slice(0, 80)).filter((flow) => flow === 'gold').length;
    expect(Math.abs(gold - 60)).toBeLessThanOrEqual(3);
  });

  it.each(FAIR.filter(([name]) => name !== 'drr'))('%s: a new weight holds for later arrivals only', (_, create) => {
    const queue = create();
    const entry = entries();
    for (let index = 0; index < 40; index++) queue.push(entry({ flow: 'other', cost: 10 }));
    for (let index = 0; index < 10; index++) queue.push(entry({ flow: 'changed', cost: 10 }));
    for (let index = 0; index < 10; index++) queue.push(entry({ flow: 'changed', cost: 10, weight: 4 }));
    const taken = flows(drain(queue));
    // The ten of weight 1 go one for one; the ten of weight 4 then four for one.
    expect(Math.abs(taken.slice(0, 20).filter((flow) => flow === 'changed').length - 10)).toBeLessThanOrEqual(1);
    expect(taken.slice(20, 32).filter((flow) => flow === 'changed').length).toBeGreaterThanOrEqual(8);
  });
});

describe('requests that need several slots', () => {
  it.each(ALL)('%s: one that does not fit blocks only itself', (name, create) => {
    const queue = create();
    const entry = entries();
    queue.push(entry({ flow: 'a', cost: 1, slots: 4, id: 'large' }));
    queue.push(entry({ flow: 'a', cost: 1, id: 'behind it' }));
    queue.push(entry({ flow: name === 'fifo' ? 'a' : 'b', cost: 1, id: 'beside it' }));
    expect(new Set(ids(drain(queue, 2)))).toEqual(new Set(['behind it', 'beside it']));
    expect(ids(drain(queue, 3))).toEqual([]);
    expect(ids(drain(queue, 4))).toEqual(['large']);
  });

  it.each(FAIR)('%s: a flow that waited for room is served first when there is some', (_, create) => {
    const queue = create();
    const entry = entries();
    for (let index = 0; index < 5; index++) queue.push(entry({ flow: 'wide', cost: 10, slots: 4 }));
    for (let index = 0; index < 50; index++) queue.push(entry({ flow: 'narrow', cost: 10 }));
    for (let index = 0; index < 20; index++) expect(queue.take(1)?.flowKey).toBe('narrow');
    expect(queue.take(4)?.flowKey).toBe('wide');
  });
});

describe('flows that are held, classes that are paused', () => {
  it.each(FAIR)('%s: a held flow is not served and gains nothing meanwhile', (_, create) => {
    const queue = create();
    const entry = entries();
    for (let index = 0; index < 40; index++) {
      queue.push(entry({ flow: 'held', cost: 10 }));
      queue.push(entry({ flow: 'free', cost: 10 }));
    }
    queue.setHeld(entry.seat('held'), true);
    for (let index = 0; index < 20; index++) expect(queue.take(1)?.flowKey).toBe('free');
    queue.setHeld(entry.seat('held'), false);
    const held = flows(drain(queue).slice(0, 20)).filter((flow) => flow === 'held').length;
    expect(Math.abs(held - 10)).toBeLessThanOrEqual(1);
  });

  it.each(ALL)('%s: a paused class waits, is served when asked for, and goes on afterwards', (_, create) => {
    const queue = create();
    const entry = entries();
    queue.push(entry({ flow: 'a', cost: 1, class: 'batch', id: 'batch 1' }));
    queue.push(entry({ flow: 'a', cost: 1, id: 'other' }));
    queue.setPaused('batch', true);
    queue.push(entry({ flow: 'a', cost: 1, class: 'batch', id: 'batch 2' }));
    expect(ids(drain(queue))).toEqual(['other']);
    expect(queue.take(1, true)?.id).toBe('batch 1');
    expect(queue.take(1)).toBeNull();
    queue.setPaused('batch', false);
    expect(ids(drain(queue))).toEqual(['batch 2']);
  });

  it.each(FAIR)('%s: a paused class gains nothing meanwhile', (_, create) => {
    const queue = create();
    const entry = entries();
    queue.setPaused('batch', true);
    for (let index = 0; index < 40; index++) {
      queue.push(entry({ flow: 'a', cost: 10, class: 'batch' }));
      queue.push(entry({ flow: 'b', cost: 10 }));
    }
    for (let index = 0; index < 20; index++) expect(queue.take(1)?.flowKey).toBe('b');
    queue.setPaused('batch', false);
    const resumed = flows(drain(queue).slice(0, 20)).filter((flow) => flow === 'a').length;
    expect(Math.abs(resumed - 10)).toBeLessThanOrEqual(1);
  });
});

describe('out of turn', () => {
  it.each(FAIR)('%s: what is promoted is paid for', (_, create) => {
    const queue = create();
    const entry = entries();
    const promoted = Array.from({ length: 10 }, () => entry({ flow: 'ahead', cost: 10 }));
    for (const each of promoted) queue.push(each);
    for (let index = 0; index < 20; index++) queue.push(entry({ flow: 'ahead', cost: 10 }));
    for (let index = 0; index < 30; index++) queue.push(entry({ flow: 'other', cost: 10 }));
    for (const each of promoted) queue.withdraw(each, true);
    const taken = flows(drain(queue).slice(0, 20));
    expect(Math.abs(taken.filter((flow) => flow === 'other').length - 15)).toBeLessThanOrEqual(1);
  });

  it.each(FAIR)('%s: what is promoted moves nobody else: virtual time stands', (_, create) => {
    const queue = create();
    const entry = entries();
    const huge = entry({ flow: 'ahead', cost: 1_000_000 });
    queue.push(huge);
    for (let index = 0; index < 20; index++) queue.push(entry({ flow: index % 2 ? 'b' : 'c', cost: 10 }));
    queue.withdraw(huge, true);
    queue.take(1);
    queue.push(entry({ flow: 'new', cost: 10 }));
    // Had V gone on to the huge tag, the newcomer would be last.
    expect(flows(drain(queue)).indexOf('new')).toBeLessThanOrEqual(5);
  });

  it.each(FAIR)('%s: a request that leaves unserved is not charged', (_, create) => {
    const queue = create();
    const entry = entries();
    const gone = Array.from({ length: 10 }, () => entry({ flow: 'a', cost: 1000 }));
    for (const each of gone) queue.push(each);
    for (let index = 0; index < 20; index++) {
      queue.push(entry({ flow: 'a', cost: 10 }));
      queue.push(entry({ flow: 'b', cost: 10 }));
    }
    for (const each of gone) queue.withdraw(each, false);
    const taken = flows(drain(queue).slice(0, 20));
    expect(Math.abs(taken.filter((flow) => flow === 'a').length - 10)).toBeLessThanOrEqual(1);
  });

  it.each(FAIR)('%s: what is settled later is paid later, in both directions', (_, create) => {
    for (const settled of [100, -40]) {
      const queue = create();
      const entry = entries();
      for (let index = 0; index < 60; index++) {
        queue.push(entry({ flow: 'a', cost: 50 }));
        queue.push(entry({ flow: 'b', cost: 50 }));
      }
      let served = 0;
      const balance = { a: 0, b: 0 };
      for (let take = 0; take < 40; take++) {
        const taken = queue.take(1);
        if (taken === null) break;
        if (taken.flowKey === 'a') queue.settle(taken, settled);
        balance[taken.flowKey === 'a' ? 'a' : 'b'] += taken.cost + (taken.flowKey === 'a' ? settled : 0);
        served++;
      }
      expect(served).toBe(40);
      expect(Math.abs(balance.a - balance.b), `settled ${settled}`).toBeLessThanOrEqual(160);
    }
  });
});

describe('the whole', () => {
  it.each(ALL)('%s: a cost that is no finite number ≥ 0 is refused, and changes nothing', (_, create) => {
    for (const cost of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const queue = create();
      expect(() => queue.push(entries()({ flow: 'a', cost }))).toThrowError(
        expect.objectContaining({ code: 'EVS_INVARIANT' }),
      );
      expect(queue.size).toBe(0);
      expect(queue.take(1)).toBeNull();
    }
  });

  it.each(ALL)('%s: hostile names are names', (name, create) => {
    const queue = create();
    const entry = entries();
    const names = ['__proto__', 'constructor', '', 'a/b', '🦊', '__other__'];
    for (const flow of names) queue.push(entry({ flow: name === 'fifo' ? 'all' : flow, id: flow, cost: 1 }));
    expect(ids(drain(queue)).sort()).toEqual([...names].sort());
  });

  it.each(ALL)('%s: equal requests go in order of arrival', (name, create) => {
    if (name === 'weighted priority') return;
    const queue = create();
    const entry = entries();
    for (const flow of ['z', 'y', 'x']) queue.push(entry({ flow: name === 'fifo' ? 'all' : flow, id: flow, cost: 10 }));
    expect(ids(drain(queue))).toEqual(['z', 'y', 'x']);
  });

  it.each(FAIR)('%s: tags of a billion requests are as exact as the first', (_, create) => {
    const orders = [0, 2 ** 33].map((before) => {
      const queue = create();
      const entry = entries();
      queue.push(entry({ flow: 'keeps it busy', cost: 2 ** 22 }));
      // Costs of a long past: V moves on as by a billion requests.
      for (let served = 0; served < before; served += 2 ** 22) {
        queue.push(entry({ flow: 'keeps it busy', cost: 2 ** 22 }));
        queue.take(1);
      }
      for (let index = 0; index < 300; index++) {
        queue.push(
          entry({
            flow: `f${(index * 7) % 5}`,
            cost: ((index * 37) % 64) / 1024,
            weight: 1 + (index % 3) * 0.5,
            id: `${index}`,
          }),
        );
      }
      return ids(drain(queue)).filter((id) => !id.startsWith('keeps'));
    });
    expect(orders[1]).toEqual(orders[0]);
  });

  it('strict priority serves the first class that waits, the unnamed last', () => {
    const queue = new StrictPriorityQueue<Entry>(['realtime', 'batch']);
    const entry = entries();
    for (const flow of ['other', 'batch', 'realtime']) queue.push(entry({ flow, cost: 1 }));
    expect(flows(drain(queue))).toEqual(['realtime', 'batch', 'other']);
  });

  it('weighted priority chooses by the weights, the same for the same seed', () => {
    const run = (seed: number): string[] => {
      const queue = createQueue<Entry>({ kind: 'priority', mode: 'weighted', order: [] }, seed);
      const entry = entries();
      for (let index = 0; index < 4000; index++) {
        queue.push(entry({ flow: 'p0', cost: 1, weight: 70 }));
        queue.push(entry({ flow: 'p1', cost: 1, weight: 30 }));
      }
      return flows(drain(queue).slice(0, 4000));
    };
    const first = run(3);
    expect(first).toEqual(run(3));
    expect(first).not.toEqual(run(4));
    // 2800 expected of 4000; five standard deviations of a binomial draw are 145.
    expect(Math.abs(first.filter((flow) => flow === 'p0').length - 2800)).toBeLessThan(145);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'a quantum of %s is a mistake in the policy',
    (quantumCost) => {
      expect(() => createQueue<Entry>({ kind: 'drr', quantumCost }, 1)).toThrowError(
        expect.objectContaining({ code: 'EVS_POLICY' }),
      );
    },
  );

  it.each([
    ['very many rounds', 1e-6, 1e6],
    ['grants too small to register in the deficit', 1e-12, 1e6],
  ])('drr skips %s by arithmetic', (_, quantumCost, cost) => {
    const queue = new DeficitRoundRobinQueue<Entry>(quantumCost);
    const entry = entries();
    queue.push(entry({ flow: 'a', cost: 2 * cost, id: 'twice' }));
    queue.push(entry({ flow: 'b', cost, id: 'once' }));
    expect(ids(drain(queue))).toEqual(['once', 'twice']);
  });

  it('drr grants one quantum on the first visit, not two, and none for what arrives in the midst of it', () => {
    const queue = new DeficitRoundRobinQueue<Entry>(10);
    const entry = entries();
    queue.push(entry({ flow: 'a', cost: 6, id: 'a1' }));
    queue.push(entry({ flow: 'a', cost: 6, id: 'a2' }));
    queue.push(entry({ flow: 'b', cost: 6, id: 'b1' }));
    expect(queue.take(1)?.id).toBe('a1');
    queue.push(entry({ flow: 'a', cost: 6, id: 'a3' }));
    expect(queue.take(1)?.id).toBe('b1');
  });

  it('drr takes the deficit from a flow that empties', () => {
    const queue = new DeficitRoundRobinQueue<Entry>(10);
    const entry = entries();
    queue.push(entry({ flow: 'a', cost: 1 }));
    queue.take(1);
    expect(queue.deficitOf(entry.seat('a'))).toBe(0);
    queue.push(entry({ flow: 'a', cost: 15, id: 'a, 15' }));
    queue.push(entry({ flow: 'b', cost: 10, id: 'b, 10' }));
    expect(ids(drain(queue))).toEqual(['b, 10', 'a, 15']);
  });

  it('drr serves a head whose cost equals the deficit but for the rounding of the grants', () => {
    const queue = new DeficitRoundRobinQueue<Entry>(0.1);
    const entry = entries();
    queue.push(entry({ flow: 'a', cost: 0.9, id: 'after nine rounds' }));
    queue.push(entry({ flow: 'b', cost: 0.8, id: 'after eight rounds' }));
    expect(ids(drain(queue))).toEqual(['after eight rounds', 'after nine rounds']);
  });

  it('vtc lifts whoever returns to an empty queue to the counter of whom left last', () => {
    const queue = new VirtualTokenCounterQueue<Entry>();
    const entry = entries();
    for (let index = 0; index < 10; index++) queue.push(entry({ flow: 'a', cost: 10 }));
    drain(queue);
    queue.push(entry({ flow: 'b', cost: 10 }));
    expect(queue.counterOf(entry.seat('b'))).toBe(100);
  });

  it.each(FAIR)('%s forgets the flows that have gone: a million of them leave little', (_, create) => {
    const queue = create();
    const entry = entries();
    for (let index = 0; index < 1_000_000; index++) {
      queue.push(entry({ flow: `t${index}`, cost: 1 + (index % 7) }));
      if (index >= 10) queue.take(1);
    }
    expect(queue.size).toBe(10);
    expect(queue.flowsInMind).toBeLessThan(20_000);
  });
});
