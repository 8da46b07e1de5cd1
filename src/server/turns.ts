/** What is guessed at waits for its turn: wrong guesses are counted against who makes them. */

export interface Turns {
  /** Seconds until the next guess of a visitor is looked at; null: it is now. */
  waitOf(visitor: string): number | null;
  /** A guess of a visitor was wrong. */
  wrong(visitor: string): void;
}

/** Wrong guesses of one visitor that are answered at once; from then on there is one turn every two seconds. */
const WRONG_AT_ONCE = 30;
const TURN_MS = 2000;

/** Visitors that are remembered. Who has more addresses than these gains a few guesses. */
const MOST_VISITORS = 10_000;

/**
 * Gives a count that lets other visitors notice nothing.
 *
 * @param now milliseconds since the epoch
 */
export function openTurns(now: () => number): Turns {
  /** From when on each visitor would have made no wrong guess, were there one each turn. The latest is the last. */
  const restedAt = new Map<string, number>();
  const restOf = (visitor: string) => {
    const at = now();
    const before = restedAt.get(visitor) ?? at;
    // Later than that only where the clock was set back, which must keep nobody out.
    return { at, rested: before > at + WRONG_AT_ONCE * TURN_MS ? at : Math.max(at, before) };
  };
  return {
    waitOf(visitor) {
      const { at, rested } = restOf(visitor);
      const wait = rested - at - (WRONG_AT_ONCE - 1) * TURN_MS;
      return wait > 0 ? Math.ceil(wait / 1000) : null;
    },
    wrong(visitor) {
      const { rested } = restOf(visitor);
      restedAt.delete(visitor);
      restedAt.set(visitor, rested + TURN_MS);
      const [oldest] = restedAt.keys();
      if (restedAt.size > MOST_VISITORS && oldest !== undefined) restedAt.delete(oldest);
    },
  };
}
