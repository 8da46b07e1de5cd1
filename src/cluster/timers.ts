/** Pending timers of a run, which are canceled together. */
export class Timers {
  readonly #timers = new Set<NodeJS.Timeout>();
  #over = false;

  /** Calls `act` after `ms`, or as soon as possible if `ms` is negative. */
  schedule(ms: number, act: () => void): void {
    if (this.#over) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        act();
      },
      Math.max(0, ms),
    );
    this.#timers.add(timer);
  }

  repeat(ms: number, act: () => void): void {
    if (!this.#over) this.#timers.add(setInterval(act, ms));
  }

  /** Cancels all timers and ignores new ones. */
  end(): void {
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
