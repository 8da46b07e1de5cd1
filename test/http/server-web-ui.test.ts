/** The web UI over plain HTTP: its files, the sign-in, and protection against other clients. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ROUTES, type Route } from '../../src/contract/routes.ts';
import { HOUR, MINUTE, SECOND, createTestClock } from '../support/test-clock.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { sendRaw, type RawResponse } from '../support/raw-request.ts';
import { useShared } from '../support/shared.ts';
import { sampleRows } from '../support/test-scale.ts';
import {
  API_KEY,
  openTestService,
  smallTestFields,
  type ResponseBody,
  type TestService,
} from '../support/test-service.ts';

type Headers = Readonly<Record<string, string>>;

interface RequestParts {
  readonly method?: string;
  readonly path?: string;
  /** Headers in addition to Host; undefined headers are omitted. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** Headers that a browser adds to requests of the web UI. */
const SAME_ORIGIN: Headers = { 'sec-fetch-site': 'same-origin' };
const JSON_TYPE: Headers = { 'content-type': 'application/json' };

async function openWebUi(options: Parameters<typeof openTestService>[0] = {}) {
  const clock = createTestClock();
  const rig = await openTestService({ mode: 'serve', now: clock.now, ticker: clock.ticker, ...options });
  return { rig, clock };
}

async function send(
  { service }: TestService,
  { method = 'GET', path = '/', headers = {}, body }: RequestParts,
) {
  const all: RequestParts['headers'] = { host: `127.0.0.1:${service.port}`, connection: 'close', ...headers };
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
  return JSON.parse(response.body) as ReturnType<typeof bodyOf>; // each test checks the fields that it uses
}

async function createCode(rig: TestService): Promise<string> {
  const response = await send(rig, {
    method: 'POST',
    path: '/v2/sign-in-codes',
    headers: { 'service-auth': API_KEY },
  });
  expect([response.status, apiMismatch('sign-in-code', bodyOf(response))]).toEqual([200, null]);
  return bodyOf(response).code;
}

async function exchangeCode(
  rig: TestService,
  code: string,
  headers: RequestParts['headers'] = {},
): Promise<RawResponse> {
  return await send(rig, {
    method: 'POST',
    path: '/v2/sessions',
    body: JSON.stringify({ code }),
    headers: { ...SAME_ORIGIN, ...JSON_TYPE, ...headers },
  });
}

async function createToken(rig: TestService): Promise<string> {
  const response = await exchangeCode(rig, await createCode(rig));
  expect([response.status, apiMismatch('session', bodyOf(response))]).toEqual([200, null]);
  return bodyOf(response).token;
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

async function overviewStatus(rig: TestService, headers: Headers): Promise<number> {
  return (await send(rig, { path: '/v2/overview', headers })).status;
}

/** Returns the paths of the files in the index page. */
async function assetsOf(rig: TestService): Promise<readonly string[]> {
  const { body } = await send(rig, {});
  return [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => `/${path}`);
}

describe('files of the web UI', () => {
  test('the files of the web UI are served without an API key and with security headers', async () => {
    const { rig } = await openWebUi();
    const assets = await assetsOf(rig);
    expect(assets.map((path) => path.replace(/[0-9a-f]{16}/, 'HASH')).sort()).toEqual([
      '/assets/icon-HASH.svg',
      '/assets/ui-HASH.css',
      '/assets/ui-HASH.js',
    ]);
    for (const path of ['/', ...assets]) {
      const { status, header: headerSection } = await send(rig, { path });
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
        expect(headerSection).toMatch(header);
      }
      expect(headerSection).not.toMatch(/^(access-control-|set-cookie)/im);
    }
  });

  test('the markup of the index page contains no inline scripts, styles or event handlers', async () => {
    const { rig } = await openWebUi();
    const { body } = await send(rig, {});
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son\w+=|javascript:/i);
  });

  test('the embedded service has no web UI', async () => {
    const { rig } = await openWebUi({ mode: 'in-process' });
    expect((await send(rig, {})).status).toBe(401);
    expect((await send(rig, { headers: { 'service-auth': API_KEY } })).status).toBe(404);
    for (const route of [ROUTES.createSignInCode, ROUTES.createSession, ROUTES.deleteSessions]) {
      const { method, path } = route;
      expect((await send(rig, { method, path, headers: { 'service-auth': API_KEY } })).status).toBe(404);
    }
    expect(await overviewStatus(rig, bearer('0'.repeat(64)))).toBe(401);
    expect(rig.service.createSignInLink()).toBeNull();
  });
});

describe('sign-in codes', () => {
  test('a sign-in code is exchanged for a session token only once', async () => {
    const { rig } = await openWebUi();
    const code = await createCode(rig);
    const first = await exchangeCode(rig, code);
    expect(first.status).toBe(200);
    const second = await exchangeCode(rig, code);
    expect([second.status, bodyOf(second).errors]).toEqual([
      401,
      ['this link is invalid, has expired, or has been used; run "loadtests open" to get a new link'],
    ]);
    expect(await overviewStatus(rig, bearer(bodyOf(first).token))).toBe(200);
  });

  test('a sign-in code is valid for ten minutes, and a session token for twelve hours', async () => {
    const { rig, clock } = await openWebUi();
    const [early, late] = [await createCode(rig), await createCode(rig)];
    clock.advance(10 * MINUTE - 1);
    const session = await exchangeCode(rig, early);
    expect(session.status).toBe(200);
    clock.advance(1);
    expect((await exchangeCode(rig, late)).status).toBe(401);
    const { token, expires_at: end } = bodyOf(session);
    clock.set(Date.parse(end) - 1);
    expect(await overviewStatus(rig, bearer(token))).toBe(200);
    clock.advance(1);
    expect(await overviewStatus(rig, bearer(token))).toBe(401);
    expect(Date.parse(end)).toBe(createTestClock().now() + 10 * MINUTE - 1 + 12 * HOUR);
  });

  test('wrong sign-in codes from an address block its further sign-in attempts, but not the API key or other addresses', async () => {
    const { rig, clock } = await openWebUi({
      publicUrl: 'https://loads.example.com',
      trustProxies: ['127.0.0.1'],
    });
    const forwardedFor = (address: string) => ({ 'x-forwarded-for': address });
    const code = await createCode(rig);
    const exchangeWrongCode = async () =>
      (await exchangeCode(rig, 'f'.repeat(32), forwardedFor('192.0.2.1'))).status;
    for (let count = 0; count < 30; count++) expect(await exchangeWrongCode()).toBe(401);
    const limited = await exchangeCode(rig, code, forwardedFor('192.0.2.1'));
    expect([limited.status, /^retry-after: (.*)\r$/m.exec(limited.header)?.[1]]).toEqual([429, '2']);
    expect(await overviewStatus(rig, { 'service-auth': API_KEY, ...forwardedFor('192.0.2.1') })).toBe(200);
    expect((await exchangeCode(rig, await createCode(rig), forwardedFor('192.0.2.2'))).status).toBe(200);
    clock.advance(2 * SECOND);
    expect((await exchangeCode(rig, code, forwardedFor('192.0.2.1'))).status).toBe(200);
  });

  test.each([[], ['192.0.2.1', '10.0.0.0/8', '::1']].map((trustProxies) => [{ trustProxies }]))(
    'wrong sign-in codes and API keys count toward the limit for the address of an untrusted proxy (%j)',
    async ({ trustProxies }) => {
      const { rig } = await openWebUi({ publicUrl: 'https://loads.example.com', trustProxies });
      const forwardedFor = (count: number) => ({ 'x-forwarded-for': `192.0.2.${count}` });
      const code = 'f'.repeat(32);
      for (let count = 0; count < 30; count++)
        expect((await exchangeCode(rig, code, forwardedFor(count))).status).toBe(401);
      expect((await exchangeCode(rig, code, forwardedFor(30))).status).toBe(429);
      const wrongKey = { 'service-auth': '0'.repeat(64) };
      for (let count = 0; count < 30; count++)
        expect(await overviewStatus(rig, { ...wrongKey, ...forwardedFor(count) })).toBe(401);
      expect(await overviewStatus(rig, { ...wrongKey, ...forwardedFor(30) })).toBe(429);
    },
  );

  test.each([
    ['invents earlier addresses', (count: number) => `203.0.113.${count}, 192.0.2.7`],
    ['invents a trusted address', (count: number) => `203.0.113.${count}, 127.0.0.1, 192.0.2.7`],
    ['sends no address', (count: number) => `unknown-${count}`],
    ['sends addresses with ports', (count: number) => `192.0.2.7:${4000 + count}`],
  ])(
    'attempts with wrong sign-in codes behind a trusted proxy are limited, even if the caller %s',
    async (_, forwardedFor) => {
      const { rig } = await openWebUi({
        publicUrl: 'https://loads.example.com',
        trustProxies: ['127.0.0.1'],
      });
      const attempt = async (count: number) =>
        (await exchangeCode(rig, 'f'.repeat(32), { 'x-forwarded-for': forwardedFor(count) })).status;
      for (let count = 0; count < 30; count++) expect(await attempt(count)).toBe(401);
      expect(await attempt(30)).toBe(429);
    },
  );

  test('wrong sign-in codes from other origins do not count toward the limit on attempts', async () => {
    const { rig } = await openWebUi();
    for (let count = 0; count < 40; count++) {
      expect((await exchangeCode(rig, 'f'.repeat(32), { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await exchangeCode(rig, 'f'.repeat(32), { 'content-type': 'text/plain' })).status).toBe(415);
    }
    expect((await exchangeCode(rig, await createCode(rig))).status).toBe(200);
  });

  test.each([
    ['no body', undefined],
    ['no code', '{}'],
    ['a number as the code', '{"code":1}'],
    ['a list as the body', '[]'],
    ['an additional field', '{"code":"x","key":"y"}'],
  ])('a sign-in request with %s is refused', async (_, body) => {
    const { rig } = await openWebUi();
    const path = '/v2/sessions';
    const request = { method: 'POST', path, headers: { ...SAME_ORIGIN, ...JSON_TYPE } };
    expect((await send(rig, body === undefined ? request : { ...request, body })).status).toBe(422);
  });

  test('the sign-in link for the operator contains the public address of the service or, without one, the listen address', async () => {
    const { rig } = await openWebUi({ publicUrl: 'https://loads.example.com/' });
    const link = rig.service.createSignInLink() ?? '';
    expect(link).toMatch(/^https:\/\/loads\.example\.com\/#[0-9a-f]{32}$/);
    expect((await exchangeCode(rig, link.slice(-32))).status).toBe(200);
    const { rig: local } = await openWebUi();
    expect(local.service.createSignInLink()).toMatch(
      new RegExp(`^http://127\\.0\\.0\\.1:${local.service.port}/#[0-9a-f]{32}$`),
    );
  });

  test('the oldest sign-in code expires if the number of codes exceeds the limit', async () => {
    const { rig } = await openWebUi();
    const first = await createCode(rig);
    for (let count = 0; count < 999; count++) rig.service.createSignInLink();
    const last = await createCode(rig);
    expect((await exchangeCode(rig, first)).status).toBe(401);
    expect((await exchangeCode(rig, last)).status).toBe(200);
  });
});

/** All routes, with well-formed ids. */
const ALL_ROUTES = Object.values<Route>(ROUTES).map(({ method, path, access }) => {
  const concretePath = path.replace(':sha256', '0'.repeat(64)).replaceAll(/:\w+/g, '0'.repeat(32));
  return { method, path: concretePath, access };
});
const WRITES = ALL_ROUTES.filter(({ method, access }) => method !== 'GET' && access === undefined);

describe('session tokens', () => {
  test('a session token has the permissions of the API key, except for creating sign-in codes', async () => {
    const { rig } = await openWebUi();
    const token = await createToken(rig);
    const headers = { ...SAME_ORIGIN, ...JSON_TYPE, ...bearer(token) };
    for (const { method, path, access } of ALL_ROUTES) {
      if (method === 'DELETE' && path === ROUTES.deleteSessions.path) continue;
      const { status } = await send(rig, { method, path, headers });
      const name = `${method} ${path}`;
      if (access === 'key') expect(status, name).toBe(403);
      else if (access === undefined) expect([200, 404, 415, 422], name).toContain(status);
      // The runs to compare are selected in the query, which is missing here.
      const expectedStatus = path === ROUTES.compareRuns.path ? 422 : 200;
      if (method === 'GET' && !path.includes('0000')) expect(status, name).toBe(expectedStatus);
    }
  });

  test('a session token allows write requests', async () => {
    const { rig } = await openWebUi();
    const headers = { ...SAME_ORIGIN, ...JSON_TYPE, ...bearer(await createToken(rig)) };
    const body = JSON.stringify({ app: 'shop.example.com' });
    expect((await send(rig, { method: 'POST', path: '/v2/apps', headers, body })).status).toBe(200);
    expect((await rig.call('GET', '/v2/apps')).list).toHaveLength(1);
  });

  test.each([
    ['an unknown token', 'Bearer ' + '0'.repeat(64)],
    ['the API key', `Bearer ${API_KEY}`],
    ['a sign-in code', null],
    ['an empty token', 'Bearer '],
    ['a password', 'Basic ' + Buffer.from(`:${API_KEY}`).toString('base64')],
  ])('%s is not accepted as a session token', async (_, header) => {
    const { rig } = await openWebUi();
    const authorization = header ?? `Bearer ${await createCode(rig)}`;
    for (let count = 0; count < 40; count++) expect(await overviewStatus(rig, { authorization })).toBe(401);
    // An expired browser tab that polls every second must not lock out other clients.
    expect(await overviewStatus(rig, { 'service-auth': API_KEY })).toBe(200);
    expect(await overviewStatus(rig, bearer(await createToken(rig)))).toBe(200);
  });

  test('the API key takes precedence if a request contains both an API key and a session token', async () => {
    const { rig } = await openWebUi();
    const token = await createToken(rig);
    expect(await overviewStatus(rig, { ...bearer(token), 'service-auth': 'f'.repeat(32) })).toBe(401);
    expect(await overviewStatus(rig, { ...bearer('0'.repeat(64)), 'service-auth': API_KEY })).toBe(200);
  });

  test('a session token in a query or a cookie is ignored', async () => {
    const { rig } = await openWebUi();
    const token = await createToken(rig);
    for (const name of ['token', 'access_token', 'authorization', 'code']) {
      const path = `/v2/overview?${name}=${token}`;
      expect((await send(rig, { path, headers: { cookie: `${name}=${token}` } })).status).toBe(401);
    }
  });

  test('a session token can end only its own session, and the API key can end all sessions', async () => {
    const { rig } = await openWebUi();
    const tokens = [await createToken(rig), await createToken(rig), await createToken(rig)];
    const [first = '', second = '', third = ''] = tokens;
    const code = await createCode(rig);
    const end = { method: 'DELETE', path: '/v2/sessions' };
    expect((await send(rig, { ...end, headers: { ...SAME_ORIGIN, ...bearer(first) } })).status).toBe(200);
    expect(await Promise.all(tokens.map(async (token) => await overviewStatus(rig, bearer(token))))).toEqual([
      401, 200, 200,
    ]);
    expect((await send(rig, { ...end, headers: { 'service-auth': API_KEY } })).status).toBe(200);
    for (const token of [second, third]) expect(await overviewStatus(rig, bearer(token))).toBe(401);
    expect((await exchangeCode(rig, code)).status).toBe(401);
  });

  test('a restart of the service ends all sessions and invalidates all sign-in codes', async () => {
    const { rig, clock } = await openWebUi();
    const [token, code] = [await createToken(rig), await createCode(rig)];
    await rig.service.close();
    const { dataDirectory } = rig;
    const again = await openTestService({
      mode: 'serve',
      now: clock.now,
      ticker: clock.ticker,
      dataDirectory,
    });
    expect(await overviewStatus(again, bearer(token))).toBe(401);
    expect((await exchangeCode(again, code)).status).toBe(401);
    expect(await overviewStatus(again, { 'service-auth': API_KEY })).toBe(200);
  });
});

describe('cross-origin writes with a token', () => {
  const CROSS_ORIGIN: readonly (readonly [name: string, headers: Headers])[] = [
    ['without headers about its origin', {}],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin of this site', { 'sec-fetch-site': 'same-site' }],
    ['from outside a page', { 'sec-fetch-site': 'none' }],
    ['with several Sec-Fetch-Site values', { 'sec-fetch-site': 'same-origin, same-origin' }],
    ['with an empty Sec-Fetch-Site header', { 'sec-fetch-site': '' }],
    [
      'from another site with the origin of the service',
      { 'sec-fetch-site': 'cross-site', origin: 'http://HOST' },
    ],
    ['from another origin', { origin: 'http://evil.example' }],
    ['from an opaque origin', { origin: 'null' }],
    ['from another port', { origin: 'http://127.0.0.1:1' }],
    ['from another name of this machine', { origin: 'http://localhost:PORT' }],
    ['from an origin with another scheme', { origin: 'https://HOST' }],
    ['with a suffix after the origin', { origin: 'http://HOST.evil.example' }],
    ['with a path after the origin', { origin: 'http://HOST/' }],
    ['with only a referrer', { referer: 'http://HOST/' }],
  ];

  const sharedWebUi = useShared(openWebUi);

  test.each(CROSS_ORIGIN)(
    'a write request %s is refused despite a valid session token',
    async (_, headers) => {
      const { rig } = sharedWebUi();
      const { port } = rig.service;
      const token = await createToken(rig);
      const originHeaders = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          value.replace('HOST', `127.0.0.1:${port}`).replace('PORT', String(port)),
        ]),
      );
      for (const { method, path } of [...WRITES, ROUTES.createSession]) {
        const request = {
          method,
          path,
          headers: { ...JSON_TYPE, ...bearer(token), ...originHeaders },
          body: '{}',
        };
        const response = await send(rig, request);
        expect([`${method} ${path}`, response.status]).toEqual([`${method} ${path}`, 403]);
        expect(apiMismatch('error', bodyOf(response))).toBeNull();
      }
      // Reads are allowed, because other origins cannot read the response without CORS headers.
      expect(await overviewStatus(rig, { ...bearer(token), ...originHeaders })).toBe(200);
    },
  );

  test('with a session token, a write request from the origin of the service is accepted, even without Sec-Fetch-Site', async () => {
    const { rig } = await openWebUi({ publicUrl: 'https://loads.example.com' });
    const body = JSON.stringify({ app: 'shop.example.com' });
    const headers = { ...JSON_TYPE, ...bearer(await createToken(rig)) };
    const { port } = rig.service;
    for (const [host, origin] of [
      [`127.0.0.1:${port}`, `http://127.0.0.1:${port}`],
      [`LOCALHOST:${port}`, `http://localhost:${port}`],
      ['loads.example.com', 'https://loads.example.com'],
      // A proxy may use another host name than the browser.
      [`127.0.0.1:${port}`, 'https://loads.example.com'],
    ] as const) {
      const request = { method: 'POST', path: '/v2/apps', headers: { ...headers, host, origin }, body };
      expect([host, (await send(rig, request)).status]).toEqual([host, 200]);
    }
  });

  test('headers and queries do not override the method of a request', async () => {
    const { rig } = await openWebUi();
    const headers = {
      ...bearer(await createToken(rig)),
      'x-http-method-override': 'DELETE',
      'x-http-method': 'DELETE',
      'x-method-override': 'DELETE',
    };
    const path = '/v2/sessions?_method=DELETE';
    expect((await send(rig, { path, headers })).status).toBe(404);
    expect(await overviewStatus(rig, headers)).toBe(200);
  });
});

/** Returns content types in spellings that have deceived other servers. */
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

describe('content types of the web UI', () => {
  test('with a session token, the service accepts only spellings of application/json out of 300 content types', async () => {
    const { rig } = await openWebUi();
    const token = await createToken(rig);
    // A service that accepts the type refuses the body because of its unknown field.
    const body = JSON.stringify({ ...smallTestFields('http://127.0.0.1:4080/'), unknown: 1 });
    const all = contentTypes();
    expect(all).toHaveLength(300);
    const tryType = async (type: string | undefined, credentials: Headers) => {
      const headers = { ...SAME_ORIGIN, 'content-type': type, ...credentials };
      const { status } = await send(rig, { method: 'POST', path: '/v2/tests', headers, body });
      expect([415, 422], type).toContain(status);
      return status === 422 ? [type ?? 'none'] : [];
    };
    const spellings = [...all, undefined];
    const accepted = (
      await Promise.all(spellings.map(async (type) => await tryType(type, bearer(token))))
    ).flat();
    // With the key, the service accepts more types. `TEST_SCALE=1` tries all of them.
    await Promise.all(
      sampleRows(spellings, 60).map(async (type) => await tryType(type, { 'service-auth': API_KEY })),
    );
    expect([...new Set(accepted.map((type) => type.trim()))]).toEqual([
      'application/json',
      'application/json;charset=utf-8',
      'application/json; charset=utf-8',
      'application/json;charset="utf-8"',
      'application/json\t; charset=utf-8',
    ]);
    expect((await rig.call('GET', '/v2/tests')).json).toEqual([]);
  });
});

describe('the Host header of the web UI', () => {
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

  test('a request with any of at least 40 wrong Host headers receives no content of the web UI', async () => {
    const { rig } = await openWebUi();
    const token = await createToken(rig);
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
      expect([spelling, (await exchangeCode(rig, code, { host })).status]).not.toEqual([spelling, 200]);
      expect((await exchangeCode(rig, code)).status).toBe(200);
    }
  });

  test('a request is refused unless it has exactly one Host header and a target without a host', async () => {
    const { rig } = await openWebUi();
    const { port } = rig.service;
    const ownHost = `127.0.0.1:${port}`;
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.0\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: ${ownHost}\r\nHost: ${ownHost}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: ${ownHost}\r\nHost: evil.example\r\n\r\n`,
      `GET http://${ownHost}/ HTTP/1.1\r\nHost: ${ownHost}\r\n\r\n`,
      `GET http://evil.example/ HTTP/1.1\r\nHost: ${ownHost}\r\n\r\n`,
    ]) {
      expect([400, 421]).toContain((await sendRaw(port, bytes)).status);
    }
  });
});

describe('protocol upgrades', () => {
  const PROTOCOLS = ['websocket', 'WebSocket', 'h2c', 'TLS/1.3', 'websocket, h2c', 'x'];

  test('a protocol upgrade is never accepted, with or without a session token', async () => {
    const { rig } = await openWebUi();
    const token = await createToken(rig);
    const origins = [`http://127.0.0.1:${rig.service.port}`, 'http://evil.example'];
    const [asset = ''] = await assetsOf(rig);
    for (const path of ['/', asset, '/v2/overview', '/v2/nothing', '/nothing', '/healthz']) {
      for (const credentials of [{}, bearer(token)]) {
        const plain = await send(rig, { path, headers: credentials });
        const upgrades = PROTOCOLS.flatMap((upgrade) => origins.map((origin) => ({ upgrade, origin })));
        const responses = await Promise.all(
          upgrades.map(
            async (upgradeHeaders) =>
              await send(rig, {
                path,
                headers: {
                  ...credentials,
                  ...upgradeHeaders,
                  connection: 'Upgrade, HTTP2-Settings, close',
                  'sec-websocket-version': '13',
                  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
                  'http2-settings': 'AAMAAABkAAQAAP__',
                  'sec-websocket-protocol': `bearer, ${token}`,
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

describe('paths of the web UI', () => {
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

  test('path traversal does not give access to other files', async () => {
    const { rig } = await openWebUi();
    const paths = UP.flatMap((up) =>
      FILES.flatMap((file) =>
        ['/', '/assets/', '//', '/assets/ui.js/'].map((start) => start + up.repeat(6) + file),
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
  ])('the unusual path %s does not bypass the check of the API key', async (path) => {
    const { rig } = await openWebUi();
    expect([401, 404]).toContain((await send(rig, { path })).status);
  });

  test('the index page ignores a sign-in code in the query of its URL', async () => {
    const { rig } = await openWebUi();
    const code = await createCode(rig);
    const response = await send(rig, { path: `/?code=${code}` });
    expect([response.status, response.body.includes(code)]).toEqual([200, false]);
    expect((await exchangeCode(rig, code)).status).toBe(200);
  });
});

/** Sends the bytes and returns everything that the service sends until it closes the connection. */
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

describe('clients without a key', () => {
  test('a sign-in request with a body of more than 2,000 bytes is refused with 413', async () => {
    const { rig } = await openWebUi();
    const path = '/v2/sessions';
    const headers = { ...SAME_ORIGIN, ...JSON_TYPE };
    const request = { method: 'POST', path, headers, body: `{"code":"${'f'.repeat(2000)}"}` };
    expect((await send(rig, request)).status).toBe(413);
    const declared = { method: 'POST', path, headers: { ...headers, 'content-length': '99999999' } };
    expect((await send(rig, declared)).status).toBe(413);
  });

  /** Header lines that servers interpret in different ways. */
  const HEADER_SECTIONS = [
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

  /** Invalid request lines. */
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

  /** Invalid chunked bodies. */
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

  test('none of at least a hundred ambiguous requests smuggles a second request', async () => {
    const { rig } = await openWebUi();
    const { port } = rig.service;
    const host = `Host: 127.0.0.1:${port}\r\n`;
    const hidden = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
    const chunked = `POST /v2/sessions HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`;
    const all = [
      ...HEADER_SECTIONS.map((lines) => `GET / HTTP/1.1\r\n${host}${lines}\r\n\r\n0\r\n\r\n${hidden}`),
      ...LINES.map((line) => `${line}\r\n${host}\r\n${hidden}`),
      ...CHUNKS.map((chunk) => `${chunked}${chunk}0\r\n\r\n${hidden}`),
    ];
    expect(all.length).toBeGreaterThanOrEqual(100);
    const responses = await Promise.all(all.map(async (bytes) => await untilClosed(port, bytes)));
    expect(all.filter((_, at) => responses[at]?.includes('"status":"ok"') !== false)).toEqual([]);
    expect(rig.log.filter(({ route }) => route === '/healthz')).toEqual([]);
    // The hidden request succeeds when it is sent alone.
    expect(await untilClosed(port, hidden.replace(host, `${host}Connection: close\r\n`))).toContain(
      '"status":"ok"',
    );
  });
});

test('sign-in codes and session tokens do not appear in log lines or metrics', async () => {
  const { rig } = await openWebUi();
  const [token, code] = [await createToken(rig), await createCode(rig)];
  const link = rig.service.createSignInLink() ?? '';
  await overviewStatus(rig, bearer(token));
  await send(rig, { path: `/v2/overview?token=${token}` });
  await send(rig, { path: `/${code}`, headers: { referer: link } });
  await exchangeCode(rig, code);
  await exchangeCode(rig, code);
  await send(rig, { path: `/v2/apps/${code}`, headers: bearer(token) });
  await send(rig, {
    method: 'POST',
    path: '/v2/apps',
    headers: { ...SAME_ORIGIN, ...JSON_TYPE, ...bearer(token) },
    body: token,
  });
  const { text } = await rig.call('GET', '/metrics');
  const all = JSON.stringify(rig.log) + text;
  for (const secret of [token, code, link.slice(-32), API_KEY]) expect(all).not.toContain(secret);
});
