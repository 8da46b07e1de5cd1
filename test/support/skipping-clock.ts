/** A clock whose pauses end immediately, for waits between real exchanges. */
import type { Clock } from '../../src/apply/apply-context.ts';

export function createSkippingClock(): Clock {
  let skipped = 0;
  return {
    now: () => Date.now() + skipped,
    monotonic: () => performance.now() + skipped,
    sleep: (milliseconds) => {
      skipped += milliseconds;
      return Promise.resolve();
    },
    random: () => 0.5,
  };
}
