/** Think time: how long a client waits between the end of a request and its next one. */
import { formatDuration, milliseconds, type Milliseconds } from '../units.ts';

/** Drawn evenly between both, both included; whole milliseconds. */
export interface Delay {
  readonly least: Milliseconds;
  readonly most: Milliseconds;
}

/** The longest delay, so that a wait has an end that somebody sees. */
export const LONGEST_DELAY = milliseconds(600_000);

/** Null: none. */
export function delayOf(least: Milliseconds, most: Milliseconds): Delay | null {
  return least === 0 && most === 0 ? null : { least, most };
}

/** `500ms`, `200ms to 1s` */
export function delayText({ least, most }: Delay): string {
  return least === most ? formatDuration(least) : `${formatDuration(least)} to ${formatDuration(most)}`;
}

interface Delaying {
  readonly delay: Delay | null;
}

/** What the delays between the requests of a pass add up to: that behind the last one is none of them. */
export function delaysOfPass(targets: readonly Delaying[], end: keyof Delay): Milliseconds {
  return milliseconds(targets.slice(0, -1).reduce((sum, { delay }) => sum + (delay?.[end] ?? 0), 0));
}

/**
 * How long a client of an open model is counted as being there: with delays between its requests, as long as those and
 * all its time-outs take; without them, one time-out.
 */
export function countedPassTime(targets: readonly Delaying[], timeout: Milliseconds): Milliseconds {
  const delays = delaysOfPass(targets, 'most');
  return milliseconds(delays === 0 ? timeout : targets.length * timeout + delays);
}
