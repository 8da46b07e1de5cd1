import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { readPayload, readRowsFile, type Payload } from '../../../../src/core/load/payload-format.ts';
import { scaleCount } from '../../../support/test-scale.ts';

const read = (value: unknown, maxRows?: number) => readPayload(JSON.stringify(value), maxRows);

const classic = (keys: unknown, values: unknown) => ({ keys, values });
const variable = (...variables: unknown[]) => ({ version: 1, variables });

describe('the classic format', () => {
  test('readPayload returns the rows of a classic payload file with all values as strings', () => {
    expect(
      read(
        classic(
          ['user', 'age', 'ok'],
          [
            ['steve', 42, true],
            ['joe', -1.5, false],
          ],
        ),
      ),
    ).toEqual({
      kind: 'classic',
      rows: {
        names: ['user', 'age', 'ok'],
        values: [
          ['steve', '42', 'true'],
          ['joe', '-1.5', 'false'],
        ],
      },
    });
  });

  test('a classic payload file may have names with spaces, brackets and umlauts, and values with line breaks and emoji', () => {
    const values = [['', 'a\r\nb\0', '{{x}}&=ü🛒']];
    const payload = read(classic(['a b', 'sku[]', 'größe'], values));
    expect(payload).toMatchObject({ kind: 'classic', rows: { values } });
  });
});

describe('the format with variables', () => {
  test('readPayload returns the rows of each list of a payload file with variables', () => {
    expect(
      read(variable({ names: ['a', 'b'], values: [[1, 2]] }, { names: ['c'], values: [['x'], ['y']] })),
    ).toEqual({
      kind: 'variable',
      lists: [
        { names: ['a', 'b'], values: [['1', '2']] },
        { names: ['c'], values: [['x'], ['y']] },
      ],
    });
  });
});

describe('invalid payload files', () => {
  const NO_OBJECT = 'must be a JSON object with "keys" and "values", or with "variables"';
  const INVALID_NAME = 'has an invalid name at keys; a name has 1 to 200 printable characters';
  const NAME_RULE =
    'a name starts with a letter or _, contains only letters, digits, _ and -, and has at most 64 characters';

  test.each<[unknown, string]>([
    [null, NO_OBJECT],
    [[], NO_OBJECT],
    ['text', NO_OBJECT],
    [{}, 'has neither "keys" and "values" nor "variables"'],
    [{ keys: ['a'] }, 'must have a list of rows at values'],
    [classic([], [[]]), 'must have a list of names at keys'],
    [classic('a', [['b']]), 'must have a list of names at keys'],
    [classic(['a'], []), 'has no rows at values'],
    [classic(['a'], {}), 'must have a list of rows at values'],
    [classic(['a'], ['b']), 'must have a list of values at values[0]'],
    [classic(['a'], [['b'], ['c', 'd']]), 'has 2 values at values[1] instead of 1'],
    [classic(['a', 'b'], [['b']]), 'has 1 value at values[0] instead of 2'],
    [classic(['a', 'a'], [['b', 'c']]), 'has a duplicate name at keys[0] and keys[1]'],
    [classic([''], [['b']]), INVALID_NAME],
    [classic([5], [['b']]), INVALID_NAME],
    [classic(['a\nb'], [['b']]), INVALID_NAME],
    [classic(['a'], [[null]]), 'has a value that is not a string, number or boolean at values[0][0]'],
    [classic(['a'], [[{}]]), 'has a value that is not a string, number or boolean at values[0][0]'],
    [classic(['a'], [[[1]]]), 'has a value that is not a string, number or boolean at values[0][0]'],
    [{ ...classic(['a'], [['b']]), version: 1 }, 'has a key other than "keys" and "values"'],
    [{ variables: [] }, 'must have "version": 1'],
    [{ version: 2, variables: [{ names: ['a'], values: [['b']] }] }, 'must have "version": 1'],
    [{ version: '1', variables: [{ names: ['a'], values: [['b']] }] }, 'must have "version": 1'],
    [variable(), 'must have a non-empty list in "variables"'],
    [variable(5), 'must have an object at variables[0]'],
    [variable({ names: ['a'], rows: [['b']] }), 'has a key other than "names" and "values" in variables[0]'],
    [
      variable({ names: ['a b'], values: [['c']] }),
      `has an invalid variable name at variables[0].names; ${NAME_RULE}`,
    ],
    [
      variable({ names: ['1a'], values: [['c']] }),
      `has an invalid variable name at variables[0].names; ${NAME_RULE}`,
    ],
    [variable({ names: ['a'], values: [['b', 'c']] }), 'has 2 values at variables[0].values[0] instead of 1'],
    [
      variable({ names: ['a'], values: [['b']] }, { names: ['a'], values: [['c']] }),
      'has a duplicate variable at variables[0].names[0] and variables[1].names[0]',
    ],
    [{ version: 1, variables: 'a' }, 'must have a non-empty list in "variables"'],
    [
      { ...variable({ names: ['a'], values: [['b']] }), keys2: 1 },
      'has a key other than "version" and "variables"',
    ],
    [
      variable({ names: ['a', 'b', 'a'], values: [['b', 'c', 'd']] }),
      'has a duplicate name at variables[0].names[0] and variables[0].names[2]',
    ],
    [
      variable({ names: ['a'], values: [['b']] }, { names: 'c', values: [['b']] }),
      'must have a list of names at variables[1].names',
    ],
    [
      variable({ names: [`a${'b'.repeat(64)}`], values: [['c']] }),
      `has an invalid variable name at variables[0].names; ${NAME_RULE}`,
    ],
  ])('readPayload rejects %j', (value, reason) => {
    expect(read(value)).toEqual({ kind: 'unusable', reason });
  });

  test.each(['', '{', '{"keys":', 'keys: [a]', 'undefined', '<html>', '\0'])(
    'readPayload rejects %j because it is not valid JSON',
    (text) => {
      expect(readPayload(text)).toEqual({ kind: 'unusable', reason: 'is not valid JSON' });
    },
  );

  test.each(['12345678901234567890', '1e999', '-1e400', '1e21'])(
    'readPayload rejects the number %s, which must be written as a string',
    (number) => {
      const payload = readPayload(`{"keys":["a"],"values":[[${number}]]}`);
      expect(payload).toEqual({
        kind: 'unusable',
        reason: 'has a number at values[0][0] that cannot be represented exactly; write it as a string',
      });
    },
  );

  test('readPayload rejects a file whose lists have more rows in total than the limit', () => {
    const rows = [['1'], ['2']];
    expect(read(classic(['a'], rows), 2).kind).toBe('classic');
    expect(read(classic(['a'], rows), 1)).toMatchObject({
      reason: 'has 2 rows; the limit for this file is 1',
    });
    const two = variable({ names: ['a'], values: rows }, { names: ['b'], values: rows });
    expect(read(two, 4).kind).toBe('variable');
    expect(read(two, 3)).toMatchObject({ reason: 'has 4 rows; the limit for this file is 3' });
  });

  test('readPayload rejects files with 100,000 or more nested lists without throwing', () => {
    expect(readPayload('['.repeat(1_000_000)).kind).toBe('unusable');
    expect(readPayload(`{"keys":${'['.repeat(100_000)}${']'.repeat(100_000)},"values":[]}`).kind).toBe(
      'unusable',
    );
  });

  test('readPayload rejects a file whose keys and values are in __proto__', () => {
    expect(readPayload('{"__proto__":{"keys":["a"],"values":[["b"]]}}').kind).toBe('unusable');
  });
});

test('readPayload ignores a byte order mark at the start of the text', () => {
  expect(readPayload('\uFEFF{"keys":["a"],"values":[["b"]]}').kind).toBe('classic');
});

test('readPayload never throws, and states a reason for each rejection', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.jsonValue().map((value) => JSON.stringify(value)),
      ),
      (text) => {
        const payload = readPayload(text);
        if (payload.kind === 'unusable') expect(payload.reason).not.toBe('');
      },
    ),
    { numRuns: scaleCount(2000) },
  );
});

test('the reason for the rejection of a payload file contains no text from the file', () => {
  const secret = fc.constant('canary');
  const word = fc.oneof(secret, fc.constantFrom('keys', 'values', 'variables', 'names', 'version', '1'));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 5 }, secret, fc.constantFrom(1, null, 1e30), tie('list'), tie('map')),
    list: fc.array(tie('tree'), { maxLength: 3 }),
    map: fc.dictionary(word, tie('tree'), { maxKeys: 3 }),
  }));
  const close = fc.record(
    { keys: fc.array(secret), values: fc.array(fc.array(secret)), canary: secret },
    { requiredKeys: ['keys'] },
  );
  fc.assert(
    fc.property(fc.oneof(tree, close), (value) => {
      const payload = readPayload(JSON.stringify(value));
      if (payload.kind === 'unusable') expect(payload.reason).not.toContain('canary');
    }),
    { numRuns: scaleCount(2000) },
  );
});

test('each row of an accepted classic payload file has one string for each name', () => {
  const row = fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 0, maxLength: 3 });
  const keys = fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 });
  fc.assert(
    fc.property(keys, fc.array(row, { maxLength: 4 }), (names, values) => {
      const payload = read(classic(names, values));
      if (payload.kind !== 'classic') return;
      expect(payload.rows.values.every(({ length }) => length === names.length)).toBe(true);
      expect(payload.rows.values.flat().every((value) => typeof value === 'string')).toBe(true);
    }),
  );
});

/** Returns the fault of a payload, or null; its values would make a failed assertion slow. */
function faultOf(payload: Payload): readonly unknown[] | null {
  return payload.kind === 'unusable' ? [payload.reason, payload.place] : null;
}

describe('limits of payload files', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
  const csv = (columns: number, value = 'x') =>
    `${names(columns).join(',')}\n${names(columns).fill(value).join(',')}\n`;
  const long = 'x'.repeat(65_536);

  test.each([
    ['100 columns', () => readRowsFile(csv(100))],
    ['a value of 65,536 characters in CSV', () => readRowsFile(csv(2, long))],
    ['100 names', () => read(classic(names(100), [names(100)]))],
    ['a name of 200 characters', () => read(classic(['x'.repeat(200)], [['a']]))],
    ['a value of 65,536 characters', () => read(classic(['a'], [[long]]))],
    ['100 lists', () => read(variable(...names(100).map((name) => ({ names: [name], values: [['a']] }))))],
    ['the maximum number of rows in CSV', () => readRowsFile('a\n1\n2\n', 2)],
    ['a byte order mark in CSV', () => readRowsFile('\ufeffa\n1\n')],
    ['a byte order mark in JSON', () => readRowsFile('\ufeff {"keys":["a"],"values":[["b"]]}')],
    ['braces in CSV', () => readRowsFile('a\n{}\n')],
    ['a byte order mark in a value', () => readRowsFile('a\n\ufeff\n')],
  ])('a payload file with %s is accepted', (_name, payload) => {
    expect(faultOf(payload())).toBeNull();
  });

  test.each([
    ['101 columns', () => readRowsFile(csv(101)), 'has more than 100 columns', { line: 1, column: 1 }],
    [
      'a value of 65,537 characters in CSV',
      () => readRowsFile(`a,b\nx,x\nx,${long}x\n`),
      'has a value longer than 65536 characters',
      { line: 3, column: 1 },
    ],
    [
      'three rows in CSV, one more than the limit,',
      () => readRowsFile('a\n1\n2\n3\n', 2),
      'has 3 rows; the limit for this file is 2',
      { line: 1, column: 1 },
    ],
    [
      '101 names',
      () => read(classic(names(101), [names(101)])),
      'has more than 100 names at keys',
      undefined,
    ],
    [
      'a name of 201 characters',
      () => read(classic(['x'.repeat(201)], [['a']])),
      'has an invalid name at keys; a name has 1 to 200 printable characters',
      undefined,
    ],
    [
      '101 lists',
      () => read(variable(...names(101).map((name) => ({ names: [name], values: [['a']] })))),
      'has more than 100 lists of variables',
      undefined,
    ],
    [
      'a value of 65,537 characters',
      () => read(classic(['a'], [[`${long}x`]])),
      'has a value longer than 65536 characters at values[0][0]',
      undefined,
    ],
  ])('a payload file with %s is refused', (_name, payload, reason, place) => {
    expect(faultOf(payload())).toEqual([reason, place]);
  });
});
