/** The 95% quantile of the standard normal distribution. */
const NORMAL_QUANTILE = 1.6448536269514722;

/** Quantiles for 0 to 4 degrees of freedom, for which the series is not accurate enough. */
const SMALL_DEGREES_QUANTILES: readonly number[] = [
  Infinity,
  6.313751515,
  2.91998558,
  2.353363435,
  2.131846786,
];

/**
 * Returns the one-sided 95% quantile of Student's t-distribution, accurate to four digits; Infinity for 0 degrees of
 * freedom.
 * @see Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5
 */
export function tQuantile(degrees: number): number {
  const known = SMALL_DEGREES_QUANTILES[degrees];
  if (known !== undefined) return known;
  const [z3, z5, z7, z9] = [
    NORMAL_QUANTILE ** 3,
    NORMAL_QUANTILE ** 5,
    NORMAL_QUANTILE ** 7,
    NORMAL_QUANTILE ** 9,
  ];
  return (
    NORMAL_QUANTILE +
    (z3 + NORMAL_QUANTILE) / (4 * degrees) +
    (5 * z5 + 16 * z3 + 3 * NORMAL_QUANTILE) / (96 * degrees ** 2) +
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * NORMAL_QUANTILE) / (384 * degrees ** 3) +
    (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * NORMAL_QUANTILE) / (92_160 * degrees ** 4)
  );
}
