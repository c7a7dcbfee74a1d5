import { assertInvariant, type Random } from '../kernel/index.ts';

/** Standard normal (Box and Muller, 1958: the cosine of a pair; the sine is thrown away, so that nothing is remembered). */
export function sampleNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

/**
 * Gamma with mean shape · scale and variance shape · scale². By rejection (Marsaglia and Tsang, ACM TOMS 26, 2000); a
 * shape below 1 is drawn as that of shape + 1, times U^(1/shape). Both > 0.
 */
export function sampleGamma(random: Random, shape: number, scale: number): number {
  assertInvariant(shape > 0 && scale > 0, `gamma wants a positive shape and scale, not ${shape} and ${scale}`);
  if (shape < 1) return sampleGamma(random, shape + 1, scale) * (1 - random.next()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = sampleNormal(random);
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    const u = 1 - random.next();
    if (Math.log(u) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v * scale;
  }
}

/** Weibull with P(X > x) = exp(−(x/scale)^shape), by the inverse of it. Both > 0. */
export function sampleWeibull(random: Random, shape: number, scale: number): number {
  assertInvariant(shape > 0 && scale > 0, `Weibull wants a positive shape and scale, not ${shape} and ${scale}`);
  return scale * (-Math.log(1 - random.next())) ** (1 / shape);
}

/** Lognormal with the given mean (> 0) and the standard deviation σ (≥ 0) of its logarithm. */
export function sampleLognormal(random: Random, mean: number, sigma: number): number {
  return mean * Math.exp(sigma * sampleNormal(random) - (sigma * sigma) / 2);
}

export type GapDistribution = 'gamma' | 'weibull';

/** The scale at which a distribution of this shape has this mean. */
export function scaleForMean(distribution: GapDistribution, shape: number, mean: number): number {
  return distribution === 'gamma' ? mean / shape : mean / Math.exp(logGamma(1 + 1 / shape));
}

/** ln Γ(x) for x ≥ 1 (Lanczos, g = 7, n = 9; relative error of Γ below 1e-14). */
function logGamma(x: number): number {
  const coefficients = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
    -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  let sum = 0.9999999999998099;
  for (const [index, coefficient] of coefficients.entries()) sum += coefficient / (x + index);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}
