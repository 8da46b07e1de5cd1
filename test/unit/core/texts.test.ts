/** Small functions on text. */
import { describe, expect, test } from 'vitest';
import { CallError } from '../../../src/core/call-error.ts';
import { counted, countText, listText, withCommas } from '../../../src/core/counted.ts';
import { matchesAny } from '../../../src/core/glob.ts';
import { parseInstant } from '../../../src/core/instant.ts';
import { isNestedDeeperThan } from '../../../src/core/json-nesting.ts';
import { mergeAdjacentStrings } from '../../../src/core/merge-adjacent.ts';
import {
  hasCiCommand,
  printable,
  printableColored,
  printableJson,
  printableLines,
  printableStrings,
} from '../../../src/core/printable.ts';
import { problem, ProblemError } from '../../../src/core/problem.ts';
import { quote } from '../../../src/core/quote.ts';
import { planHeadline, type ReviewedPlan } from '../../../src/core/report/plan-items.ts';
import { clockText, periodText } from '../../../src/core/report/timeline.ts';
import { fail, ok, resultOf } from '../../../src/core/result.ts';
import { createLineFinder, locationOf } from '../../../src/core/source-location.ts';
import { isStepEnd, performSteps } from '../../../src/core/steps.ts';
import { alignedTable } from '../../../src/core/text-columns.ts';
import { formatAge, formatBytes, formatDuration, milliseconds, seconds } from '../../../src/core/units.ts';
import { codeOf, messageOf } from '../../../src/core/unknown-value.ts';

test('listText returns the text of Intl.ListFormat in American English for up to four names', () => {
  const format = new Intl.ListFormat('en-US');
  for (const names of [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']]) {
    expect(listText(names)).toBe(format.format(names));
  }
});

describe('counts', () => {
  test.each([
    [0, '0 tests'],
    [1, '1 test'],
    [2, '2 tests'],
    [1200, '1,200 tests'],
  ])('a count of %d tests is written as "%s"', (count, text) => {
    expect(counted(count, 'test')).toBe(text);
  });

  test('counts with an irregular plural are written as "1 retry" and "2 retries"', () => {
    expect([counted(1, 'retry', 'retries'), counted(2, 'retry', 'retries')]).toEqual([
      '1 retry',
      '2 retries',
    ]);
  });

  test.each([
    [999, '999'],
    [1000, '1,000'],
    [1_234_567, '1,234,567'],
    [1234.56789, '1,234.56789'],
    [-1234, '-1,234'],
    [0.0001234, '0.0001234'],
  ])('the number %d is written as "%s"', (count, text) => {
    expect(withCommas(count)).toBe(text);
  });

  test('a lower bound of a count is marked, and an unknown count is written as a dash', () => {
    expect([countText(1204), countText(1204, true), countText(null), countText(undefined)]).toEqual([
      '1,204',
      '≥ 1,204',
      '–',
      '–',
    ]);
  });
});

test.each([
  [[], 'a', false],
  [['b', 'a*'], 'ab', true],
  [['b', 'c'], 'a', false],
])('matchesAny(%j, "%s") returns %s', (patterns, text, expected) => {
  expect(matchesAny(patterns, text)).toBe(expected);
});

test.each([
  ['x2026-12-24 03:00:00', null],
  ['2026-12-24 03:00:00x', null],
  ['2026-12-24 03:00:60', Date.UTC(2026, 11, 24, 3, 1)],
  ['2026-12-24 03:00:61', null],
  ['0100-01-01 00:00:00', Date.UTC(100, 0)],
  ['0099-01-01 00:00:00', null],
  ['2026-12-24T03:00:00+23:59', Date.UTC(2026, 11, 23, 3, 1)],
])('parseInstant("%s") returns %j', (text, instant) => {
  expect(parseInstant(text)).toBe(instant);
});

test.each([
  ['[[1]]', 2, false],
  ['[[1]]', 1, true],
  ['{"a":{}}', 2, false],
  ['{"a":{}}', 1, true],
  ['[{},[],{}]', 2, false],
  ['"[[["', 1, false],
  ['1', 0, false],
])('isNestedDeeperThan(%j, %d) returns %s', (text, maximum, expected) => {
  expect(isNestedDeeperThan(text, maximum)).toBe(expected);
});

test.each<[readonly (string | number)[], readonly (string | number)[]]>([
  [[], []],
  [
    ['a', 'b', 1, 'c', 'd', 'e', 2, 3, ''],
    ['ab', 1, 'cde', 2, 3, ''],
  ],
  [
    [1, 'a'],
    [1, 'a'],
  ],
  [
    ['a', 1, 'b'],
    ['a', 1, 'b'],
  ],
])('mergeAdjacentStrings(%j) returns %j', (parts, joined) => {
  expect(mergeAdjacentStrings(parts)).toEqual(joined);
});

describe('text for terminals and CI logs', () => {
  test.each([
    ['plain', false],
    ['::error::x', true],
    ['a ::error::x', false],
    ['a\n  ::error::x', true],
    ['a ##[group]', true],
    ['##vso[task]', true],
    ['##TeamCity[x', true],
    ['## heading', false],
  ])('hasCiCommand(%j) returns %s', (text, expected) => {
    expect(hasCiCommand(text)).toBe(expected);
  });

  test.each([
    ['plain text', 'plain text'],
    ['a\tb\nc', 'a b c'],
    ['a\u0007\u200db', 'a\ufffd\ufffdb'],
    ['line\u2028end', 'line end'],
    ['no\u00a0break', 'no\u00a0break'],
    ['no\u00a0break\u0007', 'no break\ufffd'],
  ])('printable(%j) returns %j', (text, line) => {
    expect(printable(text)).toBe(line);
  });

  test('printableLines preserves line breaks and tabs, and neutralizes commands to a CI runner', () => {
    expect(printableLines('a\tb\n\u0007::error::x ##[group]')).toBe('a\tb\n\ufffd::error::x \ufffd#[group]');
    expect(printableLines(' ::error::x')).toBe(' \ufffd:error::x');
  });

  test('printableColored preserves only the color codes that match the given pattern', () => {
    // oxlint-disable-next-line no-control-regex -- color codes begin with a control character
    const codes = /(\u001b\[3\dm)/;
    expect(printableColored('\u001b[31ma\u001b[41mb\u001b[32m', codes)).toBe(
      '\u001b[31ma\ufffd[41mb\u001b[32m',
    );
    expect(printableColored('\u001b[31m::error::x', codes)).toBe('\u001b[31m\ufffd:error::x');
  });

  test('printableStrings makes the keys and strings of a document printable, and leaves other values unchanged', () => {
    expect(printableStrings({ 'a\u0007': ['b\u0007', 1, null, true, { c: '\u200d' }] })).toEqual({
      'a\ufffd': ['b\ufffd', 1, null, true, { c: '\ufffd' }],
    });
  });

  test('printable JSON is parsed to the value of the original JSON', () => {
    const value = { a: '\u0007\u{e0001}##[group]', b: ['\u200d'] };
    const json = printableJson(JSON.stringify(value));
    expect(json).toBe('{"a":"\\u0007\\udb40\\udc01\\u0023#[group]","b":["\\u200d"]}');
    expect(JSON.parse(json)).toEqual(value);
  });
});

describe('problems and results', () => {
  test('a problem is an error without hint and source, unless the details specify otherwise', () => {
    const plain = { code: 'LT_API_REFUSED', severity: 'error', message: 'no', hint: null, source: null };
    expect(problem('LT_API_REFUSED', 'no')).toStrictEqual(plain);
    const source = { file: 'loadtests.yaml', line: 7, column: 5, length: 3, lineText: 'a: b' };
    const details = { severity: 'warning', hint: 'Wait.', example: ['a: 1'], source } as const;
    expect(problem('LT_API_REFUSED', 'no', details)).toStrictEqual({ ...plain, ...details });
  });

  test('a ProblemError has the message of its problem', () => {
    const cause = new Error('closed');
    const error = new ProblemError(problem('LT_API_REFUSED', 'no'), { cause });
    expect([error.name, error.message, error.cause]).toEqual(['ProblemError', 'no', cause]);
  });

  test('a result with an error fails with all problems, and a result with warnings succeeds with the warnings', () => {
    const warning = problem('LT_API_REFUSED', 'slow', { severity: 'warning' });
    const error = problem('LT_API_REFUSED', 'no');
    expect(resultOf(7, [warning, error])).toEqual(fail([warning, error]));
    expect(resultOf(7, [warning])).toEqual({ ok: true, value: 7, warnings: [warning] });
    expect(ok(7)).toEqual({ ok: true, value: 7, warnings: [] });
    expect(fail([error])).toEqual({ ok: false, problems: [error] });
  });

  test('only errors with a string as code have a code', () => {
    const withCode = (code: unknown) => Object.assign(new Error('x'), { code });
    const errors = [withCode('ENOENT'), withCode(7), new Error('x'), { code: 'ENOENT' }, 'ENOENT', null];
    expect(errors.map(codeOf)).toEqual(['ENOENT', null, null, null, null, null]);
  });

  test('the message of a thrown value that is not an error is its text', () => {
    expect([messageOf(new Error('closed')), messageOf(7)]).toEqual(['closed', '7']);
  });
});

test('a quoted value of more than 80 characters is truncated to 79 characters with an ellipsis', () => {
  expect([quote('a"b'), quote(7), quote('x'.repeat(78))]).toEqual(['"a\\"b"', '"7"', `"${'x'.repeat(78)}"`]);
  expect(quote('x'.repeat(79))).toBe(`"${'x'.repeat(76)}…"`);
});

test('the rows of a table have aligned columns without spaces at the end, and a row may have fewer cells', () => {
  const rows = [['a', 'long', 'x'], ['name', 'b', ''], ['c']];
  expect(alignedTable(rows)).toEqual(['a     long  x', 'name     b', 'c']);
});

test('a step of a long computation ends after every 512 elements', () => {
  const indexes = Array.from({ length: 1100 }, (_, index) => index);
  expect(indexes.filter(isStepEnd)).toEqual([512, 1024]);
});

test('performSteps returns the result of the last step', () => {
  function* steps(): Generator<undefined, string, undefined> {
    yield;
    yield;
    return 'end';
  }
  expect(performSteps(steps())).toBe('end');
});

test('the line of each offset of a text is found, and its end excludes the line break', () => {
  const lineAt = createLineFinder('ab\n\nc');
  expect([0, 2, 3, 4, 5].map(lineAt)).toEqual([
    { index: 0, start: 0, end: 2 },
    { index: 0, start: 0, end: 2 },
    { index: 1, start: 3, end: 3 },
    { index: 2, start: 4, end: 5 },
    { index: 2, start: 4, end: 5 },
  ]);
});

test('a CallError is permanent unless it is marked as transient', () => {
  const failure = { outcome: 'refused' as const, status: 400, errors: ['no'] };
  expect(new CallError(problem('LT_API_REFUSED', 'no'), failure)).toMatchObject({
    ...failure,
    name: 'CallError',
    transient: false,
    retryAfter: null,
  });
  expect(new CallError(problem('LT_API_REFUSED', 'no'), { ...failure, transient: true }).transient).toBe(
    true,
  );
});

describe('quantities', () => {
  test.each([
    [-5000, '0s'],
    [0, '0s'],
    [999, '0s'],
    [1000, '1s'],
    [63_000, '1m 3s'],
    [3_600_000, '1h'],
    [3_605_000, '1h'],
    [126_000_000, '1d 11h'],
    [86_400_000 + 59_999, '1d'],
    [30 * 86_400_000, '30d'],
  ])('an age of %d ms is formatted as "%s"', (value, text) => {
    expect(formatAge(milliseconds(value))).toBe(text);
  });

  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [999_949, '999.9 kB'],
    [999_950, '1.0 MB'],
    [1_250_000, '1.3 MB'],
    [4_000_000_000, '4.0 GB'],
    [4e12, '4.0 TB'],
    [4e15, '4000.0 TB'],
  ])('a size of %d bytes is formatted as "%s"', (value, text) => {
    expect(formatBytes(value)).toBe(text);
  });

  test('durations of 1000 ms and 999.6 ms are formatted as 1s and 1000ms', () => {
    expect([formatDuration(milliseconds(1000)), formatDuration(milliseconds(999.6))]).toEqual([
      '1s',
      '1000ms',
    ]);
  });

  test('seconds are converted to whole milliseconds', () => {
    expect([seconds(1.5), seconds(0.0004), seconds(0.0005)]).toEqual([1500, 0, 1]);
  });
});

test('the location of a source range contains its file, line and column, but not its text or length', () => {
  const range = { file: 'loadtests.yaml', line: 7, column: 5, length: 3, lineText: 'a: b' };
  expect(locationOf(range)).toEqual({ file: 'loadtests.yaml', line: 7, column: 5 });
});

test.each([
  [0, '0:00'],
  [7.9, '0:07'],
  [-3, '0:00'],
  [750, '12:30'],
  [3599, '59:59'],
  [3600, '1:00:00'],
  [45_296, '12:34:56'],
])('%d seconds since the start of a run are written as "%s"', (time, text) => {
  expect(clockText(time)).toBe(text);
});

test('the start and the end of a period are rounded to seconds', () => {
  expect(periodText({ from: 5.6, to: 10.4 })).toBe('0:06 to 0:10');
});

/** Plans as numbers of created tests, scheduled tests, started tests and apps. */
test.each<[created: number, scheduled: number, started: number, apps: number, headline: string]>([
  [0, 0, 0, 0, 'no changes'],
  [0, 0, 0, 2, 'apps change'],
  [1, 0, 0, 0, '1 test changes and starts load'],
  [2, 0, 0, 1, '2 tests change and start load'],
  [0, 1, 0, 0, '1 test changes, no load starts'],
  [1, 2, 0, 0, '3 tests change, 1 starts load'],
  [2, 1, 0, 0, '3 tests change, 2 start load'],
  [0, 0, 1, 0, '1 test starts load'],
  [0, 0, 2, 1, '2 tests start load'],
  [1, 0, 1, 0, '1 test changes, 2 start load'],
])(
  'a plan with %d created, %d scheduled and %d started tests and %d apps has the headline "%s"',
  (created, scheduled, started, apps, headline) => {
    const actionsOf = (count: number, verb: string, startsLoad: boolean, kind = 'test') =>
      Array.from({ length: count }, (_, index) => ({
        address: `${kind}.${verb}${index}${startsLoad}`,
        verb,
        starts_load: startsLoad,
        source: null,
      }));
    const actions = [
      ...actionsOf(created, 'create', true),
      ...actionsOf(scheduled, 'create', false),
      ...actionsOf(started, 'run', true),
      ...actionsOf(apps, 'register', false, 'app'),
    ];
    expect(planHeadline({ actions } as unknown as ReviewedPlan)).toBe(headline);
  },
);
