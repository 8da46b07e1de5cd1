/**
 * Spans in which a target answered nobody, and what they cost.
 *
 * In a closed test a target that is dead or hung is asked so rarely that its failures vanish among the answers of the
 * time before and after: each client makes one request in a time-out's time, and thousands when it is answered. So what
 * would have been asked counts as missed.
 *
 * Source: docs/internals/engine.md, section 2.
 */

import type { ByteReader, ByteWriter } from './bytes.ts';

/** How finely a worker looks. */
export const TENTH_MS = 100;
export const TENTHS_PER_SECOND = 10;

/**
 * What workers saw in a tenth of a second; where they differ, the highest stands. `UNTOLD`: nobody has told of it.
 * `UNASKED`: no client wanted an answer. `WAITING`: some did, and none came. `UNSEEN`: a worker stood still, so that answers
 * may have come that nobody has read.
 */
export const UNKNOWN = 0;
export const IDLE = 1;
export const WAITING = 2;
export const UNOBSERVED = 3;
export const RESPONDED = 4;

/** Tenths of seconds, one after another. */
export interface Tenths {
  readonly states: Uint8Array;
  /** Clients that wait for an answer, or pause since they could not get one. */
  readonly waiting: Uint32Array;
  /** Clients in a delay of the test's own. */
  readonly resting: Uint32Array;
  /** Requests that ended without an answer. */
  readonly failed: Uint32Array;
}

/** Of so many tenths, of which nothing is known. */
export function createTenths(length: number, state: typeof UNKNOWN | typeof UNOBSERVED): Tenths {
  return {
    states: new Uint8Array(length).fill(state),
    waiting: new Uint32Array(length),
    resting: new Uint32Array(length),
    failed: new Uint32Array(length),
  };
}

/** How the target is when it answers. */
export interface NormalResponses {
  readonly responses: number;
  /** Nine in ten answers, of the slowest URL, take no longer; in ms. */
  readonly slowResponseMs: number;
}

export interface Outage {
  readonly seconds: number;
  /** Requests that would have been made in it, beyond those that were. */
  readonly omitted: number;
}

interface Silence {
  readonly tenths: number;
  /** Clients × tenths that waited for an answer, as was seen. */
  readonly waitingClients: number;
  /** The same, with those that rested meanwhile: they would have asked as they do in the rest of the run. */
  readonly presentClients: number;
  /** Clients × tenths of the whole span. */
  readonly coveredClients: number;
  readonly failed: number;
}

/** Less than this is no outage, in tenths. */
const MIN_OUTAGE_TENTHS = 10;

/**
 * The outages of a run: at least a second, and longer than slow answers of this target explain. The fewer clients there
 * are, the likelier they are all just slow at the same time: one client has to wait eleven times as long as it does for a
 * slow answer, ten clients twice as long.
 *
 * Shape: time in which a worker stood still counts neither as waiting nor as an answer. Missed is what clients make in
 *        the rest of the run, for as many clients and as long, less what was made.
 */
export function findOutages(seen: Tenths, usual: NormalResponses): readonly Outage[] {
  const { silences, covered } = findSilences(seen);
  const outages = silences.filter((silence) => isOutage(silence, usual));
  const alive = outages.reduce((left, outage) => left - outage.coveredClients, covered);
  const pace = alive > 0 ? usual.responses / alive : 0;
  return outages.map((outage) => ({
    seconds: (outage.tenths * TENTH_MS) / 1000,
    omitted: Math.max(0, Math.round(outage.presentClients * pace) - outage.failed),
  }));
}

function isOutage({ tenths, waitingClients }: Silence, { slowResponseMs }: NormalResponses): boolean {
  const clients = waitingClients / tenths;
  return tenths >= MIN_OUTAGE_TENTHS && tenths * TENTH_MS >= slowResponseMs * (1 + 10 / clients);
}

/** `covered`: clients × tenths of the whole run. */
function findSilences({ states, waiting, resting, failed }: Tenths): {
  readonly silences: readonly Silence[];
  readonly covered: number;
} {
  const silences: Silence[] = [];
  let covered = 0;
  let asking = 0;
  let clients = 0;
  let silence = { tenths: 0, waitingClients: 0, presentClients: 0, coveredClients: 0, failed: 0 };
  const end = (): void => {
    if (silence.tenths > 0) silences.push(silence);
    silence = { tenths: 0, waitingClients: 0, presentClients: 0, coveredClients: 0, failed: 0 };
  };
  states.forEach((state, at) => {
    // How many there were in a tenth that was not seen: as many as before it.
    if (state !== UNOBSERVED) {
      asking = waiting[at] ?? 0;
      clients = asking + (resting[at] ?? 0);
    }
    covered += clients;
    if (state === RESPONDED) {
      end();
      return;
    }
    silence.coveredClients += clients;
    if (state !== WAITING) return;
    silence.tenths++;
    silence.waitingClients += asking;
    silence.presentClients += clients;
    silence.failed += failed[at] ?? 0;
  });
  end();
  return { silences, covered };
}

/** What the workers of a run have seen so far. Mutable on purpose: it grows each second. */
export class TargetObservations {
  #tenths = createTenths(0, UNKNOWN);
  /** By worker: the second that it has told of last. */
  readonly #latestSeconds: number[];

  constructor(threads: number) {
    this.#latestSeconds = Array.from({ length: threads }, () => -1);
  }

  /** Takes over what a worker saw in a second; those that it passes over it has not seen. */
  add(thread: number, second: number, tenths: Tenths): void {
    const told = this.#latestSeconds[thread] ?? -1;
    // What comes behind the end of a run belongs to its last second.
    if (second <= told) return;
    this.#latestSeconds[thread] = second;
    this.#growTo(second + 1);
    const { states, waiting, resting, failed } = this.#tenths;
    const from = second * TENTHS_PER_SECOND;
    for (let at = (told + 1) * TENTHS_PER_SECOND; at < from; at++) {
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

  /** What was seen from one instant to another, in ms from the start of the run. */
  between(from: number, to: number): Tenths {
    const { states, waiting, resting, failed } = this.#tenths;
    const told = Math.min(...this.#latestSeconds.map((second) => second + 1)) * TENTHS_PER_SECOND;
    const start = Math.floor(from / TENTH_MS);
    const end = Math.max(start, Math.min(told, Math.floor(to / TENTH_MS)));
    return {
      states: states.subarray(start, end),
      waiting: waiting.subarray(start, end),
      resting: resting.subarray(start, end),
      failed: failed.subarray(start, end),
    };
  }

  save(writer: ByteWriter): void {
    writer.list(this.#latestSeconds, (second) => {
      writer.integer(second);
    });
    const { states, waiting, resting, failed } = this.#tenths;
    const tenths = TENTHS_PER_SECOND * (Math.max(-1, ...this.#latestSeconds) + 1);
    writer.count(tenths / TENTHS_PER_SECOND);
    for (const column of [states, waiting, resting, failed]) {
      for (const value of column.subarray(0, tenths)) writer.count(value);
    }
  }

  /** Takes up what the watch of as many workers has kept; only for a new one. */
  restore(reader: ByteReader): void {
    reader
      .list(() => reader.integer(), this.#latestSeconds.length)
      .forEach((second, thread) => {
        this.#latestSeconds[thread] = second;
      });
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
