/** A clock that advances only while all code waits, so that hours take milliseconds. */
import type { Clock } from '../../src/apply/apply-context.ts';

export interface VirtualClock extends Clock {
  /** Performs an action at an instant, in ms since the epoch. */
  at(time: number, act: () => void): void;
  /** Changes the wall clock; the monotonic clock does not change. */
  leap(milliseconds: number): void;
}

/** 2026-03-02 09:00:00 UTC. */
export const START_TIME = Date.UTC(2026, 2, 2, 9);

/** Uptime of the machine at the start, in ms. */
export const UPTIME_AT_START_MS = 3_600_000;

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

export function createVirtualClock(start = START_TIME, seed = 1): VirtualClock {
  let now = start;
  let leapt = 0;
  let pumping = false;
  const random = createSeededRandom(seed);
  const sleepers: Sleeper[] = [];

  // All promises have settled by the next turn of the event loop, so all code that can continue has
  // continued.
  function pump(): void {
    if (pumping) return;
    pumping = true;
    setImmediate(() => {
      pumping = false;
      sleepers.sort((a, b) => a.until - b.until);
      const next = sleepers.shift();
      if (next === undefined) return;
      now = Math.max(now, next.until);
      next.wake();
      pump();
    });
  }

  function at(time: number, act: () => void): void {
    sleepers.push({ until: time, wake: act });
    pump();
  }

  return {
    now: () => now + leapt,
    monotonic: () => now - start + UPTIME_AT_START_MS,
    random,
    at: (time, act) => at(time - leapt, act),
    leap: (milliseconds) => {
      leapt += milliseconds;
    },
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        // May be called twice.
        const wake = () => {
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        signal?.addEventListener('abort', wake);
        at(now + Math.max(0, milliseconds), wake);
      }),
  };
}

/** Returns numbers from 0 to 1 (exclusive), the same ones for the same seed. */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
