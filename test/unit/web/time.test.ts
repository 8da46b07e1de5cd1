import { expect, test } from 'vitest';
import { timeText } from '../../../src/core/instant.ts';
import { routeOf } from '../../../src/web/ui/routes.ts';
import { localTimeText } from '../../../src/web/ui/time.tsx';

test.each([
  [0, '2026-11-27 09:34:39 UTC'],
  [60, '2026-11-27 10:34:39 UTC+1'],
  [-300, '2026-11-27 04:34:39 UTC−5'],
  [330, '2026-11-27 15:04:39 UTC+5:30'],
  [-690, '2026-11-26 22:04:39 UTC−11:30'],
])(
  'in a time zone with an offset of %i minutes from UTC, the web UI displays 09:34:39 UTC as %s',
  (zone, text) => {
    expect(timeText(Date.UTC(2026, 10, 27, 9, 34, 39), zone)).toBe(text);
  },
);

test('the web UI displays the time NaN as "an unknown time"', () => {
  expect(timeText(Number.NaN)).toBe('an unknown time');
});

test('localTimeText returns the date, the time with seconds and the time zone, and "Today" instead of the current date', () => {
  const now = new Date(2026, 10, 27, 12, 0, 0).getTime();
  // Lines can end only between the day and the time.
  const wrapped = (at: number) => {
    const [day, clock = ''] = localTimeText(at, now).split(' ');
    return [day, clock.split('\u00a0')[0]];
  };
  expect(wrapped(new Date(2026, 10, 27, 9, 34, 39).getTime())).toEqual(['Today', '09:34:39']);
  expect(wrapped(new Date(2026, 10, 21, 14, 2).getTime())).toEqual(['2026-11-21', '14:02:00']);
  expect(wrapped(new Date(2025, 10, 21, 14, 2).getTime())).toEqual(['2025-11-21', '14:02:00']);
  expect(localTimeText(now, now)).toMatch(/ 12:00:00\u00a0UTC(?:[+−]\d+(?::\d\d)?)?$/);
});

test('routeOf omits the query of a fragment, and decodes each part of the route', () => {
  expect(routeOf('#/tests?search=a/b&page=2')).toEqual(['tests']);
  expect(routeOf('#/runs/a%3Fb/c?zoom=1-2')).toEqual(['runs', 'a?b', 'c']);
});
