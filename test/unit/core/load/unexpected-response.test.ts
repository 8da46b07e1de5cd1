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
  ],
};
const NOTHING: Expectation = { status: null, headers: null, body: null, json: null };

test.each<[string, Expectation | null, string]>([
  ['status 500', EXPECTED, 'status 500, expected 2xx, 409'],
  ['status 500', NOTHING, 'status 500, expected below 400'],
  ['status 500', null, 'status 500, expected a different status'],
  ['header x-b', EXPECTED, 'response lacks the expected header "x-b: two three"'],
  ['header x-c', EXPECTED, 'response lacks the expected header "x-c"'],
  ['header x-c', NOTHING, 'response lacks the expected header "x-c"'],
  ['header x-c', null, 'response lacks the expected header "x-c"'],
  ['size', EXPECTED, 'response exceeds 1 MiB, the maximum that is checked'],
  ['coding br', EXPECTED, 'response body cannot be decoded (br)'],
  ['body', { ...NOTHING, body: bodyContaining('welcome') }, 'response lacks the expected text "welcome"'],
  ['body 0', EXPECTED, 'response lacks the expected text "welcome"'],
  ['body 1', EXPECTED, 'response lacks the expected text "a"'],
  ['body 2', EXPECTED, 'response contains the unexpected text "error"'],
  ['body 3', EXPECTED, 'response does not match the expected pattern "id=\\\\d"'],
  ['body 4', EXPECTED, 'response lacks the expected text ""'],
  ['body 0', NOTHING, 'response lacks the expected text ""'],
  ['body 0', null, 'response lacks the expected text ""'],
  ['json /ok', EXPECTED, 'response lacks the expected JSON /ok: true'],
  ['json /a b', EXPECTED, `response lacks the expected JSON /a b: "${'x'.repeat(78)}"`],
  ['json /c', EXPECTED, `response lacks the expected JSON /c: "${'x'.repeat(76)}…"`],
  ['json /items', EXPECTED, 'response lacks the expected JSON /items: length >= 1 and not one of "a", null'],
  ['json /error', EXPECTED, 'response lacks the expected JSON /error: no value'],
  ['json /d', EXPECTED, 'response lacks the expected JSON /d'],
  ['json /d', NOTHING, 'response lacks the expected JSON /d'],
  ['json /d', null, 'response lacks the expected JSON /d'],
  ['time', { ...NOTHING, within: 1500 }, 'response took longer than 1.5s'],
  [
    'time uncertain',
    { ...NOTHING, within: 500 },
    'response took longer than 500ms, possibly because of delays of the load generator',
  ],
  ['variable', EXPECTED, 'response lacks a variable that a later request uses'],
])('the violation "%s" of %j is described', (fault, expectation, text) => {
  expect(responseFaultText(fault, expectation)).toBe(text);
});
