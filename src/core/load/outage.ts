/**
 * Outages: periods without any response, and the requests that clients did not send because of an outage.
 *
 * If the target of a closed-model test stops responding, each client sends only one request per timeout, so an outage
 * causes few failures. Therefore, the requests that the clients would otherwise have sent count as omitted.
 * @see docs/internals/engine.md, section 2.2
 */

import type { ByteReader, ByteWriter } from './bytes.ts';

export const TENTH_MS = 100;
export const TENTHS_PER_SECOND = 10;

/**
 * State of the target in a tenth of a second. If threads differ, the highest state applies.
 *
 * - `UNKNOWN`: no thread has reported the tenth.
 * - `IDLE`: no client waited, and no request failed.
 * - `WAITING`: clients waited or requests failed, and no response arrived.
 * - `UNOBSERVED`: a thread took no sample, for example because it was stalled, so it may have missed responses.
 * - `RESPONDED`: a response arrived.
 */
export const UNKNOWN = 0;
export const IDLE = 1;
export const WAITING = 2;
export const UNOBSERVED = 3;
export const RESPONDED = 4;

export interface Tenths {
  readonly states: Uint8Array;
  /** Numbers of clients that wait for a response or a shared connection, or pause after a failure. */
  readonly waiting: Uint32Array;
  /** Numbers of clients that are in a think time or wait for the `pace` of the test. */
  readonly resting: Uint32Array;
  /** Numbers of requests that ended without a response. */
  readonly failed: Uint32Array;
}

export function createTenths(length: number, state: typeof UNKNOWN | typeof UNOBSERVED): Tenths {
  return {
    states: new Uint8Array(length).fill(state),
    waiting: new Uint32Array(length),
    resting: new Uint32Array(length),
    failed: new Uint32Array(length),
  };
}

/** Statistics of all responses in the observed time. */
export interface NormalResponses {
  readonly responses: number;
  /** Highest 90th percentile of the response times of any URL, in ms. */
  readonly slowResponseMs: number;
}

export interface Outage {
  /** Start in seconds from the start of the observations. */
  readonly from: number;
  /**
   * End in seconds. Later than `from + seconds` if the period contains tenths that do not count, such as unobserved
   * tenths.
   */
  readonly to: number;
  readonly seconds: number;
  /** Estimated number of additional requests that would have been sent without the outage. */
  readonly omitted: number;
}

interface Silence {
  /** Range of indexes of tenths; `to` is excluded. */
  readonly from: number;
  readonly to: number;
  readonly tenths: number;
  /** Sum of the numbers of waiting clients in the tenths with state `WAITING`. */
  readonly waitingClients: number;
  /** `waitingClients`, plus the sum of the numbers of resting clients in the same tenths. */
  readonly presentClients: number;
  /** Sum of the numbers of clients in all tenths between the previous and the next response. */
  readonly coveredClients: number;
  readonly failed: number;
}

const MIN_OUTAGE_TENTHS = 10;

/**
 * Returns the outages of a run: periods of at least a second without a response that are too long to be explained by
 * slow responses. With few clients, it is likely that all clients wait for slow responses at the same time. Therefore,
 * the minimum length is eleven times a slow response with one client, but only two times with ten clients.
 *
 * The number of omitted requests is estimated from the response rate per client in the rest of the run. The failed
 * requests are subtracted.
 */
export function findOutages(observed: Tenths, normal: NormalResponses): readonly Outage[] {
  const { silences, covered } = findSilences(observed);
  const outages = silences.filter((silence) => isOutage(silence, normal));
  const responsive = outages.reduce((rest, outage) => rest - outage.coveredClients, covered);
  const rate = responsive > 0 ? normal.responses / responsive : 0;
  return outages.map((outage) => ({
    from: outage.from / TENTHS_PER_SECOND,
    to: outage.to / TENTHS_PER_SECOND,
    seconds: (outage.tenths * TENTH_MS) / 1000,
    omitted: Math.max(0, Math.round(outage.presentClients * rate) - outage.failed),
  }));
}

function isOutage({ tenths, waitingClients }: Silence, { slowResponseMs }: NormalResponses): boolean {
  const clients = waitingClients / tenths;
  return tenths * TENTH_MS >= slowResponseMs * (1 + 10 / clients);
}

/**
 * Returns the silences of at least `MIN_OUTAGE_TENTHS`. `covered` is the sum of the numbers of clients in all tenths.
 */
function findSilences({ states, waiting, resting, failed }: Tenths): {
  readonly silences: readonly Silence[];
  readonly covered: number;
} {
  const silences: Silence[] = [];
  let covered = 0;
  let waitingNow = 0;
  let clients = 0;
  const none = {
    from: 0,
    to: 0,
    tenths: 0,
    waitingClients: 0,
    presentClients: 0,
    coveredClients: 0,
    failed: 0,
  };
  let silence = { ...none };
  const end = (): void => {
    if (silence.tenths >= MIN_OUTAGE_TENTHS) silences.push(silence);
    silence = { ...none };
  };
  states.forEach((state, at) => {
    // An unobserved tenth is assumed to have as many clients as the previous one.
    if (state !== UNOBSERVED) {
      waitingNow = waiting[at] ?? 0;
      clients = waitingNow + (resting[at] ?? 0);
    }
    covered += clients;
    if (state === RESPONDED) {
      end();
      return;
    }
    silence.coveredClients += clients;
    if (state !== WAITING) return;
    if (silence.tenths === 0) silence.from = at;
    silence.to = at + 1;
    silence.tenths++;
    silence.waitingClients += waitingNow;
    silence.presentClients += clients;
    silence.failed += failed[at] ?? 0;
  });
  end();
  return { silences, covered };
}

export class TargetObservations {
  #tenths = createTenths(0, UNKNOWN);
  readonly #latestSeconds: number[];
  readonly #ended: boolean[];

  constructor(threads: number) {
    this.#latestSeconds = Array.from({ length: threads }, () => -1);
    this.#ended = this.#latestSeconds.map(() => false);
  }

  /**
   * Adds the observations of a thread in one second. Marks earlier seconds that the thread did not report as
   * unobserved.
   */
  add(thread: number, second: number, tenths: Tenths): void {
    const latest = this.#latestSeconds[thread] ?? -1;
    // The last two snapshots of a thread may be for the same second.
    if (second <= latest) return;
    this.#latestSeconds[thread] = second;
    this.#growTo(second + 1);
    const { states, waiting, resting, failed } = this.#tenths;
    const from = second * TENTHS_PER_SECOND;
    for (let at = (latest + 1) * TENTHS_PER_SECOND; at < from; at++) {
      states[at] = Math.max(states[at] ?? UNKNOWN, UNOBSERVED);
    }
    for (let tenth = 0; tenth < TENTHS_PER_SECOND; tenth++) {
      const at = from + tenth;
      states[at] = Math.max(states[at] ?? UNKNOWN, tenths.states[tenth] ?? UNOBSERVED);
      waiting[at] = (waiting[at] ?? 0) + (tenths.waiting[tenth] ?? 0);
      resting[at] = (resting[at] ?? 0) + (tenths.resting[tenth] ?? 0);
      failed[at] = (failed[at] ?? 0) + (tenths.failed[tenth] ?? 0);
    }
  }

  /** Records that a thread will not report further seconds. */
  end(thread: number): void {
    this.#ended[thread] = true;
  }

  /**
   * Returns the number of seconds that all active threads have reported. If no thread is active, returns the number of
   * seconds that at least one thread has reported.
   */
  #reportedSeconds(): number {
    const active = this.#latestSeconds.filter((_, thread) => this.#ended[thread] === false);
    return 1 + (active.length > 0 ? Math.min(...active) : Math.max(...this.#latestSeconds));
  }

  /**
   * Returns the observations between two instants, in ms from the start of the run. Excludes seconds that an active
   * thread has not reported yet.
   */
  between(from: number, to: number): Tenths {
    const { states, waiting, resting, failed } = this.#tenths;
    const reported = this.#reportedSeconds() * TENTHS_PER_SECOND;
    const start = Math.floor(from / TENTH_MS);
    const end = Math.max(start, Math.min(reported, Math.floor(to / TENTH_MS)));
    return {
      states: states.subarray(start, end),
      waiting: waiting.subarray(start, end),
      resting: resting.subarray(start, end),
      failed: failed.subarray(start, end),
    };
  }

  save(writer: ByteWriter): void {
    writer.list(this.#latestSeconds, (second) => writer.integer(second));
    for (const ended of this.#ended) writer.flag(ended);
    const { states, waiting, resting, failed } = this.#tenths;
    const tenths = TENTHS_PER_SECOND * (Math.max(-1, ...this.#latestSeconds) + 1);
    writer.count(tenths / TENTHS_PER_SECOND);
    for (const column of [states, waiting, resting, failed]) {
      for (const value of column.subarray(0, tenths)) writer.count(value);
    }
  }

  /** Call this only on a new object that was created with the same number of threads as the saved object. */
  restore(reader: ByteReader): void {
    reader
      .list(() => reader.integer(), this.#latestSeconds.length)
      .forEach((second, thread) => {
        this.#latestSeconds[thread] = second;
      });
    for (let thread = 0; thread < this.#ended.length; thread++) this.#ended[thread] = reader.flag();
    const seconds = reader.count();
    this.#growTo(seconds);
    const { states, waiting, resting, failed } = this.#tenths;
    for (const column of [states, waiting, resting, failed]) {
      for (let at = 0; at < TENTHS_PER_SECOND * seconds; at++) column[at] = reader.count();
    }
  }

  #growTo(seconds: number): void {
    const { states, waiting, resting, failed } = this.#tenths;
    if (states.length >= seconds * TENTHS_PER_SECOND) return;
    const grown = createTenths(Math.max(seconds * TENTHS_PER_SECOND, 2 * states.length), UNKNOWN);
    grown.states.set(states);
    grown.waiting.set(waiting);
    grown.resting.set(resting);
    grown.failed.set(failed);
    this.#tenths = grown;
  }
}
