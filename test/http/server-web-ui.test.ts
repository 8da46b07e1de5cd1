/** The page of a service over plain HTTP: its files, how one gets in, and what keeps others out. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ROUTES, type Route } from '../../src/contract/routes.ts';
import { HOUR, MINUTE, SECOND, createTestClock } from '../support/test-clock.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { sendRaw, type RawResponse } from '../support/raw-request.ts';
import {
  API_KEY,
  openTestService,
  smallTestFields,
  type ResponseBody,
  type TestService,
} from '../support/test-service.ts';

type Headers = Readonly<Record<string, string>>;

interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Beside Host; those that are undefined are left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** What a browser says of requests of the page itself. */
const OWN: Headers = { 'sec-fetch-site': 'same-origin' };
const JSON_TYPE: Headers = { 'content-type': 'application/json' };

async function openPage(options: Parameters<typeof openTestService>[0] = {}) {
  const clock = createTestClock();
  const rig = await openTestService({ mode: 'serve', now: clock.now, ticker: clock.ticker, ...options });
  return { rig, clock };
}

async function send({ service }: TestService, { method = 'GET', path = '/', headers = {}, body }: Sent) {
  const all: Sent['headers'] = { host: `127.0.0.1:${service.port}`, connection: 'close', ...headers };
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  const lines = Object.entries(all).map(([name, value]) =>
    value === undefined ? '' : `${name}: ${value}\r\n`,
  );
  return await sendRaw(
    service.port,
    `${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body ?? ''}`,
  );
}

function bodyOf(
  response: RawResponse,
): ResponseBody & Readonly<Record<'code' | 'token' | 'expires_at', string>> {
  return JSON.parse(response.body) as ReturnType<typeof bodyOf>; // tests look at each field that they use
}

async function newCode(rig: TestService): Promise<string> {
  const response = await send(rig, {
    method: 'POST',
    path: '/v2/sign-in-codes',
    headers: { 'service-auth': API_KEY },
  });
  expect([response.status, apiMismatch('sign-in-code', bodyOf(response))]).toEqual([200, null]);
  return bodyOf(response).code;
}

async function trade(rig: TestService, code: string, headers: Sent['headers'] = {}): Promise<RawResponse> {
  return await send(rig, {
    ...{ method: 'POST', path: '/v2/sessions', body: JSON.stringify({ code }) },
    headers: { ...OWN, ...JSON_TYPE, ...headers },
  });
}

async function newToken(rig: TestService): Promise<string> {
  const response = await trade(rig, await newCode(rig));
  expect([response.status, apiMismatch('session', bodyOf(response))]).toEqual([200, null]);
  return bodyOf(response).token;
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

async function overview(rig: TestService, headers: Headers): Promise<number> {
  return (await send(rig, { path: '/v2/overview', headers })).status;
}

/** The paths of the files that the page names. */
async function assetsOf(rig: TestService): Promise<readonly string[]> {
  const { body } = await send(rig, {});
  return [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => `/${path}`);
}

describe('the files', () => {
  test('are there without a key, with everything that keeps browsers from harm', async () => {
    const { rig } = await openPage();
    const assets = await assetsOf(rig);
    expect(assets.map((path) => path.replace(/[0-9a-f]{16}/, 'HASH')).sort()).toEqual([
      '/assets/icon-HASH.svg',
      '/assets/page-HASH.css',
      '/assets/page-HASH.js',
    ]);
    for (const path of ['/', ...assets]) {
      const { status, header: head } = await send(rig, { path });
      expect(status).toBe(200);
      for (const header of [
        /^content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'/m,
        /^cross-origin-opener-policy: same-origin\r$/m,
        /^cross-origin-resource-policy: same-origin\r$/m,
        /^x-content-type-options: nosniff\r$/m,
        /^referrer-policy: no-referrer\r$/m,
        path === '/'
          ? /^cache-control: no-store\r$/m
          : /^cache-control: public, max-age=31536000, immutable\r$/m,
      ]) {
        expect(head).toMatch(header);
      }
      expect(head).not.toMatch(/^(access-control-|set-cookie)/im);
    }
  });

  test('have no script and no style in the markup', async () => {
    const { rig } = await openPage();
    const { body } = await send(rig, {});
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son\w+=|javascript:/i);
  });

  test('are not there for the service of one command', async () => {
    const { rig } = await openPage({ mode: 'in-process' });
    expect((await send(rig, {})).status).toBe(401);
    expect((await send(rig, { headers: { 'service-auth': API_KEY } })).status).toBe(404);
    for (const route of [ROUTES.createSignInCode, ROUTES.createSession, ROUTES.deleteSessions]) {
      const { method, path } = route;
      expect((await send(rig, { method, path, headers: { 'service-auth': API_KEY } })).status).toBe(404);
    }
    expect(await overview(rig, bearer('0'.repeat(64)))).toBe(401);
    expect(rig.service.createSignInLink()).toBeNull();
  });
});

describe('the code of a link', () => {
  test('is traded for a token once', async () => {
    const { rig } = await openPage();
    const code = await newCode(rig);
    const first = await trade(rig, code);
    expect(first.status).toBe(200);
    const second = await trade(rig, code);
    expect([second.status, bodyOf(second).errors]).toEqual([
      401,
      ['this link has expired or was used before; "loadtests open" prints a new one'],
    ]);
    expect(await overview(rig, bearer(bodyOf(first).token))).toBe(200);
  });

  test('is good for ten minutes, and its token for twelve hours', async () => {
    const { rig, clock } = await openPage();
    const [early, late] = [await newCode(rig), await newCode(rig)];
    clock.advance(10 * MINUTE - 1);
    const begun = await trade(rig, early);
    expect(begun.status).toBe(200);
    clock.advance(1);
    expect((await trade(rig, late)).status).toBe(401);
    const { token, expires_at: end } = bodyOf(begun);
    clock.set(Date.parse(end) - 1);
    expect(await overview(rig, bearer(token))).toBe(200);
    clock.advance(1);
    expect(await overview(rig, bearer(token))).toBe(401);
    expect(Date.parse(end)).toBe(createTestClock().now() + 10 * MINUTE - 1 + 12 * HOUR);
  });

  test('cannot be guessed at, and guesses keep nobody with the key or another address out', async () => {
    const { rig, clock } = await openPage({ publicUrl: 'https://loads.example.com' });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const code = await newCode(rig);
    const wrong = async () => (await trade(rig, 'f'.repeat(32), from('192.0.2.1'))).status;
    for (let count = 0; count < 30; count++) expect(await wrong()).toBe(401);
    const right = await trade(rig, code, from('192.0.2.1'));
    expect([right.status, /^retry-after: (.*)\r$/m.exec(right.header)?.[1]]).toEqual([429, '2']);
    expect(await overview(rig, { 'service-auth': API_KEY, ...from('192.0.2.1') })).toBe(200);
    expect((await trade(rig, await newCode(rig), from('192.0.2.2'))).status).toBe(200);
    clock.advance(2 * SECOND);
    expect((await trade(rig, code, from('192.0.2.1'))).status).toBe(200);
  });

  test('may be wrong in requests of other pages without taking turns from their visitor', async () => {
    const { rig } = await openPage();
    for (let count = 0; count < 40; count++) {
      expect((await trade(rig, 'f'.repeat(32), { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await trade(rig, 'f'.repeat(32), { 'content-type': 'text/plain' })).status).toBe(415);
    }
    expect((await trade(rig, await newCode(rig))).status).toBe(200);
  });

  test.each([
    ['nothing', undefined],
    ['no code', '{}'],
    ['a number', '{"code":1}'],
    ['a list', '[]'],
    ['something else beside it', '{"code":"x","key":"y"}'],
  ])('is refused as %s', async (_, body) => {
    const { rig } = await openPage();
    const path = '/v2/sessions';
    const sent = { method: 'POST', path, headers: { ...OWN, ...JSON_TYPE } };
    expect((await send(rig, body === undefined ? sent : { ...sent, body })).status).toBe(422);
  });

  test('is in the link that the operator gets, at the address that users call the service by', async () => {
    const { rig } = await openPage({ publicUrl: 'https://loads.example.com/' });
    const link = rig.service.createSignInLink() ?? '';
    expect(link).toMatch(/^https:\/\/loads\.example\.com\/#[0-9a-f]{32}$/);
    expect((await trade(rig, link.slice(-32))).status).toBe(200);
    const { rig: local } = await openPage();
    expect(local.service.createSignInLink()).toMatch(
      new RegExp(`^http://127\\.0\\.0\\.1:${local.service.port}/#[0-9a-f]{32}$`),
    );
  });

  test('goes where there are too many: the oldest first', async () => {
    const { rig } = await openPage();
    const first = await newCode(rig);
    for (let count = 0; count < 999; count++) rig.service.createSignInLink();
    const last = await newCode(rig);
    expect((await trade(rig, first)).status).toBe(401);
    expect((await trade(rig, last)).status).toBe(200);
  });
});

/** Every route, with ids that fit. */
const EVERY = Object.values<Route>(ROUTES).map(({ method, path, access }) => {
  const filled = path.replace(':sha256', '0'.repeat(64)).replaceAll(/:\w+/g, '0'.repeat(32));
  return { method, path: filled, access };
});
const WRITES = EVERY.filter(({ method, access }) => method !== 'GET' && access === undefined);

describe('a token', () => {
  test('has the rights of the key, but for making links', async () => {
    const { rig } = await openPage();
    const token = await newToken(rig);
    const headers = { ...OWN, ...JSON_TYPE, ...bearer(token) };
    for (const { method, path, access } of EVERY) {
      if (method === 'DELETE' && path === ROUTES.deleteSessions.path) continue;
      const { status } = await send(rig, { method, path, headers });
      const what = `${method} ${path}`;
      if (access === 'key') expect(status, what).toBe(403);
      else if (access === undefined) expect([200, 404, 415, 422], what).toContain(status);
      // Which runs to compare stands in the query.
      const asks = path === ROUTES.compareRuns.path ? 422 : 200;
      if (method === 'GET' && !path.includes('0000')) expect(status, what).toBe(asks);
    }
  });

  test('registers, creates and stops as the key does', async () => {
    const { rig } = await openPage();
    const headers = { ...OWN, ...JSON_TYPE, ...bearer(await newToken(rig)) };
    const body = JSON.stringify({ app: 'shop.example.com' });
    expect((await send(rig, { method: 'POST', path: '/v2/apps', headers, body })).status).toBe(200);
    expect((await rig.call('GET', '/v2/apps')).list).toHaveLength(1);
  });

  test.each([
    ['another one', 'Bearer ' + '0'.repeat(64)],
    ['the key', `Bearer ${API_KEY}`],
    ['a code', null],
    ['nothing', 'Bearer '],
    ['a password', 'Basic ' + Buffer.from(`:${API_KEY}`).toString('base64')],
  ])('is not %s', async (_, given) => {
    const { rig } = await openPage();
    const authorization = given ?? `Bearer ${await newCode(rig)}`;
    for (let count = 0; count < 40; count++) expect(await overview(rig, { authorization })).toBe(401);
    // An old page that asks once a second keeps nobody out.
    expect(await overview(rig, { 'service-auth': API_KEY })).toBe(200);
    expect(await overview(rig, bearer(await newToken(rig)))).toBe(200);
  });

  test('does not stand beside a key: that decides', async () => {
    const { rig } = await openPage();
    const token = await newToken(rig);
    expect(await overview(rig, { ...bearer(token), 'service-auth': 'f'.repeat(32) })).toBe(401);
    expect(await overview(rig, { ...bearer('0'.repeat(64)), 'service-auth': API_KEY })).toBe(200);
  });

  test('is not taken from a query, a cookie or a body', async () => {
    const { rig } = await openPage();
    const token = await newToken(rig);
    for (const name of ['token', 'access_token', 'authorization', 'code']) {
      const path = `/v2/overview?${name}=${token}`;
      expect((await send(rig, { path, headers: { cookie: `${name}=${token}` } })).status).toBe(401);
    }
  });

  test('ends by itself, and all of them with the key', async () => {
    const { rig } = await openPage();
    const tokens = [await newToken(rig), await newToken(rig), await newToken(rig)];
    const [first = '', second = '', third = ''] = tokens;
    const code = await newCode(rig);
    const end = { method: 'DELETE', path: '/v2/sessions' };
    expect((await send(rig, { ...end, headers: { ...OWN, ...bearer(first) } })).status).toBe(200);
    expect(await Promise.all(tokens.map(async (token) => await overview(rig, bearer(token))))).toEqual([
      401, 200, 200,
    ]);
    expect((await send(rig, { ...end, headers: { 'service-auth': API_KEY } })).status).toBe(200);
    for (const token of [second, third]) expect(await overview(rig, bearer(token))).toBe(401);
    expect((await trade(rig, code)).status).toBe(401);
  });

  test('is forgotten by a restart', async () => {
    const { rig, clock } = await openPage();
    const [token, code] = [await newToken(rig), await newCode(rig)];
    await rig.service.close();
    const { dataDirectory } = rig;
    const again = await openTestService({
      mode: 'serve',
      now: clock.now,
      ticker: clock.ticker,
      dataDirectory,
    });
    expect(await overview(again, bearer(token))).toBe(401);
    expect((await trade(again, code)).status).toBe(401);
    expect(await overview(again, { 'service-auth': API_KEY })).toBe(200);
  });
});

describe('what is not a GET', () => {
  const FOREIGN: readonly (readonly [name: string, headers: Headers])[] = [
    ['nothing that says where it comes from', {}],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of this site', { 'sec-fetch-site': 'same-site' }],
    ['no page at all', { 'sec-fetch-site': 'none' }],
    ['several words', { 'sec-fetch-site': 'same-origin, same-origin' }],
    ['an empty word', { 'sec-fetch-site': '' }],
    ['another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: 'http://HOST' }],
    ['another origin', { origin: 'http://evil.example' }],
    ['no origin that may be told', { origin: 'null' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['another name of this machine', { origin: 'http://localhost:PORT' }],
    ['another scheme', { origin: 'https://HOST' }],
    ['our origin and more', { origin: 'http://HOST.evil.example' }],
    ['our origin and a path', { origin: 'http://HOST/' }],
    ['a referrer alone', { referer: 'http://HOST/' }],
  ];

  test.each(FOREIGN)('is refused with a token where it comes from %s', async (_, headers) => {
    const { rig } = await openPage();
    const { port } = rig.service;
    const token = await newToken(rig);
    const from = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('HOST', `127.0.0.1:${port}`).replace('PORT', String(port)),
      ]),
    );
    for (const { method, path } of [...WRITES, ROUTES.createSession]) {
      const sent = { method, path, headers: { ...JSON_TYPE, ...bearer(token), ...from }, body: '{}' };
      const response = await send(rig, sent);
      expect([`${method} ${path}`, response.status]).toEqual([`${method} ${path}`, 403]);
      expect(apiMismatch('error', bodyOf(response))).toBeNull();
    }
    // What only reads tells another page nothing: there are no CORS headers.
    expect(await overview(rig, { ...bearer(token), ...from })).toBe(200);
  });

  test('may come from our own origin, where the browser says no more', async () => {
    const { rig } = await openPage({ publicUrl: 'https://loads.example.com' });
    const body = JSON.stringify({ app: 'shop.example.com' });
    const headers = { ...JSON_TYPE, ...bearer(await newToken(rig)) };
    const { port } = rig.service;
    for (const [host, origin] of [
      [`127.0.0.1:${port}`, `http://127.0.0.1:${port}`],
      [`LOCALHOST:${port}`, `http://localhost:${port}`],
      ['loads.example.com', 'https://loads.example.com'],
      // Proxies may name us as they call us.
      [`127.0.0.1:${port}`, 'https://loads.example.com'],
    ] as const) {
      const sent = { method: 'POST', path: '/v2/apps', headers: { ...headers, host, origin }, body };
      expect([host, (await send(rig, sent)).status]).toEqual([host, 200]);
    }
  });

  test('has the method that it says, whatever headers and queries say', async () => {
    const { rig } = await openPage();
    const headers = {
      ...bearer(await newToken(rig)),
      'x-http-method-override': 'DELETE',
      'x-http-method': 'DELETE',
      'x-method-override': 'DELETE',
    };
    const path = '/v2/sessions?_method=DELETE';
    expect((await send(rig, { path, headers })).status).toBe(404);
    expect(await overview(rig, headers)).toBe(200);
  });
});

/** Spellings of content types, as they slipped by other servers, and what stands around them. */
function contentTypes(): readonly string[] {
  const types = [
    ...['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    ...['text/json', 'application/octet-stream', 'application/vnd.api+json', 'json', '*/*', 'text/html'],
  ];
  const around = [
    ...['T', 'T;', 'T ', ' T', 'T\t', '\tT', 'T;charset=utf-8', 'T; charset=utf-8', 'T;charset="utf-8"'],
    ...[
      'T; charset=latin1',
      'T; charset=utf-16',
      'T; charset=utf-7',
      'T;charset=',
      'T; a=b',
      'T; boundary=x',
    ],
    ...['T, application/json', 'application/json, T', 'T application/json', 'T;application/json', 'T\tx'],
    ...['T\t; charset=utf-8', 'T garbage', 'T/json', 'x/T', 'T\u00a0', '"T"', "'T'", 'T#', 'T?x', 'T%20'],
  ];
  return types.flatMap((type) => around.map((text) => text.replace('T', type)));
}

describe('a content type', () => {
  test('is JSON from the page, in 300 spellings of what is none as well', async () => {
    const { rig } = await openPage();
    const token = await newToken(rig);
    // Unknown fields are refused by the schema of the route: whoever takes this has not looked.
    const body = JSON.stringify({ ...smallTestFields('http://127.0.0.1:4080/'), unknown: 1 });
    const all = contentTypes();
    expect(all).toHaveLength(300);
    const takes = async (type: string | undefined, credentials: Headers) => {
      const headers = { ...OWN, 'content-type': type, ...credentials };
      const { status } = await send(rig, { method: 'POST', path: '/v2/tests', headers, body });
      expect([415, 422], type).toContain(status);
      return status === 422 ? [type ?? 'none'] : [];
    };
    const spellings = [...all, undefined];
    const taken = (await Promise.all(spellings.map(async (type) => await takes(type, bearer(token))))).flat();
    await Promise.all(spellings.map(async (type) => await takes(type, { 'service-auth': API_KEY })));
    expect([...new Set(taken.map((type) => type.trim()))]).toEqual([
      'application/json',
      'application/json;charset=utf-8',
      'application/json; charset=utf-8',
      'application/json;charset="utf-8"',
      'application/json\t; charset=utf-8',
    ]);
    expect((await rig.call('GET', '/v2/tests')).json).toEqual([]);
  });
});

describe('the Host header', () => {
  const EVIL = [
    ...['evil.example', 'evil.example:PORT', 'localhost', 'localhost:1', 'localhost.:PORT', '127.0.0.1'],
    ...['localhost.evil.example:PORT', '127.0.0.1.nip.io:PORT', '127.1:PORT', '2130706433:PORT'],
    ...['0.0.0.0:PORT', '0x7f.0.0.1:PORT', '0177.0.0.1:PORT', '127.0.0.1.:PORT', '127.0.0.2:PORT'],
    ...['user@localhost:PORT', 'localhost:PORT@evil.example', 'localhost:PORT, evil.example'],
    ...['evil.example, localhost:PORT', 'localhost:0PORT', 'localhost:+PORT', 'localhost:PORT.', ''],
    ...['localhost:PORT/', '/localhost:PORT', 'http://localhost:PORT', '//localhost:PORT', '::1:PORT'],
    ...['[::]:PORT', '[::ffff:127.0.0.1]:PORT', '[0:0:0:0:0:0:0:1]:PORT', '[::1%25lo]:PORT', '[::1]'],
    ...['ip6-localhost:PORT', 'localhost.localdomain:PORT', 'LOCALHOST', 'localhost%00:PORT', '*:PORT'],
    ...['localhost\\:PORT', 'localhost;PORT', 'loc%61lhost:PORT', 'xn--localhost:PORT'],
  ];

  test('of another service gets no file, no answer of the API and no 404, in 40 spellings', async () => {
    const { rig } = await openPage();
    const token = await newToken(rig);
    const paths = ['/', '/nothing', '/v2/nothing', '/v2/overview', '/%zz', '/healthz'];
    const all = [...paths, ...(await assetsOf(rig))];
    expect(EVIL.length).toBeGreaterThanOrEqual(40);
    for (const spelling of EVIL) {
      const host = spelling.replace('PORT', String(rig.service.port));
      const responses = await Promise.all(
        all.map(async (path) => await send(rig, { path, headers: { host, ...bearer(token) } })),
      );
      for (const { status, body } of responses) {
        expect([spelling, [400, 421].includes(status)]).toEqual([spelling, true]);
        expect(body).not.toContain('<');
      }
      const code = (rig.service.createSignInLink() ?? '').slice(-32);
      expect([spelling, (await trade(rig, code, { host })).status]).not.toEqual([spelling, 200]);
      expect((await trade(rig, code)).status).toBe(200);
    }
  });

  test('is needed, once, and not in the target', async () => {
    const { rig } = await openPage();
    const { port } = rig.service;
    const ours = `127.0.0.1:${port}`;
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.0\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: ${ours}\r\nHost: ${ours}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: ${ours}\r\nHost: evil.example\r\n\r\n`,
      `GET http://${ours}/ HTTP/1.1\r\nHost: ${ours}\r\n\r\n`,
      `GET http://evil.example/ HTTP/1.1\r\nHost: ${ours}\r\n\r\n`,
    ]) {
      expect([400, 421]).toContain((await sendRaw(port, bytes)).status);
    }
  });
});

describe('a wish for another protocol', () => {
  const PROTOCOLS = ['websocket', 'WebSocket', 'h2c', 'TLS/1.3', 'websocket, h2c', 'x'];

  test('is never granted, with a token or without, wherever it comes from', async () => {
    const { rig } = await openPage();
    const token = await newToken(rig);
    const origins = [`http://127.0.0.1:${rig.service.port}`, 'http://evil.example'];
    const [asset = ''] = await assetsOf(rig);
    for (const path of ['/', asset, '/v2/overview', '/v2/nothing', '/nothing', '/healthz']) {
      for (const credentials of [{}, bearer(token)]) {
        const plain = await send(rig, { path, headers: credentials });
        const wishes = PROTOCOLS.flatMap((upgrade) => origins.map((origin) => ({ upgrade, origin })));
        const responses = await Promise.all(
          wishes.map(
            async (wish) =>
              await send(rig, {
                path,
                headers: {
                  ...{ ...credentials, ...wish, connection: 'Upgrade, HTTP2-Settings, close' },
                  ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
                  ...{ 'http2-settings': 'AAMAAABkAAQAAP__', 'sec-websocket-protocol': `bearer, ${token}` },
                },
              }),
          ),
        );
        for (const { status, header } of responses) {
          expect([path, status]).toEqual([path, plain.status]);
          expect(header).not.toMatch(/^(upgrade|sec-websocket-)/im);
        }
      }
    }
  });
});

describe('paths', () => {
  const UP = [
    '../',
    '..%2f',
    '%2e%2e/',
    '%2e%2e%2f',
    '..\\',
    '..%5c',
    '..%255c',
    '..%c0%af',
    '....//',
    '.%00./',
  ];
  const FILES = [
    'etc/passwd',
    'package.json',
    'dist/web/ui.js',
    'service.key',
    'windows/win.ini',
    '.env',
    'proc/self/environ',
  ];

  test('lead to no file but those of the map', async () => {
    const { rig } = await openPage();
    const paths = UP.flatMap((up) =>
      FILES.flatMap((file) =>
        ['/', '/assets/', '//', '/assets/ui.js/'].map((from) => from + up.repeat(6) + file),
      ),
    );
    for (const path of [
      ...paths,
      ...['/index.html', '/ui.js', '/assets', '/assets/', '/assets/ui.js', '/favicon.ico', '/.git/config'],
      ...['/assets/%2e', '/@fs/etc/passwd', '/file:///etc/passwd', '/?/../../etc/passwd/..', '/~root', '/\\'],
    ]) {
      const response = await send(rig, { path });
      if (path.startsWith('/?')) expect(response.body).toMatch(/^<!doctype html>/);
      else expect([path, [401, 404].includes(response.status)]).toEqual([path, true]);
      expect(response.body).not.toMatch(/root:|"name"|PATH=/);
    }
  });

  test.each([
    '/%762/overview',
    '/V2/overview',
    '//v2/overview',
    '/./v2/overview',
    '/v2/../v2/overview',
    '/v2%2foverview',
  ])('%s needs the key where it leads anywhere', async (path) => {
    const { rig } = await openPage();
    expect([401, 404]).toContain((await send(rig, { path })).status);
  });

  test('of the page take any query, and it does nothing', async () => {
    const { rig } = await openPage();
    const code = await newCode(rig);
    const response = await send(rig, { path: `/?code=${code}` });
    expect([response.status, response.body.includes(code)]).toEqual([200, false]);
    expect((await trade(rig, code)).status).toBe(200);
  });
});

/** All that comes back to who sends these bytes and nothing more. */
async function untilClosed(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(bytes, 'latin1'));
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return text;
}

describe('who has no key', () => {
  test('sends no more than a code: a larger body is refused before it has come', async () => {
    const { rig } = await openPage();
    const path = '/v2/sessions';
    const headers = { ...OWN, ...JSON_TYPE };
    const sent = { method: 'POST', path, headers, body: `{"code":"${'f'.repeat(2000)}"}` };
    expect((await send(rig, sent)).status).toBe(413);
    const announced = { method: 'POST', path, headers: { ...headers, 'content-length': '99999999' } };
    expect((await send(rig, announced)).status).toBe(413);
  });

  /** Lines of a head, as lenient servers read them in different ways. */
  const HEADS = [
    ...['Content-Length: 4\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: chunked\r\nContent-Length: 4'],
    ...[
      'Content-Length: 4\r\nContent-Length: 5',
      'Content-Length: 4\r\nContent-Length: 4',
      'Content-Length: 4, 5',
    ],
    ...[
      'Content-Length: 4, 4',
      'Content-Length: +4',
      'Content-Length: -4',
      'Content-Length: 0x4',
      'Content-Length: 4.0',
    ],
    ...[
      'Content-Length: 1e1',
      'Content-Length: 4 4',
      'Content-Length: 4;',
      'Content-Length: four',
      'Content-Length: "4"',
    ],
    ...[
      'Content-Length: 99999999999999999999',
      'Content-Length : 4',
      'Content-Length\t: 4',
      ' Content-Length: 4',
    ],
    ...[
      'X: a\r\n Content-Length: 4',
      'X: a\r\n\tb',
      'X: a\nContent-Length: 4',
      'X: a\rContent-Length: 4',
      'X: a\0b',
    ],
    ...[
      'X: a\u0001b',
      'X: a\u007fb',
      'X',
      ': a',
      'X y: a',
      'X(y): a',
      'X\0: a',
      'X@y: a',
      'X\u00e9: a',
      '"X": a',
      'X{: a',
    ],
    ...['Transfer-Encoding: xchunked', 'Transfer-Encoding: chunked, identity', 'Transfer-Encoding: chunkedx'],
    ...['Transfer-Encoding: chunked;x', 'Transfer-Encoding: "chunked"', 'Transfer-Encoding:\u000bchunked'],
    ...['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', 'Transfer-Encoding : chunked'],
    ...[
      'Transfer-Encoding\r\n: chunked',
      'Transfer-Encoding: identity',
      'Transfer-Encoding: gzip',
      'Transfer-Encoding: x',
    ],
    ...[
      'X: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4',
      'Transfer-Encoding: CHUNKED\r\nContent-Length: 0',
    ],
  ];

  /** First lines that are none. */
  const LINES = [
    ...['GET', 'GET /', 'GET\t/\tHTTP/1.1', ' GET / HTTP/1.1', 'GET / HTTP/1.1 x'],
    ...[
      'GET / HTTP/1.2',
      'GET / HTTP/2.0',
      'GET / HTTP/3',
      'GET / HTTP/11',
      'GET / HTTP/1',
      'GET / HTTP/x.y',
      'GET / http/1.1',
    ],
    ...[
      'GET / HTTPS/1.1',
      'GET / HTTP /1.1',
      'GET /\0 HTTP/1.1',
      'GET /\u0001 HTTP/1.1',
      'GET /a b HTTP/1.1',
      'G\0T / HTTP/1.1',
    ],
    ...[
      'G@T / HTTP/1.1',
      'get / HTTP/1.1',
      'GET / RTSP/1.0',
      'HTTP/1.1 200 OK',
      'PRI * HTTP/2.0',
      'FOO / HTTP/1.1',
      'GET\n/ HTTP/1.1',
    ],
    ...[
      'GET / HTTP/1.1\rX',
      '\u0016\u0003\u0001',
      '{"a":1}',
      'GETT / HTTP/1.1',
      '"GET" / HTTP/1.1',
      'GET\u00a0/ HTTP/1.1',
      'EHLO x',
    ],
  ];

  /** Bodies in pieces that are none. */
  const CHUNKS = [
    ...[
      'g\r\n',
      '-1\r\n',
      '+1\r\nx\r\n',
      '0x1\r\nx\r\n',
      '1\nx\r\n',
      '1\rx\r\n',
      '1 \r\nx\r\n',
      ' 1\r\nx\r\n',
      '\r\n',
    ],
    ...[
      '1\r\nxx\r\n',
      '1\r\nx0\r\n',
      '2\r\nx\r\n0',
      '11111111111111111\r\nx',
      'ffffffffffffffffff\r\nx',
      '1;a\nb\r\nx\r\n',
    ],
    ...[
      '1;a=\0\r\nx\r\n',
      '1\r\nx\n',
      '0\n',
      '0\r\nX : y\r\n',
      '0\r\nX\r\n',
      '0\r\n y\r\n',
      '0\r\n\0: y\r\n',
      '1,a\r\nx\r\n',
    ],
  ];

  test('hides no request behind bytes that are read in two ways, in a hundred of them', async () => {
    const { rig } = await openPage();
    const { port } = rig.service;
    const host = `Host: 127.0.0.1:${port}\r\n`;
    const hidden = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
    const chunked = `POST /v2/sessions HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`;
    const all = [
      ...HEADS.map((lines) => `GET / HTTP/1.1\r\n${host}${lines}\r\n\r\n0\r\n\r\n${hidden}`),
      ...LINES.map((line) => `${line}\r\n${host}\r\n${hidden}`),
      ...CHUNKS.map((chunk) => `${chunked}${chunk}0\r\n\r\n${hidden}`),
    ];
    expect(all.length).toBeGreaterThanOrEqual(100);
    const responses = await Promise.all(all.map(async (bytes) => await untilClosed(port, bytes)));
    expect(all.filter((_, at) => responses[at]?.includes('"status":"ok"') !== false)).toEqual([]);
    expect(rig.log.filter(({ route }) => route === '/healthz')).toEqual([]);
    // It is there for whoever asks plainly.
    expect(await untilClosed(port, hidden.replace(host, `${host}Connection: close\r\n`))).toContain(
      '"status":"ok"',
    );
  });
});

test('codes and tokens stand in no log line and no metric', async () => {
  const { rig } = await openPage();
  const [token, code] = [await newToken(rig), await newCode(rig)];
  const link = rig.service.createSignInLink() ?? '';
  await overview(rig, bearer(token));
  await send(rig, { path: `/v2/overview?token=${token}` });
  await send(rig, { path: `/${code}`, headers: { referer: link } });
  await trade(rig, code);
  await trade(rig, code);
  await send(rig, { path: `/v2/apps/${code}`, headers: bearer(token) });
  await send(rig, {
    method: 'POST',
    path: '/v2/apps',
    headers: { ...OWN, ...JSON_TYPE, ...bearer(token) },
    body: token,
  });
  const { text } = await rig.call('GET', '/metrics');
  const all = JSON.stringify(rig.log) + text;
  for (const secret of [token, code, link.slice(-32), API_KEY]) expect(all).not.toContain(secret);
});
