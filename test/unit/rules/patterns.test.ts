/** Patterns that take values from bodies: which are accepted, and that none of a stranger's takes long. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PatternRules } from '../../../src/core/model/pattern.ts';
import { compilePattern, readPattern } from '../../../src/pattern/pattern.ts';
import { measureCpuTime } from '../../support/cpu-time.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { linesOf, problemsOf } from '../config/load-text.ts';

const MOST_SEEN = 65_536;
/** Of this process alone, for all patterns of this file. What took the square of the length would take hours. */
const SOON_MS = 60_000;

const HEAD = `version: 1
project: shop
apps: { shop: shop.example.com }
tests:
  home:
    test_type: cycling
    duration: 1m
    urls:
      - url: http://shop.example.com/login
        variables:
`;

function problemsWith(...patterns: readonly string[]): string[] {
  const lines = patterns.map(
    (text, index) => `          - { name: v${index}, property: '${text}', source: body }`,
  );
  return linesOf(problemsOf(HEAD + lines.join('\n')));
}

const faultOf = (text: string): string | null => new PatternRules(readPattern).faultOf(text);

test.each([
  'token=([^&]+)',
  '(?i)name="csrf"\\s+value="(\\w+)"',
  '(?P<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})',
  '(?s)<h1>(.*?)</h1>',
  '(a)(b)(c)',
  '()',
  '(\\p{Greek}+|[[:alpha:]])',
])('%s is accepted', (pattern) => {
  expect(problemsWith(pattern)).toEqual([]);
});

test.each([
  [
    'a(?=b)',
    'has "(?=": RE2 has no look-ahead and no look-behind; say what stands around the value, such as',
  ],
  ['(?!a)(b)', 'has "(?!": RE2 has no look-ahead and no look-behind;'],
  ['(?<=a)(b)', 'has "(?<": RE2 has no look-ahead and no look-behind;'],
  ['(a)\\1', 'has "\\\\1": RE2 has no backreferences; write out what the group stands for'],
  ['token=.*', 'has no group; put what is the value in parentheses, such as "token=([^&]+)"'],
  ['(?:a)', 'has no group;'],
  ['(a', 'is not in the syntax of RE2: missing closing )'],
  ['*(a)', 'is not in the syntax of RE2: missing argument to repetition operator in "*"'],
  ['(a{1001})', 'is not in the syntax of RE2: invalid repeat count in "{1001}"'],
  ['((a{1000}){1000})', 'is not in the syntax of RE2: invalid repeat count in "{1000}"'],
  ['(a{600})', 'is too large: the patterns of a URL make at most 500 steps, with this one 604;'],
  ['()'.repeat(11), 'has 11 groups, and at most 10 may be; write those behind the first as "(?:…)"'],
  [`(${'a'.repeat(199)})`, 'is longer than 200 characters'],
  ['', 'has no group'],
])('%s is told with its place and what would be right', (pattern, words) => {
  const [line, ...more] = problemsWith(pattern);
  expect(more).toEqual([]);
  expect(line).toMatch(/^loadtests\.yaml:11:35\+\d+ error LT_CONFIG_VALUE: the pattern "/);
  expect(line).toContain(words);
});

test('the patterns of a URL share its steps, and those of a test its characters', () => {
  expect(problemsWith('(a{300})', '(b{300})')).toEqual([
    expect.stringMatching(/^loadtests\.yaml:12:35.*steps, with this one 6\d\d;/),
  ]);
  const rules = new PatternRules(readPattern);
  const faults = Array.from({ length: 60 }, (_, index) => {
    rules.nextUrl();
    return rules.faultOf(`(${String(index).padStart(198, 'x')})`);
  });
  expect(faults.map((fault) => fault !== null)).toEqual([
    ...Array.from({ length: 50 }, () => false),
    ...Array.from({ length: 10 }, () => true),
  ]);
  expect(faults[50]).toContain('at most 10000 characters');
});

test('the answer to a HEAD has no body for them', () => {
  const head = HEAD.replace('        variables', '        request_type: HEAD\n        variables');
  const lines = linesOf(problemsOf(`${head}          - { name: v, property: (a), source: body }`));
  expect(lines).toEqual([expect.stringContaining('the answer to a HEAD has no body')]);
});

describe('what a pattern takes', () => {
  const atom = fc.constantFrom('a', 'b', 'ü', '[ab]', '[^a]', '.', '\\d', '(?:ab|a)');
  const repeated = fc
    .tuple(atom, fc.constantFrom('', '', '?', '*', '+', '*?', '+?', '{1,2}'))
    .map(([one, times]) => one + times);
  const part = fc.array(fc.oneof(repeated, fc.constantFrom('^', '$', '\\b')), { maxLength: 3 });
  const sequence = part.map((parts) => parts.join(''));
  const pattern = fc
    .tuple(sequence, sequence, sequence, fc.option(sequence))
    .map(([before, taken, after, or]) => `${before}(${taken})${after}${or === null ? '' : `|${or}`}`);
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '1', '\n', '\u{1f6d2}'), maxLength: 20 });

  test('is what the regular expressions of JavaScript take, where both read it', () => {
    fc.assert(
      fc.property(pattern, text, (written, body) => {
        const groups = new RegExp(written, 'u').exec(body);
        expect(compilePattern(written)(body)).toBe(groups?.[1]);
      }),
      { numRuns: scaleCount(2000) },
    );
  });
});

/** What takes exponential time, or the square of it, where patterns are tried one way after the other. */
const HOSTILE: readonly ((size: number) => string)[] = [
  () => '(a*)*b',
  () => '(a|a)*b',
  () => '((a+)+)+b',
  () => '(?:a|aa|aaa)*(b)',
  () => '(.*)*=(.*)*;',
  () => '^(([a-z])+.)+[A-Z]$',
  () => '(a|a?)+b',
  () => '(?s)(.*)(.*)(.*)(.*)b',
  () => '(x+x+)+y',
  () => '(?:\\w|\\pL|[[:alpha:]])*(!)',
  (size) => `(?:a?){${size}}(a{${size}})`,
  (size) => `[ab]*a[ab]{${size * 2}}(c?)$`,
  (size) => `(${'.*'.repeat(size / 4)})b`,
  (size) => `(?:(?:a{0,${Math.ceil(Math.sqrt(size))}}){0,${Math.ceil(Math.sqrt(size))}})(b)`,
  (size) => `(?i)(k{${size * 2}})z`,
  (size) => `${'(a?'.repeat(9)}${'.'.repeat(size / 8)}${')*'.repeat(9)}b`,
  (size) => `(a{${size * 10}})`,
  (size) => `((a{${size * 10}}){${size * 10}})`,
  (size) => `${'(?:'.repeat(size / 4)}(a)${')*'.repeat(size / 4)}b`,
  (size) => `.{1000}`.repeat(size / 8) + '(b)',
];

const TEXTS = ['a', 'ab', 'xa', 'ä', 'a=b;'];

describe('200 hostile patterns', () => {
  const patterns = HOSTILE.flatMap((make) =>
    Array.from({ length: 10 }, (_, index) => `${make(8 * (index + 3))}${'|q'.repeat(index)}`),
  );
  const accepted = patterns.filter((pattern) => faultOf(pattern) === null);

  test('are judged soon', () => {
    expect(patterns).toHaveLength(200);
    const anew = (text: string): string => `(?:)${text}`;
    expect(
      measureCpuTime(() => {
        patterns.forEach((pattern) => faultOf(anew(pattern)));
      }),
    ).toBeLessThan(SOON_MS);
    expect(accepted.length).toBeGreaterThan(100);
  });

  test('are run in time that the length of the text allows', () => {
    const used = measureCpuTime(() => {
      for (const [index, pattern] of accepted.entries()) {
        const find = compilePattern(pattern);
        const text = TEXTS[index % TEXTS.length] ?? '';
        for (const length of [MOST_SEEN / 16, MOST_SEEN / 8]) find(text.repeat(length / text.length));
      }
    });
    expect(used).toBeLessThan(SOON_MS);
  });
});
