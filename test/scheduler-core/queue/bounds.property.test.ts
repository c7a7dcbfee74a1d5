import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DeficitRoundRobinQueue,
  FifoQueue,
  type QueueDiscipline,
  VirtualTokenCounterQueue,
  WeightedFairQueue,
  WorstCaseFairQueue,
} from '../../../scheduler-core/queue/index.ts';
import { gps } from '../../../scheduler-core/share/index.ts';
import { drain, type Entry, entries as makeEntries } from './entries.ts';

const FLOWS = ['a', 'b', 'c', 'd'];
const seed = Number(process.env.EVENSHARE_TEST_SEED ?? 1);
const QUANTUM = 40;

interface Backlog {
  readonly entries: readonly { readonly flow: string; readonly weight: number; readonly cost: number }[];
}

/** Everything waits from the start, in any order; weights that are no powers of two, costs that are no integers. */
const backlogs: fc.Arbitrary<Backlog> = fc.tuple(...FLOWS.map(() => fc.integer({ min: 1, max: 9 }))).chain((weights) =>
  fc
    .array(fc.record({ flow: fc.nat(FLOWS.length - 1), cost: fc.double({ min: 0.01, max: 100, noNaN: true }) }), {
      minLength: 20,
      maxLength: 200,
    })
    .map((drawn) => ({
      entries: drawn.map(({ flow, cost }) => ({ flow: FLOWS[flow] ?? '', weight: weights[flow] ?? 1, cost })),
    })),
);

interface Flow {
  readonly weight: number;
  /** L: its largest cost. */
  readonly largest: number;
}

type Bound = (left: Flow, right: Flow, largest: number) => number;

/** The greatest excess of |Δserved_i/w_i − Δserved_j/w_j| over the bound, over all pairs that wait and all spans of the run. */
function worstExcess(
  queue: QueueDiscipline<Entry>,
  { entries }: Backlog,
  bound: Bound,
  flowKeyOf = (flow: string) => flow,
): number {
  const flows = new Map<string, Flow>();
  const left = new Map<string, number>();
  const make = makeEntries();
  entries.forEach(({ flow, weight, cost }) => {
    queue.push(make({ flow: flowKeyOf(flow), id: flow, weight, cost }));
    flows.set(flow, { weight, largest: Math.max(cost, flows.get(flow)?.largest ?? 0) });
    left.set(flow, (left.get(flow) ?? 0) + 1);
  });
  const largest = Math.max(...[...flows.values()].map((flow) => flow.largest));
  const served = new Map([...flows.keys()].map((flow) => [flow, 0]));
  const spans = new Map<string, { least: number; most: number }>();
  let excess = Number.NEGATIVE_INFINITY;
  for (const { id, cost, weight } of drain(queue)) {
    served.set(id, (served.get(id) ?? 0) + cost / weight);
    left.set(id, (left.get(id) ?? 0) - 1);
    for (const [i, flow] of flows) {
      for (const [j, other] of flows) {
        if (i >= j || (left.get(i) ?? 0) === 0 || (left.get(j) ?? 0) === 0) continue;
        const gap = (served.get(i) ?? 0) - (served.get(j) ?? 0);
        const span = spans.get(`${i}${j}`) ?? { least: Math.min(0, gap), most: Math.max(0, gap) };
        span.least = Math.min(span.least, gap);
        span.most = Math.max(span.most, gap);
        spans.set(`${i}${j}`, span);
        excess = Math.max(excess, span.most - span.least - bound(flow, other, largest));
      }
    }
  }
  return excess;
}

const BOUNDS: readonly (readonly [string, () => QueueDiscipline<Entry>, Bound])[] = [
  [
    'drr: Q + L/w_i + L/w_j',
    () => new DeficitRoundRobinQueue<Entry>(QUANTUM),
    (i, j, largest) => QUANTUM + largest / i.weight + largest / j.weight,
  ],
  [
    'self-clocked wfq: L_i/w_i + L_j/w_j',
    () => new WeightedFairQueue<Entry>(),
    (i, j) => i.largest / i.weight + j.largest / j.weight,
  ],
  [
    'vtc: 2·max(L_i/w_i, L_j/w_j)',
    () => new VirtualTokenCounterQueue<Entry>(),
    (i, j) => 2 * Math.max(i.largest / i.weight, j.largest / j.weight),
  ],
];

/** Rounding of sums of some hundred figures. */
const SLACK = 1e-9;

describe(`service of flows that wait throughout (seed ${seed})`, () => {
  it.each(BOUNDS)('%s holds over every span', (_, queue, bound) => {
    fc.assert(
      fc.property(backlogs, (backlog) => {
        expect(worstExcess(queue(), backlog, bound)).toBeLessThanOrEqual(SLACK);
      }),
      { numRuns: 300, seed },
    );
  });

  it.each(BOUNDS)('%s is broken by fifo: one flood in front of the others', (_, _queue, bound) => {
    const entries = ['a', 'b'].flatMap((flow) => Array.from({ length: 50 }, () => ({ flow, weight: 1, cost: 10 })));
    expect(worstExcess(new FifoQueue<Entry>(), { entries }, bound, () => '')).toBeGreaterThan(100);
  });
});

/** Serves packets one after another at rate 1 as they arrive; when each is done. */
function serve(
  queue: QueueDiscipline<Entry>,
  packets: readonly { flow: string; t: number; size: number; weight: number }[],
): number[] {
  const doneAt = new Array<number>(packets.length).fill(0);
  const make = makeEntries();
  let now = 0;
  let next = 0;
  for (let done = 0; done < packets.length; ) {
    for (; (packets[next]?.t ?? Number.POSITIVE_INFINITY) <= now; next++) {
      const packet = packets[next];
      if (packet !== undefined) queue.push(make({ flow: packet.flow, cost: packet.size, weight: packet.weight }));
    }
    const entry = queue.take(1);
    if (entry === null) {
      now = packets[next]?.t ?? now;
      queue.reset();
      continue;
    }
    now += entry.cost;
    doneAt[entry.sequence] = now;
    done++;
  }
  return doneAt;
}

const packets = fc.tuple(...FLOWS.map(() => fc.integer({ min: 1, max: 9 }))).chain((weights) =>
  fc
    .array(
      fc.record({
        flow: fc.nat(FLOWS.length - 1),
        gap: fc.constantFrom(0, 0, 0, 1, 5, 40),
        size: fc.integer({ min: 1, max: 20 }),
      }),
      { minLength: 5, maxLength: 80 },
    )
    .map((drawn) => {
      let t = 0;
      return drawn.map(({ flow, gap, size }) => {
        t += gap;
        return { flow: FLOWS[flow] ?? '', t, size, weight: weights[flow] ?? 1 };
      });
    }),
);

describe(`against fluid sharing (seed ${seed})`, () => {
  it('wf2q finishes no request later than one largest cost after fluid sharing of the flows that wait would, while all wait', () => {
    fc.assert(
      fc.property(packets, (drawn) => {
        const all = drawn.map((packet) => ({ ...packet, t: 0 }));
        const weights = Object.fromEntries(all.map(({ flow, weight }) => [flow, weight]));
        const { finishTimes } = gps(all, { rate: 1, weights });
        const largest = Math.max(...all.map(({ size }) => size));
        serve(new WorstCaseFairQueue<Entry>(), all).forEach((doneAt, index) => {
          expect(doneAt - (finishTimes[index] ?? 0)).toBeLessThanOrEqual(largest + 1e-6);
        });
      }),
      { numRuns: 300, seed },
    );
  });
});
