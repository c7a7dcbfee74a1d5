/** One amount of a sum, ≥ 0, added or taken away. */
export interface SignedAmount {
  /** An SQL expression of type Float64, ≥ 0. */
  readonly value: string;
  readonly sign: 1 | -1;
}

const FRACTIONS_PER_UNIT = 2 ** 40;

/** An exact sum under way: two SQL aggregates of integers, which may be summed again in any order. */
export interface ExactParts {
  readonly whole: string;
  readonly fractions: string;
}

/**
 * A sum of floats that does not depend on the order of rows: each amount is split into its integer part and 2⁻⁴⁰ths, and
 * both are summed as integers, so that the same requests give the same bits however they were stored. A cost that is
 * spread over steps is given as a difference of running amounts: over all steps the parts add up to the whole.
 *
 * @param when SQL condition of the rows that count.
 */
export function exactPartsIf(amounts: readonly SignedAmount[], when: string): ExactParts {
  const signed = (part: (value: string) => string): string =>
    amounts
      .map(({ value, sign }) => `${sign === 1 ? '+' : '-'} ${part(value)}`)
      .join(' ')
      .replace(/^\+ /, '');
  const whole = signed((value) => `toInt128(floor(${value}))`);
  const fractions = signed((value) => `toInt64(round((${value} - floor(${value})) * ${FRACTIONS_PER_UNIT}))`);
  return { whole: `sumIf(${whole}, ${when})`, fractions: `sumIf(${fractions}, ${when})` };
}

/** The Float64 that an exact sum comes to. */
export function exactTotal({ whole, fractions }: ExactParts): string {
  return `toFloat64(${whole}) + toFloat64(${fractions}) / ${FRACTIONS_PER_UNIT}`;
}

/** An exact sum in one go: see `exactPartsIf`. */
export function exactSumIf(amounts: readonly SignedAmount[], when: string): string {
  return exactTotal(exactPartsIf(amounts, when));
}
