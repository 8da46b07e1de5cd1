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
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Redis' time in between. */
  readonly serverTime: number;
}

const SAMPLE_COUNT = 9;

/** Of several readings the one with the shortest round trip counts: it leaves the least room for error. */
export function estimateClock(samples: readonly ClockSample[]): RedisClock {
  const [first, ...others] = samples;
  if (first === undefined) throw new Error('Bug: a clock without samples');
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
    const [seconds, micros] = await redis.time();
    samples.push({
      sentAt,
      receivedAt: processTime(),
      serverTime: Number(seconds) * 1000 + Number(micros) / 1000,
    });
  }
  return estimateClock(samples);
}

export function redisTime({ offsetMs }: RedisClock): number {
  return processTime() + offsetMs;
}

function roundTripOf({ sentAt, receivedAt }: ClockSample): number {
  return receivedAt - sentAt;
}
