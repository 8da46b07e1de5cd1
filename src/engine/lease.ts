/**
 * Until when the threads of a run may make load, where somebody outside has to go on watching it. It lies in memory that
 * all of them share, so that whoever renews it may hang or die: the threads look for themselves.
 */
import { clockFrom, processTime, wallTime } from './clock.ts';

/** One moment by both clocks of a process, in ms: see `clock.ts`. */
export interface Moment {
  readonly process: number;
  readonly wall: number;
}

/** Written by the main thread, read by the others, as doubles: when it ends, and by how much the clocks were apart. */
const ENDS = 0;
const APART = 1;
const CELL_BYTES = 16;

/**
 * The monotonic clock stands still while a machine sleeps, the wall clock does not: with so many ms more between them than
 * when the lease was renewed, it has slept. Less is what a clock is set by.
 */
const SLEPT_MS = 2000;

export class Lease {
  readonly cell: SharedArrayBuffer;
  readonly #values: Float64Array;
  readonly #now: () => Moment;

  /** @param now the same clocks for all who hold the cell */
  constructor(cell = new SharedArrayBuffer(CELL_BYTES), now: () => Moment = clocks()) {
    this.cell = cell;
    this.#values = new Float64Array(cell);
    this.#now = now;
  }

  /** It lasts so many ms from a moment that has been; it never gets shorter. */
  renew(from: Moment, lasting: number): void {
    const ends = from.process + lasting;
    if (ends <= (this.#values[ENDS] ?? 0)) return;
    this.#values[APART] = from.wall - from.process;
    this.#values[ENDS] = ends;
  }

  /** Also before it was ever renewed. */
  isOver(): boolean {
    const { process, wall } = this.#now();
    const apart = this.#values[APART] ?? 0;
    return process >= (this.#values[ENDS] ?? 0) || wall - process > apart + SLEPT_MS;
  }
}

/** Now, for the start of a lease. */
export function thisMoment(): Moment {
  return { process: processTime(), wall: wallTime() };
}

/** As fast as clocks go, since it is asked before each request. */
function clocks(): () => Moment {
  const process = clockFrom(0);
  return () => ({ process: process(), wall: wallTime() });
}
