/** Think time: the time that a client waits between the end of one request and the start of the next. */
import {
  iterationsOf,
  requestsPerIteration,
  stepsOf,
  type Iteration,
  type WithIterations,
} from './iteration.ts';
import { formatDuration, milliseconds, type Milliseconds } from '../units.ts';

/** Inclusive range of a delay, in ms. Each delay is a uniformly distributed random integer in this range. */
export interface Delay {
  readonly min: Milliseconds;
  readonly max: Milliseconds;
}

export const MAX_DELAY = milliseconds(600_000);

/** Returns the range of a delay, or null if both bounds are 0. */
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

/** Returns the minimum or maximum sum of the delays of an iteration, excluding the delay after the last request. */
export function iterationDelayOf(spec: WithDelays, bound: keyof Delay): Milliseconds {
  const sums = iterationsOf(spec).map((iteration) => delaySumOf(stepsWithDelays(spec, iteration, bound)));
  return milliseconds(Math[bound](...sums));
}

/** Requests of an iteration that start at the same time. */
interface Step {
  /** Minimum or maximum number of times that an iteration performs the step. */
  readonly count: number;
  readonly delay: number;
}

function stepsWithDelays(spec: WithDelays, iteration: Iteration, bound: keyof Delay): readonly Step[] {
  const counts = requestsPerIteration(spec, bound);
  return stepsOf(spec, iteration).map((requests) => ({
    // Conditions may skip some of the requests of a step.
    count: Math.max(...requests.map((request) => counts[request] ?? 0)),
    delay: Math[bound](...requests.map((request) => spec.targets[request]?.delay?.[bound] ?? 0)),
  }));
}

function delaySumOf(steps: readonly Step[]): number {
  const total = steps.reduce((sum, { count, delay }) => sum + count * delay, 0);
  // If conditions skip the last requests, an earlier request becomes the last one.
  const last = steps.findLast(({ count }) => count > 0);
  return last === undefined ? 0 : total - last.delay;
}

/**
 * Returns the maximum time of an iteration in an open model: the sum of the timeouts of its requests and the delays
 * between them.
 */
export function countedIterationTime(spec: WithDelays & { readonly timeout: Milliseconds }): Milliseconds {
  return milliseconds(Math.max(...countedIterationTimes(spec)));
}

/** Returns the maximum time of each distinct iteration, in ms: see `countedIterationTime`. */
export function countedIterationTimes(
  spec: WithDelays & { readonly timeout: Milliseconds },
): readonly number[] {
  return iterationsOf(spec).map((iteration) => {
    const steps = stepsWithDelays(spec, iteration, 'max');
    return steps.reduce((sum, { count }) => sum + count, 0) * spec.timeout + delaySumOf(steps);
  });
}
