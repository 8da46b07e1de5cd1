import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  faultsOfExpressions,
  findExpressions,
  numberAt,
  parseExpression,
} from '../../../../src/core/model/expression.ts';
import { Random } from '../../../../src/core/random.ts';

/** Returns the first numbers of a sequence. */
function first(text: string, count: number): readonly number[] {
  const expression = parseExpression(text);
  if (expression?.kind !== 'numbers') throw new Error(`not an expression: ${text}`);
  const random = new Random(1);
  return Array.from({ length: count }, (_, index) => numberAt(expression, index, random));
}

describe('parsed expressions', () => {
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
    ['* : 12 - 12', [12, 12]],
  ])('the expression "%s" produces %j', (text, numbers) => {
    expect(first(text, numbers.length)).toEqual(numbers);
  });

  test.each([
    ...['', ' ', ',', '1,', ',1', '1,,2', 'a', '1.5', '1 2', '+1', '0x1', '{1}', '{{a}}'],
    ...['1:', ':1', '1:2:', '1:2:0', '1:5:-1', '5:1:1', '1:2:3:4', '1-2'],
    ...['*', '*:', '*:1', '*:1-', '*:-1', '*:5-1', '*:1-2-3', '*:1:2', '1:*:2', '1*:1-2'],
    ...['9007199254740993', '1:9007199254740993', '-9007199254740991:9007199254740991:4', '９'],
    ...['*:0-9007199254740991', '*:-9007199254740991-1'],
  ])('parseExpression rejects "%s"', (text) => {
    expect(parseExpression(text)).toBeNull();
  });

  test('parseExpression returns the parts of an expression and their total length', () => {
    expect(parseExpression('7, 5:1:-2, *:1-9')).toEqual({
      kind: 'numbers',
      parts: [
        { kind: 'range', from: 7, step: 1, count: 1 },
        { kind: 'range', from: 5, step: -2, count: 3 },
        { kind: 'random', from: 1, to: 9 },
      ],
      length: 5,
    });
  });

  test('a random expression produces every value in its range and no other values', () => {
    const values = new Set(first('*:-2-3', 1000));
    expect([...values].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3]);
  });

  test('a random expression produces equal numbers if the seeds are equal', () => {
    expect(first('*:1-1000000', 20)).toEqual(first('*:1-1000000', 20));
  });

  test('every numeric expression that parseExpression accepts produces safe integers', () => {
    const character = fc.constantFrom(...Array.from('0123456789,:*- {}a'));
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 20 }), fc.nat(), (text, index) => {
        const expression = parseExpression(text);
        if (expression?.kind !== 'numbers') return;
        expect(Number.isSafeInteger(numberAt(expression, index, new Random(index)))).toBe(true);
      }),
    );
  });

  test('an expression with a range produces the numbers of a counting loop', () => {
    const small = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(small, small, small, (from, to, step) => {
        const expected: number[] = [];
        if (step !== 0) for (let at = from; step > 0 ? at <= to : at >= to; at += step) expected.push(at);
        const expression = parseExpression(`${from}:${to}:${step}`);
        expect(expression?.kind === 'numbers' ? expression.length : 0).toBe(expected.length);
        if (expression !== null) expect(first(`${from}:${to}:${step}`, expected.length)).toEqual(expected);
      }),
    );
  });
});

describe('expressions in strings', () => {
  test.each([
    ['no expression in a plain string', 'plain % { }', []],
    ['one expression between other characters', 'a%{1, 2}b', [{ text: '1, 2', at: 1, end: 8 }]],
    [
      'two expressions, one of them invalid',
      '%{1}%{x}',
      [
        { text: '1', at: 0, end: 4 },
        { text: 'x', at: 4, end: 8 },
      ],
    ],
    ['an empty expression', '%{}', [{ text: '', at: 0, end: 3 }]],
    ['no expression in a percent sign before a variable', '50%{{unit}}', []],
    ['no expression without a closing brace', '%{1, 2', []],
    ['one expression next to a variable', '{{a}}%{1}', [{ text: '1', at: 5, end: 9 }]],
    ['no expression with escaped braces outside a path', '/%%7B1%7D', []],
  ])('findExpressions finds %s', (_name, text, found) => {
    expect(findExpressions(text)).toEqual(found);
  });

  test.each([
    ['/%%7B1,%202%7D', [{ text: '1, 2', at: 1, end: 14 }]],
    ['/%%7b1:9%7d?b=%{2}', [{ text: '1:9' }, { text: '2' }]],
    ['/%%7B%7Bunit%7D%7D', []],
    ['/%25%7B1%7D', []],
  ])('findExpressions returns the expected expressions of the path %s', (text, found) => {
    expect(findExpressions(text, { escaped: true })).toMatchObject(found);
    expect(findExpressions(text, { escaped: true })).toHaveLength(found.length);
  });

  test('findExpressions finds expressions that a URL parser has escaped', () => {
    const url = new URL('http://shop.test/a%{1, *:2-3}/b?c=%{4:6}&d=%{7, 8}');
    const texts = findExpressions(url.pathname + url.search, { escaped: true }).map(({ text }) => text);
    expect(texts).toEqual(['1, *:2-3', '4:6', '7, 8']);
  });
});

describe('faults of expressions', () => {
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
  ])('faultsOfExpressions finds no fault in "%s"', (text) => {
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
    [`%{${'1'.repeat(38)}`, `"%{${'1'.repeat(38)}" begins`],
    [`%{${'1'.repeat(50)}`, `"%{${'1'.repeat(38)}…" begins`],
    ['%{a}', '"%{a}" is not a valid expression'],
    ['%{}', '"%{}" is not a valid expression'],
  ])('faultsOfExpressions finds one fault in "%s"', (text, message) => {
    for (const escaped of [false, true]) {
      expect(faultsOfExpressions(text, { escaped })).toEqual([expect.stringContaining(message)]);
    }
  });

  test('faultsOfExpressions returns each fault once, and at most ten faults', () => {
    const faultyOf = (text: string) => faultsOfExpressions(text).map((fault) => /"(.*?)"/.exec(fault)?.[1]);
    expect(faultyOf('%{a}%{b}{{name}}%{a}%{c')).toEqual(['%{a}', '%{b}', '%{c']);
    const twelve = Array.from('abcdefghijkl', (letter) => `%{${letter}}`);
    expect(faultyOf(twelve.join(''))).toEqual(twelve.slice(0, 10));
    expect(faultyOf(twelve.join('{{name}}'))).toEqual(twelve.slice(0, 10));
  });

  test('faultsOfExpressions recognizes escaped braces only with the option "escaped"', () => {
    expect(faultsOfExpressions('/%%7B1:3%7D/%25%7B', { escaped: true })).toEqual([]);
    expect(faultsOfExpressions('/%%7B1:3', { escaped: true })).toEqual([
      '"%%7B1:3" begins an expression that has no closing "}"; add the brace',
    ]);
    expect(faultsOfExpressions('/%%7B1:3')).toEqual([]);
  });

  test('faultsOfExpressions finds no fault in a valid string, and one fault after an unclosed expression is inserted', () => {
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
