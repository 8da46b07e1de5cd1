/** Polling of the service: once per second while the tab is visible, and immediately on request. */
import type { Api } from './api.ts';

const POLL_INTERVAL_MS = 1000;
/** Maximum interval while the service is unreachable, in ms. */
const MAX_POLL_INTERVAL_MS = 5000;

export type PollJob = () => Promise<void>;

/** Pauses while the tab is hidden, and polls immediately when the tab becomes visible. */
export class Polling {
  readonly #api: Api;
  readonly #jobs = new Set<PollJob>();
  #timer: number | undefined;
  #isPolling = false;
  #isRepeatRequested = false;
  #wait = POLL_INTERVAL_MS;

  constructor(api: Api) {
    this.#api = api;
    document.addEventListener('visibilitychange', () => this.now());
  }

  /**
   * Adds a job and polls immediately.
   * @returns A function that removes the job.
   */
  add(job: PollJob): () => void {
    this.#jobs.add(job);
    this.now();
    return () => this.#jobs.delete(job);
  }

  /**
   * Polls immediately. If a poll is in progress, polls again after it, because the responses to the first poll may be
   * outdated.
   */
  now(): void {
    clearTimeout(this.#timer);
    if (this.#isPolling) this.#isRepeatRequested = true;
    else void this.#round();
  }

  async #round(): Promise<void> {
    if (document.hidden || this.#jobs.size === 0) return;
    this.#isPolling = true;
    const outcomes = await Promise.allSettled([...this.#jobs].map((job) => job()));
    this.#isPolling = false;
    // A failed job is a bug in the web UI and must not stop the other jobs.
    for (const outcome of outcomes) if (outcome.status === 'rejected') reportError(outcome.reason);
    const unreachable = this.#api.unreachableSince.value !== null;
    this.#wait = unreachable ? Math.min(MAX_POLL_INTERVAL_MS, this.#wait * 1.5) : POLL_INTERVAL_MS;
    const wait = this.#isRepeatRequested && !unreachable ? 0 : this.#wait;
    this.#isRepeatRequested = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#round(), wait);
  }
}
