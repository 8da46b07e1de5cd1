/**
 * Converts `2026-12-24 03:00:00` (UTC; leading zeros are optional) or RFC 3339 to milliseconds since the epoch.
 * @returns null if the text has a different format, or if the date or time does not exist
 */
export function parseInstant(text: string): number | null {
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})[ Tt](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?\s*(?:UTC|([Zz]|[+-]\d{2}:?\d{2}))?$/.exec(
      text.trim(),
    );
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part: string | undefined) => Number(part ?? 0));
  const fraction = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  // `Date.UTC` adds 1900 to years from 0 to 99.
  if (year < 100 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 60) return null;
  const utc = Date.UTC(year, month - 1, day, hour, minute, second, fraction);
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return null;
  const offset = offsetOf(match[8]);
  return offset === null ? null : utc - offset;
}

function offsetOf(zone: string | undefined): number | null {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Formats a time as RFC 3339 with milliseconds: `2026-12-24T03:00:00.000Z`. Returns null for null. */
export function formatRfc3339(at: number): string;
export function formatRfc3339(at: number | null): string | null;
export function formatRfc3339(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/**
 * Formats a time for display: `2026-12-24 03:00:00 UTC`, `2026-12-24 04:00:00 UTC+1`.
 * @param at - milliseconds since the epoch; NaN if unknown
 * @param zone - offset of the time zone from UTC, in minutes
 */
export function timeText(at: number, zone = 0): string {
  if (Number.isNaN(at)) return 'an unknown time';
  return `${formatInstant(at + zone * 60_000)} ${zoneText(zone)}`;
}

/** Returns `UTC`, `UTC−5` or `UTC+5:30`. */
function zoneText(minutes: number): string {
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `UTC${minutes < 0 ? '−' : '+'}${Math.floor(size / 60)}${rest}`;
}

/** Formats a time in UTC, as in the API: `2026-12-24 03:00:00`. */
export function formatInstant(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
