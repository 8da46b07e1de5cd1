/**
 * Spans in which a target answered nobody, and what they cost.
 *
 * In a closed test a target that is dead or hung is asked so rarely that its failures vanish among the answers of the
 * time before and after: each client makes one request in a time-out's time, and thousands when it is answered. So what
 * would have been asked counts as missed.
 *
 * Source: docs/design/engine.md, section 2.
 */

import type { ByteReader, ByteWriter } from './bytes.ts';

/** How finely a worker looks. */
export const TENTH_MS = 100;
export const TENTHS = 10;

/**
 * What workers saw in a tenth of a second; where they differ, the highest stands. `UNTOLD`: nobody has told of it.
 * `UNASKED`: no client wanted an answer. `WAITING`: some did, and none came. `UNSEEN`: a worker stood still, so that answers
 * may have come that nobody has read.
 */
export const UNTOLD = 0;
export const UNASKED = 1;
export const WAITING = 2;
export const UNSEEN = 3;
export const ANSWERED = 4;

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
export function createTenths(length: number, state: typeof UNTOLD | typeof UNSEEN): Tenths {
  return {
    states: new Uint8Array(length).fill(state),
    waiting: new Uint32Array(length),
    resting: new Uint32Array(length),
    failed: new Uint32Array(length),
  };
}

/** How the target is when it answers. */
export interface Usual {
  readonly answered: number;
  /** Nine in ten answers, of the slowest URL, take no longer; in ms. */
  readonly slow: number;
}

export interface Outage {
  readonly seconds: number;
  /** Requests that would have been made in it, beyond those that were. */
  readonly missed: number;
}

interface Silence {
  readonly tenths: number;
  /** Clients × tenths that waited for an answer, as was seen. */
  readonly waited: number;
  /** The same, with those that rested meanwhile: they would have asked as they do in the rest of the run. */
  readonly there: number;
  /** Clients × tenths of the whole span. */
  readonly covered: number;
  readonly failed: number;
}

/** Less than this is no outage, in tenths. */
const LEAST_TENTHS = 10;

/**
 * The outages of a run: at least a second, and longer than slow answers of this target explain. The fewer clients there
 * are, the likelier they are all just slow at the same time: one client has to wait eleven times as long as it does for a
 * slow answer, ten clients twice as long.
 *
 * Shape: time in which a worker stood still counts neither as waiting nor as an answer. Missed is what clients make in
 *        the rest of the run, for as many clients and as long, less what was made.
 */
export function findOutages(seen: Tenths, usual: Usual): readonly Outage[] {
  const { silences, covered } = silencesOf(seen);
  const outages = silences.filter((silence) => isOutage(silence, usual));
  const alive = outages.reduce((left, outage) => left - outage.covered, covered);
  const pace = alive > 0 ? usual.answered / alive : 0;
  return outages.map((outage) => ({
    seconds: (outage.tenths * TENTH_MS) / 1000,
    missed: Math.max(0, Math.round(outage.there * pace) - outage.failed),
  }));
}

function isOutage({ tenths, waited }: Silence, { slow }: Usual): boolean {
  const clients = waited / tenths;
  return tenths >= LEAST_TENTHS && tenths * TENTH_MS >= slow * (1 + 10 / clients);
}

/** `covered`: clients × tenths of the whole run. */
function silencesOf({ states, waiting, resting, failed }: Tenths): {
  readonly silences: readonly Silence[];
  readonly covered: number;
} {
  const silences: Silence[] = [];
  let covered = 0;
  let asking = 0;
  let clients = 0;
  let silence = { tenths: 0, waited: 0, there: 0, covered: 0, failed: 0 };
  const end = (): void => {
    if (silence.tenths > 0) silences.push(silence);
    silence = { tenths: 0, waited: 0, there: 0, covered: 0, failed: 0 };
  };
  states.forEach((state, at) => {
    // How many there were in a tenth that was not seen: as many as before it.
    if (state !== UNSEEN) {
      asking = waiting[at] ?? 0;
      clients = asking + (resting[at] ?? 0);
    }
    covered += clients;
    if (state === ANSWERED) {
      end();
      return;
    }
    silence.covered += clients;
    if (state !== WAITING) return;
    silence.tenths++;
    silence.waited += asking;
    silence.there += clients;
    silence.failed += failed[at] ?? 0;
  });
  end();
  return { silences, covered };
}

/** What the workers of a run have seen so far. Mutable on purpose: it grows each second. */
export class Watch {
  #seen = createTenths(0, UNTOLD);
  /** By worker: the second that it has told of last. */
  readonly #told: number[];

  constructor(workers: number) {
    this.#told = Array.from({ length: workers }, () => -1);
  }

  /** Takes over what a worker saw in a second; those that it passes over it has not seen. */
  add(worker: number, second: number, tenths: Tenths): void {
    const told = this.#told[worker] ?? -1;
    // What comes behind the end of a run belongs to its last second.
    if (second <= told) return;
    this.#told[worker] = second;
    this.#growTo(second + 1);
    const { states, waiting, resting, failed } = this.#seen;
    const from = second * TENTHS;
    for (let at = (told + 1) * TENTHS; at < from; at++) {
      states[at] = Math.max(states[at] ?? UNTOLD, UNSEEN);
    }
    for (let tenth = 0; tenth < TENTHS; tenth++) {
      const at = from + tenth;
      states[at] = Math.max(states[at] ?? UNTOLD, tenths.states[tenth] ?? UNSEEN);
      waiting[at] = (waiting[at] ?? 0) + (tenths.waiting[tenth] ?? 0);
      resting[at] = (resting[at] ?? 0) + (tenths.resting[tenth] ?? 0);
      failed[at] = (failed[at] ?? 0) + (tenths.failed[tenth] ?? 0);
    }
  }

  /** What was seen from one instant to another, in ms from the start of the run. */
  between(from: number, to: number): Tenths {
    const { states, waiting, resting, failed } = this.#seen;
    const told = Math.min(...this.#told.map((second) => second + 1)) * TENTHS;
    const start = Math.floor(from / TENTH_MS);
    const end = Math.max(start, Math.min(told, Math.floor(to / TENTH_MS)));
    return {
      states: states.subarray(start, end),
      waiting: waiting.subarray(start, end),
      resting: resting.subarray(start, end),
      failed: failed.subarray(start, end),
    };
  }

  keep(writer: ByteWriter): void {
    writer.list(this.#told, (second) => {
      writer.whole(second);
    });
    const { states, waiting, resting, failed } = this.#seen;
    const tenths = TENTHS * (Math.max(-1, ...this.#told) + 1);
    writer.count(tenths / TENTHS);
    for (const column of [states, waiting, resting, failed]) {
      for (const value of column.subarray(0, tenths)) writer.count(value);
    }
  }

  /** Takes up what the watch of as many workers has kept; only for a new one. */
  take(reader: ByteReader): void {
    reader
      .list(() => reader.whole(), this.#told.length)
      .forEach((second, worker) => {
        this.#told[worker] = second;
      });
    const seconds = reader.count();
    this.#growTo(seconds);
    const { states, waiting, resting, failed } = this.#seen;
    for (const column of [states, waiting, resting, failed]) {
      for (let at = 0; at < TENTHS * seconds; at++) column[at] = reader.count();
    }
  }

  #growTo(seconds: number): void {
    const { states, waiting, resting, failed } = this.#seen;
    if (states.length >= seconds * TENTHS) return;
    const grown = createTenths(Math.max(seconds * TENTHS, 2 * states.length), UNTOLD);
    grown.states.set(states);
    grown.waiting.set(waiting);
    grown.resting.set(resting);
    grown.failed.set(failed);
    this.#seen = grown;
  }
}
