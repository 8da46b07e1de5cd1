/** Monotonic time that all threads of a process agree on. */
import { hrtime } from 'node:process';

/** Milliseconds with fractions since an origin that is the same in every thread. */
export type Clock = () => number;

/**
 * A clock that counts from an instant.
 *
 * Shape: `performance.now()` is the fastest clock there is, but its origin differs from thread to thread; it is put in
 *        step with the process's clock once.
 */
export function createClock(start: number): Clock {
  // Asked for once: the global is a getter, which costs as much as the clock.
  const { performance: own } = globalThis;
  const offset = processTime() - own.now() - start;
  return () => own.now() + offset;
}

/** Time of day in ms since 1970, for dates in answers; may jump. */
export function wallTime(): number {
  return Date.now();
}

/** The process's monotonic clock in ms. */
export function processTime(): number {
  return Number(hrtime.bigint()) / 1e6;
}
