/** What a run has still to do, later or again and again, until it is over. */
export class Timers {
  readonly #timers = new Set<NodeJS.Timeout>();
  #over = false;

  /** At once where the time has passed already. */
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

  /** Nothing of it is done any more. */
  end(): void {
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
