export {
  type ArrivalProcess,
  type Burst,
  type RenewalWindow,
  type ServeGenWindow,
  serveGenWindows,
} from './arrival-process.ts';
export type { EndedRequest, GivenUpRequest, RefusedRequest, ServedRequest } from './ended-request.ts';
export { EventLoop } from './event-loop.ts';
export type { EventLoopOptions, OpenRequest } from './event-loop-options.ts';
export {
  NOISY_NEIGHBOUR_SLOTS,
  type NoisyNeighbourOptions,
  noisyNeighbour,
  noisyNeighbourPolicy,
} from './noisy-neighbour.ts';
export { PLAIN_POLICIES, type PlainPolicyOptions, plainPolicy } from './plain-policy.ts';
export {
  constantRate,
  type RateProfile,
  type RateSpan,
  type RateStep,
  rateInCycle,
  rateInSpans,
  type Span,
  type SpanCycle,
} from './rate-profile.ts';
export { readFigure } from './read-figure.ts';
export type { ShareUnit } from './request-fate.ts';
export {
  type EstimateError,
  exponentialService,
  type ServiceModel,
  type SizeDistribution,
} from './request-size.ts';
export { type GapDistribution, sampleGamma, sampleLognormal, sampleWeibull } from './samplers.ts';
export { parseScenario } from './scenario/parse-scenario.ts';
export {
  type PublishedFigure,
  type Scenario,
  type ScenarioChoice,
  scenarioRequests,
  simulateScenario,
} from './scenario/scenario.ts';
export { MECHANISMS, withoutMechanisms } from './scenario/without-mechanism.ts';
export { type SimulateOptions, simulate } from './simulate.ts';
export type { Client, RetryPlan, SimulatedRequest } from './simulated-request.ts';
export type {
  ClassWeights,
  ControllerResult,
  Episode,
  PolicyResult,
  SimulationResult,
  TenantResult,
  Unknown,
  WaitFigures,
} from './simulation-result.ts';
export type { SlotChange } from './slot-schedule.ts';
export { drawRequests, type TenantLoad, type WorkloadOptions } from './workload.ts';
