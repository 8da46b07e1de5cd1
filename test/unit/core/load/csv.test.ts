/** The CSV parser, which follows RFC 4180 strictly and reports the location of each error. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../../../src/core/load/csv.ts';
import { readRowsFile } from '../../../../src/core/load/payload-format.ts';
import { measureCpuTime } from '../../../support/cpu-time.ts';
import { scaleCount } from '../../../support/test-scale.ts';

function rowsOf(text: string): readonly (readonly string[])[] | string {
  const read = readCsv(text);
  if (read.ok) return read.records.map(({ values }) => values);
  const { line, column, message } = read.fault;
  return `${line}:${column} ${message}`;
}

test.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\r\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\n"1,2","say ""hi"""\n',
    [
      ['a', 'b'],
      ['1,2', 'say "hi"'],
    ],
  ],
  ['a\n"line\r\nbreak"\nx\n', [['a'], ['line\r\nbreak'], ['x']]],
  [
    'a,b\n,\n"",""\n',
    [
      ['a', 'b'],
      ['', ''],
      ['', ''],
    ],
  ],
  ['a\n\nx\n', [['a'], [''], ['x']]],
  [
    'a,b\n 1 , 2 \n',
    [
      ['a', 'b'],
      [' 1 ', ' 2 '],
    ],
  ],
  [
    'a,b\n1,',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  ['', []],
])('from the text %j, readCsv reads the rows %j', (text, rows) => {
  expect(rowsOf(text)).toEqual(rows);
});

test.each([
  ['a\n"open\nx', '2:1 the quote is not closed'],
  [
    'a,b\n1,2"3\n',
    '2:4 a value that contains a quote must be enclosed in quotes, and its own quotes must be doubled',
  ],
  ['a,b\n"1"x,2\n', '2:4 the closing quote must be followed by a comma or the end of the line'],
  ['"\na"x\n', '2:3 the closing quote must be followed by a comma or the end of the line'],
  [
    'a,b\n"1\n2",3"\n',
    '3:5 a value that contains a quote must be enclosed in quotes, and its own quotes must be doubled',
  ],
  ['a,b\r1,2\r', '1:4 a carriage return is not followed by a line feed; end lines with CRLF or LF'],
])('readCsv reports the location of the error in %j', (text, fault) => {
  expect(rowsOf(text)).toBe(fault);
});

test('the error of a quote that is not followed by a delimiter other than a comma names the delimiter', () => {
  const message = 'the closing quote must be followed by the delimiter or the end of the line';
  expect(readCsv('"1","2"\n', ';')).toEqual({ ok: false, fault: { line: 1, column: 4, message } });
});

test('readCsv restores values that were written as quoted CSV', () => {
  const value = fc.oneof(fc.string(), fc.constantFrom('', '"', ',', '\n', '\r\n', 'a"b'));
  const rows = fc.array(fc.array(value, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(rows, fc.constantFrom('\n', '\r\n'), (records, end) => {
      const text = records.map((row) => row.map(quoted).join(',') + end).join('');
      expect(rowsOf(text)).toEqual(records);
    }),
    { numRuns: scaleCount(1000) },
  );
});

test('readCsv reads 500,000 repetitions of quotes, commas and line breaks within 5 s of CPU time', () => {
  const texts = ['"a",', '"a\n",', '""', '"', '\n', 'a,', 'a'].map((text) => text.repeat(500_000));
  expect(measureCpuTime(() => texts.forEach((text) => void readCsv(text)))).toBeLessThan(5000);
});

describe('payload files in CSV', () => {
  const faultOf = (text: string) => {
    const payload = readRowsFile(text, 3);
    if (payload.kind !== 'unusable') return 'usable';
    const { place, reason } = payload;
    return `${place?.line ?? '?'}:${place?.column ?? '?'} ${reason}`;
  };

  test('a payload file that starts like JSON is read as CSV if it has the option "columns" or "delimiter"', () => {
    expect(readRowsFile('[1\n{2\n', 9, { columns: ['a'] })).toMatchObject({
      lists: [{ names: ['a'], values: [['[1'], ['{2']] }],
    });
    expect(readRowsFile('{"a":1}\n', 9, { columns: ['a'] })).toMatchObject({
      reason: expect.stringContaining('is not valid CSV') as string,
    });
    expect(readRowsFile('[1]\n[2]\n', 9, { delimiter: ';' })).not.toEqual(readRowsFile('[1]\n[2]\n', 9));
  });

  test('readRowsFile returns the variables and rows of a CSV file, without its byte order mark', () => {
    expect(readRowsFile('\ufeffuser,pin\r\nanna,0042\r\nbert,\r\n')).toEqual({
      kind: 'variable',
      lists: [
        {
          names: ['user', 'pin'],
          values: [
            ['anna', '0042'],
            ['bert', ''],
          ],
        },
      ],
    });
  });

  test('a payload file that starts with a brace is parsed as JSON', () => {
    expect(readRowsFile('\n {"keys": ["a"], "values": [[1]]}')).toMatchObject({ kind: 'classic' });
    expect(faultOf('{"keys"')).toBe('?:? is not valid JSON');
  });

  test.each([
    ['', '1:1 is empty'],
    ['user,pin\n', '1:1 has no rows below its first line'],
    ['user,pin\nanna\n', '2:1 has a row with 1 value instead of 2'],
    ['a,b\n"1\n2",3\n4,5,6\n', '4:1 has a row with 3 values instead of 2'],
    ['a\n1\n2\n3\n4\n', '1:1 has 4 rows; the limit for this file is 3'],
    ['user,user\nx,y\n', '1:1 has the same name in columns 1 and 2'],
    [
      'a"b\n',
      '1:2 is not valid CSV: a value that contains a quote must be enclosed in quotes, and its own quotes must be doubled',
    ],
  ])('readRowsFile reports the location of the error in %j', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  test.each(['user;pin\na;b\n', 'first name\nx\n', 'a,\n1,2\n', '1st\nx\n'])(
    'readRowsFile rejects the column names of %j',
    (text) => {
      expect(faultOf(text)).toMatch(/^1:1 has an invalid variable name in column \d of its first line;/);
    },
  );
});
