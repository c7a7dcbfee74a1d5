/** One amount of a sum, ≥ 0, added or taken away. */
export interface SignedAmount {
  /** An SQL expression of type Float64, ≥ 0. */
  readonly value: string;
  readonly sign: 1 | -1;
}

const FRACTIONS_PER_UNIT = 2 ** 40;

/**
 * A sum of floats that does not depend on the order of rows: each amount is split into its integer part and 2⁻⁴⁰ths, and
 * both are summed as integers, so that the same requests give the same bits however they were stored. A cost that is
 * spread over steps is given as a difference of running amounts: over all steps the parts add up to the whole.
 *
 * @param when SQL condition of the rows that count.
 */
export function exactSumIf(amounts: readonly SignedAmount[], when: string): string {
  const signed = (part: (value: string) => string): string =>
    amounts
      .map(({ value, sign }) => `${sign === 1 ? '+' : '-'} ${part(value)}`)
      .join(' ')
      .replace(/^\+ /, '');
  const whole = signed((value) => `toInt128(floor(${value}))`);
  const fraction = signed((value) => `toInt64(round((${value} - floor(${value})) * ${FRACTIONS_PER_UNIT}))`);
  return `toFloat64(sumIf(${whole}, ${when})) + toFloat64(sumIf(${fraction}, ${when})) / ${FRACTIONS_PER_UNIT}`;
}
