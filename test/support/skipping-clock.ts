/**
 * A clock whose pauses end immediately, for waits between real exchanges. It does not count the time that the
 * exchanges take, so that the number of attempts within a time does not depend on the machine.
 */
import type { Clock } from '../../src/apply/apply-context.ts';

export function createSkippingClock(): Clock {
  const start = Date.now();
  let skipped = 0;
  return {
    now: () => start + skipped,
    monotonic: () => skipped,
    sleep: (milliseconds) => {
      skipped += milliseconds;
      return Promise.resolve();
    },
    random: () => 0.5,
  };
}
