export {
  type CompletedRequest,
  type EndedRequest,
  EventLoop,
  type EventLoopOptions,
  type OpenRequest,
  type RejectedRequest,
} from './event-loop.ts';
export {
  NOISY_NEIGHBOUR_SLOTS,
  type NoisyNeighbourOptions,
  noisyNeighbour,
  noisyNeighbourPolicy,
} from './noisy-neighbour.ts';
export {
  constantRate,
  type RateProfile,
  type RateStep,
  rateInCycle,
  rateInSpans,
  type Span,
  type SpanCycle,
} from './rate-profile.ts';
export { poissonRequests, type SimulatedRequest, type TenantLoad, type WorkloadOptions } from './workload.ts';
