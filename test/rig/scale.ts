const SCALE = Number(process.env['TEST_SCALE'] ?? 1);
if (!(SCALE > 0)) throw new Error('TEST_SCALE must be a number above 0');

/**
 * So many random cases or counted requests. All by default, as CI runs them; `TEST_SCALE=0.1` takes a tenth for a quick
 * look, `TEST_SCALE=10` ten times as many for a long one.
 */
export function scaled(count: number): number {
  return Math.ceil(count * SCALE);
}
