export { createQueue } from './create-queue.ts';
export { type DeficitRoundRobinOptions, DeficitRoundRobinQueue } from './deficit-round-robin.ts';
export { type FifoOptions, FifoQueue } from './fifo.ts';
export type { OfferResult, QueueDiscipline, QueueRefusal } from './scheduler.ts';
