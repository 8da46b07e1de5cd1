/**
 * Time until which the threads of a run may generate load while an external process must confirm that it
 * supervises the run. The lease is in memory that all threads share and check themselves, so that it expires
 * even if the process that renews it hangs or ends.
 */
import { createClock, processTime, wallTime } from './clock.ts';

/** One instant on both clocks of a process, in ms; see `clock.ts`. */
export interface ClockReading {
  readonly process: number;
  readonly wall: number;
}

/**
 * Indexes of doubles that the main thread writes and the others read: the end of the lease, and the offset
 * between the clocks.
 */
const END_INDEX = 0;
const OFFSET_INDEX = 1;
const CELL_BYTES = 16;

/**
 * While a machine sleeps, the monotonic clock stops and the wall clock does not. If the offset grows by this
 * many ms after a renewal, the machine has slept. Smaller changes are adjustments of the wall clock.
 */
const MIN_SLEEP_MS = 2000;

export class Lease {
  readonly cell: SharedArrayBuffer;
  readonly #values: Float64Array;
  readonly #now: () => ClockReading;

  /** @param now - The same clocks for all users of the cell. */
  constructor(cell = new SharedArrayBuffer(CELL_BYTES), now: () => ClockReading = createClockReader()) {
    this.cell = cell;
    this.#values = new Float64Array(cell);
    this.#now = now;
  }

  /** Extends the lease to `durationMs` after a past instant. It never shortens the lease. */
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

/** Returns the current time, for the start of a lease. */
export function readClocks(): ClockReading {
  return { process: processTime(), wall: wallTime() };
}

/** Creates a fast reader, because it is called before each request. */
function createClockReader(): () => ClockReading {
  const process = createClock(0);
  return () => ({ process: process(), wall: wallTime() });
}
