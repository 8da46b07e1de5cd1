/** What is guessed at waits for its turn: wrong guesses are counted against who makes them. */

export interface GuessLimiter {
  /** Seconds until the next guess of a visitor is looked at; null: it is now. */
  waitSecondsOf(visitor: string): number | null;
  /** A guess of a visitor was wrong. */
  recordFailure(visitor: string): void;
}

/** Wrong guesses of one visitor that are answered at once; from then on there is one turn every two seconds. */
const MAX_BURST = 30;
const GUESS_INTERVAL_MS = 2000;

/** Visitors that are remembered. Who has more addresses than these gains a few guesses. */
const MAX_CLIENTS = 10_000;

/**
 * Gives a count that lets other visitors notice nothing.
 *
 * @param now milliseconds since the epoch
 */
export function createGuessLimiter(now: () => number): GuessLimiter {
  /** From when on each visitor would have made no wrong guess, were there one each turn. The latest is the last. */
  const restedAt = new Map<string, number>();
  const restOf = (visitor: string) => {
    const at = now();
    const before = restedAt.get(visitor) ?? at;
    // Later than that only where the clock was set back, which must keep nobody out.
    return { at, rested: before > at + MAX_BURST * GUESS_INTERVAL_MS ? at : Math.max(at, before) };
  };
  return {
    waitSecondsOf(visitor) {
      const { at, rested } = restOf(visitor);
      const wait = rested - at - (MAX_BURST - 1) * GUESS_INTERVAL_MS;
      return wait > 0 ? Math.ceil(wait / 1000) : null;
    },
    recordFailure(visitor) {
      const { rested } = restOf(visitor);
      restedAt.delete(visitor);
      restedAt.set(visitor, rested + GUESS_INTERVAL_MS);
      const [oldest] = restedAt.keys();
      if (restedAt.size > MAX_CLIENTS && oldest !== undefined) restedAt.delete(oldest);
    },
  };
}
