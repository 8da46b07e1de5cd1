const COUNT_SCALE = Number(process.env['TEST_SCALE'] ?? 0.1);
if (!(COUNT_SCALE > 0)) throw new Error('TEST_SCALE must be a number above 0');

/**
 * Scales a number of random cases or requests: a tenth by default. `TEST_SCALE=1` runs all of
 * them, and `TEST_SCALE=10` ten times as many.
 */
export function scaleCount(count: number): number {
  return Math.ceil(count * COUNT_SCALE);
}

/**
 * Returns the given number of evenly spaced rows, which include the first, or all rows with `TEST_SCALE=1` or
 * more. For tables of slow cases with the same purpose.
 */
export function sampleRows<Row>(rows: readonly Row[], count: number): readonly Row[] {
  if (COUNT_SCALE >= 1 || count >= rows.length) return rows;
  const sampleIndex = (index: number) => Math.floor((index * count) / rows.length);
  return rows.filter((_, index) => sampleIndex(index) > sampleIndex(index - 1));
}
