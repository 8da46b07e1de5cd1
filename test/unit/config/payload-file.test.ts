/** `payload_file`: rows from a file beside the file. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
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
const given = (text: string) => ({ files: { '/shop/rows.csv': text, '/shop/rows.json': text } });

test('is known by the digest of its content, with its rows and columns', () => {
  const { desired } = loaded(fileWith('rows.csv'), given(CSV));
  expect(desired.tests[0]?.spec.targets[0]?.payloadFile).toEqual({
    sha256: createHash('sha256').update(CSV).digest('hex'),
    declared: { path: 'rows.csv', rows: 2, columns: 2, variables: ['user', 'pin'] },
  });
});

test('may hold the JSON of a payload file', () => {
  const rows = '{"keys": ["user"], "values": [["anna"]]}';
  const { desired } = loaded(fileWith('rows.json', 'http://shop.example.com/'), given(rows));
  const file = desired.tests[0]?.spec.targets[0]?.payloadFile;
  expect(file?.declared).toEqual({ path: 'rows.json', rows: 1, columns: 1, variables: null });
});

test('defines the variables of its columns, and no others', () => {
  expect(problemsOf(fileWith('rows.csv'), given(CSV))).toEqual([]);
  expect(linesOf(problemsOf(fileWith('rows.csv', "'http://shop.example.com/{{name}}'"), given(CSV)))).toEqual(
    [
      expect.stringMatching(
        /^loadtests\.yaml:9:14\+\d+ error LT_CONFIG_VALUE: "\{\{name\}\}" is not defined;/,
      ),
    ],
  );
});

describe('is told of with its place', () => {
  test.each([
    ['../rows.csv', `leads out of the file's directory; put what it needs inside`],
    ['/etc/passwd', `is not a path inside the file's directory; write a relative one`],
    ['.env.csv', 'names a hidden file or a data directory, which are never read'],
    ['gone.csv', 'cannot be read: no such file'],
  ])('the path %s', (path, words) => {
    const lines = linesOf(problemsOf(fileWith(path), given(CSV)));
    expect(lines).toEqual([
      `loadtests.yaml:10:23+${path.length} error LT_CONFIG_VALUE: the payload file "${path}" ${words}`,
    ]);
  });

  test('a link that leads out', () => {
    const around = { ...given(CSV), links: { '/shop/rows.csv': '/etc/passwd' } };
    expect(linesOf(problemsOf(fileWith('rows.csv'), around))[0]).toContain(
      "leads out of the file's directory",
    );
  });

  test('a row that is too short, in the CSV, of which nothing is quoted', () => {
    const [problem, ...more] = problemsOf(fileWith('rows.csv'), given('user,pin\nanna,canary\nbert\n'));
    expect(more).toEqual([]);
    expect(problem).toMatchObject({
      message: 'the payload file "rows.csv" has a row with 1 value, where 2 belong',
      source: { file: 'rows.csv', line: 3, column: 1, lineText: '' },
    });
  });

  test('payload_file_url beside it', () => {
    const more = '        payload_file_url: http://shop.example.com/rows.json\n';
    const lines = linesOf(problemsOf(fileWith('rows.csv', undefined, more), given(CSV)));
    expect(lines).toEqual([
      expect.stringContaining('"payload_file" and "payload_file_url" cannot be combined'),
    ]);
  });

  test('a variable that is defined twice', () => {
    const more = '        variables: [{ name: user, property: X-User }]\n';
    const lines = linesOf(problemsOf(fileWith('rows.csv', undefined, more), given(CSV)));
    expect(lines).toEqual([expect.stringContaining('the variable "user" is defined twice')]);
  });
});
