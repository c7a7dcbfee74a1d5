import { assertNever, seededRandom } from '../kernel/index.ts';
import type { Discipline } from '../policy/policy.ts';
import { DeficitRoundRobinQueue } from './deficit-round-robin.ts';
import { FifoQueue } from './fifo.ts';
import { StrictPriorityQueue, WeightedRandomQueue } from './priority.ts';
import type { QueueDiscipline } from './queue-discipline.ts';
import { VirtualTokenCounterQueue } from './virtual-token-counter.ts';
import type { Waiting } from './waiting.ts';
import { WeightedFairQueue } from './weighted-fair.ts';
import { WorstCaseFairQueue } from './worst-case-fair.ts';

/** An empty queue of the discipline. `seed` is for chance where a discipline takes any. Throws `EVS_POLICY`. */
export function createQueue<W extends Waiting<W>>(discipline: Discipline, seed: number): QueueDiscipline<W> {
  switch (discipline.kind) {
    case 'fifo':
      return new FifoQueue<W>();
    case 'priority':
      return discipline.mode === 'strict'
        ? new StrictPriorityQueue<W>(discipline.order)
        : new WeightedRandomQueue<W>(seededRandom(seed));
    case 'wfq':
      return new WeightedFairQueue<W>();
    case 'wf2q':
      return new WorstCaseFairQueue<W>();
    case 'drr':
      return new DeficitRoundRobinQueue<W>(discipline.quantumCost);
    case 'vtc':
      return new VirtualTokenCounterQueue<W>();
    default:
      return assertNever(discipline);
  }
}
