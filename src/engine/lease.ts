/**
 * Lease: a time limit for the load generation of a run, which the supervising code must renew regularly. All
 * threads check the lease, so it expires even if the supervising code hangs.
 */
import { createClock, processTime, wallTime } from './clock.ts';

/** One instant on the monotonic clock and the wall clock of a process, in ms; see `clock.ts`. */
export interface ClockReading {
  readonly process: number;
  readonly wall: number;
}

/** Indexes of the shared doubles: the end of the lease, and the clock offset. Only the main thread writes them. */
const END_INDEX = 0;
const OFFSET_INDEX = 1;
const CELL_BYTES = 16;

/**
 * Growth of the clock offset since a renewal, in ms, above which the machine is assumed to have been asleep. During
 * sleep, the monotonic clock stops but the wall clock continues. Smaller changes are treated as adjustments of the wall
 * clock.
 */
const MIN_SLEEP_MS = 2000;

export class Lease {
  readonly cell: SharedArrayBuffer;
  readonly #values: Float64Array;
  readonly #now: () => ClockReading;

  constructor(cell = new SharedArrayBuffer(CELL_BYTES), now: () => ClockReading = createClockReader()) {
    this.cell = cell;
    this.#values = new Float64Array(cell);
    this.#now = now;
  }

  /** Extends the lease until `durationMs` after the given instant. Never shortens the lease. */
  renew(from: ClockReading, durationMs: number): void {
    const end = from.process + durationMs;
    if (end <= (this.#values[END_INDEX] ?? 0)) return;
    this.#values[OFFSET_INDEX] = from.wall - from.process;
    this.#values[END_INDEX] = end;
  }

  /** Reports whether the lease has expired or was never granted. */
  isExpired(): boolean {
    const { process, wall } = this.#now();
    const offset = this.#values[OFFSET_INDEX] ?? 0;
    return process >= (this.#values[END_INDEX] ?? 0) || wall - process > offset + MIN_SLEEP_MS;
  }
}

export function readClocks(): ClockReading {
  return { process: processTime(), wall: wallTime() };
}

/** Creates an equivalent of `readClocks` that is fast enough for a call before each request. */
function createClockReader(): () => ClockReading {
  const process = createClock(0);
  return () => ({ process: process(), wall: wallTime() });
}
