/** Monotonic clock that is consistent across the threads of a process. */
import { hrtime } from 'node:process';

/** Returns the fractional milliseconds since an origin that is the same in every thread. */
export type Clock = () => number;

/**
 * Creates a clock whose origin is `start`. The clock reads `performance.now()`, which is the fastest source
 * but has a different origin in each thread. The origin is aligned once with the clock of the process.
 */
export function createClock(start: number): Clock {
  // Read only once, because the global is a getter and as slow as the clock itself.
  const { performance: local } = globalThis;
  const offset = processTime() - local.now() - start;
  return () => local.now() + offset;
}

/** Returns the time of day in ms since 1970, for dates in responses. This time may jump. */
export function wallTime(): number {
  return Date.now();
}

/** Returns the monotonic clock of the process, in ms. */
export function processTime(): number {
  return Number(hrtime.bigint()) / 1e6;
}
