/**
 * Robustness against malicious files: each one results in problems within a CPU-time bound, never in an
 * exception.
 */
import { describe, expect, it } from 'vitest';
import { measureCpuTime } from '../../support/cpu-time.ts';
import { HEAD, linesOf, loaded, problemsOf } from './load-text.ts';

/**
 * CPU time of this process, in ms. Without the bounds of the parser, these files take minutes or exhaust the
 * memory.
 */
const SOON = 5000;

function times(part: string, count: number): string {
  return part.repeat(count);
}

function laughs(levels: number): string {
  const lines = ['version: 1', 'project: shop', 'x-0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]'];
  for (let level = 1; level < levels; level++) {
    lines.push(`x-${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
  }
  return `${lines.join('\n')}\n`;
}

const deep = 'LT_CONFIG_UNREADABLE: the file is nested deeper than 64 levels';
const many = 'LT_CONFIG_UNREADABLE: the file contains more than 300,000 YAML tokens';

const BOMBS: readonly [name: string, text: string, message: string][] = [
  ['1,000 brackets', times('[', 1000), deep],
  ['200,000 brackets', times('[', 200_000), deep],
  ['100,000 braces', times('{a: ', 100_000), deep],
  ['200,000 list indicators on one line', times('- ', 200_000), deep],
  ['100,000 complex keys on one line', times('? ', 100_000), deep],
  [
    'maps nested 1,400 levels deep',
    Array.from({ length: 1400 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
    deep,
  ],
  [
    'lists nested 500 levels deep',
    Array.from({ length: 500 }, (_, depth) => `${' '.repeat(depth)}-`).join('\n'),
    deep,
  ],
  ['65 nested levels', `x-a: ${times('[', 64)}${times(']', 64)}`, deep],
  [
    'more than 1 MiB of text',
    `# ${times('a', 1024 * 1024)}`,
    'LT_CONFIG_UNREADABLE: the file is larger than 1 MiB',
  ],
  [
    'more than 1 MiB of two-byte characters',
    `# ${times('é', 600_000)}`,
    'LT_CONFIG_UNREADABLE: the file is larger',
  ],
  [
    'aliases that expand to a billion values',
    laughs(9),
    'LT_CONFIG_UNREADABLE: the file contains more than 100,000 values',
  ],
  [
    'nested aliases',
    Array.from({ length: 70 }, (_, at) => `x-${at}: &a${at} [${at === 0 ? '' : `*a${at - 1}`}]`).join('\n'),
    'LT_CONFIG_UNREADABLE: the alias "*a62" expands the file to more than 64 nested levels',
  ],
  [
    'an alias inside its own value',
    'x-a: &a [*a]',
    'LT_CONFIG_SYNTAX: the alias "*a" is inside the value that it refers to',
  ],
  [
    'an alias before its anchor',
    'x-a: *b\nx-b: &b 1',
    'LT_CONFIG_SYNTAX: the alias "*b" refers to an anchor that is not defined before the alias',
  ],
  [
    '250,000 documents',
    times('---\n', 250_000),
    'LT_CONFIG_UNREADABLE: the file contains more than one YAML document',
  ],
  [
    'two documents',
    'version: 1\n---\nversion: 1\n',
    'LT_CONFIG_UNREADABLE: the file contains more than one YAML document',
  ],
  [
    'a directive',
    '%TAG ! x:\n---\nversion: 1\n',
    'LT_CONFIG_UNREADABLE: "%YAML 1.2" is the only supported directive',
  ],
  ['300,000 anchors', times('&a ', 300_000), many],
  ['300,000 tags', times('!a ', 300_000), many],
  ['a million line breaks', times('\n', 1_000_000), many],
  ['500,000 list items', `a:\n${times('-\n', 500_000)}`, many],
  ['200,000 stray brackets', times(']', 200_000), 'LT_CONFIG_SYNTAX'],
  [
    'duplicate keys',
    'version: 1\nproject: a\nproject: b\n',
    'LT_CONFIG_SYNTAX: the key "project" is already defined in this map on line 2; remove one of the two entries',
  ],
  [
    'duplicate keys that are several lines apart',
    'version: 1\nvars:\n  a: 1\nx-b:\n  vars: 2\nvars:\n  a: 2\n',
    'LT_CONFIG_SYNTAX: the key "vars" is already defined in this map on line 2; remove one of the two entries',
  ],
  [
    'keys that are equal strings',
    'vars: { 1: a, "1": b }',
    'LT_CONFIG_SYNTAX: the key "1" is already defined',
  ],
  ['the key __proto__', '__proto__: { version: 1 }', 'LT_CONFIG_SYNTAX: the key "__proto__" is not allowed'],
  [
    'a nested key named constructor',
    'x-a: { constructor: { prototype: 1 } }',
    'LT_CONFIG_SYNTAX: the key "constructor" is not allowed',
  ],
  [
    'a map as a key',
    '? { a: 1 }\n: b',
    'LT_CONFIG_SYNTAX: a key must be a string; write a quoted string as the key',
  ],
  ['tabs for indentation', 'vars:\n\ta: 1\n', 'LT_CONFIG_SYNTAX: tabs are not allowed for indentation'],
  ['an unclosed quote', 'project: "shop\n', 'LT_CONFIG_SYNTAX: unclosed quote'],
  [
    'a custom tag',
    'vars: { a: !js/function "() => 1" }',
    'LT_CONFIG_SYNTAX: only the tags of the YAML 1.2 core schema are supported',
  ],
  [
    'a binary tag',
    'vars: { a: !!binary aGE= }',
    'LT_CONFIG_SYNTAX: only the tags of the YAML 1.2 core schema are supported',
  ],
  ['an infinite number', 'vars: { a: .inf }', 'LT_CONFIG_SYNTAX: ".inf" is not a valid number'],
  ['a NUL character', 'project: a\0b', 'LT_CONFIG_UNREADABLE: the file contains the character U+0000'],
  [
    'control characters',
    'project: \u0002\u0018\u001f',
    'LT_CONFIG_UNREADABLE: the file contains the character U+0002',
  ],
  ['a lone surrogate', 'project: \ud800', 'LT_CONFIG_UNREADABLE: the file contains the character U+D800'],
  ['an empty file', '', 'LT_CONFIG_SHAPE: the file is empty; it must be a map'],
  ['only comments', '# nothing yet\n', 'LT_CONFIG_SHAPE: the file is empty'],
  ['a list', '- version', 'LT_CONFIG_SHAPE: the file is a list; it must be a map'],
  ['a word', 'hello', 'LT_CONFIG_SHAPE: the file is a single value'],
  [
    'merge keys',
    `${HEAD}\nx-a: &a { b: 1 }\nvars: { <<: *a }`,
    'LT_CONFIG_SHAPE: "<<" is not a valid key; YAML 1.2 has no merge keys',
  ],
  [
    'a chain of 10,000 variables',
    `${HEAD}\nvars:\n${Array.from({ length: 10_000 }, (_, at) => `  v${at}: $\{v${at + 1}}`).join('\n')}\n  v10000: 1`,
    'LT_CONFIG_REFERENCE: "${v64}" extends a chain of variables to more than 64',
  ],
  [
    'defaults nested 50,000 levels deep',
    `${HEAD}\ntests: { home: { name: '${times('${env:A:-', 50_000)}${times('}', 50_000)}' } }`,
    'LT_CONFIG_REFERENCE',
  ],
  [
    '100,000 defaults without a closing brace',
    `${HEAD}\ntests: { home: { name: '${times('${env:A:-', 100_000)}' } }`,
    'has no closing "}"',
  ],
  [
    'references that expand a value to more than 1 MiB',
    `${HEAD}\nvars: { a: '${times('a', 1000)}' }\ntests: { home: { name: '${times('${a}', 100_000)}' } }`,
    'LT_CONFIG_UNREADABLE: this value exceeds 1 MiB',
  ],
  [
    'strings that exceed 16 MiB in total',
    `${HEAD}\nvars: { a: '${times('a', 500_000)}' }\nlimits: { hosts: [${times("'-${a}', ", 40)}] }`,
    'LT_CONFIG_UNREADABLE: the file exceeds 16 MiB',
  ],
  [
    'circular needs of 100 tests',
    `${HEAD}\ndefaults: { test_type: cycling, duration: 1, urls: ['http://shop.example.com/'] }\ntests:\n${Array.from({ length: 100 }, (_, at) => `  t${at}: { needs: [t${(at + 1) % 100}] }`).join('\n')}`,
    'LT_CONFIG_CYCLE: "needs" is circular: t0 → t1 → t2 → t3 → … →',
  ],
  ['900,000 slashes', `${HEAD}\nservice: { base_url: 'https://a${times('/', 900_000)}v2' }`, 'ends in /v2'],
  [
    'a host of 800,000 characters',
    `version: 1\nproject: a\napps: { a: '${times('a.', 400_000)}' }`,
    'is not a valid host',
  ],
  [
    'an email address of 800,001 characters',
    `${HEAD}\ntests: { home: { test_type: cycling, duration: 1, urls: ['http://shop.example.com/'], callback_email: '${times('a.', 400_000)}@' } }`,
    'is not a valid email address',
  ],
  [
    '20,000 unknown keys',
    `${HEAD}\n${Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join('\n')}`,
    'LT_CONFIG_UNKNOWN_KEY: unknown key "k0"',
  ],
];

describe('malicious files', () => {
  it.each(BOMBS)(
    'the loader rejects %s within 5 s of CPU time, and the errors have locations',
    (_name, text, message) => {
      let problems: ReturnType<typeof problemsOf> = [];
      expect(measureCpuTime(() => (problems = problemsOf(text)))).toBeLessThan(SOON);
      expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
      expect(problems.length).toBeLessThanOrEqual(500);
      expect(linesOf(problems).join('\n')).toContain(message);
      for (const { source } of problems) expect(source).toMatchObject({ file: 'loadtests.yaml' });
    },
  );

  it('the loader rejects a file of 1,000 brackets with the nesting error in each of 100 attempts', () => {
    for (let time = 0; time < 100; time++)
      expect(linesOf(problemsOf(times('[', 1000))).join()).toContain(deep);
  });

  it('the loader accepts a file with 64 nested levels', () => {
    const text = `${HEAD}\nx-a: ${times('[', 63)}${times(']', 63)}`;
    expect(loaded(text).desired.project).toBe('shop');
  });
});

describe('unusual but valid YAML', () => {
  it.each([
    ['JSON', '{"version": 1, "project": "shop"}'],
    ['document markers', '---\nversion: 1\nproject: shop\n...\n'],
    ['Windows line breaks', 'version: 1\r\nproject: shop\r\n'],
    ['a comment at the end of the file', 'version: 1\nproject: shop\n# the end'],
    ['core tags', 'version: !!int 1\nproject: !!str shop'],
    ['anchors without aliases', 'version: &v 1\nproject: &p shop'],
  ])('the loader accepts %s', (_name, text) => {
    expect(loaded(text).desired.project).toBe('shop');
  });

  it.each(['on', 'no', 'yes', '012', '1:30', '2026-12-24', '0b1', '~x'])(
    'the unquoted value %s keeps its spelling when a reference inserts it',
    (word) => {
      const { desired } = loaded(`${HEAD}
vars: { word: ${word} }
tests: { home: { name: 'a\${word}', test_type: cycling, duration: 1, urls: ['http://shop.example.com/'] } }`);
      expect(desired.tests[0]?.spec.name).toBe(`a${word}`);
    },
  );

  it('an alias has the value of its anchor, and problems with the value are reported at the anchor', () => {
    const text = `${HEAD}
x-base: &base { test_type: cycling, duration: 1, urls: ['http://shop.example.com/'], total: 0 }
tests: { home: *base }`;
    expect(linesOf(problemsOf(text))).toEqual([
      expect.stringMatching(/^loadtests.yaml:4:93\+1 error LT_CONFIG_SHAPE: "0" is too small/),
    ]);
  });
});
