/**
 * Runs of a service with workers and Redis, each as a separate process. The results must match the requests
 * at the target.
 */
// @module-tag load
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { encryptKey } from '../support/certificate-authority.ts';
import { openClosedTarget } from '../support/closed-target.ts';
import { openSignedTarget } from '../support/signed-target.ts';
import {
  API_KEY,
  startTestCluster,
  type ResultView,
  type StartedProcess,
  type TestCluster,
} from '../support/cluster-processes.ts';
import { sampleRows } from '../support/test-scale.ts';
import { SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import {
  openTestTarget,
  servePages,
  withDelay,
  type TargetHandler,
  type TestTarget,
} from '../support/test-target.ts';

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('services with workers', () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startTestCluster();
  });
  afterAll(() => cluster.close());

  /**
   * Starts a target and verifies it.
   * @param onPost - Handler of POST requests; absent to serve the content.
   */
  async function openVerifiedTarget(
    content: Readonly<Record<string, string>> = {},
    onPost?: TargetHandler,
  ): Promise<TestTarget> {
    const all: Record<string, string> = { '/': 'hello', ...content };
    const pages = withDelay(servePages(all));
    const target = await openTestTarget((request, response) => {
      (request.method === 'POST' && onPost !== undefined ? onPost : pages)(request, response);
    });
    await cluster.verify(target.host, (path, token) => {
      all[path] = token;
    });
    return target;
  }

  async function start(spec: Readonly<Record<string, unknown>>): Promise<string> {
    const created = await cluster.call('POST', '/v2/tests', spec);
    expect(created.json).toMatchObject({ message: 'success', status: 'running' });
    const testId = String(created.json['test_id']);
    onTestFinished(async () => {
      // The run of a failed attempt would occupy the workers of the next one. A run that has ended is not stopped.
      const { status } = await cluster.call('PUT', `/v2/tests/${testId}/stop`);
      if (status === 200) await cluster.result(testId);
    });
    return testId;
  }

  function configOf(target: TestTarget, tests: string): string {
    const service = `service: { base_url: '${cluster.url()}' }`;
    return `version: 1\nproject: cluster\n${service}\napps: { shop: '${target.host}' }\ntests:\n${tests}`;
  }

  function countRequests(target: TestTarget, path = '/'): number {
    return target.requests.filter(
      (line) => line.split(' ')[1]?.startsWith(path) === true && !line.includes('.txt'),
    ).length;
  }

  /** Checks that a result of both workers counts exactly the requests that the target received. */
  function expectExactCounts(result: ResultView, target: TestTarget): void {
    expect(result).toMatchObject({ status: 'ready', abort_reason: null, generator: { threads: 3 } });
    expect([result.requests, result.success]).toEqual([countRequests(target), countRequests(target)]);
    const workers = [...result.workers].sort((one, other) => (one.name < other.name ? -1 : 1));
    expect(workers).toMatchObject([
      { name: 'one', threads: 2, lost: null },
      { name: 'two', threads: 1, lost: null },
    ]);
    for (const field of ['started', 'finished'] as const)
      expect(workers.reduce((sum, worker) => sum + worker[field], 0)).toBe(result.requests);
  }

  /** Checks that the workers of a run of at least a second have started together. */
  function expectCommonStart({ workers }: ResultView): void {
    expect(workers).toHaveLength(2);
    for (const { start_skew_ms: skew, clock_uncertainty_ms: uncertainty } of workers) {
      // Both workers run on one machine, but other processes may delay them for seconds.
      expect(Math.abs(skew ?? Infinity)).toBeLessThan(5000);
      expect(uncertainty).toBeGreaterThan(0);
    }
  }

  test('a service without connected workers rejects a test and names the command that starts a worker', async () => {
    const target = await openVerifiedTarget();
    const spec = { test_type: 'non-cycling', total: 1, duration: 1, urls: [{ url: `${target.url}/` }] };
    const refused = await cluster.call('POST', '/v2/tests', spec);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('loadtests worker --redis');
    expect(countRequests(target)).toBe(0);
  });

  describe('services with a worker of two threads and a worker of one thread', () => {
    const workers: StartedProcess[] = [];
    beforeAll(async () => {
      workers.push(await cluster.startWorker('one', ['--threads', '2']), await cluster.startWorker('two'));
    });
    afterAll(async () => {
      for (const worker of workers) worker.kill('SIGTERM');
      await Promise.all(workers.map(({ ended }) => ended));
    });

    test('two workers divide the clients of a per-second run among its flows by weight, and the result counts exactly the requests that the target received', async () => {
      const target = await openVerifiedTarget({ '/a': 'a', '/b': 'b', '/c': 'c' });
      const testId = await start({
        ...{ test_type: 'per-second', total: 50.5, duration: 2, arrivals: 'random' },
        urls: ['a', 'b', 'c'].map((path) => ({ url: `${target.url}/${path}` })),
        flows: [
          { name: 'long', weight: 2, urls: 2 },
          { name: 'short', weight: 3, urls: 1 },
        ],
      });
      const result = await cluster.result(testId);
      const counts = ['/a', '/b', '/c'].map((path) => countRequests(target, path));
      expectExactCounts(result, target);
      expectCommonStart(result);
      expect(result).toMatchObject({ urls: counts.map((requests) => ({ requests })) });
      // Of 101 clients, 100 are twenty periods of 2 and 3, and the last one is short.
      expect(counts).toEqual([40, 40, 61]);
    });

    const paces = [
      { test_type: 'non-cycling', total: 31, duration: 1 },
      { test_type: 'cycling', initial: 6, total: 6, duration: 1 },
    ];
    test.each(sampleRows(paces, 1))(
      'two workers perform all repetitions of the groups of a $test_type run, and the result counts exactly the requests that the target received',
      async ({ ...pace }) => {
        const target = await openVerifiedTarget({ '/a': 'a', '/b': 'b', '/c': 'c', '/d': 'd' });
        const testId = await start({
          ...pace,
          urls: ['a', 'b', 'c', 'd'].map((path) => ({ url: `${target.url}/${path}` })),
          groups: [
            { first: 0, count: 4, repeat: 3 },
            { first: 1, count: 1, repeat: 2 },
            { first: 2, count: 2, parallel: true },
          ],
        });
        const result = await cluster.result(testId);
        const counts = ['/a', '/b', '/c', '/d'].map((path) => countRequests(target, path));
        const [a = 0] = counts;
        expectExactCounts(result, target);
        expectCommonStart(result);
        expect(result).toMatchObject({ urls: counts.map((requests) => ({ requests })) });
        expect(counts).toEqual([a, 2 * a, a, a]);
        if (pace.test_type === 'cycling') expect(result['peak_connections']).toBeLessThanOrEqual(12);
        expect(a % 3).toBe(0);
        if (pace.test_type === 'non-cycling') expect(a).toBe(3 * 31);
      },
    );

    test('an abort rule ends a run on two workers, and the counts match the requests that the target received', async () => {
      const target = await openVerifiedTarget({ '/a': 'a' });
      const testId = await start({
        test_type: 'cycling',
        initial: 6,
        total: 6,
        duration: 600,
        error_threshold: 100,
        urls: [{ url: `${target.url}/a` }, { url: `${target.url}/missing` }],
        abort_rules: [{ metric: 'error_rate', limit: '< 10%', after: 1 }],
      });
      const result = await cluster.result(testId);
      const urls = ['/a', '/missing'].map((path) => ({ requests: countRequests(target, path) }));
      expect(result).toMatchObject({
        abort_reason: 'threshold',
        threshold_stop: { metric: 'error_rate', limit: '< 10%' },
        urls,
      });
      expect(result.workers).toHaveLength(2);
    });

    test('two workers end a polling loop and skip a group according to conditions, repeat a group for each list item, and use each payload row once', async () => {
      const names = Array.from({ length: 30 }, (_, index) => `r${index}`);
      const paths = names.flatMap((row) => [`/x/${row}`, `/y/${row}`]);
      const target = await openVerifiedTarget({
        ...Object.fromEntries(paths.map((path) => [path, 'row'])),
        '/a': '{"done":true,"open":false}',
        '/poll': 'poll',
      });
      const rows = `row\n${names.join('\n')}\n`;
      const sha256 = createHash('sha256').update(rows).digest('hex');
      const uploaded = await fetch(`${cluster.url()}/v2/payload-files/${sha256}`, {
        method: 'PUT',
        headers: { 'service-auth': API_KEY, 'content-type': 'application/octet-stream' },
        body: rows,
      });
      expect(uploaded.status).toBe(200);
      const variables = ['done', 'open'].map((name) => ({ name, property: `/${name}`, source: 'json' }));
      const testId = await start({
        test_type: 'per-second',
        total: 50,
        duration: 2,
        urls: [
          { url: `${target.url}/a`, variables, payload_file: { sha256, order: 'once' } },
          { url: `${target.url}/poll` },
          { url: `${target.url}/never` },
          { url: `${target.url}/{{item}}/{{row}}` },
        ],
        groups: [
          { first: 0, count: 2, repeat: { at_most: 5, until: { done: true } } },
          { first: 2, count: 1, when: { open: true } },
          { first: 3, count: 1, for_each: { name: 'item', values: ['x', 'y'] } },
        ],
      });
      const result = await cluster.result(testId);
      expect(result).toMatchObject({ abort_reason: null, requests: 120 });
      const requested = target.requests.map((request) => request.split(' ')[1] ?? '');
      const load = requested.filter((path) => !path.includes('.txt'));
      const fixed = ['/a', '/poll'].flatMap((path) => names.map(() => path));
      expect(load.sort()).toEqual([...paths, ...fixed].sort());
    });

    test('two workers divide a limit of 50 iterations of a cycling run exactly among the flows by weight, and the result counts exactly the requests that the target received', async () => {
      const target = await openVerifiedTarget({ '/a': 'a', '/b': 'b' });
      const testId = await start({
        ...{ test_type: 'cycling', initial: 7, total: 7, duration: 60, iterations: 50 },
        urls: ['a', 'b'].map((path) => ({ url: `${target.url}/${path}` })),
        flows: [
          { name: 'long', weight: 2, urls: 1 },
          { name: 'short', weight: 3, urls: 1 },
        ],
      });
      const result = await cluster.result(testId);
      expectExactCounts(result, target);
      expect([countRequests(target, '/a'), countRequests(target, '/b')]).toEqual([20, 30]);
    });

    test('each client of two workers performs "on_start" once, and the flows send the planned numbers of requests with one generated value per iteration', async () => {
      const sessions: string[] = [];
      const pages: string[] = [];
      const target = await openVerifiedTarget({}, (request, response) => {
        const path = request.url ?? '';
        if (path === '/login') sessions.push(`s${sessions.length}`);
        else pages.push(path);
        response.end(JSON.stringify({ session: sessions.at(-1) ?? '', open: path.includes('/list/a') }));
      });
      const post = (path: string) => ({ url: `${target.url}${path}`, request_type: 'POST' });
      const read = (name: string) => ({ name, property: `/${name}`, source: 'json' });
      const testId = await start({
        ...{
          test_type: 'cycling',
          initial: 7,
          total: 7,
          duration: 60,
          iterations_per_client: 5,
          on_start: 1,
        },
        values: { id: '%{uuid}' },
        urls: [
          { ...post('/login'), variables: [read('session')] },
          { ...post('/list/a/{{session}}/{{id}}'), variables: [read('open')] },
          post('/pay/{{session}}/{{id}}'),
          post('/item/{{item}}/{{id}}'),
          post('/view/{{session}}/{{id}}'),
        ],
        flows: [
          { name: 'buy', weight: 2, urls: 3 },
          { name: 'view', weight: 3, urls: 1 },
        ],
        groups: [
          { first: 2, count: 1, when: { open: true } },
          { first: 3, count: 1, for_each: { name: 'item', values: ['x', 'y'] } },
          { first: 4, count: 1, repeat: 2 },
        ],
      });
      const result = await cluster.result(testId);
      const counts = [14, 14, 28, 42];
      expect(result).toMatchObject({
        ...{ abort_reason: null, generator: { threads: 3 }, error: 0 },
        urls: [7, ...counts].map((requests) => ({ requests })),
      });
      expect(sessions).toHaveLength(7);
      expect(
        ['list', 'pay', 'item', 'view'].map(
          (path) => pages.filter((page) => page.startsWith(`/${path}/`)).length,
        ),
      ).toEqual(counts);
      // Each iteration has its own value, in all of its requests.
      const ids = pages.map((page) => page.split('/').at(-1) ?? '');
      const countsOfIds = [...new Set(ids)].map((id) => ids.filter((other) => other === id).length);
      expect(countsOfIds.sort()).toEqual([...Array<number>(21).fill(2), ...Array<number>(14).fill(4)]);
      const used = pages.flatMap((page) => /^\/(?:pay|view)\/(s\d+)\//.exec(page)?.[1] ?? []);
      expect(new Set(used)).toEqual(new Set(sessions));
    });

    test('the clients of two workers share at most the declared number of connections, and all requests are counted', async () => {
      const target = await openVerifiedTarget();
      const shared = { test_type: 'per-second', total: 150, duration: 1, connections: 4 };
      const testId = await start({ ...shared, urls: [{ url: `${target.url}/` }] });
      const result = await cluster.result(testId);
      expect(result).toMatchObject({ abort_reason: null, generator: { threads: 3 } });
      expect(result.requests).toBe(countRequests(target));
      expect(result.requests).toBe(150);
      expect(result['peak_connections']).toBeLessThanOrEqual(4);
      expect(result['pool']).toMatchObject({ peak: result['peak_connections'] });
    });
  });

  // Each thread of a run needs a fifth of a second of CPU time.
  describe('services with two workers of one thread each', () => {
    beforeAll(async () => {
      await cluster.startWorker('one');
      await cluster.startWorker('two');
    });

    test('two workers use each payload row of a list of 3 MB at most once', async () => {
      // More than fits into one mailbox message.
      const values = Array.from({ length: 6000 }, (_, index) => [
        `row-number-${String(index).padStart(500, '0')}`,
      ]);
      const target = await openVerifiedTarget({ '/rows.json': JSON.stringify({ keys: ['sku'], values }) });
      const testId = await start({
        test_type: 'non-cycling',
        total: 60,
        duration: 1,
        error_threshold: 100,
        urls: [{ url: `${target.url}/shop`, payload_file_url: `${target.url}/rows.json` }],
      });
      expect(await cluster.result(testId)).toMatchObject({ requests: 60, abort_reason: null });
      const drawn = target.requests.filter((line) => /\/shop\?sku=row-number-\d+$/.test(line));
      expect([drawn.length, new Set(drawn).size]).toEqual([60, 60]);
    });

    test('two workers send a file that was uploaded once to the service, as a raw body and in a multipart body', async () => {
      const content = Buffer.from(Array.from({ length: 2000 }, (_, index) => index % 256));
      const sha256 = createHash('sha256').update(content).digest('hex');
      const uploaded = await fetch(`${cluster.url()}/v2/payload-files/${sha256}`, {
        method: 'PUT',
        headers: { 'service-auth': API_KEY, 'content-type': 'application/octet-stream' },
        body: content,
      });
      expect(uploaded.status).toBe(200);
      const bodies: Buffer[] = [];
      const target = await openVerifiedTarget({}, (request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          bodies.push(Buffer.concat(chunks));
          response.end();
        });
      });
      const parts = [
        { name: 'title', value: 'Invoice' },
        { name: 'scan', file: sha256, filename: 'a.bin' },
      ];
      const post = { url: `${target.url}/`, request_type: 'POST' };
      const testId = await start({
        ...{ test_type: 'non-cycling', total: 20, duration: 1 },
        urls: [
          { ...post, body_file: sha256 },
          { ...post, multipart: parts },
        ],
      });
      const result = await cluster.result(testId);
      expect(result).toMatchObject({ requests: 40, success: 40, abort_reason: null });
      expect(bodies).toHaveLength(40);
      expect(bodies.filter((body) => body.equals(content))).toHaveLength(20);
      expect(bodies.filter((body) => body.length > content.length && body.includes(content))).toHaveLength(
        20,
      );
    });

    test('a setup is performed once for each payload row, and the iterations on two workers use the rows and the extracted values', async () => {
      const rows = `user\n${Array.from({ length: 20 }, (_, index) => `u${index}\n`).join('')}`;
      const sha256 = createHash('sha256').update(rows).digest('hex');
      const uploaded = await fetch(`${cluster.url()}/v2/payload-files/${sha256}`, {
        method: 'PUT',
        headers: { 'service-auth': API_KEY, 'content-type': 'application/octet-stream' },
        body: rows,
      });
      expect(uploaded.status).toBe(200);
      const logins: string[] = [];
      const items: string[] = [];
      const target = await openVerifiedTarget({}, (request, response) => {
        const [, path = '', user = '', token = ''] = (request.url ?? '').split('/');
        (path === 'login' ? logins : items).push(`${user} ${token}`);
        response.end(JSON.stringify({ token: `t-${user}` }));
      });
      const variables = [{ name: 'token', property: '/token', source: 'json' }];
      const post = (path: string) => ({ url: `${target.url}${path}`, request_type: 'POST' });
      const testId = await start({
        ...{ test_type: 'non-cycling', total: 40, duration: 1 },
        setup: { urls: [{ ...post('/login/{{user}}'), variables, payload_file: sha256 }] },
        urls: [post('/items/{{user}}/{{token}}')],
      });
      expect(await cluster.result(testId)).toMatchObject({ success: 40, setup: { requests: 20, failed: 0 } });
      const users = Array.from({ length: 20 }, (_, index) => `u${index}`);
      expect(logins.sort()).toEqual(users.map((user) => `${user} `).sort());
      const expected = [...users, ...users].map((user) => `${user} t-${user}`);
      expect(items.sort()).toEqual(expected.sort());
    });

    test('two workers use the client certificate, authority and addresses of a test until a stop request, another run is refused meanwhile, and Redis contains neither the target nor the private key or its passphrase', async () => {
      const { authority, requests, pages, port } = await openClosedTarget('shop.test');
      pages.set('/', 'the answer');
      const client = authority.sign('client');
      const passphrase = 'a-passphrase-for-two-workers';
      const entry = {
        ...{ cert: client.cert, key: encryptKey(client.key, passphrase), passphrase },
        ...{ ca: authority.pem, tls_min: '1.3', resolve: ['127.0.0.1'] },
      };
      const host = `shop.test:${port}`;
      const { json: app } = await cluster.call('POST', '/v2/apps', { app: host });
      pages.set(`/${String(app['verification_id'])}.txt`, String(app['verification_id']));
      const verify = { method: 'http', connection: entry };
      const verified = await cluster.call('POST', `/v2/apps/${String(app['app_id'])}/verify`, verify);
      expect(verified.status, verified.text).toBe(200);
      const spec = {
        ...{ test_type: 'cycling', initial: 6, total: 6, duration: 600, pace: 50, timeout: 60_000 },
        urls: [{ url: `https://${host}/` }],
        connection: { [host]: entry },
      };
      const testId = await start(spec);
      await expect.poll(() => requests.get('client') ?? 0, { timeout: 60_000 }).toBeGreaterThan(30);
      const other = await cluster.call('POST', '/v2/tests', spec);
      expect([other.status, other.text]).toEqual([429, expect.stringContaining('busy')]);
      const stored = await dumpRedis(cluster);
      expect(stored).toContain('{loadtests}:run:');
      for (const secret of [...entry.key.split('\n').slice(1, 3), ...client.key.split('\n').slice(1, 3)])
        expect(stored).not.toContain(secret);
      for (const text of [passphrase, 'PRIVATE KEY', 'CERTIFICATE', 'shop.test', 'the answer'])
        expect(stored).not.toContain(text);
      expect((await cluster.call('PUT', `/v2/tests/${testId}/stop`)).status).toBe(200);
      const result = await cluster.result(testId);
      expect(result).toMatchObject({
        ...{ status: 'ready', abort_reason: 'stopped', error: 0, network_error: 0 },
        addresses: [
          { address: `127.0.0.1:${port}`, tls: { 'TLSv1.3 http/1.1': expect.any(Number) as number } },
        ],
      });
      expect(result.workers.map(({ finished }) => finished > 0)).toEqual([true, true]);
      // Requests in flight may have been abandoned.
      const received = requests.get('client') ?? 0;
      expect([...requests.keys()]).toEqual(['client']);
      expect(result.success).toBeLessThanOrEqual(received);
      expect(received - result.success).toBeLessThanOrEqual(6);
    });

    test('two workers sign their requests for AWS, and Redis does not contain the secret key', async () => {
      const key = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', token: null };
      const files: Record<string, string> = {};
      const target = await openSignedTarget(key, files);
      const host = `127.0.0.1:${target.port}`;
      await cluster.verify(host, (path, token) => {
        files[path] = token;
      });
      const signature = {
        ...{ region: 'eu-west-1', service: 's3' },
        ...{ access_key_id: key.id, secret_access_key: key.secret },
      };
      const urls = [
        { url: `http://${host}/list?b=1&a=%{1:999}`, aws_sigv4: signature },
        { url: `http://${host}/put`, request_type: 'PUT', raw_post_body: 'x', aws_sigv4: signature },
      ];
      const testId = await start({
        ...{ test_type: 'cycling', initial: 6, total: 6, duration: 600, timeout: 60_000 },
        ...{ iterations_per_client: 10, pace: 200 },
        urls,
      });
      await expect.poll(() => target.accepted.length, { timeout: 60_000 }).toBeGreaterThan(0);
      const stored = await dumpRedis(cluster);
      expect(stored).not.toContain(key.secret);
      expect(stored).not.toContain(key.id);
      const result = await cluster.result(testId);
      expect(target.refused).toEqual([]);
      expect(result).toMatchObject({ abort_reason: null, requests: 120, success: 120 });
      expect(target.accepted).toHaveLength(120);
      expect(result.workers.map(({ finished }) => finished > 0)).toEqual([true, true]);
    });

    test('while one of two workers performs a run, the other worker accepts another run', async () => {
      const target = await openVerifiedTarget();
      const urls = [{ url: `${target.url}/` }];
      const spec = { test_type: 'cycling', initial: 1, total: 1, duration: 600, urls };
      const [first, second] = [await start(spec), await start(spec)];
      for (const testId of [first, second]) {
        expect((await cluster.call('PUT', `/v2/tests/${testId}/stop`)).status).toBe(200);
        expect(await cluster.result(testId)).toMatchObject({
          abort_reason: 'stopped',
          generator: { threads: 1 },
        });
      }
    });

    test('after a kill and a restart, the service resumes the run of its workers, and no request is lost', async () => {
      const target = await openVerifiedTarget();
      const testId = await start({
        test_type: 'per-second',
        total: 20,
        duration: 4,
        urls: [{ url: `${target.url}/` }],
      });
      while (countRequests(target) < 20) await new Promise((resolve) => setTimeout(resolve, 50));
      cluster.service().kill('SIGKILL');
      await cluster.service().ended;
      await cluster.startService();
      const result = await cluster.result(testId);
      expect(result).toMatchObject({ status: 'ready', abort_reason: null, requests: 80, success: 80 });
      expect(countRequests(target)).toBe(80);
      const { workers } = result;
      expect(workers.map(({ name }) => name).sort()).toEqual(['one', 'two']);
      expect(workers.reduce((sum, { finished }) => sum + finished, 0)).toBe(80);
    });

    test('apply evaluates runs on workers, and stop --all stops these runs', async () => {
      const target = await openVerifiedTarget();
      const url = `urls: ['${target.url}/']`;
      const env = { LOADTESTS_API_KEY: API_KEY };
      const { directory } = cluster;
      writeFileSync(
        join(directory, 'loadtests.yaml'),
        configOf(
          target,
          `  quick: { test_type: non-cycling, total: 5, duration: 1s, ${url}, thresholds: { requests: '>= 6' } }\n`,
        ),
      );
      const failed = await runInProcess(['apply', '--yes'], { directory, env });
      expect([failed.exit, failed.stderr]).toEqual([10, expect.anything()]);

      writeFileSync(
        join(directory, 'loadtests.yaml'),
        configOf(
          target,
          `  long: { test_type: cycling, initial: 2, total: 2, duration: 300s, ${url}, thresholds: { error_rate: '< 100%' } }\n`,
        ),
      );
      const before = countRequests(target);
      const ended = runInProcess(['apply', '--yes'], { directory, env });
      while (countRequests(target) === before) await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await runInProcess(['stop', '--all', '--yes'], { directory, env })).exit).toBe(0);
      expect((await ended).exit).toBe(11);
    });

    test('if a worker is killed during a run, apply exits with 11, and the result states why the worker was lost', async () => {
      const target = await openVerifiedTarget();
      const three = await cluster.startWorker('three');
      const { directory } = cluster;
      // The remaining load meets this threshold.
      const thresholds = `thresholds: { error_rate: '< 100%' }`;
      const pace = `test_type: per-second, total: 20, duration: 8s, urls: ['${target.url}/']`;
      writeFileSync(
        join(directory, 'loadtests.yaml'),
        configOf(target, `  hurt: { ${pace}, ${thresholds} }\n`),
      );
      const ended = runInProcess(['apply', '--yes', '--json'], {
        directory,
        env: { LOADTESTS_API_KEY: API_KEY },
      });
      while (countRequests(target) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      three.kill('SIGKILL');
      const { exit, stdout } = await ended;
      expect([exit, stdout]).toEqual([11, expect.stringContaining('was lost: no message for')]);
      expect(stdout).toMatch(
        /"name": ?"three"[^}]*"lost": ?"no message for 8 s; up to \d s of its load is not counted"/,
      );
    });
  });
});

/** Returns all keys of Redis with their values. */
async function dumpRedis({ redis }: TestCluster): Promise<string> {
  // DUMP compresses values, and a compressed value does not contain its texts literally.
  await redis.command('CONFIG', 'SET', 'rdbcompression', 'no');
  const keys = (await redis.command('KEYS', '*')) as readonly string[]; // KEYS returns strings
  const values = await Promise.all(keys.map((key) => redis.command('DUMP', key)));
  return [...keys, ...values].join('\n');
}
