import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  faultsOfExpressions,
  findExpressions,
  numberAt,
  parseExpression,
} from '../../../../src/core/load/expression.ts';
import { Random } from '../../../../src/core/load/random.ts';

/** The first numbers of a sequence. */
function first(text: string, count: number): readonly number[] {
  const expression = parseExpression(text);
  if (expression === null) throw new Error(`not an expression: ${text}`);
  const random = new Random(1);
  return Array.from({ length: count }, (_, place) => numberAt(expression, place, random));
}

describe('parseExpression', () => {
  test.each([
    ['7', [7, 7, 7]],
    ['1, 2, 3', [1, 2, 3, 1, 2, 3, 1]],
    ['1,2', [1, 2, 1]],
    [' 3 ,-1 ', [3, -1, 3]],
    ['1:3', [1, 2, 3, 1]],
    ['1:8:3', [1, 4, 7, 1]],
    ['1:7:3', [1, 4, 7, 1]],
    ['1 : 5 : 2', [1, 3, 5, 1]],
    ['3:1', [3, 2, 1, 3]],
    ['10:1:-4', [10, 6, 2, 10]],
    ['-2:2:2', [-2, 0, 2, -2]],
    ['5:5', [5, 5]],
    ['5:5:-3', [5, 5]],
    ['1, 2:6:2, 17', [1, 2, 4, 6, 17, 1, 2]],
    ['*:4-4', [4, 4]],
    ['1, *:-3--3, 2', [1, -3, 2, 1, -3]],
  ])('%s is %j', (text, numbers) => {
    expect(first(text, numbers.length)).toEqual(numbers);
  });

  test.each([
    ...['', ' ', ',', '1,', ',1', '1,,2', 'a', '1.5', '1 2', '+1', '0x1', '{1}', '{{a}}'],
    ...['1:', ':1', '1:2:', '1:2:0', '1:5:-1', '5:1:1', '1:2:3:4', '1-2'],
    ...['*', '*:', '*:1', '*:1-', '*:-1', '*:5-1', '*:1-2-3', '*:1:2', '1:*:2'],
    ...['9007199254740993', '1:9007199254740993', '-9007199254740991:9007199254740991', '９'],
  ])('"%s" is none', (text) => {
    expect(parseExpression(text)).toBeNull();
  });

  test('a random number takes every value of its range, and no other', () => {
    const seen = new Set(first('*:-2-3', 1000));
    expect([...seen].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3]);
  });

  test('the same seed gives the same numbers', () => {
    expect(first('*:1-1000000', 20)).toEqual(first('*:1-1000000', 20));
  });

  test('every text is either an expression whose numbers are whole, or none', () => {
    const character = fc.constantFrom(...Array.from('0123456789,:*- {}a'));
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 20 }), fc.nat(), (text, place) => {
        const expression = parseExpression(text);
        if (expression === null) return;
        expect(Number.isSafeInteger(numberAt(expression, place, new Random(place)))).toBe(true);
      }),
    );
  });

  test('a range is its own counting', () => {
    const small = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(small, small, small, (from, to, step) => {
        const expected: number[] = [];
        if (step !== 0) for (let at = from; step > 0 ? at <= to : at >= to; at += step) expected.push(at);
        const expression = parseExpression(`${from}:${to}:${step}`);
        expect(expression?.length ?? 0).toBe(expected.length);
        if (expression !== null) expect(first(`${from}:${to}:${step}`, expected.length)).toEqual(expected);
      }),
    );
  });
});

describe('findExpressions', () => {
  test.each([
    ['nothing', 'plain % { }', []],
    ['one', 'a%{1, 2}b', [{ text: '1, 2', at: 1, end: 8 }]],
    [
      'two, one of them wrong',
      '%{1}%{x}',
      [
        { text: '1', at: 0, end: 4 },
        { text: 'x', at: 4, end: 8 },
      ],
    ],
    ['an empty one', '%{}', [{ text: '', at: 0, end: 3 }]],
    ['a percent sign before a variable', '50%{{unit}}', []],
    ['not closed', '%{1, 2', []],
    ['beside a variable', '{{a}}%{1}', [{ text: '1', at: 5, end: 9 }]],
    ['as URL parsers write it', '/%%7B1%7D', []],
  ])('%s', (_name, text, found) => {
    expect(findExpressions(text)).toEqual(found);
  });

  test.each([
    ['/%%7B1,%202%7D', [{ text: '1, 2', at: 1, end: 14 }]],
    ['/%%7b1:9%7d?b=%{2}', [{ text: '1:9' }, { text: '2' }]],
    ['/%%7B%7Bunit%7D%7D', []],
    ['/%25%7B1%7D', []],
  ])('in a path, %s', (text, found) => {
    expect(findExpressions(text, { escaped: true })).toMatchObject(found);
    expect(findExpressions(text, { escaped: true })).toHaveLength(found.length);
  });

  test('what URL parsers make of an expression is found again', () => {
    const url = new URL('http://shop.test/a%{1, *:2-3}/b?c=%{4:6}&d=%{7, 8}');
    const texts = findExpressions(url.pathname + url.search, { escaped: true }).map(({ text }) => text);
    expect(texts).toEqual(['1, *:2-3', '4:6', '7, 8']);
  });
});

describe('faultsOfExpressions', () => {
  test.each([
    '',
    'plain',
    '%',
    '100%',
    '%{1}',
    '%{1:3}-%{*:1-9}',
    '%{{name}}',
    '{{a}}%{1}{{b}}',
    '$' + '{a}',
    '{',
    '}',
  ])('finds none in "%s"', (text) => {
    expect(faultsOfExpressions(text)).toEqual([]);
    expect(faultsOfExpressions(text, { escaped: true })).toEqual([]);
  });

  test.each([
    ['%{', '"%{" begins'],
    ['a%{1:100', '"%{1:100" begins'],
    ['%{1:{{to}}}', '"%{1:" begins'],
    ['%{1%{2}', '"%{1%{2}" begins'],
    ['%{1} %{2', '"%{2" begins'],
    ['%{1, 2{3}', '"%{1, 2{3}" begins'],
    [`%{${'1'.repeat(50)}`, `"%{${'1'.repeat(38)}…" begins`],
    ['%{a}', '"%{a}" is not a valid expression'],
    ['%{}', '"%{}" is not a valid expression'],
  ])('finds one in "%s"', (text, words) => {
    for (const escaped of [false, true]) {
      expect(faultsOfExpressions(text, { escaped })).toEqual([expect.stringContaining(words)]);
    }
  });

  test('finds those that a URL parser has written, where it may have', () => {
    expect(faultsOfExpressions('/%%7B1:3%7D/%25%7B', { escaped: true })).toEqual([]);
    expect(faultsOfExpressions('/%%7B1:3', { escaped: true })).toEqual([
      '"%%7B1:3" begins an expression without a closing "}"',
    ]);
    expect(faultsOfExpressions('/%%7B1:3')).toEqual([]);
  });

  test('finds none in what is right throughout, and the one opening that is added', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '% ',
      '%25',
      '{ ',
      '}',
      '%{1}',
      '%{1:9:2}',
      '{{name}}',
      '%{{name}}',
      '/',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece), (before, after) => {
        const [head, tail] = [before.join(''), after.join('')];
        expect(faultsOfExpressions(`${head} ${tail}`)).toEqual([]);
        const faults = faultsOfExpressions(`${head} %{1 {} ${tail}`);
        expect(faults).toEqual([expect.stringMatching(/^"%\{1 \{\} .*begins an expression/)]);
      }),
    );
  });
});
