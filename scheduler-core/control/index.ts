export { AdaptiveAdmission, refillFactor } from './adaptive-admission.ts';
export { DegradationLadder } from './degradation-ladder.ts';
export {
  type ClientThrottleFigures,
  clientThrottleRejection,
  type SuccessRateFigures,
  successRateRejection,
} from './rejection-probability.ts';
export { SloWeights, type WaitingBeyond } from './slo-weights.ts';
export { chooseVictim } from './work-stealing.ts';
