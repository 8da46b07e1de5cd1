/** Traced exchanges: verbatim except for secrets. */
// @module-tag load
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { TracedExchange } from '../../src/core/load/run-report.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { findFreePort } from '../support/free-port.ts';
import { jobOf, useTestEngine, runJob, targetOf, textBody, paramsBody } from '../support/test-engine.ts';
import {
  responseText,
  openRawTarget,
  type RawReply,
  type RawTarget,
  createSelfSigned,
} from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const testEngine = useTestEngine();

const SINGLE_TRACED = { total: 1, duration: 50, trace: { secrets: [] } };

async function exchangesOfThread(...[targets, changes]: Parameters<typeof jobOf>) {
  const { report } = await runJob(testEngine.engine, jobOf(targets, { ...SINGLE_TRACED, ...changes }));
  return report.exchanges;
}

/** Like `exchangesOfThread`, but runs the iteration in virtual time, without the start of a thread. */
async function exchangesOf(
  shop: RawTarget,
  ...[targets, changes]: Parameters<typeof jobOf>
): Promise<readonly TracedExchange[]> {
  const report = await runInVirtualTime(jobOf(targets, { ...SINGLE_TRACED, ...changes }), shop);
  return report.exchanges;
}

const ENDINGS: readonly (readonly [name: string, reply: RawReply, error: string, responseHeader: string])[] =
  [
    ['a connection reset', (_request, _write, socket) => socket.resetAndDestroy(), 'ECONNRESET', ''],
    ['a closed connection', (_request, _write, socket) => socket.end(), 'closed', ''],
    ['a timeout', () => undefined, 'timeout', ''],
    ['invalid data', (_request, write) => write('SSH-2.0-x\r\n'), 'status_line', 'SSH-2.0-x\r\n'],
    [
      'a truncated response',
      (_request, write, socket) => {
        write('HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nabc');
        socket.end();
      },
      'truncated',
      'HTTP/1.1 200 X\r\nContent-Length: 9',
    ],
  ];

describe('exchanges', () => {
  test('a run without a trace reports no exchanges', async () => {
    const shop = await openRawTarget((_request, write) => write(responseText(200, '')));
    expect(await exchangesOf(shop, [targetOf(shop.port)], { trace: null })).toEqual([]);
  });

  test('a trace shows the expected and the actual value of each failed expectation, and masks the actual value of a header with credentials', async () => {
    const shop = await openRawTarget((_request, write) => {
      write(responseText(200, '', ['X-Kind: pear', 'X-Auth-Token: hush']));
    });
    const expecting = (name: string, value: string, status = 200) => ({
      expect: { status: [status], headers: [{ name, value }], body: null, json: null },
    });
    const exchanges = await exchangesOf(shop, [
      targetOf(shop.port, expecting('X-Kind', 'pear')),
      targetOf(shop.port, expecting('X-Kind', 'apple')),
      targetOf(shop.port, expecting('X-Auth-Token', 'other')),
      targetOf(shop.port, expecting('X-None', '*')),
      targetOf(shop.port, expecting('X-Kind', 'pear', 201)),
    ]);
    expect(exchanges.map(({ success, unexpected }) => [success, unexpected])).toEqual([
      [true, null],
      [false, { error: 'response lacks the expected header "X-Kind: apple"', actual: 'pear' }],
      [false, { error: 'response lacks the expected header "X-Auth-Token: other"', actual: '***' }],
      [false, { error: 'response lacks the expected header "X-None: *"', actual: null }],
      [false, { error: 'status 200, expected 201', actual: '200' }],
    ]);
  });

  test('a trace shows a retry with the times of the connection that received the response', async () => {
    const shop = await openRawTarget(({ connection }, write, socket) => {
      setTimeout(() => {
        write(responseText(200, ''));
        if (connection === 0) socket.destroySoon();
      }, 20);
    });
    const [first, second] = await exchangesOf(shop, [
      targetOf(shop.port),
      targetOf(shop.port, { path: '/again' }),
    ]);
    expect(first).toMatchObject({ resent: false, status: 200 });
    expect(second).toMatchObject({ resent: true, status: 200, error: null });
    expect(second?.requestHeader).toMatch(/^GET \/again /);
    const { connect, wait = null, total = 0 } = second?.ms ?? {};
    expect(connect).toBeLessThanOrEqual(total);
    expect(wait).toBeGreaterThan(15);
    expect((connect ?? 0) + (wait ?? 0)).toBeLessThanOrEqual(total + 0.01);
  });

  test('a trace shows the requests, responses, redirects, variables and times of an iteration, and masks credentials', async () => {
    const shop = await openRawTarget((request, write) => {
      if (request.path === '/login') {
        write('HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n');
        const set = ['Set-Cookie: sid=canary-sid; Path=/', 'X-User: änna', 'Location: /home'];
        setTimeout(
          write,
          30,
          responseText(
            303,
            'moved',
            set.map((line) => Buffer.from(line).toString('latin1')),
          ),
        );
      } else write(responseText(request.path === '/home' ? 200 : 404, 'body'));
    });
    const login = targetOf(shop.port, {
      ...{
        url: `http://shop.test:${shop.port}/login`,
        path: '/login',
        method: 'POST',
        body: textBody('wörd=%{7}'),
      },
      credentials: { login: 'me', password: 'canary-password' },
      headers: [
        { name: 'COOKIE', value: 'own=canary-own' },
        { name: 'X-Trace', value: 'ü' },
      ],
      variables: [{ name: 'user', header: 'x-user' }],
    });
    const exchanges = await exchangesOfThread([login, targetOf(shop.port, { path: '/of/{{user}}' })]);
    expect(exchanges).toMatchObject([
      {
        target: 0,
        url: `http://shop.test:${shop.port}/login`,
        method: 'POST',
        redirected: false,
        status: 303,
        requestBody: 'wörd=7',
        error: null,
        variables: { user: 'änna' },
        responseHeader: [
          'HTTP/1.1 303 X',
          'Content-Length: 5',
          'Set-Cookie: sid=***; Path=/',
          'X-User: änna',
          'Location: /home',
        ].join('\r\n'),
      },
      {
        target: 0,
        url: `http://shop.test:${shop.port}/home`,
        method: 'GET',
        redirected: true,
        status: 200,
        requestBody: '',
        error: null,
        variables: {},
      },
      {
        target: 1,
        url: `http://shop.test:${shop.port}/of/%C3%A4nna`,
        method: 'GET',
        redirected: false,
        status: 404,
        responseHeader: 'HTTP/1.1 404 X\r\nContent-Length: 4',
      },
    ]);
    expect(exchanges[0]?.requestHeader.split('\r\n')).toEqual([
      'POST /login HTTP/1.1',
      `Host: shop.test:${shop.port}`,
      'User-Agent: loadtests/0.0.0',
      'X-Loadtests-Run: run-1',
      'Accept: */*',
      'Authorization: ***',
      'COOKIE: ***',
      'X-Trace: ü',
      'Content-Length: 7',
    ]);
    expect(exchanges[1]?.requestHeader).toContain('\r\nCookie: ***');
    expect(JSON.stringify(exchanges)).not.toContain('canary');
    expect(exchanges.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(shop.bytesOut());
    const [first, redirected] = exchanges.map(({ ms }) => ms);
    expect(first?.connect).toBeGreaterThanOrEqual(0);
    expect(first?.total).toBeGreaterThanOrEqual(29);
    expect(first?.tls).toBeNull();
    expect(redirected?.connect).toBeNull();
    expect(redirected?.wait).toBeLessThanOrEqual(redirected?.total ?? 0);
  });

  test('a trace contains up to 256 KiB of each decoded response body, masks credentials in bodies, and omits binary bodies', async () => {
    const json = '{"user":"wörd","access_token":"canary-1","nested":{"pin_secret":17},"note":"canary-2"}';
    const compressed = gzipSync(json).toString('latin1');
    const bodies: Readonly<Record<string, string>> = {
      '/json': responseText(200, json),
      '/gzip': `HTTP/1.1 200 X\r\nContent-Encoding: gzip\r\nContent-Length: ${compressed.length}\r\n\r\n${compressed}`,
      '/chunked': 'HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n',
      '/binary': responseText(200, 'a\u0000b'),
      '/empty': responseText(204, ''),
      '/large': responseText(200, 'x'.repeat(300_000)),
    };
    const shop = await openRawTarget((request, write) => {
      write(bodies[request.path] ?? responseText(500, ''));
    });
    const targets = Object.keys(bodies).map((path) => targetOf(shop.port, { path }));
    const exchanges = await exchangesOf(shop, targets, { trace: { secrets: ['canary-2'] } });
    const masked = '{"user":"wörd","access_token":"***","nested":{"pin_secret":"***"},"note":"***"}';
    expect(exchanges.map(({ responseBody }) => responseBody)).toEqual([
      masked,
      masked,
      'abc',
      null,
      '',
      'x'.repeat(256 * 1024),
    ]);
    expect(exchanges.map(({ success }) => success)).toEqual(Array.from({ length: 6 }, () => true));
  });

  test('a trace masks a secret in plain text, JSON, Latin-1, forms, URLs and Base64', async () => {
    const secret = `canary-ä b!'()*~"\\/%&c`;
    const utf8 = (text: string) => Buffer.from(text).toString('latin1');
    const echoes = [
      `X-Plain: ${utf8(secret)}`,
      `X-Json: {"said":${JSON.stringify(utf8(secret))}}`,
      `X-Escaped: ${JSON.stringify(secret).replaceAll('ä', '\\u00e4')}`,
      `X-Latin: ${secret}`,
      `X-Form: ${new URLSearchParams({ q: secret }).toString()}`,
      `X-Base64: ${Buffer.from(`ci:${secret}`).toString('base64')}`,
      `Location: /again?from=${encodeURIComponent(secret)}`,
    ];
    const shop = await openRawTarget((request, write) => {
      write(responseText(request.path.startsWith('/again') ? 200 : 302, '', echoes));
    });
    const body = paramsBody([{ name: 'said', value: secret }]);
    const requests = [
      { body },
      { method: 'POST', body },
      { method: 'POST', body: textBody(`${'x'.repeat(4090)}${secret}`) },
      { headers: [{ name: 'X-Said', value: secret }], credentials: { login: 'ci', password: secret } },
    ] as const;
    const exchanges = await exchangesOf(
      shop,
      requests.map((fields) =>
        targetOf(shop.port, { ...fields, variables: [{ name: 'plain', header: 'X-Plain' }] }),
      ),
      { trace: { secrets: [secret] } },
    );
    expect(exchanges).toHaveLength(8);
    expect(exchanges[0]?.url).toBe(`http://shop.test:${shop.port}/?said=***`);
    expect(exchanges[1]?.url).toBe(`http://shop.test:${shop.port}/again?from=***`);
    expect(exchanges[2]?.requestBody).toBe('said=***');
    expect(exchanges[4]?.requestBody).toBe(`${'x'.repeat(4090)}***`);
    expect(exchanges[6]?.requestHeader).toContain('X-Said: ***');
    expect(exchanges[0]?.variables).toEqual({ plain: '***' });
    const trace = JSON.stringify(exchanges);
    expect(trace).not.toMatch(/canary|Y2FuYXJ5|NhbmFye|jYW5hcn/);
    expect(trace.match(/X-Latin: \*{3}/g)).toHaveLength(8);
  });

  test('a trace masks a secret that contains an expression, after the engine has replaced the expression', async () => {
    const secret = 'canary-%{5}-yranac';
    const shop = await openRawTarget((request, write) => {
      write(
        responseText(200, '', [`X-Back: ${request.headers.find(([name]) => name === 'X-Said')?.[1] ?? ''}`]),
      );
    });
    const [exchange] = await exchangesOf(
      shop,
      [targetOf(shop.port, { headers: [{ name: 'X-Said', value: secret }] })],
      { trace: { secrets: [secret] } },
    );
    expect(exchange?.requestHeader).toMatch(/X-Said: \*{3}/);
    expect(JSON.stringify(exchange)).not.toMatch(/canary|yranac/);
  });

  test('a trace masks variables that are extracted from credentials or sent as credentials', async () => {
    const shop = await openRawTarget((request, write) => {
      const sensitiveHeaders = [
        'X-Auth-Token: canary-token',
        'X-Odd: canary-odd',
        'X-Id: 42',
        'X-Api-Key: canary-key',
      ];
      const redirect = !request.path.startsWith('/of/')
        ? []
        : [`Location: /see?token=canary-token&odd=canary-odd`];
      write(responseText(200, '', [...sensitiveHeaders, ...redirect]));
    });
    const variables = ['X-Auth-Token', 'X-Odd', 'X-Id'].map((header) => ({ name: header.slice(2), header }));
    const exchanges = await exchangesOf(shop, [
      // Its response has the same headers, before any variable is extracted.
      targetOf(shop.port, { path: '/before' }),
      targetOf(shop.port, { variables }),
      targetOf(shop.port, {
        path: '/of/{{Id}}/{{Auth-Token}}/{{Odd}}',
        headers: [{ name: 'Authorization', value: 'Bearer {{Odd}}' }],
        body: textBody('as={{Auth-Token}}'),
        method: 'POST',
      }),
    ]);
    expect(exchanges[1]?.variables).toEqual({ 'Auth-Token': '***', Odd: '***', Id: '42' });
    expect(exchanges[2]?.url).toBe(`http://shop.test:${shop.port}/of/42/***/***`);
    expect(exchanges[2]?.requestBody).toBe('as=***');
    expect(JSON.stringify(exchanges)).not.toContain('canary');
    const foldingTarget = await openRawTarget((_request, write) => {
      write(responseText(200, '', ['X-Session-Id: a', '  canary-folded']));
    });
    expect(JSON.stringify(await exchangesOf(foldingTarget, [targetOf(foldingTarget.port)]))).not.toContain(
      'canary',
    );
  });

  test('a trace shows the time of the TLS handshake', async () => {
    const shop = await openRawTarget((_request, write) => write(responseText(200, '')), {
      tls: createSelfSigned(),
    });
    const [exchange] = await exchangesOfThread([targetOf(shop.port, { secure: true })]);
    expect(exchange?.ms.tls).toBeGreaterThan(0);
    expect(exchange?.url).toBe(`https://shop.test:${shop.port}/`);
  });

  test.each(ENDINGS)(
    'a trace shows the error of an exchange that ends with %s',
    async (_name, reply, error, responseHeader) => {
      const shop = await openRawTarget(reply);
      const [exchange, ...others] = await exchangesOf(shop, [targetOf(shop.port)], { timeout: 300 });
      expect(exchange).toMatchObject({ status: null, error, responseHeader, variables: {} });
      expect(exchange?.ms.connect).not.toBeNull();
      expect(others).toEqual([]);
    },
  );

  test('a trace shows the errors of a refused connection and of a request with an undefined variable', async () => {
    const port = await findFreePort();
    const url = 'http://me:canary@shop.test/{{x}}';
    const exchanges = await exchangesOfThread([targetOf(port), targetOf(port, { path: '/{{x}}', url })]);
    expect(exchanges).toMatchObject([
      {
        status: null,
        error: 'ECONNREFUSED',
        responseHeader: '',
        bytes: 0,
        ms: { connect: null, wait: null },
      },
      { status: null, error: 'undefined_variable', requestHeader: '', url: 'http://shop.test/{{x}}' },
    ]);
  });

  test('if the engine closes, a trace shows an exchange in flight as abandoned', async () => {
    const engine = createEngine({ threadUrl: testEngine.threadUrl, version: '0.0.0' });
    // Closes the engine when the request arrives, and does not respond.
    const shop = await openRawTarget(() => void engine.close());
    const { report } = await runJob(engine, jobOf([targetOf(shop.port)], SINGLE_TRACED));
    expect(report.exchanges).toMatchObject([{ error: 'abandoned', status: null }]);
  });

  test('a trace contains at most 100 exchanges, with up to 4,096 characters of each request body and up to 16 KiB of each response header', async () => {
    const shop = await openRawTarget((_request, write) => {
      write(responseText(200, 'x'.repeat(100_000), [`X-Long: ${'y'.repeat(15_000)}`]));
    });
    const exchanges = await exchangesOf(
      shop,
      [targetOf(shop.port, { method: 'POST', body: textBody('z'.repeat(10_000)) })],
      {
        total: 150,
        duration: 500,
      },
    );
    expect(exchanges).toHaveLength(100);
    for (const exchange of exchanges) {
      expect(exchange.requestBody).toHaveLength(4096);
      expect(exchange.responseHeader.length).toBeLessThanOrEqual(16 * 1024);
      expect(exchange.responseHeader).not.toContain('xxx');
      expect(exchange.bytes).toBeGreaterThan(100_000);
    }
  });
});
