/**
 * Until when the threads of a run may make load, where somebody outside has to go on watching it. It lies in memory that
 * all of them share, so that whoever renews it may hang or die: the threads look for themselves.
 */
import { createClock, processTime, wallTime } from './clock.ts';

/** One moment by both clocks of a process, in ms: see `clock.ts`. */
export interface ClockReading {
  readonly process: number;
  readonly wall: number;
}

/** Written by the main thread, read by the others, as doubles: when it ends, and by how much the clocks were apart. */
const END_INDEX = 0;
const OFFSET_INDEX = 1;
const CELL_BYTES = 16;

/**
 * The monotonic clock stands still while a machine sleeps, the wall clock does not: with so many ms more between them than
 * when the lease was renewed, it has slept. Less is what a clock is set by.
 */
const MIN_SLEEP_MS = 2000;

export class Lease {
  readonly cell: SharedArrayBuffer;
  readonly #values: Float64Array;
  readonly #now: () => ClockReading;

  /** @param now the same clocks for all who hold the cell */
  constructor(cell = new SharedArrayBuffer(CELL_BYTES), now: () => ClockReading = createClockReader()) {
    this.cell = cell;
    this.#values = new Float64Array(cell);
    this.#now = now;
  }

  /** It lasts so many ms from a moment that has been; it never gets shorter. */
  renew(from: ClockReading, lasting: number): void {
    const ends = from.process + lasting;
    if (ends <= (this.#values[END_INDEX] ?? 0)) return;
    this.#values[OFFSET_INDEX] = from.wall - from.process;
    this.#values[END_INDEX] = ends;
  }

  /** Also before it was ever renewed. */
  isExpired(): boolean {
    const { process, wall } = this.#now();
    const apart = this.#values[OFFSET_INDEX] ?? 0;
    return process >= (this.#values[END_INDEX] ?? 0) || wall - process > apart + MIN_SLEEP_MS;
  }
}

/** Now, for the start of a lease. */
export function readClocks(): ClockReading {
  return { process: processTime(), wall: wallTime() };
}

/** As fast as clocks go, since it is asked before each request. */
function createClockReader(): () => ClockReading {
  const process = createClock(0);
  return () => ({ process: process(), wall: wallTime() });
}
