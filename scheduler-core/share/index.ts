export {
  type FairStep,
  type FairStepResult,
  fairService,
  fairStep,
  type IdealBacklog,
  type TenantFairness,
  type TenantWork,
} from './fair-service.ts';
export { jainIndex } from './jain.ts';
export { type MaxMinResult, maxMinFairShare } from './max-min.ts';
export { type MinNormalizedShare, minNormalizedShare } from './min-normalized-share.ts';
export { quantileRank } from './quantile.ts';
