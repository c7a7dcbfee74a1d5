import { assertNever, type Random } from '../kernel/index.ts';
import { sampleLognormal } from './samplers.ts';

/** How large requests are: ms of service, or tokens. */
export type SizeDistribution =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'exponential'; readonly mean: number }
  /** In `[from, to)`. */
  | { readonly kind: 'uniform'; readonly from: number; readonly to: number }
  /** A whole number in `[from, to]`. */
  | { readonly kind: 'uniform_whole'; readonly from: number; readonly to: number }
  /** `sigma`: standard deviation of the logarithm. */
  | { readonly kind: 'lognormal'; readonly mean: number; readonly sigma: number };

/** What the scheduler is told of a request, compared with what it turns out to be. Factors are uniform in `[from, to)`. */
export type EstimateError =
  | { readonly kind: 'none' }
  /** The size is drawn; the estimate is that times a factor. */
  | { readonly kind: 'estimate_is_actual_times'; readonly from: number; readonly to: number }
  /** The estimate is drawn; the size is that times a factor. */
  | { readonly kind: 'actual_is_estimate_times'; readonly from: number; readonly to: number };

/** Size, service and cost of a load's requests: service = `baseMs` + `perUnitMs` · size. */
export interface ServiceModel {
  readonly size: SizeDistribution;
  readonly baseMs: number;
  readonly perUnitMs: number;
  /** What a request costs: its size, its service time × slots, or the same each. */
  readonly cost: 'size' | 'service_ms' | number;
  readonly estimate: EstimateError;
}

/** Exponential service whose time is its cost, known beforehand: the model of the published scenario. */
export function exponentialService(meanMs: number): ServiceModel {
  return {
    size: { kind: 'exponential', mean: meanMs },
    baseMs: 0,
    perUnitMs: 1,
    cost: 'service_ms',
    estimate: { kind: 'none' },
  };
}

export function drawSize(distribution: SizeDistribution, random: Random): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.value;
    case 'exponential':
      return random.exponential(distribution.mean);
    case 'uniform':
      return distribution.from + (distribution.to - distribution.from) * random.next();
    case 'uniform_whole':
      return distribution.from + Math.floor((distribution.to - distribution.from + 1) * random.next());
    case 'lognormal':
      return sampleLognormal(random, distribution.mean, distribution.sigma);
    default:
      return assertNever(distribution);
  }
}

/** Estimated and actual size from the one that was drawn. */
export function drawEstimate(
  error: EstimateError,
  drawn: number,
  random: Random,
): { readonly estimated: number; readonly actual: number } {
  if (error.kind === 'none') return { estimated: drawn, actual: drawn };
  const other = drawn * (error.from + (error.to - error.from) * random.next());
  return error.kind === 'estimate_is_actual_times'
    ? { estimated: other, actual: drawn }
    : { estimated: drawn, actual: other };
}
