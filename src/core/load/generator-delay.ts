/**
 * Delays that an engine thread may have added to the times of its requests. Mutable, because each timer tick updates
 * them.
 * @see docs/internals/results.md, section 1.2
 */

/** Maximum lateness of a tick, in ms, that does not count as a stall. */
export const NORMAL_TICK_DELAY_MS = 2;

/**
 * Ratio of the assumed recovery time of a target to the length of a stall. Clients that are late after a stall start
 * in a burst. At a utilization of 90%, a target needs nine times the length of the stall to process the burst.
 */
export const RECOVERY_FACTOR = 10;

/**
 * Maximum number of stored stalls. If it is exceeded, the two oldest stalls are merged into one, with the greater
 * length and the later recovery.
 */
const MAX_STALLS = 64;

interface Stall {
  /** Length in ms. */
  readonly length: number;
  /** Time until which a burst after the stall may delay requests, in ms from the start of the run. */
  readonly recoversAt: number;
}

export class GeneratorDelay {
  #lastTick = Number.NEGATIVE_INFINITY;
  #tickBefore = Number.NEGATIVE_INFINITY;
  /** Stalls in chronological order. Each stall is shorter than the one before it, but its recovery ends later. */
  #stalls: Stall[] = [];

  /**
   * Records a timer tick, which begins a turn of the event loop. `at` is in ms from the start of the run, and `late` is
   * the delay of the tick in ms.
   */
  addTick(at: number, late: number): void {
    this.#tickBefore = this.#lastTick;
    this.#lastTick = at;
    if (late > NORMAL_TICK_DELAY_MS) this.#addStall(at, late);
  }

  /**
   * Returns the maximum time, in ms, that an event may have waited in its socket if it is read at the given instant.
   * The turn that began with the last tick may still be in progress, but the turn before it has read all sockets.
   */
  maxReadDelay(at: number): number {
    return at - this.#tickBefore;
  }

  /**
   * Returns the maximum time, in ms, by which a burst after a stall may have delayed a request at the target. In a
   * queue, the delay of a request cannot exceed the lateness of the other requests.
   * @param since - instant at which the request was due (open models) or sent (closed model)
   */
  maxBurstDelay(since: number): number {
    for (const { length, recoversAt } of this.#stalls) if (recoversAt > since) return length;
    return 0;
  }

  #addStall(at: number, length: number): void {
    const recoversAt = at + RECOVERY_FACTOR * length;
    const kept = this.#stalls.filter((stall) => stall.length > length);
    if ((kept.at(-1)?.recoversAt ?? Number.NEGATIVE_INFINITY) >= recoversAt) return;
    kept.push({ length, recoversAt });
    if (kept.length > MAX_STALLS) {
      const [first, second] = kept.splice(0, 2);
      if (first !== undefined && second !== undefined) {
        kept.unshift({ length: first.length, recoversAt: second.recoversAt });
      }
    }
    this.#stalls = kept;
  }
}
