/** Requests arrive exactly as the test declares them. */
// @module-tag load
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../src/core/load/load-job.ts';
import { compileJob } from '../../src/engine/request-compiler.ts';
import {
  jobOf,
  useTestEngine,
  runJob,
  targetOf,
  type JobChanges,
  textBody,
  paramsBody,
  iterationOf,
} from '../support/test-engine.ts';
import { responseText, openRawTarget } from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

function renderRequest(
  changes: Partial<JobTarget>,
  values: readonly (string | undefined)[] = [],
  job: JobChanges = {},
): string | null {
  // Declares v0, v1, … as variables without changing the target under test.
  const variableSource = targetOf(80, {
    variables: values.map((_, index) => ({ name: `v${index}`, header: 'x' })),
  });
  return (
    compileJob(jobOf([targetOf(80, changes), variableSource], job)).targets[0]?.render(
      iterationOf([...values]),
    ) ?? null
  );
}

function headerOf(changes: Partial<JobTarget>, values: readonly (string | undefined)[] = []): string {
  return renderRequest(changes, values)?.split('\r\n\r\n')[0] ?? '';
}

function firstLine(changes: Partial<JobTarget>, values: readonly (string | undefined)[] = []): string {
  return headerOf(changes, values).split('\r\n')[0] ?? '';
}

function bodyOf(changes: Partial<JobTarget>, values: readonly (string | undefined)[] = []): string {
  const request = renderRequest({ method: 'POST', ...changes }, values) ?? '';
  return Buffer.from(request.slice(request.indexOf('\r\n\r\n') + 4), 'latin1').toString('utf8');
}

const params = (...pairs: readonly (readonly [string, string])[]): Partial<JobTarget> => ({
  body: paramsBody(pairs.map(([name, value]) => ({ name, value }))),
});
const headers = (...pairs: readonly (readonly [string, string])[]): Partial<JobTarget> => ({
  headers: pairs.map(([name, value]) => ({ name, value })),
});

describe('rendered requests', () => {
  test('a request without declared headers is rendered with the default headers', () => {
    expect(renderRequest({ path: '/a?b=c' })).toBe(
      [
        'GET /a?b=c HTTP/1.1',
        'Host: shop.test:80',
        'User-Agent: loadtests/0.0.0',
        'X-Loadtests-Run: run-1',
        'Accept: */*',
        '',
        '',
      ].join('\r\n'),
    );
  });

  test.each([
    ['/a', {}, '/a'],
    ['/a', params(['q', 'x']), '/a?q=x'],
    ['/a', params(['q', 'x y'], ['r', 'ä&=']), '/a?q=x%20y&r=%C3%A4%26%3D'],
    ['/a?b', params(['q', 'x']), '/a?b&q=x'],
    ['/a?', params(['q', 'x']), '/a?q=x'],
    ['/a?b&', params(['q', 'x'], ['q', 'y']), '/a?b&q=x&q=y'],
    ['/ä b', {}, '/%C3%A4%20b'],
    ['/a%20b', {}, '/a%20b'],
  ])(
    'a GET request with the path %s and the settings %j is rendered with the request target %s',
    (path, changes, target) => {
      expect(firstLine({ path, ...changes })).toBe(`GET ${target} HTTP/1.1`);
    },
  );

  test('declared headers keep their order and duplicates, and replace default headers', () => {
    const ownHeaders = headers(
      ['X-B', '1'],
      ['X-A', '2'],
      ['X-B', '3'],
      ['user-agent', 'me'],
      ['Accept', 'text/html'],
    );
    expect(headerOf(ownHeaders).split('\r\n').slice(1)).toEqual([
      'Host: shop.test:80',
      'X-Loadtests-Run: run-1',
      'X-B: 1',
      'X-A: 2',
      'X-B: 3',
      'user-agent: me',
      'Accept: text/html',
    ]);
  });

  test.each([[['user-agent', 'me']], [['User-Agent', '']], [['USER-AGENT', '%{1:9}']]] as const)(
    'a request that declares the header %j has one User-Agent header and still contains the run ID',
    (headerField) => {
      const lines = headerOf(headers([...headerField])).split('\r\n');
      expect(lines.filter((line) => /^user-agent:/i.test(line))).toHaveLength(1);
      expect(lines.filter((line) => /^x-loadtests-run: run-1$/i.test(line))).toHaveLength(1);
    },
  );

  test('credentials are sent as Basic authentication unless the request declares an Authorization header', () => {
    const credentials = { login: 'anna', password: 'pä:ss' };
    const encoded = Buffer.from('anna:pä:ss').toString('base64');
    expect(headerOf({ credentials })).toContain(`\r\nAuthorization: Basic ${encoded}`);
    expect(headerOf({ credentials, ...headers(['authorization', 'Bearer x']) })).not.toContain('Basic');
  });

  test('the parameters of a POST request are sent in its body', () => {
    const form = { method: 'POST' as const, ...params(['a b', 'c d'], ['e', 'ä+&']) };
    expect(firstLine(form)).toBe('POST / HTTP/1.1');
    expect(headerOf(form)).toContain('Content-Type: application/x-www-form-urlencoded');
    expect(headerOf(form)).toContain('Content-Length: 22');
    expect(bodyOf(form)).toBe('a+b=c+d&e=%C3%A4%2B%26');
    expect(headerOf({ ...form, ...headers(['content-type', 'x/y']) }).match(/content-type/gi)).toHaveLength(
      1,
    );
  });

  test('a raw body is sent unchanged', () => {
    const raw = { method: 'POST' as const, body: textBody('{"a": "ä"}') };
    expect(headerOf(raw)).toContain('Content-Length: 11');
    expect(headerOf(raw)).not.toContain('Content-Type');
    expect(bodyOf(raw)).toBe('{"a": "ä"}');
  });

  test('a POST request without a body has a Content-Length of 0', () => {
    expect(headerOf({ method: 'POST' })).toContain('Content-Length: 0');
  });

  test.each([
    ['in a path', { path: '/a/{{v0}}/b' }, ['x/y?z'], 'GET /a/x%2Fy%3Fz/b HTTP/1.1'],
    ['in a percent-encoded path', { path: '/%7B%7Bv0%7D%7D' }, ['x'], 'GET /x HTTP/1.1'],
    ['in a query', { path: '/?a={{ v0 }}' }, ['1&2'], 'GET /?a=1%262 HTTP/1.1'],
    ['in a parameter', params(['q', '<{{v0}}>']), ['ä'], 'GET /?q=%3C%E4%3E HTTP/1.1'],
    ['that occurs twice in a path', { path: '/{{v0}}{{v1}}{{v0}}' }, ['a', 'b'], 'GET /aba HTTP/1.1'],
    [
      'whose value contains a line break',
      { path: '/{{v0}}' },
      ['a\r\nX: y'],
      'GET /a%0D%0AX%3A%20y HTTP/1.1',
    ],
  ])('a variable %s is replaced by its percent-encoded value', (_name, changes, values, line) => {
    expect(firstLine(changes, values)).toBe(line);
  });

  test('the value of a variable is unchanged in a header and a raw body, and form-encoded in a form', () => {
    expect(headerOf(headers(['X-Token', 'a {{v0}} b']), ['1 & ü'])).toContain('\r\nX-Token: a 1 & ü b');
    expect(bodyOf({ body: textBody('{"id": "{{v0}}"}') }, ['a"b'])).toBe('{"id": "a"b"}');
    expect(bodyOf(params(['id', '{{v0}}']), ['a b'])).toBe('id=a+b');
  });

  test('the Content-Length includes the values of variables', () => {
    expect(headerOf({ method: 'POST', body: textBody('{{v0}}') }, ['x'.repeat(1234)])).toContain(
      'Content-Length: 1234',
    );
  });

  test.each([
    ['an undefined variable', { path: '/{{v0}}' }, [undefined]],
    ['a variable that is never set', { path: '/{{other}}' }, ['x']],
    ['an undefined variable in a body', { method: 'POST' as const, body: textBody('{{v0}}') }, [undefined]],
    ['CR in a header', headers(['X-A', '{{v0}}']), ['a\rb']],
    ['LF in a header', headers(['X-A', '{{v0}}']), ['a\nb']],
    ['NUL in a header', headers(['X-A', '{{v0}}']), ['a\0b']],
  ])('a request with %s is not rendered', (_name, changes, values) => {
    expect(renderRequest(changes, values)).toBeNull();
  });

  test.each([
    [['Host', 'a']],
    [['content-length', '1']],
    [['Transfer-Encoding', 'chunked']],
    [['Connection', 'close']],
    [['Expect', '100-continue']],
    [['Proxy-Authorization', 'x']],
    [['X-Loadtests-Run', 'x']],
    [['X A', 'b']],
    [['', 'b']],
    [['X-A', 'b\r\nX-B: c']],
  ] as const)('a request with the reserved or invalid header %j is reported as a bug', (header) => {
    expect(() => renderRequest(headers(header))).toThrow('Bug');
  });
});

describe('requests on the wire', () => {
  const testEngine = useTestEngine();

  test('the method, path, headers and body of a request arrive unchanged', async () => {
    const shop = await openRawTarget((_request, write) => write(responseText(200, '')));
    const text = 'ä\0b'.repeat(30_000);
    const post = targetOf(shop.port, {
      method: 'POST',
      path: '/cart?x=1',
      body: textBody(text),
      ...headers(['X-One', '1'], ['X-One', '2']),
    });
    const { report } = await runJob(testEngine.engine, jobOf([post], { total: 3 }));
    expect(shop.requests).toHaveLength(3);
    for (const request of shop.requests) {
      expect(request).toMatchObject({ method: 'POST', path: '/cart?x=1' });
      expect(Buffer.from(request.body, 'latin1').toString('utf8') === text).toBe(true);
      expect(request.headers).toEqual([
        ['Host', `shop.test:${shop.port}`],
        ['User-Agent', 'loadtests/0.0.0'],
        ['X-Loadtests-Run', 'run-1'],
        ['Accept', '*/*'],
        ['X-One', '1'],
        ['X-One', '2'],
        ['Content-Length', '120000'],
      ]);
    }
    expect(report.total.bytesSent).toBe(shop.bytesIn());
  });

  test.each(['non-cycling', 'cycling'] as const)(
    'in a %s test, each token from a response is used in exactly one iteration',
    async (testType) => {
      let logins = 0;
      const shop = await openRawTarget((request, write) => {
        write(
          responseText(200, '', request.path === '/login' ? [`X-Token: t${logins++}`, 'X-User: a/b'] : []),
        );
      });
      const login = targetOf(shop.port, {
        path: '/login',
        variables: [
          { name: 'token', header: 'X-TOKEN' },
          { name: 'user', header: 'x-user' },
        ],
      });
      const cart = targetOf(shop.port, {
        method: 'POST',
        path: '/cart/{{user}}',
        body: textBody('{{token}}'),
        ...headers(['Authorization', 'Bearer {{token}}']),
      });
      const job = jobOf([login, cart], { testType, initial: 4, total: 4, duration: 300 });
      const report = await (testType === 'cycling'
        ? runJob(testEngine.engine, job).then((result) => result.report)
        : runInVirtualTime(job, shop));
      const { ledger } = report.total;
      const carts = shop.requests.filter(({ method }) => method === 'POST');
      expect(ledger.success).toBe(shop.requests.length);
      expect(carts).toHaveLength(logins);
      expect(new Set(carts.map(({ body: token }) => token)).size).toBe(logins);
      for (const request of carts) {
        expect(request.path).toBe('/cart/a%2Fb');
        expect(request.headers).toContainEqual(['Authorization', `Bearer ${request.body}`]);
      }
    },
  );

  test('a request that uses an undefined variable is not sent, and the iteration continues', async () => {
    const shop = await openRawTarget((request, write) => {
      write(request.path === '/login' ? responseText(500, '') : responseText(200, ''));
    });
    const login = targetOf(shop.port, { path: '/login', variables: [{ name: 'token', header: 'X-Token' }] });
    const job = jobOf([
      login,
      targetOf(shop.port, { path: '/{{token}}' }),
      targetOf(shop.port, { path: '/end' }),
    ]);
    const report = await runInVirtualTime(job, shop);
    expect(report.total.ledger).toMatchObject({
      planned: 30,
      started: 20,
      notStarted: { undefinedVariable: 10 },
      success: 10,
      httpError: { 500: 10 },
    });
    expect(
      shop.requests.map(({ path }) => path).filter((path) => path !== '/login' && path !== '/end'),
    ).toEqual([]);
    expect(report.errorSamples).toContainEqual(
      expect.objectContaining({ error: 'not sent: a variable had no value', count: 10 }),
    );
  });

  test('a cycling client pauses before its next iteration if it cannot send any request of the current iteration', async () => {
    const shop = await openRawTarget(() => undefined);
    const job = jobOf([targetOf(shop.port, { path: '/{{x}}' })], {
      testType: 'cycling',
      initial: 2,
      total: 2,
    });
    const { ledger } = (await runInVirtualTime(job, shop)).total;
    expect(ledger.started).toBe(0);
    expect(ledger.notStarted.undefinedVariable).toBe(ledger.planned);
    expect(ledger.planned).toBeGreaterThanOrEqual(4);
    expect(ledger.planned).toBeLessThanOrEqual(14);
  });
});
