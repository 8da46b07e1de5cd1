import { expect, test } from 'vitest';
import { responseFaultText } from '../../../../src/core/load/unexpected-response.ts';
import { bodyContaining, type Expectation } from '../../../../src/core/model/expectation.ts';

const EXPECTED: Expectation = {
  status: ['2xx', 409],
  headers: [
    { name: 'x-a', value: 'one' },
    { name: 'x-b', value: 'two three' },
  ],
  body: { contains: ['welcome', 'a'], notContains: ['error'], matches: ['id=\\d'] },
  json: [
    { pointer: '/ok', value: true },
    { pointer: '/a b', value: 'x'.repeat(78) },
    { pointer: '/c', value: 'x'.repeat(79) },
    { pointer: '/items', value: { length: '>= 1', not: { oneOf: ['a', null] } } },
    { pointer: '/error', value: { exists: false } },
    { pointer: '/texts', value: { oneOf: ['x'.repeat(40), 'y'.repeat(40)] } },
    { pointer: '/numbers', value: { oneOf: [1e9, 2e9, 3e9, 4e9, 5e9, 6e9, 7e9] } },
  ],
};
const NOTHING: Expectation = { status: null, headers: null, body: null, json: null };

test.each<[string, string, Expectation | null, string]>([
  ['status 500', 'several expectations', EXPECTED, 'status 500, expected 2xx, 409'],
  ['status 500', 'no expectations', NOTHING, 'status 500, expected below 400'],
  ['status 500', 'unknown expectations', null, 'status 500, expected a different status'],
  ['header x-b', 'several expectations', EXPECTED, 'response lacks the expected header "x-b: two three"'],
  ['header x-c', 'several expectations', EXPECTED, 'response lacks the expected header "x-c"'],
  ['header x-c', 'no expectations', NOTHING, 'response lacks the expected header "x-c"'],
  ['header x-c', 'unknown expectations', null, 'response lacks the expected header "x-c"'],
  ['size', 'several expectations', EXPECTED, 'response exceeds 1 MiB, the maximum that is checked'],
  ['coding br', 'several expectations', EXPECTED, 'response body cannot be decoded (br)'],
  [
    'body',
    'one expected text',
    { ...NOTHING, body: bodyContaining('welcome') },
    'response lacks the expected text "welcome"',
  ],
  ['body 0', 'several expectations', EXPECTED, 'response lacks the expected text "welcome"'],
  ['body 1', 'several expectations', EXPECTED, 'response lacks the expected text "a"'],
  ['body 2', 'several expectations', EXPECTED, 'response contains the unexpected text "error"'],
  ['body 3', 'several expectations', EXPECTED, 'response does not match the expected pattern "id=\\\\d"'],
  ['body 4', 'several expectations', EXPECTED, 'response lacks the expected text ""'],
  ['body 0', 'no expectations', NOTHING, 'response lacks the expected text ""'],
  ['body 0', 'unknown expectations', null, 'response lacks the expected text ""'],
  ['json /ok', 'several expectations', EXPECTED, 'response does not meet the JSON expectation /ok: true'],
  [
    'json /a b',
    'several expectations',
    EXPECTED,
    `response does not meet the JSON expectation /a b: "${'x'.repeat(78)}"`,
  ],
  [
    'json /c',
    'several expectations',
    EXPECTED,
    `response does not meet the JSON expectation /c: "${'x'.repeat(76)}…"`,
  ],
  [
    'json /texts',
    'several expectations',
    EXPECTED,
    `response does not meet the JSON expectation /texts: one of "${'x'.repeat(40)}", "${'y'.repeat(25)}…"`,
  ],
  [
    'json /numbers',
    'several expectations',
    EXPECTED,
    'response does not meet the JSON expectation /numbers: one of 1000000000, 2000000000, 3000000000, 4000000000, 5000000000, 6000000000…',
  ],
  [
    'json /items',
    'several expectations',
    EXPECTED,
    'response does not meet the JSON expectation /items: length >= 1 and not one of "a", null',
  ],
  [
    'json /error',
    'several expectations',
    EXPECTED,
    'response does not meet the JSON expectation /error: no value',
  ],
  ['json /d', 'several expectations', EXPECTED, 'response does not meet the JSON expectation /d'],
  ['json /d', 'no expectations', NOTHING, 'response does not meet the JSON expectation /d'],
  ['json /d', 'unknown expectations', null, 'response does not meet the JSON expectation /d'],
  ['time', 'a time limit of 1.5 s', { ...NOTHING, within: 1500 }, 'response took longer than 1.5s'],
  [
    'time uncertain',
    'a time limit of 500 ms',
    { ...NOTHING, within: 500 },
    'response took longer than 500ms, possibly because of delays of the load generator',
  ],
  ['variable', 'several expectations', EXPECTED, 'response lacks a variable that a later request uses'],
])(
  'responseFaultText returns the expected text for the fault "%s" with %s',
  (fault, _name, expectation, text) => {
    expect(responseFaultText(fault, expectation)).toBe(text);
  },
);
