/** Asks the service once a second for what is on screen, as long as somebody can see it. */
import type { Api } from './api.ts';

/** In ms. */
const POLL_INTERVAL_MS = 1000;
/** While nobody answers. */
const MAX_POLL_INTERVAL_MS = 5000;

export type PollJob = () => Promise<void>;

/** One loop for all jobs. It stands still in a tab that nobody sees, and goes on at once when somebody does. */
export class Polling {
  readonly #api: Api;
  readonly #jobs = new Set<PollJob>();
  #timer: number | undefined;
  #asking = false;
  #again = false;
  #wait = POLL_INTERVAL_MS;

  constructor(api: Api) {
    this.#api = api;
    document.addEventListener('visibilitychange', () => {
      this.now();
    });
  }

  /** @returns what ends it */
  add(job: PollJob): () => void {
    this.#jobs.add(job);
    this.now();
    return () => {
      this.#jobs.delete(job);
    };
  }

  /** Does not wait for the next second. */
  now(): void {
    clearTimeout(this.#timer);
    // What was asked may be answered with what was before.
    if (this.#asking) this.#again = true;
    else void this.#round();
  }

  async #round(): Promise<void> {
    if (document.hidden || this.#jobs.size === 0) return;
    this.#asking = true;
    const done = await Promise.allSettled([...this.#jobs].map((job) => job()));
    this.#asking = false;
    // A job that fails is a mistake of this page, and no reason to stop asking for the others.
    for (const one of done) if (one.status === 'rejected') reportError(one.reason);
    const gone = this.#api.unreachableSince.value !== null;
    this.#wait = gone ? Math.min(MAX_POLL_INTERVAL_MS, this.#wait * 1.5) : POLL_INTERVAL_MS;
    const wait = this.#again && !gone ? 0 : this.#wait;
    this.#again = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#round(), wait);
  }
}
