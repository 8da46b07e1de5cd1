const COUNT_SCALE = Number(process.env['TEST_SCALE'] ?? 0.1);
if (!(COUNT_SCALE > 0)) throw new Error('TEST_SCALE must be a number above 0');

/**
 * Scales a number of random cases or requests: a tenth by default. `TEST_SCALE=1` runs all of
 * them, and `TEST_SCALE=10` ten times as many.
 */
export function scaleCount(count: number): number {
  return Math.ceil(count * COUNT_SCALE);
}
