/** Time that passes only while everybody sleeps: hours of waiting are played in milliseconds. */
import type { Clock } from '../../src/apply/apply-context.ts';

export interface VirtualClock extends Clock {
  /** Does something at a time, in ms since the epoch. */
  at(time: number, act: () => void): void;
  /** Sets the wall clock, forward or back; time does not pass. */
  leap(milliseconds: number): void;
}

/** 2026-03-02 09:00:00 UTC. */
export const START_TIME = Date.UTC(2026, 2, 2, 9);

/** How long the machine was on before the morning, in ms. */
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

  // By the next turn of the event loop all promises have settled, so whoever could go on has done so.
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
    at: (time, act) => {
      at(time - leapt, act);
    },
    leap: (milliseconds) => {
      leapt += milliseconds;
    },
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        // Waking twice does no harm.
        const wake = () => {
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        signal?.addEventListener('abort', wake);
        at(now + Math.max(0, milliseconds), wake);
      }),
  };
}

/** Numbers from 0 up to 1, the same ones for the same seed. */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
