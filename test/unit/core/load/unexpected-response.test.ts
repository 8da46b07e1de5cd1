import { expect, test } from 'vitest';
import { responseFaultText } from '../../../../src/core/load/unexpected-response.ts';
import type { Expectation } from '../../../../src/core/model/expectation.ts';

const EXPECTED: Expectation = {
  status: ['2xx', 409],
  headers: [
    { name: 'x-a', value: 'one' },
    { name: 'x-b', value: 'two three' },
  ],
  body: 'welcome',
  json: [
    { pointer: '/ok', value: true },
    { pointer: '/a b', value: 'x'.repeat(78) },
    { pointer: '/c', value: 'x'.repeat(79) },
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
  ['body', EXPECTED, 'response lacks the expected text "welcome"'],
  ['body', NOTHING, 'response lacks the expected text ""'],
  ['body', null, 'response lacks the expected text ""'],
  ['json /ok', EXPECTED, 'response lacks the expected JSON /ok: true'],
  ['json /a b', EXPECTED, `response lacks the expected JSON /a b: "${'x'.repeat(78)}"`],
  ['json /c', EXPECTED, `response lacks the expected JSON /c: "${'x'.repeat(76)}…"`],
  ['json /d', EXPECTED, 'response lacks the expected JSON /d'],
  ['json /d', NOTHING, 'response lacks the expected JSON /d'],
  ['json /d', null, 'response lacks the expected JSON /d'],
  ['variable', EXPECTED, 'response lacks a variable that a later request uses'],
])('the violation "%s" of %j is described', (fault, expectation, text) => {
  expect(responseFaultText(fault, expectation)).toBe(text);
});
