/** The one-sided 95 % quantile of Student's t distribution. */

/** Of the normal distribution. */
const NORMAL_QUANTILE = 1.6448536269514722;

/** Of 1 to 4 degrees of freedom, where the series is not exact enough. */
const SMALL_DEGREES_QUANTILES: readonly number[] = [6.313751515, 2.91998558, 2.353363435, 2.131846786];

/**
 * Which value such a distribution stays below in 95 of 100 cases.
 *
 * Shape:  exact to four digits; infinite without degrees of freedom: then nothing can be said.
 * Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
 */
export function tQuantile(degrees: number): number {
  if (degrees < 1) return Number.POSITIVE_INFINITY;
  const known = SMALL_DEGREES_QUANTILES[degrees - 1];
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
