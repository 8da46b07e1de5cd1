const COUNT_SCALE = Number(process.env['TEST_SCALE'] ?? 0.2);
if (!(COUNT_SCALE > 0)) throw new Error('TEST_SCALE must be a number above 0');

/**
 * So many random cases or counted requests: a fifth of them by default, a third in CI, all of them with `TEST_SCALE=1`;
 * `TEST_SCALE=10` takes ten times as many for a long look.
 */
export function scaleCount(count: number): number {
  return Math.ceil(count * COUNT_SCALE);
}
