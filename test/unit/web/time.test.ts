import { expect, test } from 'vitest';
import { routeOf } from '../../../src/web/ui/routes.ts';
import { timeText, zoneText } from '../../../src/web/ui/time.tsx';

test.each([
  [0, 'UTC'],
  [60, 'UTC+1'],
  [-300, 'UTC−5'],
  [330, 'UTC+5:30'],
  [-210, 'UTC−3:30'],
])('a time zone offset of %i minutes is displayed as %s', (minutes, text) => {
  expect(zoneText(minutes)).toBe(text);
});

test('a displayed time contains the day, the time and the time zone, and the year unless it is the current year', () => {
  const now = new Date(2026, 10, 27, 12, 0, 0);
  const zone = zoneText(-now.getTimezoneOffset());
  // Lines can end only between the day and the time.
  const wrapped = (at: Date) =>
    timeText(at, now)
      .split(' ')
      .map((line) => line.replaceAll('\u00a0', ' '));
  expect(wrapped(new Date(2026, 10, 27, 9, 34, 39))).toEqual(['Today', `09:34:39 ${zone}`]);
  const earlier = new Date(2026, 10, 21, 14, 2);
  expect(wrapped(earlier)).toEqual(['21 Nov', `14:02 ${zoneText(-earlier.getTimezoneOffset())}`]);
  const lastYear = new Date(2025, 10, 21, 14, 2);
  expect(wrapped(lastYear)).toEqual(['21 Nov 2025', `14:02 ${zoneText(-lastYear.getTimezoneOffset())}`]);
});

test('the route of a view does not include the query that stores its state', () => {
  expect(routeOf('#/tests?search=a/b&page=2')).toEqual(['tests']);
  expect(routeOf('#/runs/a%3Fb/c?zoom=1-2')).toEqual(['runs', 'a?b', 'c']);
});
