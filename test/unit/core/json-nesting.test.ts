import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nestingOf, isNestedDeeperThan } from '../../../src/core/json-nesting.ts';

/** Returns the depth of a parsed value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('nesting of JSON text', () => {
  test('isNestedDeeperThan and nestingOf agree with the depth of the parsed value, even with brackets in strings', () => {
    const texts = fc.string({
      unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a', '\u00e9', '\u6f22'),
    });
    const documents = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 12, withCrossShrink: true }, texts, tie('list'), tie('map')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      map: fc.dictionary(texts, tie('value'), { maxKeys: 3 }),
    })).value;
    fc.assert(
      fc.property(documents, fc.integer({ min: 0, max: 14 }), (value, levels) => {
        const text = JSON.stringify(value);
        const depth = depthOf(value);
        expect(isNestedDeeperThan(text, levels)).toBe(depth > levels);
        expect(nestingOf(text, levels)).toBe(depth > levels ? 'deep' : 'closed');
      }),
    );
  });

  test.each([
    ['[{"a": [', 'open'],
    ['["a', 'open'],
    ['["a\\"]', 'open'],
    ['["a\\\\"]', 'closed'],
    ['', 'closed'],
  ])('nestingOf(%j, 64) returns "%s"', (text, nesting) => {
    expect(nestingOf(text, 64)).toBe(nesting);
  });
});
