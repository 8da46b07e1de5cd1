/** Clocks: a monotonic clock that is consistent across the threads of a process, and the wall clock. */
import { hrtime } from 'node:process';

/** Returns the fractional milliseconds since an origin that is the same in every thread. */
export type Clock = () => number;

/**
 * Creates a clock whose origin is `start` on the clock of `processTime`. The clock is based on `performance.now()`,
 * which is faster than `processTime` but has a different origin in each thread.
 */
export function createClock(start: number): Clock {
  // Reads the global only once, because its getter is slow.
  const { performance: local } = globalThis;
  const offset = processTime() - local.now() - start;
  return () => local.now() + offset;
}

/** Returns the milliseconds since the Unix epoch. This clock may jump. */
export function wallTime(): number {
  return Date.now();
}

/** Returns the time on the monotonic clock of the process, in ms. */
export function processTime(): number {
  return Number(hrtime.bigint()) / 1e6;
}
