/** Think time: the time that a client waits between the end of one request and the start of the next. */
import {
  iterationLengths,
  iterationsOf,
  requestsPerIteration,
  type Iteration,
  type WithIterations,
} from './iteration.ts';
import { formatDuration, milliseconds, type Milliseconds } from '../units.ts';

/**
 * Range of a delay, including both ends. The actual delay is chosen at random, in whole milliseconds, with uniform
 * distribution.
 */
export interface Delay {
  readonly min: Milliseconds;
  readonly max: Milliseconds;
}

/** Maximum delay. The limit keeps every wait within a reasonable time. */
export const MAX_DELAY = milliseconds(600_000);

/** Returns the delay, or null if both ends are 0. */
export function delayOf(min: Milliseconds, max: Milliseconds): Delay | null {
  return min === 0 && max === 0 ? null : { min, max };
}

/** Formats a delay: `500ms`, `200ms to 1s`. */
export function delayText({ min, max }: Delay): string {
  return min === max ? formatDuration(min) : `${formatDuration(min)} to ${formatDuration(max)}`;
}

interface WithDelays extends WithIterations {
  readonly targets: readonly { readonly delay: Delay | null }[];
}

/**
 * Returns the minimum or maximum sum of the delays between the requests of an iteration, excluding the delay
 * after the last request.
 */
export function iterationDelayOf(spec: WithDelays, bound: keyof Delay): Milliseconds {
  const counts = requestsPerIteration(spec, bound);
  const sums = iterationsOf(spec).map((iteration) => delaySumOf(spec, { counts, ...iteration }, bound));
  return milliseconds(Math[bound](...sums));
}

/** @param iteration - `counts` has the number of each request of the test in an iteration. */
function delaySumOf(
  { targets }: WithDelays,
  { first, end, counts: all }: Iteration & { readonly counts: readonly number[] },
  bound: keyof Delay,
): number {
  const counts = all.slice(first, end);
  const sumOf = (index: number, count: number) => count * (targets[first + index]?.delay?.[bound] ?? 0);
  const total = counts.reduce((sum, count, index) => sum + sumOf(index, count), 0);
  // If conditions skip the last requests, an earlier request becomes the last one.
  const last = counts.findLastIndex((count) => count > 0);
  return last < 0 ? 0 : total - sumOf(last, 1);
}

/**
 * Returns the maximum time that a client of an open model is active: the sum of the timeouts of its requests
 * and the delays between them.
 */
export function countedIterationTime(spec: WithDelays & { readonly timeout: Milliseconds }): Milliseconds {
  return milliseconds(Math.max(...countedIterationTimes(spec)));
}

/** Returns this time for each different iteration. */
export function countedIterationTimes(
  spec: WithDelays & { readonly timeout: Milliseconds },
): readonly number[] {
  const lengths = iterationLengths(spec);
  const counts = requestsPerIteration(spec, 'max');
  return iterationsOf(spec).map((iteration, index) => {
    const delays = delaySumOf(spec, { counts, ...iteration }, 'max');
    return (lengths[index] ?? 0) * spec.timeout + delays;
  });
}
