import { describe, expect, test } from 'vitest';
import { UnusableResponse } from '../../../src/contract/unusable-response.ts';
import { jsonText, readId, readMap } from '../../../src/contract/wire-values.ts';
import { readNumber, readString } from '../../../src/core/lenient-values.ts';

describe('values that services encode in several ways', () => {
  test.each([
    ['abc-1', 'abc-1'],
    [17, '17'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])('readId reads the ID %j as %j', (value, id) => {
    expect(readId(value, '/test_id', (text) => text)).toBe(id);
  });

  test.each([
    ['a/b', null, '/id', 'the ID at "/id" must consist of 1 to 128 letters, digits, hyphens and underscores'],
    [
      'a/b',
      0,
      '/0/id',
      'the ID at "/0/id" must consist of 1 to 128 letters, digits, hyphens and underscores',
    ],
    [2 ** 53, 3, '/3/id', 'the ID at "/3/id" is not an integer below 2^53, so it cannot be read exactly'],
    [1.5, null, '/id', 'the ID at "/id" is not an integer below 2^53, so it cannot be read exactly'],
  ])('readId refuses the ID %j (index in a list: %j)', (value, index, pointer, message) => {
    const read = () => readId(value, '/id', (text) => text, index);
    expect(read).toThrow(new UnusableResponse(pointer, message));
    expect(read).toThrow(expect.objectContaining({ field: pointer }));
  });

  test.each([
    [1.5, 1.5],
    ['1.5', 1.5],
    [' 7 ', 7],
    [0, 0],
    ['', null],
    [' ', null],
    ['x', null],
    ['Infinity', null],
    [Number.NaN, null],
    [null, null],
    [undefined, null],
    [true, null],
    [[3], null],
  ])('readNumber(%o) returns %j', (value, number) => {
    expect(readNumber(value)).toBe(number);
  });

  test.each([
    ['a', 'a'],
    [' ', ' '],
    ['', null],
    [7, null],
    [null, null],
  ])('readString(%j) returns %j', (value, text) => {
    expect(readString(value)).toBe(text);
  });

  test.each<[unknown, readonly (readonly [string, string])[]]>([
    [
      { a: 'x', b: 7, c: true, d: null, e: [1, 'y'], f: { g: 2 } },
      [
        ['a', 'x'],
        ['b', '7'],
        ['c', 'true'],
        ['d', ''],
        ['e', '[1,"y"]'],
        ['f', '{"g":2}'],
      ],
    ],
    [
      [{ key: 'a', value: 'x' }, { key: 'b' }, { key: 7, value: 'x' }, null, 'c', []],
      [
        ['a', 'x'],
        ['b', ''],
      ],
    ],
    [{}, []],
    [[], []],
    [null, []],
    ['a', []],
    [7, []],
  ])('readMap returns the names of the valid fields of %j with their values as text', (value, fields) => {
    expect(readMap(value)).toEqual(fields.map(([name, text]) => ({ name, value: text })));
  });

  test('jsonText returns the JSON of a list, and an empty string for a value that is nested too deeply for Node.js', () => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level++) value = [value];
    // Later versions of Node.js have no limit.
    const text = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`;
    expect(['', text].includes(jsonText(value))).toBe(true);
    expect(jsonText(['a', 1])).toBe('["a",1]');
  });

  test('jsonText throws a TypeError for a BigInt', () => {
    expect(() => jsonText(1n)).toThrow(TypeError);
  });
});
