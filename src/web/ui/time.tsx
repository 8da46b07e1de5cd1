/** A point in time in the zone of the reader, with UTC where it is pointed at. */
import { formatInstant } from '../../core/instant.ts';

/** `14:02:05` today, `21 Nov 14:02` on another day, `21 Nov 2025` in another year. @param at in ms since the epoch */
export function Time({ at }: { readonly at: number }) {
  const instant = new Date(at);
  return (
    <time dateTime={instant.toISOString()} title={`${formatInstant(at)} UTC`}>
      {timeText(instant, new Date())}
    </time>
  );
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** In English, as the page is. By hand: `toLocaleTimeString` takes a seventh of a millisecond, and tables have hundreds. */
export function timeText(at: Date, now: Date): string {
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  );
  if (at.toDateString() === now.toDateString()) return clock.join(':');
  const day = `${at.getDate()} ${MONTHS[at.getMonth()] ?? ''}`;
  return at.getFullYear() === now.getFullYear()
    ? `${day} ${clock.slice(0, 2).join(':')}`
    : `${day} ${at.getFullYear()}`;
}
