/** Redis' time by this process's monotonic clock: what all machines of a run agree on. */
import type { Redis } from 'ioredis';
import { processTime } from '../engine/clock.ts';

/** How Redis' time relates to the clock of this process, see `engine/clock.ts`. */
export interface RedisClock {
  /** Redis' time less the clock of the process, in ms. */
  readonly offsetMs: number;
  /** By how much that may be wrong: half of the round trip that it was read in. */
  readonly uncertaintyMs: number;
}

export interface ClockSample {
  readonly asked: number;
  readonly answered: number;
  /** Redis' time in between. */
  readonly told: number;
}

const SAMPLES = 9;

/** Of several readings the one with the shortest round trip counts: it leaves the least room for error. */
export function clockOf(samples: readonly ClockSample[]): RedisClock {
  const [first, ...others] = samples;
  if (first === undefined) throw new Error('Bug: a clock without samples');
  const best = others.reduce((one, other) => (tripOf(other) < tripOf(one) ? other : one), first);
  return { offsetMs: best.told - (best.asked + best.answered) / 2, uncertaintyMs: tripOf(best) / 2 };
}

export async function readRedisClock(redis: Redis): Promise<RedisClock> {
  const samples: ClockSample[] = [];
  while (samples.length < SAMPLES) {
    const asked = processTime();
    const [seconds, micros] = await redis.time();
    samples.push({ asked, answered: processTime(), told: Number(seconds) * 1000 + Number(micros) / 1000 });
  }
  return clockOf(samples);
}

export function redisTime({ offsetMs }: RedisClock): number {
  return processTime() + offsetMs;
}

function tripOf({ asked, answered }: ClockSample): number {
  return answered - asked;
}
