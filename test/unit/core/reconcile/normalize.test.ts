import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delayOf } from '../../../../src/core/model/delay.ts';
import type { Group } from '../../../../src/core/model/group.ts';
import { matchesParts } from '../../../../src/core/reconcile/differences.ts';
import {
  normalizeFull,
  normalizeObserved,
  normalizeSpec,
  normalizeUrl,
} from '../../../../src/core/reconcile/normalize.ts';
import { simulateApply } from '../../../../src/core/reconcile/simulated-apply.ts';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { declaredTest, type TestFields, type UrlChanges } from '../../../support/declared-state.ts';
import { scaleCount } from '../../../support/test-scale.ts';

/** Fields that every test has. */
const BASE = { '/test_type': 'cycling', '/duration': 60 };

function formOf(fields: TestFields) {
  const { test: own, urls } = normalizeSpec(declaredTest('home', fields, []).spec);
  return { own: Object.fromEntries(own), urls: urls.map((url) => Object.fromEntries(url)) };
}

const ms = milliseconds;
const rows = (options?: object) => ({
  ...{ sha256: 'd1', declared: null },
  ...(options === undefined ? {} : { options }),
});

// The digests in existing markers contain these forms, so no row may ever change.
describe('normalized fields', () => {
  test.each<readonly [string, TestFields, Readonly<Record<string, unknown>>]>([
    ['the required fields', {}, {}],
    [
      'a time in the future',
      { scheduledAt: '2026-12-24 03:00:00' },
      { '/scheduled_at': '2026-12-24 03:00:00' },
    ],
    ['a name that is the first URL', { name: 'HTTPS://Shop.example:443' }, {}],
    [
      'a name that is not the first URL',
      { name: 'https://shop.example/a' },
      { '/name': 'https://shop.example/a' },
    ],
    [
      'stages',
      {
        stages: [
          { duration: ms(0), to: 5 },
          { duration: ms(90_000), to: 200 },
        ],
      },
      { '/duration': undefined, '/stages': 'at once 5, to 200 in 1m30s' },
    ],
    [
      'flows',
      {
        flows: [
          { name: 'browse', weight: 70, urls: 2 },
          {
            ...{ name: 'buy', weight: 30, urls: 1 },
            values: [
              { name: 'a', value: 'x"' },
              { name: 'b', value: '' },
            ],
          },
        ],
      },
      { '/flows': String.raw`browse 70 (2 URLs), buy 30 (1 URL, a: "x\"", b: "")` },
    ],
    [
      'groups',
      {
        groups: [
          { first: 0, count: 3, repeat: 5, when: [{ name: 'role', value: 'admin' }] },
          { first: 1, count: 1, parallel: true },
          { first: 1, count: 2, forEach: { name: 'i', values: ['a', 'b'] } },
          { first: 0, count: 1, forEach: { name: 'i', list: 'ids', atMost: 9 } },
          {
            ...{ first: 4, count: 1 },
            repeat: {
              atMost: 7,
              until: [
                { name: 'a', value: null },
                { name: 'b', value: { exists: false } },
              ],
            },
          },
        ] satisfies readonly Group[],
      },
      {
        '/groups': [
          'URLs 1 to 3 repeat 5 when role: "admin"',
          'URL 2 parallel',
          'URLs 2 to 3 for each i in ["a","b"]',
          'URL 1 for each i in {{ids}} up to 9',
          'URL 5 repeat up to 7 until a: null and b: { exists: false }',
        ].join(', '),
      },
    ],
    [
      'thresholds that end a run',
      {
        abortRules: [
          { metric: 'p95', limit: '< 3s', after: ms(30_000) },
          { metric: 'p99', limit: '< 4s', after: ms(90_000), minSamples: 1, url: 2 },
          { metric: 'max', limit: '< 5s', after: ms(1000), minSamples: 20, flow: 0 },
          { metric: 'p50', limit: '< 6s', after: ms(1000), group: { name: 'g', urls: [0, 3] } },
        ],
      },
      {
        '/abort_rules/p95': '< 3s after 30s',
        '/abort_rules/p99 of URL 2': '< 4s after 1m30s, with at least 1 response',
        '/abort_rules/max of flow 0': '< 5s after 1s, with at least 20 responses',
        '/abort_rules/p50 of the URLs 0, 3': '< 6s after 1s',
      },
    ],
    ['variables of iterations', { values: [{ name: 'a/b', value: '1' }] }, { '/values/a~1b': '1' }],
    [
      'connections, without the texts that services never return',
      {
        connection: [
          {
            host: 'shop.example',
            options: {
              ...{ cert: 'C', key: 'K', passphrase: 'P', ca: 'A', serverName: 's' },
              ...{ tlsMin: '1.3', resolve: ['192.0.2.1', '192.0.2.2'], ip: 4 },
            },
          },
          { host: 'other.example', options: {} },
        ],
      },
      {
        '/connection/shop.example/cert': 'C',
        '/connection/shop.example/ca': 'A',
        '/connection/shop.example/server_name': 's',
        '/connection/shop.example/tls_min': '1.3',
        '/connection/shop.example/resolve': '192.0.2.1, 192.0.2.2',
        '/connection/shop.example/ip': 4,
      },
    ],
    [
      'a setup and a teardown',
      {
        setup: {
          targets: declaredTest('a', { urls: ['/login', { url: '/cart', method: 'POST' }] }, []).spec.targets,
          groups: [{ first: 0, count: 2, repeat: 2 }],
          refresh: ms(120_000),
        },
        teardown: { targets: declaredTest('a', {}, []).spec.targets },
      },
      {
        '/setup/urls/0/url': 'https://shop.example/login',
        '/setup/urls/1/url': 'https://shop.example/cart',
        '/setup/urls/1/request_type': 'POST',
        '/setup/groups': 'URLs 1 to 2 repeat 2',
        '/setup/refresh': '2m',
        '/teardown/urls/0/url': 'https://shop.example/',
      },
    ],
  ])('the normal form of a test with %s equals the recorded form', (_, fields, form) => {
    expect(formOf(fields).own).toEqual({ ...BASE, ...form });
  });

  test.each<readonly [string, UrlChanges, Readonly<Record<string, unknown>>]>([
    ['the required fields', {}, {}],
    [
      'headers',
      {
        headers: [
          { name: 'X-A', value: 'b' },
          { name: 'X-Empty', value: '' },
        ],
      },
      { '/headers/x-a': 'b' },
    ],
    ['parameters', { params: [{ name: 'X~', value: 'b' }] }, { '/request_params/X~0': 'b' }],
    ['credentials', { credentials: { login: 'ci', password: 'x' } }, { '/credentials/login': 'ci' }],
    [
      'a signature',
      {
        awsSigv4: {
          ...{ region: 'eu', service: 'sqs', accessKeyId: 'A' },
          ...{ secretAccessKey: 'S', sessionToken: 'T' },
        },
      },
      { '/aws_sigv4/region': 'eu', '/aws_sigv4/service': 'sqs', '/aws_sigv4/access_key_id': 'A' },
    ],
    ['a delay', { delay: delayOf(ms(200), ms(1000)) }, { '/delay': '200ms to 1s' }],
    ['a payload file', { payloadFile: rows() }, { '/payload_file': 'sha256:d1' }],
    [
      'a payload file with options',
      { payloadFile: rows({ delimiter: ';', order: 'once' }) },
      { '/payload_file': 'sha256:d1 delimiter: ";", order: "once"' },
    ],
    ['a body from a file', { method: 'POST', bodyFile: rows() }, { '/body_file': 'sha256:d1' }],
    [
      'a multipart body',
      {
        method: 'POST',
        multipart: [
          { name: 'a', value: '1' },
          { name: 'b', value: '2', contentType: 'text/csv', filename: 'b.csv' },
          { name: 'c', file: rows(), contentType: null, filename: null },
          { name: 'd', file: rows(), contentType: null, filename: 'd.png' },
        ],
      },
      {
        '/multipart': 'a, b, c, d',
        '/multipart/a': '1',
        '/multipart/b': '2',
        '/multipart/b/content_type': 'text/csv',
        '/multipart/b/filename': 'b.csv',
        '/multipart/c': 'sha256:d1',
        '/multipart/d': 'sha256:d1  d.png',
      },
    ],
    [
      'an expectation',
      {
        expect: {
          status: [409, '2xx', 409],
          headers: [{ name: 'ETag', value: 'x*' }],
          body: { contains: ['ok'], notContains: [], matches: [] },
          json: [
            { pointer: '/a', value: 'x' },
            { pointer: '/b', value: { length: '>= 1', number: '> 0', oneOf: [1, null] } },
            { pointer: '/c', value: { matches: '^a', not: { oneOf: [true] } } },
          ],
          within: 500,
        },
      },
      {
        '/expect/status': '2xx, 409',
        '/expect/headers/etag': 'x*',
        '/expect/body': 'ok',
        '/expect/json/~1a': '"x"',
        '/expect/json/~1b': '{ length: ">= 1", number: "> 0", one_of: [1,null] }',
        '/expect/json/~1c': '{ matches: "^a", not: { one_of: [true] } }',
        '/expect/within': 500,
      },
    ],
    [
      'several expected texts',
      {
        expect: {
          ...{ status: null, headers: null, json: null },
          body: { contains: ['a', 'b'], notContains: [], matches: ['c'] },
        },
      },
      { '/expect/body/contains': '["a","b"]', '/expect/body/matches': '["c"]' },
    ],
  ])('the normal form of a URL with %s equals the recorded form', (_, changes, form) => {
    const { method } = changes;
    expect(formOf({ urls: [{ url: '/', ...changes }] })).toEqual({
      own: BASE,
      urls: [
        { '/url': 'https://shop.example/', ...(method == null ? {} : { '/request_type': method }), ...form },
      ],
    });
  });

  test('normalizeObserved omits the fields of a test that are outside the base API, and normalizeFull includes these fields', () => {
    const variables = [
      { name: 'csrf', property: 'X-Csrf', source: 'header' },
      { name: 'id', property: '/id', source: 'json', pick: 'last' },
      { name: 'code', property: '', source: 'status' },
    ] as const;
    const declared = declaredTest(
      'home',
      { errorThreshold: 20, notes: 'Own', urls: [{ url: '/', variables }] },
      [],
    );
    const state = { project: 'shop', environment: null, apps: [], tests: [declared], moved: new Map() };
    const limits = { maxConnections: null, maxDuration: null, hosts: null };
    const [observed] = simulateApply({ ...state, limits }, sha256, 0).tests;
    if (observed === undefined) throw new Error('no test');
    const base = { ...BASE, '/notes': 'Own' };
    const url = { '/url': 'https://shop.example/' };
    const listed = normalizeObserved(observed);
    expect([listed.test, ...listed.urls].map((one) => Object.fromEntries(one))).toEqual([base, url]);
    const full = normalizeFull(observed);
    expect([full.test, ...full.urls].map((one) => Object.fromEntries(one))).toEqual([
      { ...base, '/error_threshold': 20 },
      { ...url, '/variables': 'csrf from header X-Csrf, id from json /id (last), code from status' },
    ]);
  });
});

describe('normalized URLs', () => {
  test.each([
    ['HTTPS://Shop.Example/', 'https://shop.example/'],
    ['https://shop.example', 'https://shop.example/'],
    ['https://shop.example:443/', 'https://shop.example/'],
    ['http://shop.example:80', 'http://shop.example/'],
    ['http://shop.example:443/', 'http://shop.example:443/'],
    ['https://shop.example?', 'https://shop.example/'],
    ['https://shop.example/?q=A', 'https://shop.example/?q=A'],
    ['https://shop.example/#top', 'https://shop.example/'],
    ['https://shop.example/Cart', 'https://shop.example/Cart'],
    ['https://shop.example/a%2fb', 'https://shop.example/a%2Fb'],
    ['https://shop.example/%7Bid%7D%41', 'https://shop.example/{id}A'],
    ['https://shop.example/{{id}}', 'https://shop.example/{{id}}'],
    ['https://shop.example/%7b%7bid%7D%7D', 'https://shop.example/{{id}}'],
    ['https://shop.example/a b', 'https://shop.example/a%20b'],
    ['https://shop.example/caf\u00e9?q=\u{1f6d2}', 'https://shop.example/caf%C3%A9?q=%F0%9F%9B%92'],
    ['https://shop.example/\ud800', 'https://shop.example/\ud800'],
    ['https://Ada:Secret@Shop.Example/', 'https://Ada:Secret@shop.example/'],
    [' https://shop.example/ ', 'https://shop.example/'],
    ['https://shop.example/a/../b', 'https://shop.example/b'],
    ['https://shop.example/../a/./b', 'https://shop.example/a/b'],
    ['https://shop.example/a/..', 'https://shop.example/'],
    ['https://shop.example/a/.', 'https://shop.example/a/'],
    ['https://shop.example/.well-known', 'https://shop.example/.well-known'],
    ['https://shop.example/a/b/../../../c', 'https://shop.example/c'],
    ['https://shop.example/"<`>', 'https://shop.example/%22%3C%60%3E'],
    ['ftp://Shop.example/', 'ftp://Shop.example/'],
    ['see https://Shop.example/', 'see https://Shop.example/'],
    ['https://shop.example:4433/', 'https://shop.example:4433/'],
    ['https://a@b@Shop.Example/', 'https://a@b@shop.example/'],
    ['Front page', 'Front page'],
  ])('the URL %j is normalized to %j', (url, normal) => {
    expect(normalizeUrl(url)).toBe(normal);
  });

  test('a normalized URL does not change when it is normalized again', () => {
    // Much faster than the web URLs of fast-check.
    const part = fc.string({
      unit: fc.constantFrom(...Array.from("aZ0-._~!$&'()*+,;=:@"), '%20', '%C3%A9', '%2F', '%41'),
    });
    const query = fc.option(part);
    const urls = fc
      .tuple(
        fc.constantFrom('http', 'https'),
        fc.constantFrom(
          'shop.example',
          'a-b.c0.example',
          'Shop.Example',
          '127.0.0.1',
          '[::1]',
          'a.example:8080',
        ),
        fc.array(part, { maxLength: 4 }),
        query,
        query,
      )
      .map(([scheme, host, path, search, hash]) => {
        const ends = [search === null ? '' : `?${search}`, hash === null ? '' : `#${hash}`];
        return `${scheme}://${host}${path.map((segment) => `/${segment}`).join('')}${ends.join('')}`;
      });
    fc.assert(
      fc.property(urls, (url) => {
        expect(normalizeUrl(normalizeUrl(url))).toBe(normalizeUrl(url));
        expect(normalizeUrl(new URL(url).href)).toBe(normalizeUrl(url));
      }),
    );
  });
});

describe('strings with secrets', () => {
  test.each<[readonly (string | null)[], string, boolean]>([
    [['Bearer ', null], 'Bearer 123', true],
    [['Bearer ', null], 'Bearer ', true],
    [['Bearer ', null], 'Basic 123', false],
    [[null], '', true],
    [[null, '.html'], 'page.html', true],
    [[null, '.html'], 'page.html.bak', false],
    [['a', null, 'a'], 'a', false],
    [['a', null, 'a'], 'aa', true],
    [['a', null, 'b', null, 'c'], 'a-b-b-c', true],
    [['a', null, 'b', null, 'c'], 'a-c-b', false],
    [['a', null, null, 'b'], 'a\nb', true],
    [[], '', true],
    [[], 'x', false],
    [['a', 'b'], 'ab', true],
    [['a', 'b'], 'aab', false],
    [['.*', null], 'x', false],
  ])('matchesParts(%j, %j) returns %s', (parts, text, fits) => {
    expect(matchesParts(parts, text)).toBe(fits);
  });

  test('matchesParts accepts any text in place of each secret', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.option(fc.string()), fc.string())), (parts) => {
        const text = parts.map(([plain, secret]) => plain ?? secret).join('');
        expect(
          matchesParts(
            parts.map(([plain]) => plain),
            text,
          ),
        ).toBe(true);
      }),
    );
  });

  test('matchesParts treats each secret as a wildcard, and agrees with the equivalent regular expression', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.stringMatching(/^[ab]{0,2}$/)), { maxLength: 6 }),
        fc.stringMatching(/^[ab]{0,10}$/),
        (parts, text) => {
          const pattern = new RegExp(`^${parts.map((part) => part ?? '.*').join('')}$`);
          expect(matchesParts(parts, text)).toBe(pattern.test(text));
        },
      ),
      { numRuns: scaleCount(1000) },
    );
    const many = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? null : 'a'));
    expect(matchesParts([...many, 'b'], 'a'.repeat(20_000))).toBe(false);
  });
});
