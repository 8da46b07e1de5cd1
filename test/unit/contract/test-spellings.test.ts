/** What a create is read as, and what is refused with all its reasons. Requests of clients: test/http/server-clients. */
import { describe, expect, test } from 'vitest';
import { decodeCreate } from '../../../src/contract/request-codec.ts';
import { parseForm } from '../../../src/server/form-fields.ts';

const URL_OF = 'http://a.example/';
const one = { test_type: 'per-test', duration: 60, total: 250, urls: [{ url: URL_OF }] };
const withUrl = (more: object) => ({ ...one, urls: [{ url: URL_OF, ...more }] });

describe('the kind of load may be called', () => {
  test.each([
    ['cycling', ['cycling', 'CYCLING', 'Cycling', 'maintain-load', 'Maintain client load', 'concurrent']],
    ['non-cycling', ['non-cycling', 'Non-Cycling', 'NON_CYCLING', 'per-test', 'Clients per test', 'total']],
    ['per-second', ['per-second', 'Per-Second', 'Clients per second', 'CLIENTS PER SECOND', 'persecond']],
  ])('%s: %j', (testType, words) => {
    for (const word of words) {
      expect(decodeCreate({ ...one, test_type: word }), word).toMatchObject({
        value: { spec: { testType } },
      });
    }
  });
});

describe('it is refused', () => {
  test.each<readonly [string, object, readonly RegExp[]]>([
    ['with nothing', {}, [/^"test_type" is missing/, /^"urls" is missing/, /^"duration" is missing/]],
    [
      'with fields missing everywhere',
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
      'with a listed login and no password',
      withUrl({ authentication: { type: 'basic', login: 'ci' } }),
      [/^"password" is missing in "\/urls\/0\/authentication"; lists do not contain passwords/],
    ],
    [
      'with two logins',
      withUrl({ authentication: { login: 'a' }, credentials: { login: 'b', password: 'c' } }),
      [/^"authentication" and "credentials" of "\/urls\/0" have different logins$/],
    ],
    [
      'with another kind of authentication',
      withUrl({ authentication: { type: 'digest', login: 'a', password: 'b' } }),
      [/^"type" in "\/urls\/0\/authentication" must be "basic"$/],
    ],
    [
      'from a list that cut its body off',
      withUrl({ request_type: 'POST', raw_post_body: 'a', raw_post_body_truncated: true }),
      [/^"raw_post_body" of "\/urls\/0" was cut off in a list; GET \/v2\/tests\/\{id\} has it whole$/],
    ],
    [
      'with a number that JSON has rounded',
      withUrl({ request_params: { id: 2 ** 60 } }),
      [/^"\/urls\/0\/request_params\/id" must be string$/],
    ],
    [
      'with a list for a value',
      withUrl({ request_params: { id: [1, 2] } }),
      [/request_params\/id" must be string/],
    ],
    [
      'with one header twice in pairs',
      withUrl({ headers: [pair('a'), pair('a')] }),
      [/headers" must be object/],
    ],
    [
      'with pairs that have more',
      withUrl({ headers: [{ ...pair('a'), b: 1 }] }),
      [/headers" must be object/],
    ],
    [
      'with a map that counts wrongly',
      { ...one, urls: { '01': { url: URL_OF } } },
      [/"\/urls" must be array/],
    ],
    [
      'with more URLs than a test has',
      { ...one, urls: Array.from({ length: 101 }, () => ({ url: URL_OF, headers: [] })) },
      [/"\/urls" must NOT have more than 100 items/],
    ],
    [
      'with more pairs than a map has',
      withUrl({ request_params: Array.from({ length: 1001 }, (_, at) => pair(`a${at}`)) }),
      [/request_params" must be object/],
    ],
    ['with a load that is none', { url: URL_OF, load: '250' }, [/^"load" must be FROM.*"0-250-60"/]],
    ['with a load of another type', { url: URL_OF, load: 250 }, [/^"load" must be FROM.*"0-250-60"/]],
    [
      'with a load and a duration',
      { url: URL_OF, load: '0-250-60', duration: 5 },
      [/^"load" cannot be combined with "duration"$/],
    ],
    ['with a URL beside the list', { ...one, url: URL_OF }, [/^"url" cannot be combined with "urls"/]],
    [
      'with one field by two names',
      { ...one, callback: URL_OF, callback_url: URL_OF },
      [/^"callback_url" and "callback" are the same field/],
    ],
    [
      'where it would start now and was to start later',
      { ...one, next_run_at: '2099-01-01 00:00:00' },
      [/^"next_run_at" has no effect; use "scheduled_at"/],
    ],
    ['with tags that are no texts', { ...one, tag_names: [5] }, [/tag_names\/0" must be string/]],
    ['with an unknown field, as ever', { ...one, duraton: 5 }, [/^unknown field "duraton"/]],
    ['with another kind of load', { ...one, test_type: 'ramp' }, [/^"\/test_type" must be one of/]],
  ])('%s', (_, body, reasons) => {
    const decoded = decodeCreate(body);
    const faults = 'faults' in decoded ? decoded.faults : [];
    expect(faults.length).toBe(reasons.length);
    reasons.forEach((reason, index) => {
      expect(faults[index]).toMatch(reason);
    });
  });

  test('with a time that is empty, also in a form: it may have been lost on the way', () => {
    const texts = { ...one, duration: '60', total: '', scheduled_at: '' };
    const refused: unknown = expect.stringContaining('"scheduled_at" must be a time');
    expect(decodeCreate(texts, 'form')).toEqual({ faults: [refused] });
    expect(decodeCreate({ ...texts, scheduled_at: null }, 'form')).toMatchObject({ value: { warnings: [] } });
  });

  test('with at most a hundred missing fields told', () => {
    const urls = Array.from({ length: 100 }, () => ({ variables: Array.from({ length: 50 }, () => ({})) }));
    const decoded = decodeCreate({ ...one, urls });
    expect('faults' in decoded ? decoded.faults : []).toHaveLength(100);
  });
});

test('a user in the body of a create is read whole: an empty password is one', () => {
  const user = { login: 'a', password: '' };
  expect(decodeCreate(withUrl({ credentials: user }))).toMatchObject({
    value: { spec: { targets: [{ credentials: user }] } },
  });
});

function pair(key: string) {
  return { key, value: 'x' };
}

describe('a form', () => {
  test.each<readonly [string, string, unknown]>([
    ['texts', 'a=1&b=&c&d=a+b%26', { a: '1', b: '', c: '', d: 'a b&' }],
    ['a map', 'a[b][c]=1&a[d]=2', { a: { b: { c: '1' }, d: '2' } }],
    ['escaped brackets', 'a%5Bb%5D=1', { a: { b: '1' } }],
    ['a list of texts', 'a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a list of maps', 'a[][b]=1&a[][c]=2&a[][b]=3', { a: [{ b: '1', c: '2' }, { b: '3' }] }],
    [
      'lists in lists of maps',
      'a[][b][][c]=1&a[][b][][c]=2&a[][d]=3&a[][d]=4',
      { a: [{ b: [{ c: '1' }, { c: '2' }], d: '3' }, { d: '4' }] },
    ],
    ['numbers as names', 'a[0]=1&a[1]=2', { a: { 0: '1', 1: '2' } }],
    [
      'names that every object has',
      'constructor=1&a[toString]=2',
      { constructor: '1', a: { toString: '2' } },
    ],
    ['nothing', '&&', {}],
  ])('holds %s', (_, text, value) => {
    expect(parseForm(text)).toEqual(value);
  });

  test.each([
    ['a field twice', 'a=1&a=2', /duplicate form field/],
    ['a field of a map twice', 'a[b]=1&a[b]=2', /duplicate form field/],
    ['half a bracket', 'a[=5', /name of a form field/],
    ['text after a bracket', 'a[b]c=5', /name of a form field/],
    ['brackets in brackets', 'a[b[c]]=5', /name of a form field/],
    ['a text and a list', 'a=5&a[]=6', /name of a form field/],
    ['a list and a map', 'a[]=5&a[b]=6', /name of a form field/],
    ['a list in a list', 'a[][]=5', /name of a form field/],
    ['a name that is too deep', `a${'[a]'.repeat(40)}=5`, /nested deeper/],
    ['a million brackets', `a${'['.repeat(1_000_000)}`, /name of a form field/],
    ['a million pairs of brackets', `a${'[]'.repeat(500_000)}`, /nested deeper/],
    ['too many fields', '&'.repeat(10_000), /at most 10000 fields; send JSON/],
    ['a broken escape', 'a=%zz', /not form-encoded/],
  ])('with %s is refused', (_, text, reason) => {
    expect(() => parseForm(text)).toThrow(reason);
  });
});
