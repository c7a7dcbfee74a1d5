import { assertInvariant } from '../../scheduler-core/index.ts';

/**
 * The sum of floats, rounded once: the float nearest to the true sum, so that it does not depend on their order.
 * (Shewchuk: "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997, GROW-EXPANSION.)
 *
 * @param values finite; where their sum is not, neither is the result.
 */
export function exactSum(values: Iterable<number>): number {
  const partials: number[] = [];
  for (const value of values) {
    let sum = value;
    let kept = 0;
    for (const partial of partials) {
      const larger = Math.abs(sum) >= Math.abs(partial) ? sum : partial;
      const smaller = larger === sum ? partial : sum;
      sum = larger + smaller;
      const lost = smaller - (sum - larger);
      if (lost !== 0) partials[kept++] = lost;
    }
    if (!Number.isFinite(sum)) return sum;
    partials.length = kept;
    partials.push(sum);
  }
  return roundPartials(partials);
}

/** Partials do not overlap and rise: the first that leaves something behind decides how the sum rounds, ties by the next. */
function roundPartials(partials: readonly number[]): number {
  let place = partials.length - 1;
  let sum = partials[place] ?? 0;
  let lost = 0;
  while (place > 0 && lost === 0) {
    place--;
    const before = sum;
    const partial = partials[place] ?? 0;
    sum = before + partial;
    lost = partial - (sum - before);
  }
  const next = partials[place - 1] ?? 0;
  if (place > 0 && next !== 0 && lost < 0 === next < 0) {
    const doubled = lost * 2;
    const nudged = sum + doubled;
    if (nudged - sum === doubled) return nudged;
  }
  return sum;
}

/**
 * Amounts that add up to a total bit for bit, whoever adds them and in whatever order: each is a multiple of the total's
 * last binary place, so that no sum of them is ever rounded. An amount differs from what was given by less than that
 * place; what rounding leaves over, including that of a total that was summed one by one, goes to the largest.
 *
 * @param total ≥ 0, the sum of the amounts but for rounding.
 * @param amounts each ≥ 0; at least one unless the total is 0.
 * @param terms of how many floats the total was made: the error that its own summation may have.
 */
export function splitExactly(total: number, amounts: readonly number[], terms: number): number[] {
  if (total === 0) {
    assertInvariant(
      amounts.every((amount) => amount === 0),
      'parts of nothing are nothing',
    );
    return [...amounts];
  }
  const place = lastPlace(total);
  const units = amounts.map((amount) => Math.floor(amount / place));
  const left = units.reduce((rest, unit) => rest - BigInt(unit), BigInt(total / place));
  const slack = BigInt(terms + amounts.length);
  assertInvariant(left <= slack && left >= -slack, 'the top tenants and the rest add up to the total');
  const largest = units.indexOf(units.reduce((most, unit) => Math.max(most, unit), 0));
  return units.map((unit, index) => (index === largest ? Number(BigInt(unit) + left) : unit) * place);
}

/** The distance from a positive float to the next one. */
function lastPlace(value: number): number {
  const float = new Float64Array([value]);
  const bits = new BigUint64Array(float.buffer);
  bits[0] = (bits[0] ?? 0n) + 1n;
  return (float[0] ?? value) - value;
}
