/** Values in JSON bodies: any value remains one string with the same text. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  toByteString,
  renderTemplate,
  escapeJsonString,
  parseTemplateParts,
} from '../../../src/engine/request-template.ts';
import { scaleCount } from '../../support/test-scale.ts';

const numRuns = scaleCount(500);

/**
 * Returns the value that a target reads from a JSON body.
 * @throws An error for bytes that are not UTF-8 or not JSON.
 */
function readBack(body: string): unknown {
  return JSON.parse(
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(body, 'latin1')),
  );
}

describe('a value in a JSON string', () => {
  test.each([
    ['quotes', 'say "hi"'],
    ['a backslash at its end', 'C:\\'],
    ['line breaks', 'a\r\nb\tc'],
    ['an emoji', 'ü🛒'],
    ['NUL and other control characters', '\0\u0001\u001f\u007f\u0085'],
    ['the line separators U+2028 and U+2029', '\u2028\u2029'],
    ['text that would end the body', '"}],"admin":true,"x":"'],
    ['text that looks like a variable', '{{token}} %{1:3}'],
    ['no characters', ''],
  ])('a value with %s is unchanged after it is inserted into a JSON string and parsed', (_, text) => {
    expect(readBack(`"${escapeJsonString(toByteString(text))}"`)).toBe(text);
  });

  test('any value is unchanged after it is inserted into a JSON string and parsed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readBack(`"${escapeJsonString(toByteString(text))}"`)).toBe(text);
      }),
      { numRuns },
    );
  });

  test('an unpaired surrogate becomes U+FFFD in a JSON string', () => {
    expect(readBack(`"${escapeJsonString(toByteString('a\ud83d"b'))}"`)).toBe('a\ufffd"b');
  });

  test('a value that is not valid UTF-8 is decoded as Latin-1 and becomes one JSON string', () => {
    expect(readBack(`"${escapeJsonString('caf\xe9 "')}"`)).toBe('café "');
    const bytes = fc.uint8Array().map((array) => Buffer.from(array).toString('latin1'));
    fc.assert(
      fc.property(bytes, (value) => {
        expect(typeof readBack(`"${escapeJsonString(value)}"`)).toBe('string');
      }),
      { numRuns },
    );
  });

  test('a value inserted into the keys and strings of a JSON body does not change other parts of the body', () => {
    const indexes = { variable: () => 0, type: () => -1, expression: () => 1 };
    const options = { encoding: 'json', constant: toByteString } as const;
    const template = parseTemplateParts('{"{{a}}":"<{{a}}>","n":%{1:9},"ü":[1.10]}', indexes, options);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const body = renderTemplate(template, [toByteString(text), '7']) ?? '';
        expect(readBack(body)).toEqual(
          Object.fromEntries([
            [text, `<${text}>`],
            ['n', 7],
            ['ü', [1.1]],
          ]),
        );
      }),
      { numRuns },
    );
  });
});
