/** Think time: how long a client waits between the end of a request and its next one. */
import { formatDuration, milliseconds, type Milliseconds } from '../units.ts';

/** Drawn evenly between both, both included; whole milliseconds. */
export interface Delay {
  readonly min: Milliseconds;
  readonly max: Milliseconds;
}

/** The longest delay, so that a wait has an end that somebody sees. */
export const MAX_DELAY = milliseconds(600_000);

/** Null: none. */
export function delayOf(min: Milliseconds, max: Milliseconds): Delay | null {
  return min === 0 && max === 0 ? null : { min, max };
}

/** `500ms`, `200ms to 1s` */
export function delayText({ min, max }: Delay): string {
  return min === max ? formatDuration(min) : `${formatDuration(min)} to ${formatDuration(max)}`;
}

interface WithDelay {
  readonly delay: Delay | null;
}

/** What the delays between the requests of a pass add up to: that behind the last one is none of them. */
export function iterationDelayOf(targets: readonly WithDelay[], end: keyof Delay): Milliseconds {
  return milliseconds(targets.slice(0, -1).reduce((sum, { delay }) => sum + (delay?.[end] ?? 0), 0));
}

/**
 * How long a client of an open model is counted as being there: with delays between its requests, as long as those and
 * all its time-outs take; without them, one time-out.
 */
export function countedIterationTime(targets: readonly WithDelay[], timeout: Milliseconds): Milliseconds {
  const delays = iterationDelayOf(targets, 'max');
  return milliseconds(delays === 0 ? timeout : targets.length * timeout + delays);
}
