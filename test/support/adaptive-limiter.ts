/** So many may act at once, and fewer for a while where the machine turns out to be too busy for that. */
export class AdaptiveLimiter {
  readonly #full: number;
  readonly #waiting: (() => void)[] = [];
  #most: number;
  #acting = 0;

  constructor(full: number) {
    this.#full = full;
    this.#most = full;
  }

  /** `tooBusy`: why the machine could not do it; null: it could. */
  async run<T extends { readonly tooBusy: string | null }>(act: () => Promise<T>): Promise<T> {
    while (this.#acting >= this.#most) await new Promise<void>((go) => this.#waiting.push(go));
    this.#acting++;
    try {
      const done = await act();
      this.#most =
        done.tooBusy !== null
          ? Math.max(1, Math.floor(this.#most / 2))
          : Math.min(this.#full, this.#most + 1);
      return done;
    } finally {
      this.#acting--;
      // Each looks for itself whether there is room.
      for (const go of this.#waiting.splice(0)) go();
    }
  }
}
