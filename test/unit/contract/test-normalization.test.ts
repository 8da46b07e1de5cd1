/**
 * Normalization of create requests, and the faults of invalid ones. test/http/server-clients sends the requests of
 * real clients.
 */
import { describe, expect, test } from 'vitest';
import { decodeCreate } from '../../../src/contract/request-codec.ts';
import { parseForm } from '../../../src/server/form-fields.ts';

const URL_OF = 'http://a.example/';
const CREATE = { test_type: 'per-test', duration: 60, total: 250, urls: [{ url: URL_OF }] };
const withUrl = (more: object) => ({ ...CREATE, urls: [{ url: URL_OF, ...more }] });

describe('spellings of the test type', () => {
  test.each([
    ['cycling', ['cycling', 'CYCLING', 'Cycling', 'maintain-load', 'Maintain client load', 'concurrent']],
    ['non-cycling', ['non-cycling', 'Non-Cycling', 'NON_CYCLING', 'per-test', 'Clients per test', 'total']],
    ['per-second', ['per-second', 'Per-Second', 'Clients per second', 'CLIENTS PER SECOND', 'persecond']],
  ])('decodeCreate accepts the test type %s in the spellings %j', (testType, spellings) => {
    for (const spelling of spellings) {
      expect(decodeCreate({ ...CREATE, test_type: spelling }), spelling).toMatchObject({
        value: { spec: { testType } },
      });
    }
  });
});

describe('invalid create requests', () => {
  test.each<readonly [string, object, readonly RegExp[]]>([
    ['no fields', {}, [/^"test_type" is missing/, /^"urls" is missing/, /^"duration" is missing/]],
    [
      'missing fields on every level',
      {
        total: 5,
        stages: [{ for: 5 }],
        urls: [{}, { url: URL_OF, credentials: { login: 'a' }, variables: [{ name: 'a' }] }],
      },
      [
        /^"test_type" is missing in the body/,
        /^"duration" is missing in the body/,
        /^"to" is missing in "\/stages\/0"/,
        /^"url" is missing in "\/urls\/0"/,
        /^"password" is missing in "\/urls\/1\/credentials"/,
        /^"property" is missing in "\/urls\/1\/variables\/0"/,
        /^"source" is missing in "\/urls\/1\/variables\/0"/,
      ],
    ],
    [
      'a login from a list and no password',
      withUrl({ authentication: { type: 'basic', login: 'ci' } }),
      [/^"password" is missing in "\/urls\/0\/authentication", because responses never contain passwords/],
    ],
    [
      'two different logins',
      withUrl({ authentication: { login: 'a' }, credentials: { login: 'b', password: 'c' } }),
      [/^"authentication" and "credentials" of "\/urls\/0" have different logins; send only "credentials"$/],
    ],
    [
      'an unsupported type of authentication',
      withUrl({ authentication: { type: 'digest', login: 'a', password: 'b' } }),
      [/^"type" in "\/urls\/0\/authentication" must be "basic"$/],
    ],
    [
      'a body that a list has truncated',
      withUrl({ request_type: 'POST', raw_post_body: 'a', raw_post_body_truncated: true }),
      [
        /^"raw_post_body" of "\/urls\/0" was truncated in a list of tests; use the complete body from GET \/v2\/tests\/\{test_id\}$/,
      ],
    ],
    [
      'a number that JSON parsing has rounded',
      withUrl({ request_params: { id: 2 ** 60 } }),
      [/^"\/urls\/0\/request_params\/id" must be string$/],
    ],
    [
      'a list as the value of a map',
      withUrl({ request_params: { id: [1, 2] } }),
      [/request_params\/id" must be string/],
    ],
    [
      'a duplicate header in a list of pairs',
      withUrl({ headers: [pair('a'), pair('a')] }),
      [/headers" must be object/],
    ],
    [
      'a pair with an additional member',
      withUrl({ headers: [{ ...pair('a'), b: 1 }] }),
      [/headers" must be object/],
    ],
    [
      'a list index with a leading zero',
      { ...CREATE, urls: { '01': { url: URL_OF } } },
      [/"\/urls" must be array/],
    ],
    [
      'more URLs than allowed',
      { ...CREATE, urls: Array.from({ length: 101 }, () => ({ url: URL_OF, headers: [] })) },
      [/"\/urls" must NOT have more than 100 items/],
    ],
    [
      'more pairs than allowed',
      withUrl({ request_params: Array.from({ length: 1001 }, (_, index) => pair(`a${index}`)) }),
      [/request_params" must be object/],
    ],
    ['an invalid load', { url: URL_OF, load: '250' }, [/^"load" must have the form FROM.*"0-250-60"/]],
    ['a numeric load', { url: URL_OF, load: 250 }, [/^"load" must have the form FROM.*"0-250-60"/]],
    [
      'both a load and a duration',
      { url: URL_OF, load: '0-250-60', duration: 5 },
      [/^"load" cannot be combined with "duration"; remove one of them$/],
    ],
    ['both a URL and a list of URLs', { ...CREATE, url: URL_OF }, [/^"url" cannot be combined with "urls"/]],
    [
      'two names of the same field',
      { ...CREATE, callback: URL_OF, callback_url: URL_OF },
      [/^"callback_url" and "callback" are the same field/],
    ],
    [
      'a start time in the wrong field',
      { ...CREATE, next_run_at: '2099-01-01 00:00:00' },
      [/^"next_run_at" has no effect; use "scheduled_at"/],
    ],
    ['a tag that is not a string', { ...CREATE, tag_names: [5] }, [/tag_names\/0" must be string/]],
    ['an unknown field', { ...CREATE, duraton: 5 }, [/^the body contains the unknown field "duraton"$/]],
    ['an unknown test type', { ...CREATE, test_type: 'ramp' }, [/^"\/test_type" must be one of/]],
  ])('a create request with %s is refused, and the errors contain every reason', (_, body, reasons) => {
    const decoded = decodeCreate(body);
    const faults = 'faults' in decoded ? decoded.faults : [];
    expect(faults.length).toBe(reasons.length);
    reasons.forEach((reason, index) => {
      expect(faults[index]).toMatch(reason);
    });
  });

  test('a form with an empty scheduled_at is refused, and a form with scheduled_at null is accepted', () => {
    const fields = { ...CREATE, duration: '60', total: '', scheduled_at: '' };
    const refused: unknown = expect.stringContaining('"scheduled_at" must be a UTC time');
    expect(decodeCreate(fields, 'form')).toEqual({ faults: [refused] });
    expect(decodeCreate({ ...fields, scheduled_at: null }, 'form')).toMatchObject({
      value: { warnings: [] },
    });
  });

  test('a refusal lists at most 100 missing fields', () => {
    const urls = Array.from({ length: 100 }, () => ({ variables: Array.from({ length: 50 }, () => ({})) }));
    const decoded = decodeCreate({ ...CREATE, urls });
    expect('faults' in decoded ? decoded.faults : []).toHaveLength(100);
  });
});

test('a create request with an empty password is accepted', () => {
  const credentials = { login: 'a', password: '' };
  expect(decodeCreate(withUrl({ credentials }))).toMatchObject({
    value: { spec: { targets: [{ credentials }] } },
  });
});

function pair(key: string) {
  return { key, value: 'x' };
}

describe('form parser', () => {
  test.each<readonly [string, string, unknown]>([
    ['strings', 'a=1&b=&c&d=a+b%26', { a: '1', b: '', c: '', d: 'a b&' }],
    ['a map', 'a[b][c]=1&a[d]=2', { a: { b: { c: '1' }, d: '2' } }],
    ['escaped brackets', 'a%5Bb%5D=1', { a: { b: '1' } }],
    ['a list of strings', 'a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a list of maps', 'a[][b]=1&a[][c]=2&a[][b]=3', { a: [{ b: '1', c: '2' }, { b: '3' }] }],
    [
      'lists in lists of maps',
      'a[][b][][c]=1&a[][b][][c]=2&a[][d]=3&a[][d]=4',
      { a: [{ b: [{ c: '1' }, { c: '2' }], d: '3' }, { d: '4' }] },
    ],
    ['numbers as names', 'a[0]=1&a[1]=2', { a: { 0: '1', 1: '2' } }],
    [
      'names of inherited properties',
      'constructor=1&a[toString]=2',
      { constructor: '1', a: { toString: '2' } },
    ],
    ['no fields', '&&', {}],
  ])('parseForm returns the expected value for a form with %s', (_, text, value) => {
    expect(parseForm(text)).toEqual(value);
  });

  test.each([
    ['a duplicate field', 'a=1&a=2', /a form field occurs more than once/],
    ['a duplicate field in a map', 'a[b]=1&a[b]=2', /a form field occurs more than once/],
    ['an unclosed bracket', 'a[=5', /name of a form field/],
    ['characters after a bracket', 'a[b]c=5', /name of a form field/],
    ['nested brackets', 'a[b[c]]=5', /name of a form field/],
    ['one name for a string and a list', 'a=5&a[]=6', /name of a form field/],
    ['one name for a list and a map', 'a[]=5&a[b]=6', /name of a form field/],
    ['a list in a list', 'a[][]=5', /name of a form field/],
    ['a name that is nested 40 levels deep', `a${'[a]'.repeat(40)}=5`, /nested deeper/],
    ['a million brackets', `a${'['.repeat(1_000_000)}`, /name of a form field/],
    ['a million pairs of brackets', `a${'[]'.repeat(500_000)}`, /nested deeper/],
    ['10,001 fields', '&'.repeat(10_000), /more than 10000 fields; send JSON/],
    ['an invalid escape', 'a=%zz', /invalid percent-encoding/],
  ])('parseForm refuses a form with %s', (_, text, reason) => {
    expect(() => parseForm(text)).toThrow(reason);
  });
});
