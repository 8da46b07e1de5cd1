import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ListPieces } from '../../../src/client/json-pieces.ts';
import { parseBodyText, ReceivedBody } from '../../../src/client/received-body.ts';
import { decodeText } from '../../../src/client/remote-text.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** Returns the value of a JSON text, or the name of the error. */
function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return error instanceof Error ? error.name : error;
  }
}

/** Receives a text in chunks and parses it in pieces. */
function receive(text: string, { piece, chunk }: { readonly piece: number; readonly chunk: number }) {
  const list = new ListPieces(piece);
  const body = new ReceivedBody(new Map(), 1_000_000, list);
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += chunk) body.add(bytes.subarray(from, from + chunk));
  return { body: body.end(), parsedEarly: list.members.length };
}

function parseReceived(...options: Parameters<typeof receive>): unknown {
  const { body } = receive(...options);
  if (body.kind !== 'text') throw new Error(body.reason);
  return parseBodyText(decodeText(body.bytes), body.members);
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
  test('for valid and damaged lists, a body that is received in chunks has the value that JSON.parse returns, or an error of the same type', () => {
    const length = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(fc.oneof(listText, damagedText), length, length, (text, piece, chunk) => {
        const expected = outcomeOf(() => JSON.parse(text) as unknown);
        expect(outcomeOf(() => parseReceived(text, { piece, chunk }))).toEqual(expected);
      }),
      { numRuns: scaleCount(5000) },
    );
  });

  test.each([
    ['compact', undefined],
    ['indented', 2],
  ] as const)(
    'the members of a long %s JSON list are parsed while the list is received, apart from the last ones',
    (_, indent) => {
      const list = Array.from({ length: 500 }, (__, at) => ({
        id: `id-${at}`,
        urls: [{ url: 'a' }, { url: 'é' }],
      }));
      const text = JSON.stringify(list, null, indent);
      expect(parseReceived(text, { piece: 1000, chunk: 300 })).toEqual(list);
      expect(receive(text, { piece: 1000, chunk: 300 }).parsedEarly).toBeGreaterThan(450);
    },
  );

  test('a list whose members are not UTF-8 text is unreadable, even if it is long', () => {
    const body = new ReceivedBody(new Map(), 1_000_000, new ListPieces(20));
    body.add(Buffer.from('[{"id":"first, and valid"},{"id":"\xff\xff\xff\xff\xff"},{"id":1}]', 'latin1'));
    expect(body.end()).toEqual({ kind: 'unreadable', reason: 'is not UTF-8 text' });
  });
});
