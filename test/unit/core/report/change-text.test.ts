/** Changes of a plan as lines of a diff. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/core/canonical.ts';
import { changeValueText, diffLines } from '../../../../src/core/report/change-text.ts';
import type { Change } from '../../../../src/core/report/generated/documents.ts';

const CHANGE: Change = {
  address: 'test.home',
  url: null,
  field: 'name',
  kind: 'changed',
  before: null,
  after: null,
  file: 'loadtests.yaml',
  line: 3,
};

/** Returns the lines of the changes, each with its sign. */
function linesOf(...changes: readonly Partial<Change>[]): string[] {
  return diffLines(changes.map((change) => ({ ...CHANGE, ...change }))).map(
    ({ sign, text }) => `${sign} ${text}`,
  );
}

describe('lines of a changed field', () => {
  test.each<readonly [string, Partial<Change>, readonly string[]]>([
    ['an added value', { after: 'a' }, ['+ name: a']],
    ['a removed value', { before: 'a' }, ['- name: a']],
    ['a changed value', { before: 'a', after: 2 }, ['- name: a', '+ name: 2']],
    ['a changed list of one value', { before: ['a'], after: ['b'] }, ['- name: [a]', '+ name: [b]']],
    ['a list that was empty', { before: [], after: ['a'] }, ['- name: []', '+ name: [a]']],
    ['a removed map', { before: { a: [] } }, ['- name: { a: [] }']],
    [
      'a list of several values',
      { before: ['a', 'b', 'c'], after: ['a', 'x', 'c', 'd'] },
      ['  name:', '-   - b', '+   - x', '+   - d'],
    ],
    [
      'a list that becomes a value',
      { before: ['a', 'b'], after: 'c' },
      ['  name:', '-   - a', '+   c', '-   - b'],
    ],
    ['a list with a map', { after: [{ a: 1 }] }, ['  name:', '+   - { a: 1 }']],
    [
      'a string with several lines',
      { before: 'a\nb\n', after: 'a\nc\n\n' },
      ['  name:', '-   b', '+   c', '+   '],
    ],
    ['a removed string with several lines', { before: 'a\nb' }, ['  name:', '-   a', '-   b']],
    ['a hidden value', { before: '***', after: '***' }, ['! name: the value has changed (not shown)']],
    ['a value that is now hidden', { before: 'a', after: '***' }, ['- name: a', '+ name: ***']],
    ['a value that was hidden', { before: '***', after: 'a' }, ['- name: ***', '+ name: a']],
    [
      'another value of a secret',
      { before: 'a', after: 'b', rotated: true },
      ['! name: the value of the secret has changed'],
    ],
    ['a renamed test', { kind: 'renamed', before: 'sale' }, ['! renamed from sale']],
    [
      'changed rows of a file',
      { before: 'a.csv', after: 'a.csv', rows: { added: 1, removed: 0 } },
      ['! name: a.csv: 1 row added, 0 removed'],
    ],
    [
      'another file with rows',
      { before: 'a.csv', after: 'b.csv', rows: { added: 2, removed: 3 } },
      ['- name: a.csv', '+ name: b.csv (2 rows added, 3 removed)'],
    ],
  ])('a diff shows the expected lines for %s', (_, change, lines) => {
    expect(linesOf(change)).toEqual(lines);
  });

  test('a diff shows at most 40 lines of a field and 200 characters of a line, and states the number of omitted lines', () => {
    const list = (count: number) => Array.from({ length: count }, (_, index) => index);
    expect(linesOf({ after: list(40) })).toHaveLength(41);
    const lines = linesOf({ after: list(42) });
    expect(lines.slice(-2)).toEqual(['+   - 39', '    … 2 more lines']);
    expect(lines).toHaveLength(42);
    expect(linesOf({ after: list(41) }).at(-1)).toBe('    … 1 more line');
    const long = (count: number) => linesOf({ after: 'x'.repeat(count) })[0] ?? '';
    expect(long(194)).toBe(`+ name: ${'x'.repeat(194)}`);
    expect(long(195)).toBe(`+ name: ${'x'.repeat(193)}…`);
  });

  test('the changes of each URL follow a line with the name of the URL, after the changes of the whole test', () => {
    const lines = linesOf(
      { url: 'cart', after: 1 },
      { url: 'home', after: 3 },
      { after: 2 },
      { url: 'cart', field: 'delay', after: 4 },
    );
    expect(lines).toEqual(['+ name: 2', '@ URL cart', '+ name: 1', '+ delay: 4', '@ URL home', '+ name: 3']);
  });
});

describe('lines of a whole test, app or URL', () => {
  test.each<readonly [string, Json, readonly string[]]>([
    ['a value', 'www.example.com', ['www.example.com']],
    ['a map without members', { headers: {} }, ['headers: {  }']],
    ['nested maps', { a: { b: { c: 1 } }, d: true }, ['a:', '  b:', '    c: 1', 'd: true']],
    ['a list of values', { a: ['x', 2, null] }, ['a: [x, 2, null]']],
    [
      'a list of maps and values',
      { urls: [{ url: '/', expect: { status: [200] } }, '/cart', {}] },
      ['urls:', '  - url: /', '    expect:', '      status: [200]', '  - /cart', '  - '],
    ],
    ['a string with several lines', { body: 'a\nb\n' }, ['body: |', '  a', '  b']],
    ['a string with several lines in a list', { a: ['x\ny'] }, [String.raw`a: ["x\ny"]`]],
  ])('a diff shows %s in the notation of the file', (_, value, lines) => {
    const whole = { field: null, kind: 'added' } as const;
    expect(linesOf({ ...whole, after: value })).toEqual(lines.map((line) => `+ ${line}`));
    expect(linesOf({ ...whole, kind: 'removed', before: value })).toEqual(lines.map((line) => `- ${line}`));
  });

  test('a diff shows at most 40 lines of a whole test, followed by the number of omitted lines', () => {
    const map = Object.fromEntries(Array.from({ length: 43 }, (_, index) => [`f${index}`, index]));
    const lines = linesOf({ field: null, after: map });
    expect(lines.slice(-2)).toEqual(['+ f39: 39', '    … 3 more lines']);
  });

  test('changeValueText formats a value on one line in the notation of the file', () => {
    expect(changeValueText({ a: [1, { b: 'x' }], c: null })).toBe('{ a: [1, { b: x }], c: null }');
  });
});
