/** Values within JSON bodies: whatever they are, each stays one string, and the text that it was. */
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

/** What a target reads between quotes. Errors: throws for bytes that are no UTF-8, and for what is no JSON. */
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
    ['what ends lines in scripts', '\u2028\u2029'],
    ['what would end the body', '"}],"admin":true,"x":"'],
    ['what looks like a variable', '{{token}} %{1:3}'],
    ['nothing', ''],
  ])('stays what it is: %s', (_, text) => {
    expect(readBack(`"${escapeJsonString(toByteString(text))}"`)).toBe(text);
  });

  test('stays what it is, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readBack(`"${escapeJsonString(toByteString(text))}"`)).toBe(text);
      }),
      { numRuns },
    );
  });

  test('that has half a character has U+FFFD for it, as UTF-8 has no way to write one', () => {
    expect(readBack(`"${escapeJsonString(toByteString('a\ud83d"b'))}"`)).toBe('a\ufffd"b');
  });

  test('stays one string where it is no UTF-8: then it is latin1', () => {
    expect(readBack(`"${escapeJsonString('caf\xe9 "')}"`)).toBe('café "');
    const bytes = fc.uint8Array().map((array) => Buffer.from(array).toString('latin1'));
    fc.assert(
      fc.property(bytes, (value) => {
        expect(typeof readBack(`"${escapeJsonString(value)}"`)).toBe('string');
      }),
      { numRuns },
    );
  });

  test('leaves the rest of the body as it was, in keys as well', () => {
    const indexes = { variable: () => 0, expression: () => 1 };
    const how = { encoding: 'json', constant: toByteString } as const;
    const pieces = parseTemplateParts('{"{{a}}":"<{{a}}>","n":%{1:9},"ü":[1.10]}', indexes, how);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const body = renderTemplate(pieces, [toByteString(text), '7']) ?? '';
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
