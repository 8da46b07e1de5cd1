/** Rate limiter for wrong keys and codes, per client. */

export interface GuessLimiter {
  /** Returns the number of seconds until the next attempt of a client is checked; null if it is checked immediately. */
  waitSecondsOf(client: string): number | null;
  recordFailure(client: string): void;
}

/** Wrong attempts that a client may make without delay. After that, it may make one attempt per interval. */
const MAX_BURST = 30;
const GUESS_INTERVAL_MS = 2000;

const MAX_CLIENTS = 10_000;

/** @param now - Returns milliseconds since the epoch. */
export function createGuessLimiter(now: () => number): GuessLimiter {
  /** Time at which the last recorded failure of each client expires, by client. The client that failed last is last. */
  const clearAt = new Map<string, number>();
  const stateOf = (client: string) => {
    const at = now();
    const before = clearAt.get(client) ?? at;
    // A time beyond this limit usually means that the clock was set back. A changed clock must not lock out a client.
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
      clearAt.set(client, clear + GUESS_INTERVAL_MS);
      const [oldest] = clearAt.keys();
      if (clearAt.size > MAX_CLIENTS && oldest !== undefined) clearAt.delete(oldest);
    },
  };
}
