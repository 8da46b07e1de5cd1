/**
 * Delays that an engine thread may have added to the times of requests. Mutable for performance, because each tick
 * and each response is recorded.
 * @see docs/internals/results.md, section 1.2
 */

/** Lateness of a tick that is normal even on an idle thread, in ms. */
export const NORMAL_TICK_DELAY_MS = 2;

/**
 * Ratio of the recovery time to the length of a stall. Late clients start in a burst, which may keep a target
 * busy for much longer than the stall. At a utilization of 90%, the recovery takes nine times as long as the
 * stall.
 */
export const RECOVERY_FACTOR = 10;

/** Maximum number of stored stalls. Older stalls are merged, so that no request loses its maximum delay. */
const MAX_STALLS = 64;

interface Stall {
  /** Length in ms. */
  readonly length: number;
  /** Time until which a burst after the stall may delay requests. */
  readonly recoversAt: number;
}

export class GeneratorDelay {
  #lastTick = Number.NEGATIVE_INFINITY;
  #tickBefore = Number.NEGATIVE_INFINITY;
  /** Stalls in order, each shorter than the one before it, and with a later recovery. */
  #stalls: Stall[] = [];

  /**
   * Records that the event loop has begun a turn with a tick of its timer. All instants are in ms from the start of
   * the run.
   */
  addTick(at: number, late: number): void {
    this.#tickBefore = this.#lastTick;
    this.#lastTick = at;
    if (late > NORMAL_TICK_DELAY_MS) this.#addStall(at, late);
  }

  /**
   * Returns the maximum time in ms that an event may have waited in its socket before it is read at the given
   * instant. The turn of the last tick may still be in progress, but the previous turn has read all sockets.
   */
  maxReadDelay(at: number): number {
    return at - this.#tickBefore;
  }

  /**
   * Returns the maximum delay in ms that stalls may have caused for a request at the target, because late
   * clients sent their requests in a burst. In a queue, the delay of a request cannot exceed the lateness of
   * the other requests.
   * @param since - instant at which the request was due
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
