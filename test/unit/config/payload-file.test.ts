/** Lowering of `payload_file`: rows from a file next to the configuration. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { loadLines } from '../../../src/core/report/load-text.ts';
import { testLoad } from '../../../src/core/report/plan-document.ts';
import { linesOf, loaded, problemsOf } from './load-text.ts';

const fileWith = (path: string, url = 'http://shop.example.com/?as={{user}}', more = '') => `version: 1
project: shop
apps: { shop: shop.example.com }
tests:
  home:
    test_type: cycling
    duration: 1m
    urls:
      - url: ${url}
        payload_file: ${path}
${more}`;

const CSV = 'user,pin\nanna,1\nbert,2\n';
const withRows = (text: string) => ({ files: { '/shop/rows.csv': text, '/shop/rows.json': text } });

test('a payload file is converted to its digest, its numbers of rows and columns, and its variables', () => {
  const { desired } = loaded(fileWith('rows.csv'), withRows(CSV));
  expect(desired.tests[0]?.spec.targets[0]?.payloadFile).toEqual({
    sha256: createHash('sha256').update(CSV).digest('hex'),
    declared: { path: 'rows.csv', rows: 2, columns: 2, variables: ['user', 'pin'] },
  });
});

test('a payload file may be in the JSON format', () => {
  const rows = '{"keys": ["user"], "values": [["anna"]]}';
  const { desired } = loaded(fileWith('rows.json', 'http://shop.example.com/'), withRows(rows));
  const file = desired.tests[0]?.spec.targets[0]?.payloadFile;
  expect(file?.declared).toEqual({ path: 'rows.json', rows: 1, columns: 1, variables: null });
});

test('a payload file defines a variable for each of its columns and no other variable', () => {
  expect(problemsOf(fileWith('rows.csv'), withRows(CSV))).toEqual([]);
  expect(
    linesOf(problemsOf(fileWith('rows.csv', "'http://shop.example.com/{{name}}'"), withRows(CSV))),
  ).toEqual([
    expect.stringMatching(/^loadtests\.yaml:9:14\+\d+ error LT_CONFIG_VALUE: "\{\{name\}\}" is not defined;/),
  ]);
});

test.each([
  [
    'type: cycling',
    'cycling 0 → 60 connections, 2 iterations, 4 requests, at most 1m',
    ', ends when 2 rows are used',
  ],
  [
    'type: per-second',
    'per-second, 60 clients per second, 2 clients and 4 requests, up to 2 connections, at most 1m',
    ', ends when 2 rows are used',
  ],
  [
    'type: non-cycling, total: 2',
    'non-cycling, 2 clients and 4 requests in total, up to 1 connection, at most 1m',
    ', ends when 2 rows are used',
  ],
  [
    'type: non-cycling, total: 1',
    'non-cycling, 1 client and 2 requests in total, up to 1 connection, 1m',
    '',
  ],
])('the plan states whether a test with "order: once" ends when all rows are used: %s', (load, text, end) => {
  const { desired } = loaded(
    `version: 1
project: shop
apps: { shop: shop.example.com }
tests:
  home:
    test_${load.replace(', ', '\n    ')}
    duration: 1m
    urls: [{ url: 'http://shop.example.com/{{user}}', payload_file: { file: rows.csv, order: once } }, http://shop.example.com/]
`,
    withRows(CSV),
  );
  const [test] = desired.tests;
  if (test === undefined) throw new Error('no test');
  expect(loadLines(testLoad(test))[0]).toBe(
    `${text} plus up to 10s for the last iterations on shop.example.com${end}`,
  );
});

describe('problems of payload files', () => {
  test.each([
    ['stages: [{ for: 1m, to: 5 }]', 'stages'],
    ['duration: 1m\n    iterations_per_client: 3', 'iterations_per_client'],
  ])('payload rows with "order: once" cannot be combined with the fields %j', (fields, name) => {
    const text = fileWith('{ file: rows.csv, order: once }').replace('duration: 1m', fields);
    expect(linesOf(problemsOf(text, withRows(CSV)))).toEqual([
      expect.stringContaining(`"order: once" and "${name}" cannot be combined`) as unknown,
    ]);
  });

  test.each([
    ['../rows.csv', 'is outside the directory of the configuration file; move the file into that directory'],
    [
      '/etc/passwd',
      'is not a valid relative path; write a path relative to the directory of the configuration file',
    ],
    [
      '.env.csv',
      'is not read, because it is hidden, or is in a hidden directory or in "loadtests-data"; rename or move the file',
    ],
    ['gone.csv', 'cannot be read: no such file'],
  ])(
    'the payload file %s is rejected, and the error has its location in the configuration file',
    (path, reason) => {
      const lines = linesOf(problemsOf(fileWith(path), withRows(CSV)));
      expect(lines).toEqual([
        `loadtests.yaml:10:23+${path.length} error LT_CONFIG_VALUE: the payload file "${path}" ${reason}`,
      ]);
    },
  );

  test('a payload file that is a symbolic link to a file outside the directory of the configuration file is rejected', () => {
    const options = { ...withRows(CSV), links: { '/shop/rows.csv': '/etc/passwd' } };
    expect(linesOf(problemsOf(fileWith('rows.csv'), options))[0]).toContain(
      'is outside the directory of the configuration file',
    );
  });

  test('the error about a row that is too short contains the location of the row in the CSV file, but not its content', () => {
    const [problem, ...more] = problemsOf(fileWith('rows.csv'), withRows('user,pin\nanna,canary\nbert\n'));
    expect(more).toEqual([]);
    expect(problem).toMatchObject({
      message: 'the payload file "rows.csv" has a row with 1 value instead of 2',
      source: { file: 'rows.csv', line: 3, column: 1, lineText: '' },
    });
  });

  test('payload_file together with payload_file_url is rejected', () => {
    const more = '        payload_file_url: http://shop.example.com/rows.json\n';
    const lines = linesOf(problemsOf(fileWith('rows.csv', undefined, more), withRows(CSV)));
    expect(lines).toEqual([
      expect.stringContaining('"payload_file" and "payload_file_url" cannot be combined'),
    ]);
  });

  test('a variable is rejected if both a column and a response define it', () => {
    const more = '        variables: [{ name: user, property: X-User }]\n';
    const lines = linesOf(problemsOf(fileWith('rows.csv', undefined, more), withRows(CSV)));
    expect(lines).toEqual([expect.stringContaining('the variable "user" is defined twice')]);
  });
});
