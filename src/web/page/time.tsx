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

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** In English, as the page is. */
export function timeText(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString())
    return at.toLocaleTimeString('en-GB', { ...CLOCK, second: '2-digit' });
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  return at.getFullYear() === now.getFullYear()
    ? `${day} ${at.toLocaleTimeString('en-GB', CLOCK)}`
    : `${day} ${at.getFullYear()}`;
}
