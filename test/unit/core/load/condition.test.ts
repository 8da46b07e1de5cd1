/** Conditions on values: their grammar, and the texts that look like conditions. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareNumbers } from '../../../../src/core/model/comparison.ts';
import {
  comparisonText,
  conditionMeantBy,
  parseComparison,
  textsOfExpected,
} from '../../../../src/core/model/condition.ts';

describe('a comparison', () => {
  test.each([
    ['> 0', { operator: '>', operand: '0' }],
    ['>=1', { operator: '>=', operand: '1' }],
    ['  <  -2.5 ', { operator: '<', operand: '-2.5' }],
    ['<= 1e3', { operator: '<=', operand: '1e3' }],
    ['!= {{count}}', { operator: '!=', operand: '{{count}}' }],
    ['== 7', { operator: '==', operand: '7' }],
    ['7', { operator: '==', operand: '7' }],
    ['{{ n }}', { operator: '==', operand: '{{ n }}' }],
    ['= 7', null],
    ['> ', null],
    ['', null],
    ['> 1 2', null],
    ['> 0x10', null],
    ['> {{a}}{{b}}', null],
    ['> 1{{a}}', null],
    ['=> 1', null],
    ['> 1%', null],
  ])('parseComparison("%s") returns %j', (text, comparison) => {
    expect(parseComparison(text)).toEqual(comparison);
  });

  test('comparisonText returns one notation for equal comparisons, and other text unchanged', () => {
    expect(['>=1', ' >=  1', 3, '{{n}}', 'many'].map(comparisonText)).toEqual([
      '>= 1',
      '>= 1',
      '== 3',
      '== {{n}}',
      'many',
    ]);
  });

  test('for two numbers, exactly one of <, == and > is true, and every other operator is the negation of one of these operators', () => {
    fc.assert(
      fc.property(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }), (a, b) => {
        const holds = (operator: '<' | '<=' | '>' | '>=' | '==' | '!=') => compareNumbers(a, operator, b);
        expect([holds('<'), holds('=='), holds('>')].filter(Boolean)).toHaveLength(1);
        expect([holds('>='), holds('!='), holds('<=')]).toEqual([!holds('<'), !holds('=='), !holds('>')]);
        expect(holds('<')).toBe(a < b);
      }),
    );
  });
});

test.each([
  ['*', '{ exists: true }'],
  ['!= null', '{ exists: true }'],
  ['== null', '{ exists: false }'],
  ["!= ''", '{ exists: true }'],
  ['> 0', "{ number: '> 0' }"],
  ['>=10', "{ number: '>= 10' }"],
  ['== 3', "{ number: '== 3' }"],
  ['!= failed', '{ not: failed }'],
  ['paid', null],
  ['42', null],
  ['-> next', null],
  ['a*', null],
  ['<b>bold</b>', null],
  ['> much', null],
  ['{{id}}', null],
])('conditionMeantBy("%s") returns %s', (text, meant) => {
  expect(conditionMeantBy(text)).toBe(meant);
});

test('textsOfExpected returns each string of a condition with its path', () => {
  expect(
    textsOfExpected({ number: '> {{a}}', oneOf: ['b', 1, 'c'], not: { matches: 'd', length: '>= 1' } }),
  ).toEqual([
    { path: ['number'], text: '> {{a}}' },
    { path: ['one_of', 0], text: 'b' },
    { path: ['one_of', 2], text: 'c' },
    { path: ['not', 'length'], text: '>= 1' },
    { path: ['not', 'matches'], text: 'd' },
  ]);
});
