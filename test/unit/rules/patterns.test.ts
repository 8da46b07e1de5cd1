/**
 * Patterns that extract values from bodies: the accepted syntax, and the bounded cost of untrusted patterns.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PatternRules } from '../../../src/core/model/pattern.ts';
import { compilePattern, readPattern } from '../../../src/pattern/pattern.ts';
import { measureCpuTime } from '../../support/cpu-time.ts';
import { scaleCount } from '../../support/test-scale.ts';
import { linesOf, problemsOf } from '../config/load-text.ts';

const MAX_CHECKED_LENGTH = 65_536;
/** CPU time of this process for all patterns of this file. With quadratic cost they would take hours. */
const MAX_CPU_MS = 60_000;

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

const faultOf = (text: string): string | null => new PatternRules(readPattern).faultOf(text, 'extract');

test.each([
  'token=([^&]+)',
  '(?i)name="csrf"\\s+value="(\\w+)"',
  '(?P<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})',
  '(?s)<h1>(.*?)</h1>',
  '(a)(b)(c)',
  '()',
  '(\\p{Greek}+|[[:alpha:]])',
])('the pattern %s is accepted', (pattern) => {
  expect(problemsWith(pattern)).toEqual([]);
});

test.each([
  [
    'a(?=b)',
    'contains "(?=": RE2 does not support lookahead or lookbehind; match the text around the value, such as',
  ],
  ['(?!a)(b)', 'contains "(?!": RE2 does not support lookahead or lookbehind;'],
  ['(?<=a)(b)', 'contains "(?<=": RE2 does not support lookahead or lookbehind;'],
  ['(a)\\1', 'contains "\\\\1": RE2 does not support backreferences; repeat the content of the group'],
  [
    'token=.*',
    'has no capturing group; put parentheses around the value to extract, such as "token=([^&]+)"',
  ],
  ['(?:a)', 'has no capturing group;'],
  ['(a', 'is not valid RE2 syntax: missing closing )'],
  ['*(a)', 'is not valid RE2 syntax: missing argument to repetition operator in "*"'],
  ['(a{1001})', 'is not valid RE2 syntax: invalid repeat count in "{1001}"'],
  ['((a{1000}){1000})', 'is not valid RE2 syntax: invalid repeat count in "{1000}"'],
  [
    '(a{600})',
    'is too large: the patterns of one URL can have 500 steps in total, but with this pattern, they have 604;',
  ],
  [
    '()'.repeat(11),
    'has 11 capturing groups, but the maximum is 10; write all groups after the first as "(?:…)"',
  ],
  [`(${'a'.repeat(199)})`, 'is longer than 200 characters'],
  ['', 'has no capturing group'],
])(
  'the error about the invalid pattern $0 contains the location of the pattern and the reason',
  (pattern, text) => {
    const [line, ...more] = problemsWith(pattern);
    expect(more).toEqual([]);
    expect(line).toMatch(/^loadtests\.yaml:11:35\+\d+ error LT_CONFIG_VALUE: the pattern "/);
    expect(line).toContain(text);
  },
);

test.each([
  [['a', '{{c}}', '('], 'missing closing ) in "a{{c}}("'],
  [['a', '[', '{{d}}'], 'missing closing ] in "[{{d}}"'],
])(
  'the error about an invalid pattern with the parts %j contains the variable as written',
  (written, text) => {
    const pattern = written.map((part) => (part.startsWith('{{') ? 'x' : part)).join('');
    expect(new PatternRules(readPattern).faultOf(pattern, 'check', written)).toContain(text);
  },
);

test('the limit on steps applies to all patterns of a URL together, and the limit on characters to all patterns of a test', () => {
  expect(problemsWith('(a{300})', '(b{300})')).toEqual([
    expect.stringMatching(/^loadtests\.yaml:12:35.*with this pattern, they have 6\d\d;/),
  ]);
  expect(problemsWith('(a{600})', '(b{300})', '(c')).toEqual([
    expect.stringContaining('is too large'),
    expect.stringContaining('is not valid RE2 syntax: missing closing )'),
  ]);
  const rules = new PatternRules(readPattern);
  const faults = Array.from({ length: 60 }, (_, index) => {
    rules.nextUrl();
    return rules.faultOf(`(${String(index).padStart(198, 'x')})`, 'extract');
  });
  expect(faults.map((fault) => fault !== null)).toEqual([
    ...Array.from({ length: 50 }, () => false),
    ...Array.from({ length: 10 }, () => true),
  ]);
  expect(faults[50]).toContain('at most 10,000 characters');
});

test('a pattern is rejected for a HEAD request, because the response has no body', () => {
  const head = HEAD.replace('        variables', '        request_type: HEAD\n        variables');
  const lines = linesOf(problemsOf(`${head}          - { name: v, property: (a), source: body }`));
  expect(lines).toEqual([expect.stringContaining('the response to a HEAD request has no body')]);
});

describe('values that patterns extract', () => {
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

  test('a pattern extracts the same value as the equivalent JavaScript regular expression', () => {
    fc.assert(
      fc.property(pattern, text, (written, body) => {
        const groups = new RegExp(written, 'u').exec(body);
        expect(compilePattern(written)(body)).toBe(groups?.[1]);
      }),
      { numRuns: scaleCount(2000) },
    );
  });
});

/** Patterns that take exponential or quadratic time with backtracking. */
const HOSTILE_PATTERNS: readonly ((size: number) => string)[] = [
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
  const patterns = HOSTILE_PATTERNS.flatMap((patternOf) =>
    Array.from({ length: 10 }, (_, index) => `${patternOf(8 * (index + 3))}${'|q'.repeat(index)}`),
  );
  const accepted = patterns.filter((pattern) => faultOf(pattern) === null);

  test('200 hostile patterns are checked within 60 s of CPU time, and more than 100 of the patterns are accepted', () => {
    expect(patterns).toHaveLength(200);
    const uncached = (text: string): string => `(?:)${text}`;
    expect(measureCpuTime(() => patterns.forEach((pattern) => faultOf(uncached(pattern))))).toBeLessThan(
      MAX_CPU_MS,
    );
    expect(accepted.length).toBeGreaterThan(100);
  });

  test('accepted hostile patterns are matched within 60 s of CPU time', () => {
    const used = measureCpuTime(() => {
      for (const [index, pattern] of accepted.entries()) {
        const find = compilePattern(pattern);
        const text = TEXTS[index % TEXTS.length] ?? '';
        find(text.repeat(MAX_CHECKED_LENGTH / 8 / text.length));
      }
    });
    expect(used).toBeLessThan(MAX_CPU_MS);
  });
});
