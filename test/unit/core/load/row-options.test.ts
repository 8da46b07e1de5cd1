/** Options of payload files: the form of a CSV file, and the use of its rows. */
import { expect, test } from 'vitest';
import { readRowsFile } from '../../../../src/core/load/payload-format.ts';
import { keyOfRows, type RowOptions } from '../../../../src/core/model/payload-file.ts';

test.each<
  readonly [
    text: string,
    options: RowOptions,
    names: readonly string[],
    values: readonly (readonly string[])[],
  ]
>([
  [
    'ada;1\ngrace;2\n',
    { columns: ['user', 'pin'], delimiter: ';' },
    ['user', 'pin'],
    [
      ['ada', '1'],
      ['grace', '2'],
    ],
  ],
  ['user\tpin\nada\t"1\t2"\n', { delimiter: '\t' }, ['user', 'pin'], [['ada', '1\t2']]],
  ['user|pin\nada|\n', { delimiter: '|' }, ['user', 'pin'], [['ada', '']]],
  [
    'a,b]c^d-e\n1,2\n',
    { columns: ['x', 'y'] },
    ['x', 'y'],
    [
      ['a', 'b]c^d-e'],
      ['1', '2'],
    ],
  ],
  ['a]b\n1]2\n', { delimiter: ']' }, ['a', 'b'], [['1', '2']]],
  ['{"a"\n', { columns: ['x'] }, [], []],
  ['{a}\n', { columns: ['x'] }, ['x'], [['{a}']]],
])('readRowsFile returns the expected result for %j with the options %j', (text, options, names, values) => {
  const payload = readRowsFile(text, 10, options);
  if (names.length === 0) expect(payload).toMatchObject({ kind: 'unusable', place: { line: 1 } });
  else expect(payload).toEqual({ kind: 'variable', lists: [{ names, values }] });
});

test.each<readonly [text: string, options: RowOptions, reason: string]>([
  ['ada;1\n', { columns: ['user'], delimiter: ';' }, 'has a row with 2 values instead of 1'],
  ['a\n1\n', { mask: ['pin'] }, 'has no column with the name in entry 1 of "mask"'],
  ['', { columns: ['user'] }, 'is empty'],
  ['', { mask: ['user'] }, 'is empty'],
])('readRowsFile rejects %j with the options %j', (text, options, reason) => {
  expect(readRowsFile(text, 10, options)).toMatchObject({ kind: 'unusable', reason });
});

test.each<readonly [text: string, names: readonly string[], value: string]>([
  ['\uFEFFa\n\uFEFF1\n', ['a'], '\uFEFF1'],
  ['a\n1\uFEFF\n', ['a'], '1\uFEFF'],
  ['\uFEFF{"version":1,"variables":[{"names":["a"],"values":[["\uFEFF1"]]}]}', ['a'], '\uFEFF1'],
  ['{"version":1,"variables":[{"names":["a"],"values":[["\uFEFF1"]]}]}', ['a'], '\uFEFF1'],
])('readRowsFile removes only a byte order mark at the start of %j', (text, names, value) => {
  expect(readRowsFile(text)).toStrictEqual({ kind: 'variable', lists: [{ names, values: [[value]] }] });
});

test('the result of readRowsFile contains the given options order and mask', () => {
  expect(readRowsFile('a\n1\n', 10, { order: 'sequential', mask: ['a'] })).toEqual({
    kind: 'variable',
    lists: [{ names: ['a'], values: [['1']], order: 'sequential', mask: ['a'] }],
  });
  expect(readRowsFile('{"keys":["a"],"values":[["1"]]}', 10, { order: 'random' })).toEqual({
    kind: 'classic',
    rows: { names: ['a'], values: [['1']], order: 'random' },
  });
});

test('without options, keyOfRows returns the hash of the file, and each option results in a different key', () => {
  const file = { sha256: 'a'.repeat(64), declared: null };
  const options = [{ delimiter: ';' }, { order: 'random' }, { columns: ['a'] }, { mask: ['a'] }] as const;
  const keys = [keyOfRows(file), ...options.map((one) => keyOfRows({ ...file, options: one }))];
  expect(new Set(keys).size).toBe(5);
  expect(keys[0]).toBe(file.sha256);
});
