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
  type FluidSpan,
  type FluidTerms,
  fluidService,
  type GpsSpan,
} from './fluid-service.ts';
export { type FluidRequest, type FluidWork, FluidWorkBuilder, type PoolSteps } from './fluid-work.ts';
export { type GpsArrival, type GpsOptions, type GpsResult, gps } from './gps.ts';
export { type FluidStep, type FluidStepResult, gpsFluid } from './gps-fluid.ts';
export { type Groups, groupedMaxMinFairShare } from './grouped-max-min.ts';
export { jainIndex } from './jain.ts';
export { type MaxMinResult, maxMinFairShare } from './max-min.ts';
export { type MinNormalizedShare, minNormalizedShare } from './min-normalized-share.ts';
export { quantileRank } from './quantile.ts';
