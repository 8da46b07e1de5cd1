/** A point in time in the time zone of the browser, with the UTC time as a tooltip. */
import { timeText } from '../../core/instant.ts';

/** @param inSentence - True for a time within a sentence: `today 14:02:05 UTC+1`. */
export function Time({ at, inSentence }: { readonly at: number; readonly inSentence?: true }) {
  const text = localTimeText(at, Date.now());
  return (
    <time dateTime={new Date(at).toISOString()} title={timeText(at)}>
      {inSentence ? text.replace(/^T/, 't') : text}
    </time>
  );
}

/**
 * Formats a time: `Today 14:02:05 UTC+1`, or `2026-11-21 14:02:05 UTC+1` on other days. In a narrow column, the text
 * wraps only after the day, because the other spaces are non-breaking.
 */
export function localTimeText(at: number, now: number): string {
  const [today] = partsOf(now);
  const [day = '', ...clock] = partsOf(at);
  return `${day === today ? 'Today' : day} ${clock.join('\u00a0')}`;
}

function partsOf(at: number): readonly string[] {
  return timeText(at, -new Date(at).getTimezoneOffset()).split(' ');
}
