/** A clock that only a test advances. */
import type { Ticker } from '../../src/server/ticker.ts';

export interface TestClock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly ticker: Ticker;
  /** Advances the clock and runs the work that is due. */
  advance(ms: number): void;
  /** Sets the clock, forward or back. */
  set(at: number): void;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function createTestClock(start = Date.UTC(2026, 11, 23, 12)): TestClock {
  let at = start;
  const listeners = new Set<() => void>();
  const set = (to: number) => {
    at = to;
    for (const listener of [...listeners]) listener();
  };
  return {
    now: () => at,
    ticker: {
      start(work) {
        listeners.add(work);
        return () => listeners.delete(work);
      },
    },
    advance(ms) {
      set(at + ms);
    },
    set,
  };
}
