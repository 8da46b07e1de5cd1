import { describe, expect, test } from 'vitest';
import {
  cutText,
  decodedFormText,
  decodedJson,
  decodeFormText,
  encodedText,
  FlatText,
  isOneOf,
  joinTexts,
  jsonStringOf,
  literalOf,
  literalStart,
  splitText,
  type IntakeText,
} from '../../../../src/core/intake/intake-text.ts';
import {
  allFlowsOf,
  EMPTY_REQUEST,
  mapRequests,
  ONLY_REQUESTS,
  sortedNotes,
  textPart,
  type Intake,
  type IntakeFlow,
  type IntakeNote,
} from '../../../../src/core/intake/intake.ts';
import { createPositions, InvalidSource } from '../../../../src/core/intake/source-text.ts';

const ID = { variable: 'id' };
const KEY = { secret: 'KEY' };
const NOW = { expression: 'now()' };

describe('texts of an intake', () => {
  test.each<[IntakeText, string | null, string]>([
    [[], '', ''],
    [['a', 'b'], 'ab', 'ab'],
    [['a', ID, 'b'], null, 'a'],
    [[KEY], null, ''],
    [[NOW, 'a'], null, ''],
  ])('for the text %j, literalOf returns %j, and literalStart returns "%s"', (text, literal, start) => {
    expect([literalOf(text), literalStart(text)]).toEqual([literal, start]);
  });

  test.each<[IntakeText, boolean]>([
    [[ID], true],
    [[{ variable: 'other' }], false],
    [[ID, 'a'], false],
    [['id'], false],
    [[{ expression: 'id' }], false],
    [[], false],
  ])('isOneOf(%j) with the name "id" returns %s', (text, expected) => {
    expect(isOneOf(text, new Set(['id']))).toBe(expected);
  });

  test.each<[IntakeText, readonly IntakeText[], readonly [IntakeText, IntakeText] | null]>([
    [[], [[]], null],
    [['a'], [['a']], null],
    [['a;b'], [['a'], ['b']], [['a'], ['b']]],
    [[';'], [[], []], [[], []]],
    [
      ['a;', ID, 'b;c;'],
      [['a'], [ID, 'b'], ['c'], []],
      [['a'], [ID, 'b', ';', 'c', ';']],
    ],
    [[KEY, ID], [[KEY, ID]], null],
  ])(
    'for the text %j and the separator ";", splitText returns %j, and cutText returns %j',
    (text, pieces, cut) => {
      expect(splitText(text, ';')).toEqual(pieces);
      expect(cutText(text, ';')).toEqual(cut);
    },
  );

  test('joinTexts inserts the separator between the texts', () => {
    expect(joinTexts([['a'], [ID], []], '&')).toEqual(['a', '&', ID, '&']);
    expect(joinTexts([], '&')).toEqual([]);
  });

  test.each<[IntakeText, IntakeText]>([
    [
      ['a"\n', ID],
      ['"', String.raw`a\"\n`, ID, '"'],
    ],
    [[], ['"', '"']],
  ])('jsonStringOf(%j) returns %j', (text, json) => {
    expect(jsonStringOf(text)).toEqual(json);
  });

  test.each([
    [String.raw`a\u0041\n`, 'aA\n'],
    [String.raw`a\x`, String.raw`a\x`],
    ['a"b', 'a"b'],
  ])('decodedJson(%j) returns %j', (text, decoded) => {
    expect(decodedJson(text)).toBe(decoded);
  });

  test.each([
    ['a+b%20c%2B+', 'a b c+ ', 'a b c+ '],
    ['100%', null, '100%'],
    ['%ff+', null, '%ff+'],
  ])('decodeFormText(%j) returns %j, and decodedFormText returns %j', (text, decoded, used) => {
    expect([decodeFormText(text), decodedFormText(text)]).toEqual([decoded, used]);
  });

  test('encodedText percent-encodes only the literal parts of a text, and replaces lone surrogates', () => {
    expect(encodedText(['a b/\ud800', ID, 'é'])).toEqual(['a%20b%2F%EF%BF%BD', ID, '%C3%A9']);
  });
});

describe('flat texts', () => {
  test('FlatText replaces each part that is not literal with one private-use character that the literal parts do not contain', () => {
    const text = new FlatText(['a\ue000', ID, 'b', KEY]);
    expect(text.flat).toBe('a\ue000\ue001b\ue002');
    expect(text.toText(text.flat)).toEqual(['a\ue000', ID, 'b', KEY]);
    expect(text.toText('\ue002\ue001')).toEqual([KEY, ID]);
    expect(text.toText('')).toEqual([]);
    expect(['', 'ab', '\ue000', '\ue001', 'a\ue002'].map((flat) => text.hasPlaceholder(flat))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(text.placeholder(NOW)).toBe('\ue003');
    expect(text.toText('x\ue003')).toEqual(['x', NOW]);
  });

  test('FlatText accepts at most 6,400 parts that are not literal', () => {
    const parts = (count: number) => Array.from({ length: count }, () => ID);
    expect(new FlatText(parts(6400)).flat).toHaveLength(6400);
    expect(new FlatText(parts(6400)).flat.at(-1)).toBe('\uf8ff');
    expect(() => new FlatText(parts(6401))).toThrow(new RangeError('too many variables in one string'));
  });
});

const AT = { line: 1, column: 1 };
const NO_FLOW: IntakeFlow = { at: AT, name: 'f', weight: 1, values: [], requests: [], notes: [] };
const REQUEST = { ...EMPTY_REQUEST, at: AT, method: 'GET', url: ['http://shop.example/'] };
const flow = (name: string): IntakeFlow => ({ ...NO_FLOW, name, requests: [{ ...REQUEST, name }] });

describe('intakes', () => {
  test('allFlowsOf returns the setup, the requests on start, the flows and the teardown, in this order', () => {
    const all = {
      teardown: flow('teardown'),
      flows: [flow('a'), flow('b')],
      onStart: flow('start'),
      setup: flow('setup'),
    };
    const names = (flows: readonly IntakeFlow[]) => flows.map(({ name }) => name);
    expect(names(allFlowsOf(all))).toEqual(['setup', 'start', 'a', 'b', 'teardown']);
    expect(names(allFlowsOf({ flows: [flow('a')] }))).toEqual(['a']);
    expect(names(allFlowsOf({ flows: [], setup: null, onStart: null, teardown: null }))).toEqual([]);
  });

  test('mapRequests changes the requests of all flows and phases, and does not add absent phases', () => {
    const rename = (intake: Intake) =>
      mapRequests(intake, (request) => ({ ...request, name: `${request.name ?? ''}!` }));
    const changed = (name: string): IntakeFlow => ({
      ...NO_FLOW,
      name,
      requests: [{ ...REQUEST, name: `${name}!` }],
    });
    const base = { ...ONLY_REQUESTS, flows: [flow('a'), flow('b')] };
    expect(rename(base)).toStrictEqual({ ...base, flows: [changed('a'), changed('b')] });
    const phases = { setup: flow('s'), onStart: flow('o'), teardown: flow('t') };
    expect(rename({ ...base, ...phases })).toStrictEqual({
      ...base,
      flows: [changed('a'), changed('b')],
      setup: changed('s'),
      onStart: changed('o'),
      teardown: changed('t'),
    });
    expect(rename({ ...base, setup: null })).toStrictEqual({ ...rename(base), setup: null });
  });

  test('sortedNotes sorts notes by line and column, and removes repeated notes', () => {
    const note = (line: number, column: number, message: string): IntakeNote => ({
      kind: 'loss',
      at: { line, column },
      message,
    });
    const notes = [
      note(2, 1, 'c'),
      note(1, 9, 'b'),
      note(1, 2, 'a'),
      note(1, 2, 'z'),
      note(1, 2, 'a'),
      note(11, 2, 'd'),
      note(1, 12, 'e'),
    ];
    expect(sortedNotes(notes).map(({ message }) => message)).toEqual(['a', 'z', 'b', 'e', 'c', 'd']);
  });

  test('textPart converts a form field to a part without a file name or a content type', () => {
    expect(textPart({ name: 'a', value: ['b', ID] })).toEqual({
      name: 'a',
      content: { text: ['b', ID] },
      fileName: null,
      contentType: null,
    });
  });
});

describe('positions in a source', () => {
  test.each([
    [0, 1, 1],
    [1, 1, 2],
    [2, 1, 3],
    [3, 2, 1],
    [4, 3, 1],
    [5, 3, 2],
  ])('the offset %d in a text of three lines is at line %d, column %d', (offset, line, column) => {
    expect(createPositions('ab\n\ncd')(offset)).toEqual({ line, column });
  });

  test('the error about an invalid source contains the position, but not the text of the line', () => {
    const { problem } = new InvalidSource(
      { path: 'a.har', text: 'secret' },
      { line: 3, column: 5 },
      'is empty',
    );
    expect(problem).toMatchObject({
      code: 'LT_IMPORT_SOURCE',
      message: 'is empty',
      source: { file: 'a.har', line: 3, column: 5, length: 1, lineText: '' },
    });
  });
});
