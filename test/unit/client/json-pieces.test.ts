import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/client/json-pieces.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** Returns the value of a JSON text, or the name of the error. */
async function outcomeOf(parse: () => unknown): Promise<unknown> {
  try {
    return { value: await parse() };
  } catch (error) {
    return error instanceof Error ? error.name : error;
  }
}

const member = fc.oneof(
  { weight: 4, arbitrary: fc.record({ id: fc.jsonValue(), urls: fc.jsonValue() }) },
  fc.record({
    id: fc.constant([{ id: 1 }, { id: 2 }]),
    text: fc.constantFrom('},{"id":1,"],[{"id":', 'é', '\ufeff'),
  }),
  fc.jsonValue(),
);

const listText = fc
  .tuple(fc.array(member, { maxLength: 12 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([list, indent]) => JSON.stringify(list, null, indent));

/** The text with one part removed or repeated, so that it is usually invalid. */
const damagedText = fc
  .tuple(listText, fc.nat(), fc.nat(20), fc.constantFrom('', ',', ']', ',]', ' ', '[', '{"id":'))
  .map(([text, at, length, inserted]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + inserted + text.slice(from + length);
  });

describe('parsing of JSON in pieces', () => {
  test('for valid and damaged lists, parseJson returns the value that JSON.parse returns, or throws an error of the same type', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(listText, damagedText),
        fc.integer({ min: 1, max: 40 }),
        async (text, length) => {
          const expected = await outcomeOf(() => JSON.parse(text) as unknown);
          expect(await outcomeOf(() => parseJson(Buffer.from(text), length))).toEqual(expected);
        },
      ),
      { numRuns: scaleCount(5000) },
    );
  });

  test.each([
    ['compact', undefined],
    ['indented', 2],
  ] as const)(
    'a long %s JSON list is parsed in more than ten iterations of the event loop',
    async (_, indent) => {
      const list = Array.from({ length: 500 }, (__, at) => ({
        id: `id-${at}`,
        urls: [{ url: 'a' }, { url: 'b' }],
      }));
      let turns = 0;
      let ended = false;
      const count = () => {
        turns++;
        if (!ended) setImmediate(count);
      };
      setImmediate(count);
      expect(await parseJson(Buffer.from(JSON.stringify(list, null, indent)), 1000)).toEqual(list);
      ended = true;
      expect(turns).toBeGreaterThan(10);
    },
  );
});
