export { type DominantResourceOptions, type DominantResourceResult, dominantResourceFairness } from './drf.ts';
export {
  type FairStep,
  type FairStepResult,
  fairService,
  fairStep,
  type IdealBacklog,
  type TenantFairness,
  type TenantWork,
} from './fair-service.ts';
export type { FlowWeights } from './flow-weights.ts';
export {
  type BacklogRun,
  type FluidInput,
  type FluidTerms,
  fluidService,
} from './fluid-service.ts';
export type { FluidSpan, GpsSpan } from './fluid-span.ts';
export {
  type FluidRequest,
  type FluidShape,
  type FluidWork,
  FluidWorkBuilder,
  type PoolSteps,
} from './fluid-work.ts';
export { type GpsArrival, type GpsOptions, type GpsResult, gps } from './gps.ts';
export { type FluidStep, type FluidStepResult, gpsFluid } from './gps-fluid.ts';
export { type Groups, groupedMaxMinFairShare } from './grouped-max-min.ts';
export { jainIndex } from './jain.ts';
export { type MaxMinResult, maxMinFairShare } from './max-min.ts';
export { type MinNormalizedShare, minNormalizedShare } from './min-normalized-share.ts';
export { quantileRank } from './quantile.ts';
export type { SpanWork } from './span-work.ts';
