/** Normalized create requests, before the schema checks them. */
import { describe, expect, test } from 'vitest';
import {
  ignoredOf,
  normalizeTest,
  type BodyFormat,
  type NormalizedTest,
} from '../../../src/contract/test-normalization.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Normalizes a body without findings. */
function normalized(body: unknown, format: BodyFormat = 'json'): unknown {
  const { test: fields, warnings, faults } = normalizeTest(body, format);
  expect([warnings, faults]).toEqual([[], []]);
  return fields;
}

const normalizedUrl = (url: unknown, format: BodyFormat = 'json') => {
  const fields = normalized({ urls: [url] }, format) as { readonly urls: readonly unknown[] };
  return fields.urls[0];
};

const findingsOf = (body: unknown): Pick<NormalizedTest, 'warnings' | 'faults'> => {
  const { warnings, faults } = normalizeTest(body, 'json');
  return { warnings, faults };
};

describe('fields of a test', () => {
  test.each<[string, Fields, Fields]>([
    ['a test type', { test_type: ' Clients per second ' }, { test_type: 'per-second' }],
    ['an unknown test type', { test_type: 'Sprint' }, { test_type: 'Sprint' }],
    ['a field that is null', { name: null, notes: '' }, { notes: '' }],
    [
      'field names of an earlier version',
      { callback_url: 'a', email_callback: 'b' },
      { callback: 'a', callback_email: 'b' },
    ],
    ['a load', { load: ' 10-250-60 ' }, { initial: 10, total: 250, duration: 60, test_type: 'cycling' }],
    [
      'a load and a test type',
      { load: '0-1-2', test_type: 'per-test' },
      { test_type: 'non-cycling', initial: 0, total: 1, duration: 2 },
    ],
    [
      'a single URL',
      {
        url: 'u',
        headers: { a: 1 },
        post_body: 'b',
        authentication: { login: 'l', password: 'p' },
        name: 'n',
      },
      {
        name: 'n',
        urls: [
          { url: 'u', headers: { a: '1' }, raw_post_body: 'b', credentials: { login: 'l', password: 'p' } },
        ],
      },
    ],
    [
      'one user for all URLs',
      {
        user_login: 'l',
        user_password: 'p',
        urls: [{ url: 'u' }, { url: 'v', credentials: { login: 'x', password: 'y' } }, 7],
      },
      {
        urls: [
          { url: 'u', credentials: { login: 'l', password: 'p' } },
          { url: 'v', credentials: { login: 'x', password: 'y' } },
          7,
        ],
      },
    ],
    [
      'a user without a password',
      { user_login: 'l', urls: [{}] },
      { urls: [{ credentials: { login: 'l', password: '' } }] },
    ],
    [
      'a password without a user',
      { user_password: 'p', urls: [{}] },
      { urls: [{ credentials: { password: 'p' } }] },
    ],
    ['no URLs', { name: 'n' }, { name: 'n' }],
    [
      'numbered URLs',
      { urls: { 10: { url: 'k' }, 0: { url: 'a' } } },
      { urls: [{ url: 'a' }, { url: 'k' }] },
    ],
    ['a URL index with a leading zero', { urls: { '00': { url: 'a' } } }, { urls: { '00': { url: 'a' } } }],
    [
      'numbered URLs and one with another name',
      { urls: { 0: { url: 'a' }, x: {} } },
      { urls: { 0: { url: 'a' }, x: {} } },
    ],
    ['an empty object as URLs', { urls: {} }, { urls: {} }],
    ['text as URLs', { urls: '12' }, { urls: '12' }],
    ['100 URLs', { urls: Array(100).fill({ truncated_url: 'a' }) }, { urls: Array(100).fill({}) }],
    [
      '101 URLs',
      { urls: Array(101).fill({ truncated_url: 'a' }) },
      { urls: Array(101).fill({ truncated_url: 'a' }) },
    ],
    ['empty tags', { tag_names: [] }, {}],
    ['numbers and flags as text', { total: '5', tls_verify: 'true' }, { total: '5', tls_verify: 'true' }],
  ])('normalizeTest returns the expected fields for a JSON body with %s', (_name, body, fields) => {
    expect(normalized(body)).toEqual(fields);
  });

  test.each<[string, Fields, Fields]>([
    [
      'numbers',
      { total: '5', timeout: '2500.5', error_threshold: '-1' },
      { total: 5, timeout: 2500.5, error_threshold: -1 },
    ],
    [
      'text that is not a number',
      { total: '5 ', duration: '1e3', timeout: 'x1' },
      { total: '5 ', duration: '1e3', timeout: 'x1' },
    ],
    ['flags', { tls_verify: 'false', name: 'true' }, { tls_verify: false, name: 'true' }],
    ['a flag that is true', { tls_verify: 'true' }, { tls_verify: true }],
    ['text that is not a flag', { tls_verify: 'yes' }, { tls_verify: 'yes' }],
    ['a numeric name', { name: '5' }, { name: '5' }],
    ['empty text', { name: '', scheduled_at: '' }, { scheduled_at: '' }],
    [
      'fields of a URL',
      { urls: { 0: { url: '5', delay: '250', headers: { a: 'true' } } } },
      { urls: [{ url: '5', delay: 250, headers: { a: 'true' } }] },
    ],
  ])('normalizeTest returns the expected fields for a form with %s', (_name, body, fields) => {
    expect(normalized(body, 'form')).toEqual(fields);
  });

  test.each([[null], ['text'], [[]], [7]])('normalizeTest returns the body %j unchanged', (body) => {
    expect(normalized(body)).toBe(body);
  });

  test('normalizeTest converts a body or a URL with 100 fields, and returns one with 101 fields unchanged', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, null]));
    expect(normalized(fields(100))).toEqual({});
    expect(normalized(fields(101))).toEqual(fields(101));
    expect(normalizedUrl(fields(100))).toEqual({});
    expect(normalizedUrl(fields(101))).toEqual(fields(101));
  });
});

describe('fields of a URL', () => {
  const pairs = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `p${at}`, value: '' }));

  test.each<[string, unknown, unknown]>([
    ['a request type', { request_type: 'post' }, { request_type: 'POST' }],
    ['a request type that is not text', { request_type: 7 }, { request_type: 7 }],
    ['a truncated URL', { url: 'u', truncated_url: 'v' }, { url: 'u' }],
    ['a body that is not truncated', { raw_post_body_truncated: false }, {}],
    [
      'values of a map',
      { headers: { a: 1.5, b: true, c: 'x', d: null, e: [1], f: 2 ** 53 } },
      { headers: { a: '1.5', b: 'true', c: 'x', e: [1], f: 2 ** 53 } },
    ],
    [
      'a list of pairs',
      { request_params: [{ key: 'a', value: 1 }, { key: 'b' }] },
      { request_params: { a: '1' } },
    ],
    ['an empty list as a map', { request_params: [], headers: {} }, {}],
    [
      'a list of pairs with an additional member',
      { headers: [{ key: 'a', value: 'x', more: 1 }] },
      { headers: [{ key: 'a', value: 'x', more: 1 }] },
    ],
    [
      'a list of pairs, one of them without a name',
      { headers: [{ key: 'a', value: '' }, { value: 'x' }] },
      { headers: [{ key: 'a', value: '' }, { value: 'x' }] },
    ],
    [
      'a list of pairs with the name __proto__',
      { headers: [{ key: '__proto__', value: 'x' }] },
      { headers: [{ key: '__proto__', value: 'x' }] },
    ],
    [
      'a list of pairs with a duplicate name',
      {
        headers: [
          { key: 'a', value: 'x' },
          { key: 'a', value: 'y' },
        ],
      },
      {
        headers: [
          { key: 'a', value: 'x' },
          { key: 'a', value: 'y' },
        ],
      },
    ],
    ['text as a map', { headers: 'a: b' }, { headers: 'a: b' }],
    ['numbered variables', { variables: { 0: { name: 'a' } } }, { variables: [{ name: 'a' }] }],
    [
      'the authentication that a list of tests contains',
      { authentication: { type: 'Basic', login: 'l', password: 'p' } },
      { credentials: { login: 'l', password: 'p' } },
    ],
    [
      'equal logins in authentication and credentials',
      { authentication: { login: 'l' }, credentials: { login: 'l', password: 'p' } },
      { credentials: { login: 'l', password: 'p' } },
    ],
    ['an empty user', { credentials: [], authentication: {} }, {}],
    ['a user of nulls', { credentials: { login: null, password: null } }, {}],
    ['text as a user', { credentials: 'ci' }, { credentials: 'ci' }],
    ['a list as a user', { credentials: ['ci'] }, { credentials: ['ci'] }],
    ['text instead of a URL', 'http://a.example', 'http://a.example'],
    ['null instead of a URL', null, null],
  ])('normalizeTest returns the expected fields of a URL for %s', (_name, url, fields) => {
    expect(normalizedUrl(url)).toEqual(fields);
  });

  test('normalizeTest converts a list of 1,000 pairs to a map, and returns a list of 1,001 pairs unchanged', () => {
    const full = normalizedUrl({ request_params: pairs(1000) }) as Readonly<Record<'request_params', Fields>>;
    expect(Object.keys(full.request_params)).toHaveLength(1000);
    expect(normalizedUrl({ request_params: pairs(1001) })).toEqual({ request_params: pairs(1001) });
  });
});

describe('faults and warnings of the normalization', () => {
  test.each<[string, Fields, readonly string[]]>([
    [
      'two different names of the same field',
      { callback: 'a', callback_url: 'b' },
      ['"callback_url" and "callback" are the same field; send only one of them'],
    ],
    [
      'both a URL and a list of URLs',
      { url: 'u', urls: [] },
      ['"url" cannot be combined with "urls"; put all URLs in "urls"'],
    ],
    [
      'a load and its parts',
      { load: '1-2-3', initial: 1, total: 2 },
      [
        '"load" cannot be combined with "initial"; remove one of them',
        '"load" cannot be combined with "total"; remove one of them',
      ],
    ],
    [
      'two bodies',
      { urls: [{ post_body: 'a', raw_post_body: 'b' }] },
      ['"post_body" and "raw_post_body" are the same field; send only one of them'],
    ],
    [
      'two passwords',
      {
        urls: [{ authentication: { login: 'l', password: 'p' }, credentials: { login: 'l', password: 'q' } }],
      },
      ['"authentication" and "credentials" of "/urls/0" have different passwords; send only "credentials"'],
    ],
    [
      'an invalid type of credentials',
      { urls: [{}, { credentials: { type: 7, login: 'l', password: 'p' } }] },
      ['"type" in "/urls/1/credentials" must be "basic"'],
    ],
    [
      'next_run_at but no scheduled_at',
      { next_run_at: 'tomorrow' },
      ['"next_run_at" has no effect; use "scheduled_at" to schedule the test'],
    ],
  ])('normalizeTest lists the faults of a request with %s', (_name, body, faults) => {
    expect(findingsOf(body).faults).toEqual(faults);
  });

  test.each(['x1-2-3', '1-2-3x', '1-2', '1-2-3-4', '-1-2-3', '1234567890-2-3', '1-a-3'])(
    'normalizeTest refuses the load "%s"',
    (load) => {
      expect(findingsOf({ load }).faults).toEqual([
        expect.stringMatching(/^"load" must have the form FROM-TO-SECONDS, such as "0-250-60"/),
      ]);
    },
  );

  test('normalizeTest accepts a number of nine digits in "load"', () => {
    expect(normalized({ load: '123456789-12-1' })).toMatchObject({
      initial: 123_456_789,
      total: 12,
      duration: 1,
    });
  });

  test.each<[string, Fields, readonly string[]]>([
    [
      'one field that only the service sets',
      { status: 'running' },
      ['"status" has no effect, because only the service sets this field'],
    ],
    [
      'two fields that only the service sets',
      { test_id: 't', progress: {} },
      ['"test_id", "progress" have no effect, because only the service sets these fields'],
    ],
    [
      'tags',
      { tag_names: { 0: 'a' } },
      ['"tag_names" has no effect; the service only stores and returns it'],
    ],
    [
      'both next_run_at and scheduled_at',
      { next_run_at: 'a', scheduled_at: 'b' },
      ['"next_run_at" has no effect; the service only stores and returns it'],
    ],
  ])('normalizeTest lists the warnings about a request with %s', (_name, body, warnings) => {
    expect(findingsOf(body)).toEqual({ warnings, faults: [] });
  });

  test('ignoredOf returns the fields tag_names and next_run_at of a test, and an empty object for a test without them', () => {
    expect(ignoredOf({ tag_names: ['a'], next_run_at: 'b' })).toEqual({ tag_names: ['a'], next_run_at: 'b' });
    expect(ignoredOf({})).toEqual({});
  });
});
