/** Parser for the command lines of a shell. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseShellCommands, quoteArguments } from '../../../src/formats/shell-commands.ts';

function wordsOf(text: string): readonly (readonly string[])[] {
  return parseShellCommands(text).map(({ words }) =>
    words.map((word) =>
      word.text.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(''),
    ),
  );
}

describe('shell command lines', () => {
  test.each<readonly [string, string, readonly (readonly string[])[]]>([
    ['two spaces between words', 'curl -s  http://a/', [['curl', '-s', 'http://a/']]],
    ['single quotes', `curl 'a b'c`, [['curl', 'a bc']]],
    [
      'double quotes with escapes',
      String.raw`curl "a \"b\" \n \\"`,
      [['curl', String.raw`a "b" \n ` + '\\']],
    ],
    ['ANSI-C quotes', String.raw`curl $'a\'b\u0021\n\x41\101'`, [['curl', "a'b!\nAA"]]],
    ['an empty word', `curl ''`, [['curl', '']]],
    ['a continued line', 'curl \\\n  a \\\r\n  b', [['curl', 'a', 'b']]],
    [
      'several lines',
      'curl a\ncurl b',
      [
        ['curl', 'a'],
        ['curl', 'b'],
      ],
    ],
    [
      'operators',
      'curl a && curl b; curl c | jq .',
      [
        ['curl', 'a'],
        ['curl', 'b'],
        ['curl', 'c'],
        ['jq', '.'],
      ],
    ],
    [
      'comments',
      '# curl x\ncurl a # b\ncurl c#d',
      [
        ['curl', 'a'],
        ['curl', 'c#d'],
      ],
    ],
    ['redirections', 'curl a > out.txt 2>&1 < in', [['curl', 'a']]],
    [
      'assignments',
      'HOST=a.example\nexport T="x y"\ncurl http://$HOST/ "${T}z"',
      [['curl', 'http://a.example/', 'x yz']],
    ],
    ['unknown variables', 'curl -H "x: $TOKEN"', [['curl', '-H', 'x: {"secret":"TOKEN"}']]],
    ['defaults of variables', 'curl ${A:-b}', [['curl', '{"secret":"A"}']]],
    ['braces in words', 'curl http://a/{b,c} {{id}}', [['curl', 'http://a/{b,c}', '{{id}}']]],
    ['a lone dollar sign', `curl "a$" '$B'`, [['curl', 'a$', '$B']]],
  ])('parseShellCommands splits a command line with %s into words', (_, text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });

  test('parseShellCommands returns the position of the first character of each word', () => {
    const [first, second] = parseShellCommands('curl a\n  curl \\\n   "b"');
    expect(first?.words.map(({ at }) => at)).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 6 },
    ]);
    expect(second?.words.map(({ at }) => at)).toEqual([
      { line: 2, column: 3 },
      { line: 3, column: 4 },
    ]);
  });

  test.each([
    ['curl $(cat token)', 'a command substitution'],
    ['curl `cat token`', 'a command substitution'],
    ["curl 'a", 'a quote that is not closed'],
    ['curl "a', 'a quote that is not closed'],
  ])('parseShellCommands reports the unsupported construct in %j', (text, expected) => {
    expect(parseShellCommands(text)[0]?.unsupported).toEqual([expected]);
  });

  test('parseShellCommands returns the original arguments from the output of quoteArguments', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 1, maxLength: 4 }),
        (args) => {
          expect(wordsOf(quoteArguments(['curl', ...args]))).toEqual([['curl', ...args]]);
        },
      ),
    );
  });
});
