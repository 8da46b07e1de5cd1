/** Redis time: the common clock of the machines of a run, computed from the monotonic clock of this process. */
import type { Redis } from 'ioredis';
import { processTime } from '../engine/clock.ts';

/** Relation between Redis time and the clock of this process (`engine/clock.ts`). */
export interface RedisClock {
  /** Redis time minus process time, in ms. */
  readonly offsetMs: number;
  /** Maximum error of the offset, in ms: half of the round trip. */
  readonly uncertaintyMs: number;
}

export interface ClockSample {
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Redis time, in ms, read between the two process times. */
  readonly serverTime: number;
}

const SAMPLE_COUNT = 9;

/** Estimates the clock from the sample with the shortest round trip, which has the smallest maximum error. */
export function estimateClock(samples: readonly ClockSample[]): RedisClock {
  const [first, ...others] = samples;
  if (first === undefined) throw new Error('Bug: the Redis clock was estimated without samples');
  const best = others.reduce((one, other) => (roundTripOf(other) < roundTripOf(one) ? other : one), first);
  return {
    offsetMs: best.serverTime - (best.sentAt + best.receivedAt) / 2,
    uncertaintyMs: roundTripOf(best) / 2,
  };
}

export async function readRedisClock(redis: Redis): Promise<RedisClock> {
  const samples: ClockSample[] = [];
  while (samples.length < SAMPLE_COUNT) {
    const sentAt = processTime();
    const serverTime = await readRedisTime(redis);
    samples.push({ sentAt, receivedAt: processTime(), serverTime });
  }
  return estimateClock(samples);
}

/** Reads Redis time, in ms, with one command. It is exact enough for time limits of several seconds. */
export async function readRedisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Number(micros) / 1000;
}

export function redisTime({ offsetMs }: RedisClock): number {
  return processTime() + offsetMs;
}

function roundTripOf({ sentAt, receivedAt }: ClockSample): number {
  return receivedAt - sentAt;
}
