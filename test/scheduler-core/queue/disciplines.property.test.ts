import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DeficitRoundRobinQueue,
  type QueueDiscipline,
  VirtualTokenCounterQueue,
  WeightedFairQueue,
  WorstCaseFairQueue,
} from '../../../scheduler-core/queue/index.ts';
import { type Entry, entries } from './entries.ts';
import {
  type NaiveQueue,
  NaiveRoundRobin,
  NaiveTokenCounter,
  NaiveWeightedFair,
  NaiveWorstCaseFair,
} from './naive-queues.ts';

const FLOWS = ['a', 'b', 'c', 'd', 'e'];
/** Powers of two, so that both sides' sums are exact. */
const weights = fc.tuple(...FLOWS.map(() => fc.constantFrom(0.25, 0.5, 1, 2, 4)));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ flow: fc.nat(FLOWS.length - 1), cost: fc.integer({ min: 0, max: 200 }) }) },
  { weight: 4, arbitrary: fc.constant('take' as const) },
  { weight: 1, arbitrary: fc.record({ cancel: fc.nat() }) },
);
const seed = Number(process.env.EVENSHARE_TEST_SEED ?? 1);

type Pair = () => readonly [fast: QueueDiscipline<Entry>, slow: NaiveQueue];

const PAIRS: readonly (readonly [string, Pair])[] = [
  ['wfq', () => [new WeightedFairQueue<Entry>(), new NaiveWeightedFair()]],
  ['wf2q', () => [new WorstCaseFairQueue<Entry>(), new NaiveWorstCaseFair()]],
  ['vtc', () => [new VirtualTokenCounterQueue<Entry>(), new NaiveTokenCounter()]],
  ...[0.25, 7, 64, 500].map((quantum): [string, Pair] => [
    `drr, quantum ${quantum}`,
    () => [new DeficitRoundRobinQueue<Entry>(quantum), new NaiveRoundRobin(quantum)],
  ]),
];

describe(`disciplines against slow ones that scan everything (seed ${seed})`, () => {
  it.each(PAIRS)('%s makes the same decision at every step, whatever arrives, is served or leaves', (_, pair) => {
    fc.assert(
      fc.property(weights, fc.array(step, { maxLength: 150 }), (weightOf, steps) => {
        const [fast, slow] = pair();
        const waiting: Entry[] = [];
        const make = entries();
        const take = (): Entry | null => {
          const expected = slow.take();
          const taken = fast.take(Number.POSITIVE_INFINITY);
          expect(taken?.id).toBe(expected?.id);
          if (taken !== null) waiting.splice(waiting.indexOf(taken), 1);
          return taken;
        };
        for (const each of steps) {
          if (each === 'take') take();
          else if ('cancel' in each) {
            const [gone] = waiting.splice(each.cancel % Math.max(1, waiting.length), 1);
            if (gone === undefined) continue;
            fast.withdraw(gone, false);
            slow.cancel(gone);
          } else {
            const facts = { flow: FLOWS[each.flow] ?? '', cost: each.cost, weight: weightOf[each.flow] ?? 1 };
            const entry = make(facts);
            waiting.push(entry);
            fast.push(entry);
            slow.push(entry);
          }
          expect(fast.size).toBe(waiting.length);
          expect(fast.waitingCost).toBe(waiting.reduce((sum, { cost }) => sum + cost, 0));
        }
        while (take() !== null);
        expect(fast.size).toBe(0);
      }),
      { numRuns: 400, seed },
    );
  });
});
