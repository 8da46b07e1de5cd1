/** Rate limiter for wrong keys and codes, per client. */
import { setBounded } from '../core/bounded-map.ts';

export interface GuessLimiter {
  /** Returns the number of seconds that a client must wait before its next attempt; null if no wait is necessary. */
  waitSecondsOf(client: string): number | null;
  recordFailure(client: string): void;
}

/** Number of wrong attempts that a client may make without delay. After that, one attempt per interval is allowed. */
const MAX_BURST = 30;
const GUESS_INTERVAL_MS = 2000;

const MAX_CLIENTS = 10_000;

/** @param now - Returns milliseconds since the epoch. */
export function createGuessLimiter(now: () => number): GuessLimiter {
  /** Time at which all failures of a client expire, by client. Clients are in the order of their last failures. */
  const clearAt = new Map<string, number>();
  const stateOf = (client: string) => {
    const at = now();
    const before = clearAt.get(client) ?? at;
    // A time further in the future usually means that the clock was set back, which must not lock out a client.
    return { at, clear: before > at + MAX_BURST * GUESS_INTERVAL_MS ? at : Math.max(at, before) };
  };
  return {
    waitSecondsOf(client) {
      const { at, clear } = stateOf(client);
      const wait = clear - at - (MAX_BURST - 1) * GUESS_INTERVAL_MS;
      return wait > 0 ? Math.ceil(wait / 1000) : null;
    },
    recordFailure(client) {
      const { clear } = stateOf(client);
      clearAt.delete(client);
      setBounded(clearAt, client, clear + GUESS_INTERVAL_MS, MAX_CLIENTS);
    },
  };
}
