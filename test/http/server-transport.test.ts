import { describe, expect, test } from 'vitest';
import { DAY, MINUTE, SECOND, createTestClock } from '../support/test-clock.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { sendRaw } from '../support/raw-request.ts';
import {
  API_KEY,
  openTestService,
  smallTestFields,
  useTestService,
  type TestService,
} from '../support/test-service.ts';

const WRONG_KEY = 'f'.repeat(32);

function get(host: string | null, path = '/v2/apps', version = '1.1', key = API_KEY): string {
  const hostLine = host === null ? '' : `Host: ${host}\r\n`;
  return `GET ${path} HTTP/${version}\r\n${hostLine}service-auth: ${key}\r\nConnection: close\r\n\r\n`;
}

describe('the Host header', () => {
  const sharedService = useTestService();

  test.each(['127.0.0.1:PORT', 'localhost:PORT', 'LOCALHOST:PORT', '[::1]:PORT'])(
    'the Host header %s is accepted',
    async (host) => {
      const { service } = sharedService();
      expect((await sendRaw(service.port, get(host.replace('PORT', String(service.port))))).status).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'evil.example:PORT',
    'localhost',
    'localhost:1',
    'localhost.:PORT',
    'localhost.evil.example:PORT',
    '127.0.0.1.nip.io:PORT',
    '127.1:PORT',
    '2130706433:PORT',
    '0.0.0.0:PORT',
    'user@localhost:PORT',
    'localhost:PORT@evil.example',
    'localhost:PORT, evil.example',
    'localhost:0PORT',
    '',
  ])(
    'the Host header "%s" is refused on known and unknown paths, with a valid and with a wrong API key',
    async (spelling) => {
      const { service } = sharedService();
      const host = spelling.replace('PORT', String(service.port));
      for (const path of ['/v2/apps', '/healthz', '/nothing', '/v2/%zz']) {
        for (const key of [API_KEY, WRONG_KEY]) {
          const response = await sendRaw(service.port, get(host, path, '1.1', key));
          expect([400, 421]).toContain(response.status);
          expect(apiMismatch('error', JSON.parse(response.body))).toBeNull();
          expect(response.header).toMatch(/x-loadtests-service: /);
        }
      }
    },
  );

  test('wrong API keys in requests with a refused Host header do not block the valid key', async () => {
    const { service } = sharedService();
    const refused = get(`evil.example:${service.port}`, '/v2/apps', '1.1', WRONG_KEY);
    for (let count = 0; count < 40; count++) expect((await sendRaw(service.port, refused)).status).toBe(421);
    expect((await sendRaw(service.port, get(`127.0.0.1:${service.port}`))).status).toBe(200);
  });

  test('a request with two Host headers is refused', async () => {
    const { service } = sharedService();
    const request = get(`127.0.0.1:${service.port}\r\nHost: evil.example`);
    expect([400, 421]).toContain((await sendRaw(service.port, request)).status);
    const twice = get(`127.0.0.1:${service.port}\r\nHost: 127.0.0.1:${service.port}`);
    expect([400, 421]).toContain((await sendRaw(service.port, twice)).status);
  });

  test('a request without a Host header is refused, even in HTTP/1.0', async () => {
    const { service } = sharedService();
    expect([400, 421]).toContain((await sendRaw(service.port, get(null))).status);
    expect([400, 421]).toContain((await sendRaw(service.port, get(null, '/v2/apps', '1.0'))).status);
  });

  test('a request target that contains a host is refused', async () => {
    const { service } = sharedService();
    const request = get(`127.0.0.1:${service.port}`, `http://127.0.0.1:${service.port}/v2/apps`);
    expect((await sendRaw(service.port, request)).status).toBe(421);
  });

  test('a Host header with the public address is accepted with and without the default port, but not with another port', async () => {
    const { service } = await openTestService({ mode: 'serve', publicUrl: 'https://Loads.Example.com/' });
    for (const host of ['loads.example.com', 'loads.example.com:443']) {
      expect((await sendRaw(service.port, get(host))).status).toBe(200);
    }
    expect((await sendRaw(service.port, get('loads.example.com:80'))).status).toBe(421);
  });
});

describe('the API key', () => {
  test.each(['api_key', 'API-Key', 'apikey', 'service-auth', 'key', '%61pi_key'])(
    'a request with an API key in the query parameter %s is refused, even if the header contains the valid key',
    async (name) => {
      const rig = await openTestService();
      for (const path of ['/v2/apps', '/v2/nothing', '/metrics', '/v2/apps/%ff']) {
        for (const key of [null, API_KEY]) {
          const response = await rig.call('GET', `${path}?a=b&${name}=${API_KEY}`, { key });
          expect(response.status).toBe(401);
          expect(response.json.errors).toEqual([
            'send the API key in the header "service-auth", not in the URL, because URLs are often logged',
          ]);
        }
      }
      expect((await rig.call('GET', '/v2/apps?keys=1&page=api_key')).status).toBe(200);
      expect(JSON.stringify(rig.log)).not.toContain(API_KEY);
    },
  );

  test('after thirty wrong API keys, every key is refused until a further attempt is allowed two seconds later', async () => {
    const clock = createTestClock();
    const rig = await openTestService({ now: clock.now, ticker: clock.ticker });
    const sendWrongKey = async () => await rig.call('GET', '/v2/apps', { key: WRONG_KEY });
    for (let count = 0; count < 30; count++) expect((await sendWrongKey()).status).toBe(401);
    const sendRightKey = async () => await rig.call('GET', '/v2/apps');
    for (const response of [
      await sendWrongKey(),
      await sendRightKey(),
      await rig.call('GET', '/v2/apps/%ff'),
    ]) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
    }
    // A missing key is not a guess.
    expect((await rig.call('GET', '/v2/apps', { key: null })).status).toBe(401);
    clock.advance(2 * SECOND);
    // The right key does not use up attempts.
    expect([
      (await sendRightKey()).status,
      (await sendRightKey()).status,
      (await sendWrongKey()).status,
    ]).toEqual([200, 200, 401]);
    expect((await sendRightKey()).status).toBe(429);
    clock.advance(MINUTE);
    for (let count = 0; count < 30; count++) expect((await sendWrongKey()).status).toBe(401);
    expect((await sendRightKey()).status).toBe(429);
    clock.advance(-DAY);
    expect((await sendRightKey()).status).toBe(200);
  });

  test('an API key in a body is ignored', async () => {
    const rig = await openTestService();
    const form = { app: '127.0.0.1:4080', api_key: API_KEY, 'service-auth': API_KEY };
    expect((await rig.call('POST', '/v2/apps', { form, key: null })).status).toBe(401);
  });

  test('simple cross-origin requests require the API key', async () => {
    const rig = await openTestService();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', null]) {
      const raw = { type, body: 'app=127.0.0.1:4080' };
      const headers = { origin: 'http://evil.example' };
      expect((await rig.call('POST', '/v2/apps', { raw, headers, key: null })).status).toBe(401);
    }
    expect((await rig.call('OPTIONS', '/v2/apps', { key: null })).status).toBe(401);
    expect((await rig.call('GET', '/v2/apps')).json).toEqual([]);
  });

  test('an API key in the Authorization, X-API-Key or Cookie header is ignored', async () => {
    const rig = await openTestService();
    const headers = {
      authorization: `Bearer ${API_KEY}`,
      'x-api-key': API_KEY,
      cookie: `service-auth=${API_KEY}`,
    };
    expect((await rig.call('GET', '/v2/apps', { headers, key: null })).status).toBe(401);
  });

  test('a truncated, extended, repeated or uppercase API key is refused', async () => {
    const rig = await openTestService();
    for (const key of [API_KEY.slice(1), `${API_KEY}0`, `${API_KEY},${API_KEY}`, API_KEY.toUpperCase()]) {
      expect((await rig.call('GET', '/v2/apps', { key })).status).toBe(401);
    }
  });

  test('the API key does not appear in responses or log lines', async () => {
    const rig = await openTestService();
    const wrongKey = 'c0ffee'.repeat(6);
    const responses = [
      await rig.call('GET', '/v2/apps'),
      await rig.call('GET', `/v2/apps?key=${API_KEY}`, { key: wrongKey }),
      await rig.call('POST', '/v2/apps', { raw: { type: 'application/json', body: `{"app":"${API_KEY}"` } }),
    ];
    const all = JSON.stringify([responses.map(({ text, headers }) => [text, [...headers]]), rig.log]);
    expect(all).not.toContain(API_KEY);
    expect(all).not.toContain(wrongKey);
  });
});

describe('request bodies', () => {
  const TESTS = '/v2/tests';
  const post = async (rig: TestService, path: string, type: string | null, body: string | Buffer) =>
    await rig.call('POST', path, { raw: { type, body } });

  test.each([
    'application/json ',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'Application/JSON',
    'application/json; charset="utf-8"',
  ])('a JSON body with the content type "%s" is accepted', async (type) => {
    const rig = await openTestService();
    expect((await post(rig, '/v2/apps', type, '{"app":"127.0.0.1:4080"}')).status).toBe(200);
  });

  test.each([
    'json',
    'text/json',
    'text/html',
    'text/plain; charset=latin1',
    'text/plain; application/json',
    'application/json\t; charset=latin1',
    'application/json; charset=utf-16',
    'application/json;',
    'application/json; a=b',
    'application/json, text/plain',
    'application/json text',
    'application/x-json',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded; charset=utf-16',
    'multipart/form-data; boundary=x',
  ])('a create request with the content type "%s" is refused with 415', async (type) => {
    const rig = await openTestService();
    const response = await post(rig, TESTS, type, JSON.stringify(smallTestFields('http://127.0.0.1:4080/')));
    expect(response.status).toBe(415);
    expect(apiMismatch('error', response.json)).toBeNull();
  });

  test.each([
    ['no content', ''],
    ['a truncated object', '{"test_type":'],
    ['two values', '{} {}'],
    ['a comment', '{/* */}'],
    ['an invalid number', '{"duration": NaN}'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['a list at the top level', '[]'],
    ['null at the top level', 'null'],
    ['a string at the top level', '"x"'],
    ['a million unclosed brackets', '['.repeat(1_000_000)],
    ['900,000 nested pairs of brackets', '['.repeat(900_000) + ']'.repeat(900_000)],
    ['deeply nested objects', '{"a":'.repeat(40) + '1' + '}'.repeat(40)],
    ['a "__proto__" member', '{"__proto__": {"admin": true}}'],
    ['an escaped "__proto__" member', '{"\\u005f_proto__": {"admin": true}}'],
    ['a "__proto__" member among headers', '{"urls":[{"url":"http://a/","headers":{"__proto__":"x"}}]}'],
    ['a "constructor" member', '{"constructor": {"prototype": {"admin": true}}}'],
  ])('a body with %s is refused with 422', async (_, body) => {
    const rig = await openTestService();
    const response = await post(rig, TESTS, 'application/json', body);
    expect(response.status).toBe(422);
    expect(apiMismatch('error', response.json)).toBeNull();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  test.each([
    ['a duplicate field', 'app=a.example&app=b.example'],
    ['an unknown field', 'app=a.example&x=1'],
    ['a field with brackets', 'app[]=a.example'],
    ['a broken escape', 'app=%zz'],
    ['invalid UTF-8', 'app=%ff'],
    ['a "__proto__" field', '__proto__=x&app=a.example'],
    ['no field', ''],
    ['an empty host', 'app='],
  ])('a form with %s is refused with 422', async (_, body) => {
    const rig = await openTestService();
    const response = await post(rig, '/v2/apps', 'application/x-www-form-urlencoded', body);
    expect(response.status).toBe(422);
    expect(apiMismatch('error', response.json)).toBeNull();
    expect((await rig.call('GET', '/v2/apps')).json).toEqual([]);
  });

  test('a body of more than 2 MiB is refused', async () => {
    const rig = await openTestService();
    const response = await post(rig, TESTS, 'application/json', `"${'x'.repeat(2 * 1024 * 1024)}"`);
    expect(response.status).toBe(413);
    expect(apiMismatch('error', response.json)).toBeNull();
  });

  test('a body whose Content-Length exceeds the maximum is refused before the body is sent', async () => {
    const rig = await openTestService();
    const { port } = rig.service;
    const header = `POST /v2/tests HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nservice-auth: ${API_KEY}\r\n`;
    const request = `${header}Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{`;
    expect((await sendRaw(port, request)).status).toBe(413);
  });

  test('a stop request accepts an empty object and refuses other bodies', async () => {
    const rig = await openTestService();
    await rig.verifiedApp('127.0.0.1:4080');
    const { test_id: id } = (
      await rig.call('POST', TESTS, { json: smallTestFields('http://127.0.0.1:4080/') })
    ).json;
    expect((await rig.call('PUT', `/v2/tests/${id}/stop`, { json: {} })).status).toBe(200);
    expect((await rig.call('PUT', `/v2/tests/${id}/stop`, { json: 0 })).status).toBe(422);
    expect((await rig.call('PUT', `/v2/tests/${id}/stop`, { json: { now: true } })).status).toBe(422);
    expect((await rig.call('PUT', `/v2/tests/${id}/stop`, { json: [{}] })).status).toBe(422);
  });

  test('an error message contains the location of an invalid value, but not the value', async () => {
    const rig = await openTestService();
    const credentials = { login: 'ci', password: ['hunter2-canary'] };
    const json = smallTestFields('http://127.0.0.1:4080/', {
      urls: [{ url: 'http://127.0.0.1:4080/', credentials }],
    });
    const response = await rig.call('POST', TESTS, { json });
    expect(response.json.errors[0]).toContain('/urls/0/credentials/password');
    expect(response.text).not.toContain('canary');
  });
});

describe('invalid HTTP requests', () => {
  test.each([
    ['text of another protocol', 'hello\r\n\r\n'],
    [
      'two Content-Length headers',
      `POST /v2/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    ],
    [
      'a Content-Length and chunks',
      `POST /v2/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
    ['a header of 1 MB', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(1_000_000)}\r\n\r\n`],
  ])(
    'a request with %s receives an error or a closed connection, and the service then still passes the health check',
    async (_, request) => {
      const rig = await openTestService();
      const response = await sendRaw(rig.service.port, request);
      // A client that is still sending may only see the connection reset.
      if (response.status !== 0) {
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.header).toMatch(/connection: close/i);
        expect(apiMismatch('error', JSON.parse(response.body))).toBeNull();
      }
      expect((await rig.call('GET', '/healthz', { key: null })).status).toBe(200);
    },
  );
});
