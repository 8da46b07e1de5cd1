/** Cleanup of recordings: the requests and headers that a load test does not repeat. */
import { expect, test } from 'vitest';
import { EMPTY_REQUEST, type IntakeRequest } from '../../../../src/core/intake/intake.ts';
import { literalOf } from '../../../../src/core/intake/intake-text.ts';
import { cleanRecording, type RecordingOptions } from '../../../../src/core/intake/recording.ts';
import { milliseconds } from '../../../../src/core/units.ts';

const OPTIONS: RecordingOptions = { hosts: null, staticFiles: false };

const request = (url: string, fields: Partial<IntakeRequest> = {}): IntakeRequest => ({
  ...EMPTY_REQUEST,
  at: { line: 1, column: 1 },
  method: 'GET',
  url: [url],
  ...fields,
});
const response = (status: number, headers: Readonly<Record<string, string>> = {}) => ({
  response: {
    status,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: null,
  },
});
const headers = (...names: readonly string[]) => ({ headers: names.map((name) => ({ name, value: ['x'] })) });

/** The URLs of the retained requests, and the notes. */
function cleaned(requests: readonly IntakeRequest[], options: Partial<RecordingOptions> = {}) {
  const { requests: kept, notes } = cleanRecording(requests, { ...OPTIONS, ...options });
  return {
    urls: kept.map(({ url }) => literalOf(url)),
    notes: notes.map(({ kind, message }) => `${kind}: ${message}`),
  };
}

test.each<[first: string, other: string, outcome: string]>([
  ['https://www.shop.example/', 'https://api.shop.example/', 'retained'],
  ['https://shop.example/', 'https://shop.example:8443/', 'retained'],
  ['https://a.b.shop.example/', 'https://shop.example/', 'retained'],
  ['https://shop.example/', 'https://other.example/', 'omitted'],
  ['https://www.shop.co.uk/', 'https://api.shop.co.uk/', 'retained'],
  ['https://www.shop.co.uk/', 'https://www.other.co.uk/', 'omitted'],
  ['https://www.shop.com.au/', 'https://other.com.au/', 'omitted'],
  ['https://www.shop.de/', 'https://api.shop.de/', 'retained'],
  ['http://127.0.0.1:80/', 'http://127.0.0.1:81/', 'retained'],
  ['http://127.0.0.1/', 'http://10.0.0.1/', 'omitted'],
  ['http://[::1]/', 'http://[::1]:81/', 'retained'],
  ['http://localhost/', 'http://localhost:81/', 'retained'],
  ['http://localhost/', 'http://shop.example/', 'omitted'],
  ['http://1.shop.example/', 'http://2.shop.example/', 'retained'],
  ['http://www.shop.net1/', 'http://api.shop.net1/', 'retained'],
  ['http://www.ab.uk/', 'http://www.cd.uk/', 'omitted'],
])('in a recording that starts with a request to %s, a request to %s is %s', (first, other, outcome) => {
  const requests = [request(first), request(other, { method: 'POST' })];
  expect(cleaned(requests).urls).toEqual(outcome === 'retained' ? [first, other].map((url) => url) : [first]);
});

test.each<[pattern: string, url: string, outcome: string]>([
  ['shop.example', 'https://shop.example/', 'retained'],
  ['shop.example', 'https://shop.example:8443/', 'retained'],
  ['shop.example:8443', 'https://shop.example:8443/', 'retained'],
  ['shop.example:8443', 'https://shop.example/', 'omitted'],
  ['*.shop.example', 'https://api.shop.example:81/', 'retained'],
  ['*.shop.example', 'https://shop.example/', 'omitted'],
  ['*.shop.example', 'https://apishop.example/', 'omitted'],
  ['shop.example', 'https://api.shop.example/', 'omitted'],
  ['[::1]', 'http://[::1]:81/', 'retained'],
])('with %s in --hosts, a request to %s is %s', (pattern, url, outcome) => {
  expect(cleaned([request(url)], { hosts: ['other.example', pattern] }).urls).toEqual(
    outcome === 'retained' ? [url] : [],
  );
});

test.each<[name: string, url: string, fields: Partial<IntakeRequest>]>([
  ['an image', '/a', response(200, { 'Content-Type': 'image/png' })],
  ['a font', '/a', response(200, { 'content-type': 'font/woff2' })],
  ['a style sheet', '/a', response(200, { 'content-type': 'text/css; charset=utf-8' })],
  ['a script', '/a', response(200, { 'content-type': 'application/javascript' })],
  ['a manifest', '/a', response(200, { 'content-type': 'application/manifest+json' })],
  ['a path with the suffix of a picture', '/a/B.JPEG', {}],
  ['a path with the suffix of a script, before a query', '/a.mjs?v=1', {}],
  ['a path with the suffix of a font', '/a.woff', response(200, {})],
])(
  'a recorded request for %s is omitted as a static file, unless static files are included',
  (_, path, fields) => {
    const requests = [request('https://shop.example/'), request(`https://shop.example${path}`, fields)];
    expect(cleaned(requests)).toEqual({
      urls: ['https://shop.example/'],
      notes: ['change: omitted: 1 request for static files; "--static-files" includes them'],
    });
    expect(cleaned(requests, { staticFiles: true })).toEqual({
      urls: requests.map(({ url }) => literalOf(url)),
      notes: [],
    });
  },
);

test.each<[name: string, url: string, fields: Partial<IntakeRequest>]>([
  ['a page', '/a', response(200, { 'content-type': 'text/html' })],
  ['a list of images', '/images', response(200, { 'content-type': 'application/json' })],
  ['a page with another header', '/a', response(200, { 'x-kind': 'image/png', 'content-type': 'text/html' })],
  ['an image with the method POST', '/a.png', { method: 'POST' }],
  ['a path with an image suffix in the query', '/a?file=b.png', {}],
  ['a path with an image suffix in the middle', '/a.png/b', {}],
])('a recorded request for %s is not omitted as a static file', (_, path, fields) => {
  expect(cleaned([request(`https://shop.example${path}`, fields)]).notes).toEqual([]);
});

test('CORS preflight requests are omitted from a recording, and requests that have only the method or only the header of a preflight are retained', () => {
  const url = 'https://shop.example/';
  const preflight = request(url, {
    method: 'OPTIONS',
    ...headers('origin', 'Access-Control-Request-Method'),
  });
  const other = request(url, { method: 'OPTIONS', ...headers('accept') });
  const notOptions = request(url, { method: 'GET', ...headers('access-control-request-method') });
  expect(cleaned([preflight, preflight, other, notOptions])).toEqual({
    urls: [url, url],
    notes: ['change: omitted: 2 CORS preflight requests'],
  });
});

test('the request that follows a redirect is omitted from a recording, and its response and delay are assigned to the redirected request', () => {
  const delay = { min: milliseconds(5), max: milliseconds(5) };
  const { requests } = cleanRecording(
    [
      request('https://shop.example/a', response(302, { Location: '/b#top' })),
      request('https://shop.example/b#x', { ...response(200, { etag: '1' }), delay }),
    ],
    OPTIONS,
  );
  expect(requests).toEqual([request('https://shop.example/a', { ...response(200, { etag: '1' }), delay })]);
});

test.each<[outcome: 'retained' | 'omitted', name: string, before: Partial<IntakeRequest>, between: number]>([
  [
    'omitted',
    '/a redirects to the absolute URL of /b',
    response(301, { location: 'https://shop.example/b' }),
    0,
  ],
  ['omitted', '/a redirects to the relative URL of /b', response(307, { location: 'b' }), 0],
  ['omitted', '/a responds with status 300 and the location /b', response(300, { location: '/b' }), 0],
  [
    'retained',
    '/a redirects to /c, with /b in another header',
    response(302, { etag: '/b', location: '/c' }),
    0,
  ],
  [
    'omitted',
    '/a redirects to /b, and two other requests are between them',
    response(302, { location: '/b' }),
    2,
  ],
  [
    'retained',
    '/a redirects to /b, and three other requests are between them',
    response(302, { location: '/b' }),
    3,
  ],
  ['retained', '/a redirects to /c', response(302, { location: '/c' }), 0],
  ['retained', '/a responds with status 304 and no location', response(304), 0],
  ['retained', '/a redirects to an invalid location', response(302, { location: 'http://[' }), 0],
  ['retained', '/a responds with status 201 and the location /b', response(201, { location: '/b' }), 0],
  ['retained', '/a responds with status 400 and the location /b', response(400, { location: '/b' }), 0],
  ['retained', 'the response of /a is unknown', {}, 0],
])('a recorded request to /b after a request to /a is %s if %s', (outcome, _, before, between) => {
  const requests = [
    request('https://shop.example/a', before),
    ...Array.from({ length: between }, (__, index) => request(`https://shop.example/other${index}`)),
    request('https://shop.example/b'),
  ];
  expect(cleaned(requests).urls.includes('https://shop.example/b')).toBe(outcome === 'retained');
});

test('the note about omitted requests to other hosts states their number and names at most five hosts', () => {
  const urls = Array.from({ length: 7 }, (_, index) => `https://host${index}.test/`);
  const others = [...urls, 'https://host0.test/'].map((url) => request(url));
  const page = request('https://shop.example/');
  expect(cleaned([page, ...others]).notes).toEqual([
    'change: omitted: 8 requests to other hosts (host0.test, host1.test, host2.test, host3.test, host4.test and 2 more); "--hosts" selects the hosts',
  ]);
  expect(cleaned([page, ...others.slice(0, 5)]).notes[0]).toContain('host4.test)');
});

test('a recorded request to a ws:// URL is omitted, and is reported with its location as not converted', () => {
  const at = { line: 7, column: 3 };
  const { requests, notes } = cleanRecording(
    [request('ws://shop.example/', { at }), request('https://shop.example/')],
    OPTIONS,
  );
  expect(requests).toHaveLength(1);
  expect(notes).toEqual([
    {
      kind: 'loss',
      at,
      message: 'the request is not converted, because its URL is not an HTTP or HTTPS URL',
    },
  ]);
});

test('headers that a browser adds are removed from a recording, and headers of the application are retained', () => {
  const browser = [
    ...['User-Agent', 'accept-language', 'accept-encoding', 'Cookie', 'content-length', 'connection'],
    ...['keep-alive', 'Host', 'pragma', 'cache-control', 'upgrade-insecure-requests', 'dnt', 'priority'],
    ...['origin', 'Referer', 'if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since'],
    ...['if-range', 'traceparent', 'tracestate', 'te', 'trailer', 'transfer-encoding', 'proxy-connection'],
    ...['proxy-authorization', 'expect', 'save-data', 'x-client-data', 'purpose', 'Sec-Fetch-Mode'],
    ...[':authority', ':method'],
  ];
  const own = ['accept', 'content-type', 'authorization', 'x-cookie', 'x-sec-id'];
  const { requests } = cleanRecording([request('https://a.example/', headers(...browser, ...own))], OPTIONS);
  expect(requests[0]?.headers.map(({ name }) => name)).toEqual(own);
});
