export { type BreakerState, CircuitBreaker } from './circuit-breaker.ts';
export { Throughput, type ThroughputOptions } from './throughput.ts';
export { TokenBucket, type TokenBucketOptions } from './token-bucket.ts';
export {
  costAheadInFairQueue,
  decideWaitBudget,
  type FairQueueBacklog,
  predictWaitMs,
  type WaitBudgetDecision,
  type WaitBudgetQuestion,
  type WaitForecast,
} from './wait-budget.ts';
