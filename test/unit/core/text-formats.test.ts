import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical, type Json } from '../../../src/core/canonical.ts';
import { CODES } from '../../../src/core/codes.ts';
import { matchesGlob } from '../../../src/core/glob.ts';
import { formatInstant, parseInstant } from '../../../src/core/instant.ts';
import { pointerOf, splitPointer } from '../../../src/core/pointer.ts';
import { printable } from '../../../src/core/printable.ts';
import { exitCodeOf, exitCodeOfProblems, problem } from '../../../src/core/problem.ts';
import { formatBytes, formatDuration, milliseconds, parseDuration } from '../../../src/core/units.ts';
import { arbitraryString } from '../../support/arbitrary-string.ts';
import { scaleCount } from '../../support/test-scale.ts';

describe('durations', () => {
  test.each([
    ['90s', 90_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['1d', 86_400_000],
    ['0s', 0],
    ['0.1s', 100],
  ])('the duration %s is parsed as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['', '90', 's', '1s1m', '1m1m', '-1s', '1 m', '1e3s', '1.s', 'x', '1m ', '٣s'])(
    'the text %j is not a duration',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );

  test('a formatted duration is parsed to the same value', () => {
    fc.assert(
      fc.property(fc.nat(10 ** 12), (ms) => {
        expect(parseDuration(formatDuration(milliseconds(ms)))).toBe(ms);
      }),
    );
  });

  test.each([
    [0, '0s'],
    [999, '999ms'],
    [1_500, '1.5s'],
    [90_000, '1m30s'],
    [7_200_000, '2h'],
    [86_400_000, '24h'],
  ])('a duration of %i ms is formatted as %s', (ms, text) => {
    expect(formatDuration(milliseconds(ms))).toBe(text);
  });
});

describe('instants', () => {
  const christmas = Date.UTC(2026, 11, 24, 3);

  test.each([
    '2026-12-24 03:00:00',
    '2026-12-24 3:0:0',
    '2026-12-24T03:00:00Z',
    '2026-12-24t03:00:00z',
    '2026-12-24 03:00',
    '2026-12-24 03:00:00 UTC',
    '2026-12-24T03:00:00.000Z',
    '2026-12-24T04:00:00+01:00',
    '2026-12-23T22:30:00-0430',
    ' 2026-12-24 03:00:00 ',
  ])('parseInstant(%j) returns 2026-12-24 03:00:00 UTC', (text) => {
    expect(parseInstant(text)).toBe(christmas);
  });

  test.each([
    '',
    'tomorrow',
    '2026-12-24',
    '2026-13-01 00:00:00',
    '2026-00-01 00:00:00',
    '2026-02-30 00:00:00',
    '2026-02-00 00:00:00',
    '2027-02-29 00:00:00',
    '2026-12-24 24:00:00',
    '2026-12-24 03:60:00',
    '2026-12-24T03:00:00+24:00',
    '2026-12-24T03:00:00+01:60',
    '0050-12-24 03:00:00',
    '1798081200',
  ])('the string %j is rejected as an instant', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test.each(['0.019', '0.29', '0.57', '0.1', '0.9999', '0.001'])(
    'parseInstant truncates a fraction of %s s to whole milliseconds',
    (fraction) => {
      const ms = Number(fraction.slice(2).slice(0, 3).padEnd(3, '0'));
      expect(parseInstant(`2026-12-24T03:00:00${fraction.slice(1)}Z`)).toBe(christmas + ms);
    },
  );

  test('a formatted instant is parsed to the same second', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(9999, 0) }), (at) => {
        expect(parseInstant(formatInstant(at))).toBe(Math.floor(at / 1000) * 1000);
        expect(parseInstant(new Date(at).toISOString())).toBe(at);
      }),
    );
  });
});

describe('glob patterns', () => {
  test.each([
    ['*', '', true],
    ['check*', 'checkout', true],
    ['*out', 'checkout', true],
    ['c*k*t', 'checkout', true],
    ['check?ut', 'checkout', true],
    ['check?', 'check', false],
    ['checkout', 'checkouts', false],
    ['*.example.com', 'shop.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'shopxexample.com', false],
    ['127.0.0.1:*', '127.0.0.1:4080', true],
    ['[a]', 'a', false],
    ['[a]', '[a]', true],
    ['a**b', 'ab', true],
    ['', '', true],
    ['', 'a', false],
  ])('matchesGlob(%j, %j) returns %s', (pattern, text, matches) => {
    expect(matchesGlob(pattern, text)).toBe(matches);
  });

  test('matchesGlob agrees with the equivalent regular expression', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*?]{0,8}$/), fc.stringMatching(/^[ab]{0,10}$/), (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(matchesGlob(pattern, text)).toBe(expression.test(text));
      }),
      { numRuns: scaleCount(1000) },
    );
  });

  test('a glob pattern with 200 asterisks does not match 5,000 characters with a different end', () => {
    expect(matchesGlob('*a'.repeat(200) + 'b', 'a'.repeat(5_000))).toBe(false);
  });
});

describe('exit codes', () => {
  const ORDER = [129, 143, 130, 1, 3, 5, 6, 8, 7, 4, 9, 12, 13, 10, 11, 2];

  test('exitCodeOf returns the exit code with the highest precedence', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...ORDER, 0]), (codes) => {
        expect(exitCodeOf(codes)).toBe(ORDER.find((code) => codes.includes(code)) ?? 0);
      }),
    );
  });

  test('the exit code is 0 if there are no problems, or only warnings', () => {
    expect(exitCodeOf([])).toBe(0);
    expect(exitCodeOfProblems([problem('LT_API_KEY', '', { severity: 'warning' })])).toBe(0);
  });

  test.each([
    [['LT_RUN_THRESHOLD', 'LT_RUN_INCONCLUSIVE'], 10],
    [['LT_RUN_THRESHOLD', 'LT_PLAN_BLOCKED'], 12],
    [['LT_RUN_TIMEOUT', 'LT_RUN_INCONCLUSIVE'], 9],
    [['LT_API_REFUSED', 'LT_API_KEY'], 7],
    [['LT_API_REFUSED', 'LT_API_UNKNOWN'], 8],
    [['LT_API_UNKNOWN', 'LT_CLI_DISK'], 1],
    [['LT_RUN_THRESHOLD', 'LT_CLI_INTERRUPTED'], 130],
  ] as const)('the exit code of the problems %j is %i', (codes, exit) => {
    expect(exitCodeOfProblems(codes.map((code) => problem(code, '')))).toBe(exit);
  });

  test('the order of precedence of exit codes contains the exit code of every problem code', () => {
    for (const { exit } of Object.values(CODES)) expect(ORDER).toContain(exit);
  });
});

describe('text formats', () => {
  test('values that differ only in the order of keys have the same canonical JSON', () => {
    const json = fc.jsonValue() as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonical(reversed(value))).toBe(canonical(value));
      }),
    );
    expect(() => canonical(Number.NaN)).toThrow('Bug:');
  });

  test('splitPointer returns the path from which a JSON Pointer was created', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (path) => {
        expect(splitPointer(pointerOf(path))).toEqual(path);
      }),
    );
  });

  test('the result of printable contains no control characters, lone surrogates or text direction overrides', () => {
    fc.assert(
      fc.property(arbitraryString(), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cs}\u202e\u2066]/u);
      }),
    );
    expect(printable('a\nb\u001b[31mc')).toBe('a b\ufffd[31mc');
  });

  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [662_700, '662.7 kB'],
    [1.2e6, '1.2 MB'],
    [5e15, '5000.0 TB'],
  ])('a size of %d bytes is formatted as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

/** Returns the same value with its keys in reverse order. */
function reversed(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((member: Json) => reversed(member));
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
