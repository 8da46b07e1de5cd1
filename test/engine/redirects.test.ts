/**
 * Redirects are followed within the verified host, each as a request of its own. No other host is ever
 * contacted.
 */
// @module-tag load
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../src/core/load/load-job.ts';
import {
  jobOf as longJobOf,
  useTestEngine,
  runJob,
  targetOf,
  textBody,
  paramsBody,
} from '../support/test-engine.ts';
import { responseText, openRawTarget, type RawTarget, type RawReply } from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

/** Short unless a test sets another duration. */
const jobOf: typeof longJobOf = (targets, changes) => longJobOf(targets, { duration: 100, ...changes });

const testEngine = useTestEngine();

/** Redirects `/go`, and responds to all other requests. */
const redirecting =
  (status: number, location: (port: number) => string | null, port: () => number = () => 0): RawReply =>
  (request, write) => {
    const target = location(port());
    const isRedirect = request.path.startsWith('/go');
    write(
      isRedirect
        ? responseText(status, 'moved', target === null ? [] : [`Location: ${target}`])
        : responseText(200, 'ok'),
    );
  };

const SINGLE = { total: 1 };

/** Runs one iteration in virtual time, without the start of a thread. */
async function runOnce(targets: readonly JobTarget[], shop: RawTarget) {
  const report = await runInVirtualTime(jobOf(targets, SINGLE), shop);
  return { report, ledger: report.total.ledger };
}

const form: Partial<JobTarget> = {
  method: 'POST',
  path: '/go',
  body: paramsBody([{ name: 'a', value: '1' }]),
  headers: [
    { name: 'X-Own', value: 'yes' },
    { name: 'Content-Language', value: 'en' },
  ],
};

describe('redirects', () => {
  test.each([
    ...([301, 302, 303, 307, 308] as const).map((status) => [status, 'GET', 'GET', false] as const),
    ...([301, 302, 303] as const).map((status) => [status, 'POST', 'GET', false] as const),
    ...([307, 308] as const).map((status) => [status, 'POST', 'POST', true] as const),
    ...([301, 302, 307, 308] as const).map((status) => [status, 'PUT', 'PUT', true] as const),
    ...([301, 302, 303, 307, 308] as const).map((status) => [status, 'HEAD', 'HEAD', false] as const),
    [303, 'PATCH', 'GET', false],
    [303, 'DELETE', 'GET', false],
    [302, 'DELETE', 'DELETE', true],
  ] as const)(
    'a redirect with status %i of a %s request is followed with the method %s',
    async (status, method, expectedMethod, keepsBody) => {
      const shop = await openRawTarget(redirecting(status, () => '/there?x=1'));
      const hasNoBody = method === 'GET' || method === 'HEAD';
      const request = hasNoBody ? { method, path: '/go', headers: form.headers ?? [] } : { ...form, method };
      const { ledger, report } = await runOnce([targetOf(shop.port, request)], shop);
      expect(shop.requests.map((request) => [request.method, request.path])).toEqual([
        [method, '/go'],
        [expectedMethod, '/there?x=1'],
      ]);
      const names = shop.requests[1]?.headers.map(([name]) => name.toLowerCase()) ?? [];
      const generatedHeaders = ['host', 'user-agent', 'x-loadtests-run', 'accept'];
      const isSameMethod = method === expectedMethod;
      expect(names).toEqual([
        ...generatedHeaders,
        ...(keepsBody ? ['content-type'] : []),
        ...(isSameMethod ? ['x-own', 'content-language'] : ['x-own']),
        ...(keepsBody ? ['content-length'] : []),
      ]);
      expect(shop.requests[1]?.body).toBe(keepsBody ? 'a=1' : '');
      expect(ledger).toMatchObject({ planned: 2, started: 2, success: 2, abandoned: 0 });
      expect(report.total.statusCodes).toEqual({ [status]: 1, 200: 1 });
      expect(report.total.bytesSent).toBe(shop.bytesIn());
      expect(report.total.bytesReceived).toBe(shop.bytesOut());
      expect(shop.connections()).toBe(1);
    },
  );

  test.each([
    ['an absolute path', () => '/there', '/there'],
    ['a relative path', () => 'there', '/a/there'],
    ['a parent directory', () => '../there', '/there'],
    ['a query without a path', () => '?b=2', '/a/go?b=2'],
    ['an absolute URL', (port: number) => `http://shop.test:${port}/there`, '/there'],
    [
      'a URL with uppercase letters in its scheme and host',
      (port: number) => `HTTP://SHOP.test:${port}/there`,
      '/there',
    ],
    ['a URL without a scheme', (port: number) => `//shop.test:${port}/there`, '/there'],
    ['a path with a fragment', () => '/there#part', '/there'],
    ['a path with spaces and non-ASCII characters', () => '/th ere/ä', '/th%20ere/%C3%A4'],
    ['a path that looks like a variable and an expression', () => '/{{x}}/%{1}', '/%7B%7Bx%7D%7D/%%7B1%7D'],
  ])('a redirect to %s is followed', async (_name, location, path) => {
    const shop: RawTarget = await openRawTarget((request, write) => {
      const to = Buffer.from(location(shop.port)).toString('latin1');
      write(request.path === '/a/go' ? responseText(302, '', [`Location: ${to}`]) : responseText(200, ''));
    });
    const targets = [
      targetOf(shop.port, { path: '/a/go', variables: [{ name: 'x', header: 'content-length' }] }),
      targetOf(shop.port, { path: '/last' }),
    ];
    const { ledger } = await runOnce(targets, shop);
    expect(shop.requests.map((request) => request.path)).toEqual(['/a/go', path, '/last']);
    expect(ledger).toMatchObject({ planned: 3, started: 3, success: 3 });
  });

  test.each([
    ['another host in its Location', (port: number) => `http://elsewhere.test:${port}/`],
    ['the IP address of the host in its Location', (port: number) => `http://127.0.0.1:${port}/`],
    ['another port in its Location', (port: number) => `http://shop.test:${port === 80 ? 81 : 80}/`],
    ['another scheme in its Location', (port: number) => `https://shop.test:${port}/`],
    ['another host and no scheme in its Location', () => '//elsewhere.test/'],
    ['backslashes and another host in its Location', () => '\\\\elsewhere.test/'],
    ['user info in its Location', (port: number) => `http://me@shop.test:${port}/`],
    [
      'user info that looks like the host in its Location',
      (port: number) => `http://shop.test:${port}@elsewhere.test/`,
    ],
    ['an invalid URL in its Location', () => 'http://['],
    ['a script URL in its Location', () => 'javascript:alert(1)'],
    ['an empty Location', () => ''],
    ['no Location', () => null],
    ['two Locations', () => '/a\r\nLocation: /b'],
  ])('a 302 response with %s is not followed, and no other host is contacted', async (_name, location) => {
    // A server that would be contacted if the name or the port of the Location were used.
    const trap = await openRawTarget((_request, write) => write(responseText(200, '')));
    const shop: RawTarget = await openRawTarget((request, write) => {
      redirecting(302, location, () => trap.port)(request, write, undefined as never);
    });
    const targets = ['/go', '/next'].map((path) => targetOf(shop.port, { path }));
    const { ledger, report } = await runOnce(targets, shop);
    expect(shop.requests.map(({ path }) => path)).toEqual(['/go', '/next']);
    expect(trap.connections()).toBe(0);
    expect(ledger).toMatchObject({ planned: 2, started: 2, success: 2 });
    expect(report.total.statusCodes).toEqual({ 302: 1, 200: 1 });
  });

  test.each([300, 304, 305, 306])(
    'the Location header of a response with status %i is not followed, and the response counts as a success',
    async (status) => {
      const shop = await openRawTarget((_request, write) => {
        write(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\nLocation: /there\r\n\r\n`);
      });
      const { ledger } = await runOnce([targetOf(shop.port)], shop);
      expect(ledger).toMatchObject({ planned: 1, started: 1, success: 1 });
      expect(shop.requests).toHaveLength(1);
    },
  );

  test.each([200, 201, 404])(
    'the Location header of a response with status %i is not followed',
    async (status) => {
      const shop = await openRawTarget((_request, write) => {
        write(responseText(status, '', ['Location: /there']));
      });
      await runOnce([targetOf(shop.port)], shop);
      expect(shop.requests).toHaveLength(1);
    },
  );

  test.each(['non-cycling', 'cycling'] as const)(
    'in a %s test, the engine stops following a redirect loop after ten redirects and counts the last response as a success',
    async (testType) => {
      const shop = await openRawTarget((request, write) => {
        write(responseText(302, '', [`Location: ${request.path}`]));
      });
      const job = jobOf([targetOf(shop.port, { path: '/go' })], {
        testType,
        initial: 2,
        total: 2,
        duration: 100,
      });
      const { ledger, report } = await runJob(testEngine.engine, job);
      expect(ledger.planned).toBe(shop.requests.length);
      expect(shop.requests.length % 11).toBe(0);
      expect(shop.requests.length).toBeGreaterThanOrEqual(22);
      expect(ledger).toMatchObject({
        started: shop.requests.length,
        success: shop.requests.length,
        abandoned: 0,
      });
      expect(report.total.latency).not.toBeNull();
    },
  );

  test('a 307 redirect is followed with the original headers and body, and its response sets cookies and variables', async () => {
    const shop = await openRawTarget((request, write) => {
      if (request.path === '/start') write(responseText(200, '', ['X-Token: first']));
      else if (request.path === '/go') {
        write(responseText(307, '', ['Location: /there', 'X-Token: second', 'Set-Cookie: sid=1; Path=/']));
      } else write(responseText(200, ''));
    });
    const variables = [{ name: 'token', header: 'x-token' }];
    const job = jobOf(
      [
        targetOf(shop.port, { path: '/start', variables }),
        targetOf(shop.port, {
          ...{ path: '/go', method: 'POST', variables, body: textBody('{{token}} %{5:9}') },
          headers: [{ name: 'Authorization', value: 'Bearer {{token}}' }],
        }),
        targetOf(shop.port, { path: '/last/{{token}}' }),
      ],
      SINGLE,
    );
    await runJob(testEngine.engine, job);
    expect(shop.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/start', ''],
      ['POST', '/go', 'first 5'],
      ['POST', '/there', 'first 5'],
      ['GET', '/last/second', ''],
    ]);
    const header = (index: number, headerName: string) =>
      shop.requests[index]?.headers.find(([name]) => name === headerName)?.[1];
    expect(header(2, 'Authorization')).toBe('Bearer first');
    expect([1, 2, 3].map((index) => header(index, 'Cookie'))).toEqual([undefined, 'sid=1', 'sid=1']);
  });

  test('a redirected request sends the cookies that the redirect response set, even if the iteration has only one request', async () => {
    const shop = await openRawTarget((request, write) => {
      const cookies = request.headers.find(([name]) => name === 'Cookie')?.[1];
      if (cookies === 'sid=1') write(responseText(200, 'in'));
      else write(responseText(303, '', ['Set-Cookie: sid=1; Path=/', 'Location: /home']));
    });
    const job = jobOf([targetOf(shop.port, { method: 'POST', path: '/login', body: textBody('x') })]);
    const { report } = await runJob(testEngine.engine, job);
    expect(report.total.statusCodes).toEqual({ 303: 10, 200: 10 });
  });

  test('a redirect is followed on a new connection if the target closes the previous connection', async () => {
    const shop = await openRawTarget((request, write, socket) => {
      if (request.path !== '/go') {
        write(responseText(200, ''));
        return;
      }
      write(responseText(302, '', ['Location: /there', 'Connection: close']));
      socket.end();
    });
    const { ledger } = await runJob(testEngine.engine, jobOf([targetOf(shop.port, { path: '/go' })]));
    expect(ledger).toMatchObject({ planned: 20, started: 20, success: 20 });
    expect(shop.connections()).toBe(20);
  });

  test('a failed request that follows a redirect counts for the URL that was redirected, and the iteration continues', async () => {
    const shop = await openRawTarget((request, write, socket) => {
      if (request.path === '/go') write(responseText(302, '', ['Location: /there']));
      else if (request.path === '/there') socket.resetAndDestroy();
      else write(responseText(200, ''));
    });
    const job = jobOf([targetOf(shop.port, { path: '/go' }), targetOf(shop.port, { path: '/next' })]);
    const { report } = await runJob(testEngine.engine, job);
    expect(report.targets.map(({ ledger }) => [ledger.planned, ledger.success, ledger.network])).toEqual([
      [20, 10, { ECONNRESET: 10 }],
      [10, 10, {}],
    ]);
  });

  test.each(['non-cycling', 'cycling'] as const)(
    'a %s test that is stopped while it follows redirects counts every request that the target received',
    async (testType) => {
      let stopRun = (): void => undefined;
      const shop = await openRawTarget((request, write) => {
        setTimeout(write, 5, responseText(302, '', [`Location: ${request.path}`]));
        if (shop.requests.length === 20) stopRun();
      });
      const job = jobOf([targetOf(shop.port, { path: '/go' }), targetOf(shop.port, { path: '/next' })], {
        testType,
        initial: 5,
        total: 50,
        duration: 20_000,
      });
      const { ledger } = await runJob(testEngine.engine, job, (load) => {
        stopRun = () => load.stop('stopped');
      });
      expect(ledger.started).toBe(shop.requests.length);
      expect(ledger.success).toBe(shop.requests.length);
      if (testType === 'non-cycling') expect(ledger.notStarted.stopped).toBeGreaterThan(50);
    },
  );

  test('the response time of each request in a chain of redirects is measured separately', async () => {
    const shop = await openRawTarget((request, write) => {
      const hops = Number(request.path.slice(2));
      setTimeout(
        write,
        40,
        hops < 3 ? responseText(302, '', [`Location: /h${hops + 1}`]) : responseText(200, ''),
      );
    });
    const report = await runInVirtualTime(jobOf([targetOf(shop.port, { path: '/h0' })], SINGLE), shop);
    expect(report.total.ledger.success).toBe(4);
    expect(report.total.latency).toMatchObject({ min: 40, max: 40 });
  });

  test('a redirect from HTTPS is followed to HTTPS, but not to plain HTTP', async () => {
    const { createSelfSigned } = await import('../support/raw-target.ts');
    const shop: RawTarget = await openRawTarget(
      (request, write) => {
        const location =
          request.path === '/go' ? `https://shop.test:${shop.port}/on` : `http://shop.test:${shop.port}/`;
        write(responseText(302, '', [`Location: ${location}`, 'Set-Cookie: s=1; Secure; Path=/']));
      },
      { tls: createSelfSigned() },
    );
    await runJob(testEngine.engine, jobOf([targetOf(shop.port, { path: '/go', secure: true })], SINGLE));
    expect(shop.requests.map(({ path }) => path)).toEqual(['/go', '/on']);
    expect(shop.requests[1]?.headers).toContainEqual(['Cookie', 's=1']);
  });
});
