/** Limits concurrency, and reduces the limit for a while if the machine is too busy. */
export class AdaptiveLimiter {
  readonly #full: number;
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #active = 0;

  constructor(full: number) {
    this.#full = full;
    this.#limit = full;
  }

  /**
   * Runs an action when there is capacity. `tooBusy` is the reason for which the machine could not complete
   * it, or null.
   */
  async run<T extends { readonly tooBusy: string | null }>(action: () => Promise<T>): Promise<T> {
    while (this.#active >= this.#limit) await new Promise<void>((resume) => this.#waiting.push(resume));
    this.#active++;
    try {
      const outcome = await action();
      this.#limit =
        outcome.tooBusy !== null
          ? Math.max(1, Math.floor(this.#limit / 2))
          : Math.min(this.#full, this.#limit + 1);
      return outcome;
    } finally {
      this.#active--;
      // Each waiting action checks the capacity itself.
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }
}
