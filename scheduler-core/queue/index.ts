export { createQueue } from './create-queue.ts';
export { DeficitRoundRobinQueue } from './deficit-round-robin.ts';
export { FifoQueue } from './fifo.ts';
export { StrictPriorityQueue, WeightedRandomQueue } from './priority.ts';
export type { QueueDiscipline } from './queue-discipline.ts';
export { VirtualTokenCounterQueue } from './virtual-token-counter.ts';
export { type Seat, Waiting } from './waiting.ts';
export { WeightedFairQueue } from './weighted-fair.ts';
export { WorstCaseFairQueue } from './worst-case-fair.ts';
