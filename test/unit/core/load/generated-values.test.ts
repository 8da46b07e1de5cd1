/** Generated values: their grammar, their form, and the advice on names of other tools. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  faultsOfExpressions,
  findExpressions,
  generateValue,
  isNumeric,
  listNamesIn,
  parseExpression,
} from '../../../../src/core/model/expression.ts';
import { equivalentExpression } from '../../../../src/core/model/expression-advice.ts';
import { compileTemplate, hasEscape, unescapeExpressions } from '../../../../src/core/model/template.ts';
import { Random } from '../../../../src/core/random.ts';

const NOW = Date.UTC(2026, 10, 27, 8, 5, 9, 7);

function generate(text: string, seed = 1): string {
  const expression = parseExpression(text);
  if (expression === null || expression.kind === 'numbers' || expression.kind === 'item')
    throw new Error(`not a generated value: ${text}`);
  return generateValue(expression, { random: new Random(seed), now: () => NOW, client: 3, iteration: 12 });
}

describe('generated values', () => {
  test.each([
    ['now', '2026-11-27T08:05:09.007Z'],
    ['now:unix', String(Math.floor(NOW / 1000))],
    ['now:unix_ms', String(NOW)],
    ['now:date', '2026-11-27'],
    ['now+1h', '2026-11-27T09:05:09.007Z'],
    ['now-90s', '2026-11-27T08:03:39.007Z'],
    ['now+2d:date', '2026-11-29'],
    ['now + 5d:date', '2026-12-02'],
    ['now+250ms:unix_ms', String(NOW + 250)],
    ['client', '3'],
    [' iteration ', '12'],
    ['decimal:2.50-2.50', '2.50'],
    ['decimal:-0.05--0.05', '-0.05'],
    ['decimal:7-7', '7'],
    ['pick:red', 'red'],
    ['pick: a b , a b ', 'a b'],
  ])('the expression "%s" produces %s', (text, value) => {
    expect(generate(text.replace(' + ', '+'))).toBe(value);
  });

  test.each([
    ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['text:8', /^[A-Za-z0-9]{8}$/],
    ['text:1000', /^[A-Za-z0-9]{1000}$/],
    ['hex:16', /^[0-9a-f]{16}$/],
    ['digits:6', /^\d{6}$/],
    ['text:3-9', /^[A-Za-z0-9]{3,9}$/],
    ['digits: 1 - 2', /^\d{1,2}$/],
    ['text:5:ab', /^[ab]{5}$/],
    ['text:2-4: äé', /^[ äé]{2,4}$/],
    ['text:1::-', /^[:-]$/],
    ['pick:red,green,blue', /^(?:red|green|blue)$/],
  ])('every value of the expression "%s" matches %s', (text, form) => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(generate(text, seed)).toMatch(form);
        expect(generate(text, seed)).toBe(generate(text, seed));
      }),
      { numRuns: 50 },
    );
  });

  test('repeated evaluation of an expression produces every possible character, choice and decimal, and 300 different UUIDs', () => {
    const all = (text: string, count: number) =>
      new Set(Array.from({ length: count }, (_, seed) => generate(text, seed)));
    expect(all('hex:1', 500).size).toBe(16);
    expect(all('text:1', 2000).size).toBe(62);
    expect([...all('text:1-2:ab', 200)].sort()).toEqual(['a', 'aa', 'ab', 'b', 'ba', 'bb']);
    expect([...all('pick:a,b,c', 100)].sort()).toEqual(['a', 'b', 'c']);
    expect([...all('decimal:-0.1-0.1', 100)].sort()).toEqual(['-0.1', '0.0', '0.1']);
    expect(all('uuid', 300).size).toBe(300);
  });

  test('a generated decimal is within its bounds and has as many decimal places as the more precise bound', () => {
    const bound = fc.integer({ min: -5000, max: 5000 });
    fc.assert(
      fc.property(bound, fc.nat(5000), fc.nat(), (from, range, seed) => {
        const low = (from / 10).toFixed(1);
        const high = ((from + range) / 10).toFixed(2);
        const value = generate(`decimal:${low}-${high}`, seed);
        expect(value).toMatch(/^-?\d+\.\d\d$/);
        expect(Number(value)).toBeGreaterThanOrEqual(Number(low));
        expect(Number(value)).toBeLessThanOrEqual(Number(high));
      }),
    );
  });

  test.each([
    ...['uuid:4', 'UUID', 'text', 'text:', 'text:0', 'text:1001', 'text:-1', 'text:a', 'hex', 'digits:'],
    ...['decimal', 'decimal:1', 'decimal:2-1', 'decimal:1.0000000001-2', 'pick', 'pick:', 'pick:a,,b'],
    ...['text:2-1', 'text:1-1001', 'text:0-3', 'text:4:', 'text:4:a"b', 'hex:4:ab', 'digits:2:12'],
    ...['item', 'item:', 'item:1a', 'item:a,b', 'item:a b'],
    ...['now+', 'now+1', 'now+1y', 'now:iso', 'now+1h:', 'now+99999999d', 'client:1', 'iterations', 'guid'],
  ])('parseExpression rejects "%s"', (text) => {
    expect(parseExpression(text)).toBeNull();
  });

  test('listNamesIn returns the names of "item" expressions in plain and in escaped braces', () => {
    expect(listNamesIn('%{item:ids} {{other}} %{item: names } \\%{item:literal}')).toEqual(['ids', 'names']);
    expect(listNamesIn('/a/%7B1%7D/%{item:ids}', { escaped: true })).toEqual(['ids']);
    expect(listNamesIn('/a/%%7B item:ids%7D', { escaped: true })).toEqual(['ids']);
  });

  test('isNumeric returns true for numbers, now:unix, client and iteration, and false for uuid, digits, pick, now and text', () => {
    const numeric = (text: string) => {
      const expression = parseExpression(text);
      return expression !== null && isNumeric(expression);
    };
    expect(['1:9', 'decimal:1-2', 'now:unix', 'client', 'iteration'].map(numeric)).not.toContain(false);
    expect(['uuid', 'digits:6', 'pick:1,2', 'now', 'now:date', 'text:2'].map(numeric)).not.toContain(true);
  });
});

test.each([
  ['guid', '"%{guid}" is not a valid expression; write "%{uuid}"'],
  ['randomString(10)', '"%{randomString(10)}" is not a valid expression; write "%{text:8}"'],
  ['text', '"%{text}" is not a valid expression; write "%{text:8}"'],
  [
    '1..9',
    '"%{1..9}" is not a valid expression; write numbers as in "%{1, 2, 3}", "%{1:100:2}" or "%{*:1-100}"',
  ],
  [
    'color',
    '"%{color}" is not a valid expression; for a generated value, write "%{NAME}", where NAME is uuid, text:8, hex:16, digits:6, decimal:0.5-99.99, pick:red,green, item:VARIABLE, now, client or iteration; for a number, write "%{1:100}" or "%{*:1-100}"',
  ],
])('the error about the expression "%s" suggests a valid expression', (text, fault) => {
  expect(faultsOfExpressions(`%{${text}}`)).toEqual([fault]);
});

test.each([
  ['$guid', '%{uuid}'],
  ['$randomString()', '%{text:8}'],
  ['$randomInt 1 10', '%{*:1-100}'],
  ['$randomNumber(1, 10)', '%{*:1-100}'],
  ['__VU', '%{client}'],
  ['$timestamp', '%{now:unix}'],
  ['$isoTimestamp', '%{now}'],
  ['$env.NAME', null],
  ['constructor', null],
])('equivalentExpression("%s") returns %s', (name, expression) => {
  expect(equivalentExpression(name)).toBe(expression);
});

describe('escape sequences', () => {
  const b = '\\';
  test.each([
    [`a${b}{{b}}c`, ['a{{b}}c'], []],
    [`${b}{{ }}`, ['{{ }}'], []],
    [`${b}${b}{{b}}`, [`${b}${b}`, ''], ['b']],
    [`${b}${b}${b}{{b}}`, [`${b}${b}{{b}}`], []],
    [`${b}{{a}}{{b}}`, ['{{a}}', ''], ['b']],
    [`${b}n{{b}}`, [`${b}n`, ''], ['b']],
    [`${b}%{1}`, [`${b}%{1}`], []],
  ])('compileTemplate splits %j into the constants %j and the names %j', (text, constants, names) => {
    expect(compileTemplate(text)).toEqual({ constants, names });
  });

  test.each([
    [`${b}%{1}`, '%{1}', 0],
    [`${b}${b}%{1}`, `${b}${b}%{1}`, 1],
    [`${b}${b}${b}%{x}`, `${b}${b}%{x}`, 0],
    [`${b}%`, `${b}%`, 0],
  ])(
    'unescapeExpressions(%j) returns %j, and the number of expressions in the text is %i',
    (text, unescaped, count) => {
      expect(unescapeExpressions(text)).toBe(unescaped);
      expect(findExpressions(text)).toHaveLength(count);
      expect(faultsOfExpressions(text)).toEqual([]);
      expect(hasEscape(text)).toBe(text !== unescaped);
    },
  );
});
