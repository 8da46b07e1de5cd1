/**
 * Delays that an engine thread may have added to the times of its requests.
 * @see docs/internals/results.md, section 1.2
 */

/** Maximum delay of a timer tick, in ms, that does not count as a stall. */
export const NORMAL_TICK_DELAY_MS = 2;

/**
 * Ratio of the assumed recovery time of a target to the length of a stall. After a stall, the delayed clients start in
 * a burst. A target at 90% utilization needs nine times the length of the stall to process the burst.
 */
export const RECOVERY_FACTOR = 10;

/** If there are more stalls, the two oldest stalls are merged. */
const MAX_STALLS = 64;

interface Stall {
  /** Duration in ms. */
  readonly length: number;
  /** Time until which a burst after the stall may delay requests, in ms from the start of the run. */
  readonly recoversAt: number;
}

export class GeneratorDelay {
  #lastTick = Number.NEGATIVE_INFINITY;
  #tickBefore = Number.NEGATIVE_INFINITY;
  /** Stalls in chronological order, with decreasing `length` and increasing `recoversAt`. */
  #stalls: Stall[] = [];

  /**
   * Records a timer tick.
   * @param at - time of the tick, in ms from the start of the run
   * @param late - delay of the tick, in ms
   */
  addTick(at: number, late: number): void {
    this.#tickBefore = this.#lastTick;
    this.#lastTick = at;
    if (late > NORMAL_TICK_DELAY_MS) this.#addStall(at, late);
  }

  /**
   * Returns the maximum time, in ms, that data may have waited in a socket before it was read at `at`. This is the time
   * since the second-to-last tick, because the event loop reads all sockets between two ticks.
   */
  maxReadDelay(at: number): number {
    return at - this.#tickBefore;
  }

  /**
   * Returns the maximum time, in ms, by which a burst after a stall may have delayed a request at the target. A target
   * that queues requests delays a request by at most the length of the stall.
   * @param since - time at which the request was due (open models) or sent (closed model), in ms from the start of the
   * run
   */
  maxBurstDelay(since: number): number {
    for (const { length, recoversAt } of this.#stalls) if (recoversAt > since) return length;
    return 0;
  }

  #addStall(at: number, length: number): void {
    const recoversAt = at + RECOVERY_FACTOR * length;
    const kept = this.#stalls.filter((stall) => stall.length > length);
    if (kept.some((stall) => stall.recoversAt >= recoversAt)) return;
    kept.push({ length, recoversAt });
    if (kept.length > MAX_STALLS) {
      const [first, second] = kept.splice(0, 2) as [Stall, Stall];
      kept.unshift({ length: first.length, recoversAt: second.recoversAt });
    }
    this.#stalls = kept;
  }
}
