/** Delivers callbacks and emails about ended runs, with at most eight attempts each. */
import { randomUUID } from 'node:crypto';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { readMarker } from '../../core/reconcile/ownership-marker.ts';
import { readUrl } from '../../core/model/url.ts';
import { messageOf } from '../../core/unknown-value.ts';
import type { LogFields, ServiceLog } from '../log.ts';
import type { NewNotice, Notice, NoticeChannel, NoticeStore } from '../store/notice-store.ts';
import type { RunIdentity } from '../store/result-store.ts';

/** Outcome of one attempt. `error` is a code, such as `timeout` or `status_500`. */
export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly error: string }
  /** The receiver rejected the notice permanently. */
  | { readonly kind: 'refused'; readonly error: string };

export type NoticeSender = (notice: Notice) => Promise<AttemptOutcome>;

export interface NoticesDeps {
  readonly store: NoticeStore;
  readonly senders: Readonly<Record<NoticeChannel, NoticeSender>>;
  readonly log: ServiceLog;
  readonly now: () => number;
  readonly random: () => number;
}

export interface Undelivered {
  readonly testId: string;
  readonly host: string;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Delays after the first to the seventh attempt. Even with jitter, the sum of the delays is less than a day. */
const RETRY_DELAYS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  11 * HOUR_MS,
];
/** Maximum random change of a delay, as a fraction. Spreads the attempts for a receiver over time. */
const JITTER = 0.2;

const MAX_CONCURRENT = 16;
const MAX_CONCURRENT_PER_RECEIVER = 4;

/** Maximum number of attempts per receiver and hour; null if unlimited. The number of runs already limits callbacks. */
const MAX_PER_HOUR: Readonly<Record<NoticeChannel, number | null>> = { callback: null, email: 10 };

/**
 * Maximum time that an email waits for the verdict, in ms. For a test from a configuration file, the client publishes
 * the verdict after the run.
 */
const VERDICT_WAIT_MS = 30 * SECOND_MS;

const RETENTION_MS = 30 * DAY_MS;

const FINAL_RETRY_DELAY_MS = 500;

export class Notices {
  readonly #deps: NoticesDeps;
  /** Attempts in progress: receivers by notice ID. */
  readonly #attempts = new Map<string, string>();
  readonly #fromThisProcess = new Set<string>();
  #purgedAt = Number.NEGATIVE_INFINITY;
  #phase: 'open' | 'closing' | 'closed' = 'open';
  #onAttemptEnd: () => void = () => undefined;

  constructor(deps: NoticesDeps) {
    this.#deps = deps;
  }

  /** Must be called in the transaction that stores the result of the run. */
  add(run: RunIdentity, spec: LoadTestSpec): void {
    for (const notice of createNotices(run, spec, this.#deps.now())) {
      this.#deps.store.insert(notice);
      this.#fromThisProcess.add(notice.id);
    }
  }

  expedite(resultId: string): void {
    this.#deps.store.expedite(resultId, this.#deps.now());
    this.tick();
  }

  /** Returns at most 1000 pending, refused or expired notices, newest first. */
  list(): readonly Notice[] {
    return this.#deps.store.undelivered(1000);
  }

  /** Never throws: failures are logged. */
  tick(): void {
    if (this.#phase === 'closed') return;
    try {
      this.#purge();
      while (this.#startDue());
    } catch (error) {
      const reason = messageOf(error);
      this.#deps.log.error({ event: 'notices-failed', reason });
    }
  }

  /**
   * Retries pending notices of this process, waits for attempts in progress, and closes the queue. Safe to call twice.
   *
   * @param times - Time limits in ms: `lastChanceMs` for retries (0 for no retries), `graceMs` for attempts in
   * progress.
   * @returns Undelivered notices of this process, which remain stored.
   */
  async close(times: {
    readonly graceMs: number;
    readonly lastChanceMs: number;
  }): Promise<readonly Undelivered[]> {
    const started = performance.now();
    const remaining = (ms: number) => started + ms - performance.now();
    if (this.#phase === 'open') this.#phase = 'closing';
    while (remaining(times.lastChanceMs) > 0 && this.#pendingFromThisProcess().length > 0) {
      this.#startFinalAttempts();
      await this.#waitForAttempt(
        Math.min(FINAL_RETRY_DELAY_MS, remaining(times.lastChanceMs)),
        () => this.#pendingFromThisProcess().length === 0,
      );
    }
    while (this.#attempts.size > 0 && remaining(times.graceMs) > 0) {
      await this.#waitForAttempt(remaining(times.graceMs), () => this.#attempts.size === 0);
    }
    this.#phase = 'closed';
    return [...this.#fromThisProcess].flatMap((id) => {
      const notice = this.#deps.store.get(id);
      if (notice === null || notice.state === 'delivered') return [];
      return [{ testId: notice.testId, host: hostOf(notice) }];
    });
  }

  #startDue(): boolean {
    const { store, now } = this.#deps;
    const capacity = MAX_CONCURRENT - this.#attempts.size;
    if (capacity <= 0 || this.#phase !== 'open') return false;
    const receivers = [...new Set(this.#attempts.values())].filter((receiver) => this.#isBusy(receiver));
    const found = store.due(now(), capacity, { ids: [...this.#attempts.keys()], receivers });
    for (const notice of found) if (!this.#isBusy(notice.receiver)) this.#startAttempt(notice);
    return found.length > 0;
  }

  /** Attempts are started even if the notices are not yet due. */
  #startFinalAttempts(): void {
    for (const notice of this.#pendingFromThisProcess()) {
      if (this.#attempts.size >= MAX_CONCURRENT) return;
      if (!this.#attempts.has(notice.id) && !this.#isBusy(notice.receiver)) this.#startAttempt(notice);
    }
  }

  #pendingFromThisProcess(): readonly Notice[] {
    const found: Notice[] = [];
    for (const id of this.#fromThisProcess) {
      const notice = this.#deps.store.get(id);
      if (notice?.state === 'pending') found.push(notice);
    }
    return found;
  }

  #isBusy(receiver: string): boolean {
    let count = 0;
    for (const other of this.#attempts.values()) if (other === receiver) count++;
    return count >= MAX_CONCURRENT_PER_RECEIVER;
  }

  #startAttempt(notice: Notice): void {
    const { store, senders, now, log } = this.#deps;
    if (notice.attempts > RETRY_DELAYS.length) {
      // The previous process ended during the last attempt.
      store.end(notice.id, 'expired', notice.lastError ?? 'unknown', now());
      return;
    }
    const availableAt = this.#availableAt(notice);
    if (availableAt > now()) {
      if (availableAt - notice.createdAt > DAY_MS) store.end(notice.id, 'expired', 'too_many', now());
      else store.postpone(notice.id, availableAt);
      return;
    }
    const next = this.#nextAttemptAt(notice.attempts + 1);
    if (MAX_PER_HOUR[notice.channel] === null) store.begin(notice.id, next);
    else store.beginCounted(notice, now(), next);
    this.#attempts.set(notice.id, notice.receiver);
    void senders[notice.channel](notice)
      .catch((error: unknown): AttemptOutcome => {
        const reason = messageOf(error);
        log.error({ event: 'notice-broken', notice_id: notice.id, reason });
        return { kind: 'failed', error: 'internal' };
      })
      .then((outcome) => {
        this.#attempts.delete(notice.id);
        // After `close`, the database may be closed. The attempt is already counted, and the next process may retry it.
        if (this.#phase !== 'closed') this.#settle({ ...notice, attempts: notice.attempts + 1 }, outcome);
        this.#onAttemptEnd();
        this.tick();
      });
  }

  #settle(notice: Notice, outcome: AttemptOutcome): void {
    const { store, now, log } = this.#deps;
    const line = ({ event, ...fields }: LogFields): LogFields => ({
      event,
      channel: notice.channel,
      notice_id: notice.id,
      test_id: notice.testId,
      host: hostOf(notice),
      ...fields,
    });
    try {
      switch (outcome.kind) {
        case 'delivered':
          store.end(notice.id, 'delivered', null, now());
          log.info(line({ event: 'notice-delivered', attempts: notice.attempts }));
          return;
        case 'refused':
          store.end(notice.id, 'refused', outcome.error, now());
          log.warn(line({ event: 'notice-refused', error: outcome.error }));
          return;
        case 'failed':
          break;
      }
      if (notice.attempts > RETRY_DELAYS.length) {
        store.end(notice.id, 'expired', outcome.error, now());
        log.warn(line({ event: 'notice-expired', error: outcome.error }));
        return;
      }
      store.fail(notice.id, outcome.error, this.#nextAttemptAt(notice.attempts));
      log.info(line({ event: 'notice-failed', attempts: notice.attempts, error: outcome.error }));
    } catch (error) {
      // The notice remains pending with the retry time that `begin` has set.
      log.error({ event: 'notices-failed', reason: messageOf(error) });
    }
  }

  #availableAt(notice: Notice): number {
    const { store, now } = this.#deps;
    const max = MAX_PER_HOUR[notice.channel];
    if (max === null) return now();
    const earlier = store.attempts(notice.receiver, now() - HOUR_MS);
    const oldest = earlier[earlier.length - max];
    return oldest === undefined ? now() : oldest + HOUR_MS;
  }

  #nextAttemptAt(attempts: number): number {
    const { now, random } = this.#deps;
    const delay = RETRY_DELAYS[attempts - 1] ?? DAY_MS;
    return now() + Math.round(delay * (1 - JITTER + 2 * JITTER * random()));
  }

  #purge(): void {
    const { store, now } = this.#deps;
    if (now() - this.#purgedAt < HOUR_MS) return;
    this.#purgedAt = now();
    store.purge(now() - RETENTION_MS);
  }

  /** Waits until an attempt ends and `isEnough` returns true, or until the time limit. */
  async #waitForAttempt(ms: number, isEnough: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms));
      this.#onAttemptEnd = () => {
        if (!isEnough()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onAttemptEnd = () => undefined;
  }
}

function createNotices(run: RunIdentity, spec: LoadTestSpec, createdAt: number): readonly NewNotice[] {
  const notices: NewNotice[] = [];
  const common = { testId: run.testId, resultId: run.id, createdAt };
  const { callback, callbackEmail: address } = spec;
  if (callback !== null) {
    const receiver = readUrl(callback)?.authority ?? '';
    notices.push({
      ...common,
      id: randomUUID(),
      channel: 'callback',
      destination: callback,
      receiver,
      firstAttemptAt: createdAt,
    });
  }
  if (address !== null) {
    const receiver = address.toLowerCase();
    const wait = readMarker(spec.notes).kind === 'marker' ? VERDICT_WAIT_MS : 0;
    notices.push({
      ...common,
      id: randomUUID(),
      channel: 'email',
      destination: address,
      receiver,
      firstAttemptAt: createdAt + wait,
    });
  }
  return notices;
}

/** Returns the host and any port of a callback's receiver, or the domain of an email address. */
export function hostOf(notice: Pick<Notice, 'receiver'>): string {
  return notice.receiver.slice(notice.receiver.lastIndexOf('@') + 1);
}
