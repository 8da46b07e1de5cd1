/**
 * Lease: a time limit for generating load, which the main thread must renew regularly. Each thread checks the lease, so
 * the load stops even if the main thread hangs.
 */
import { createClock, processTime, wallTime } from './clock.ts';

/** One instant on the monotonic clock and the wall clock of a process, in ms. */
export interface ClockReading {
  readonly process: number;
  readonly wall: number;
}

/**
 * Indexes of the shared doubles: the end of the lease, and the clock offset. Only the main thread writes these values.
 */
const END_INDEX = 0;
const OFFSET_INDEX = 1;
const CELL_BYTES = 16;

/**
 * Growth of the clock offset since a renewal, in ms, above which the machine is assumed to have been asleep. During
 * sleep, the monotonic clock stops but the wall clock continues.
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
