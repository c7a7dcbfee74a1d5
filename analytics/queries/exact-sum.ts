const FRACTIONS_PER_UNIT = 2 ** 40;

/**
 * A sum of floats that does not depend on the order of rows: each amount is split into its integer part and 2⁻⁴⁰ths, and
 * both are summed as integers, so that the same requests give the same bits however they were stored.
 *
 * @param value SQL expression of type Float64, ≥ 0; @param when SQL condition of the rows that count.
 */
export function exactSumIf(value: string, when: string): string {
  const whole = `sumIf(toInt128(floor(${value})), ${when})`;
  const fractions = `sumIf(toInt64(round((${value} - floor(${value})) * ${FRACTIONS_PER_UNIT})), ${when})`;
  return `toFloat64(${whole}) + toFloat64(${fractions}) / ${FRACTIONS_PER_UNIT}`;
}
