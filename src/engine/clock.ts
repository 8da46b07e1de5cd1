/** Monotonic clock that is consistent across the threads of a process. */
import { hrtime } from 'node:process';

/** Returns the fractional milliseconds since an origin that is the same in every thread. */
export type Clock = () => number;

/**
 * Creates a clock whose origin is `start` on the clock of `processTime`. It reads `performance.now()`, which is faster
 * but has a different origin in each thread.
 */
export function createClock(start: number): Clock {
  // Read only once, because the getter of the global is slow.
  const { performance: local } = globalThis;
  const offset = processTime() - local.now() - start;
  return () => local.now() + offset;
}

/** Returns the milliseconds since the Unix epoch. This clock may jump. */
export function wallTime(): number {
  return Date.now();
}

/** Returns the monotonic clock of the process, in ms. */
export function processTime(): number {
  return Number(hrtime.bigint()) / 1e6;
}
