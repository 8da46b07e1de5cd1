/** The service with the real engine, from the API to the counts of the target. */
// @module-tag load
import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import type { ServiceLimits } from '../../src/server/options.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { openTestService, waitUntil, type TestService } from '../support/test-service.ts';
import { openTestTarget, withDelay } from '../support/test-target.ts';

const WORKER = new URL('../../dist/engine/thread.js', import.meta.url);

async function openWithEngine(limits: Partial<ServiceLimits> = {}): Promise<TestService> {
  if (!existsSync(WORKER)) throw new Error('dist is not built; run "npm run build" first');
  return await openTestService({
    limits,
    runner: createEngine({ threadUrl: WORKER, version: '0.0.0-test' }),
  });
}

async function resultOf(rig: TestService, ids: { readonly test_id: string; readonly result_id: string }) {
  return await waitUntil(async () => {
    const { json } = await rig.call('GET', `/v2/tests/${ids.test_id}/results/${ids.result_id}`);
    return json.status === 'ready' ? json : null;
  });
}

test('the counts in the result of a run match the requests that the target received', async () => {
  const target = await openTestTarget((request, response) => {
    response.setHeader('X-Csrf-Token', 'abc');
    response.statusCode = request.url?.startsWith('/missing') === true ? 404 : 200;
    response.end('hello');
  });
  const rig = await openWithEngine();
  await rig.verifiedApp(target.host);
  const urls = [
    { url: `${target.url}/`, variables: [{ name: 'csrf', property: 'X-Csrf-Token', source: 'header' }] },
    {
      url: `${target.url}/cart/{{csrf}}/a%20b?q={{ csrf }}`,
      request_type: 'POST',
      request_params: { t: '{{csrf}}' },
    },
    { url: `${target.url}/missing` },
  ];
  const { json } = await rig.call('POST', '/v2/tests', {
    json: { test_type: 'non-cycling', duration: 1, total: 10, urls },
  });
  expect(json.message).toBe('success');
  const result = await resultOf(rig, json);
  expect(result).toMatchObject({
    success: 20,
    error: 10,
    timeout_error: 0,
    network_error: 0,
    abort_reason: null,
  });
  expect(apiMismatch('result-record', result)).toBeNull();
  expect(target.requests).toHaveLength(30);
  expect(new Set(target.requests)).toEqual(new Set(['GET /', 'POST /cart/abc/a%20b?q=abc', 'GET /missing']));
  expect((await rig.call('GET', `/v2/tests/${json.test_id}`)).json.status).toBe('complete');
});

test('a long test reports its progress and can be stopped', async () => {
  const target = await openTestTarget(withDelay((_, response) => response.end('hello')));
  const rig = await openWithEngine();
  await rig.verifiedApp(target.host);
  const { json } = await rig.call('POST', '/v2/tests', {
    json: { test_type: 'cycling', duration: 600, initial: 2, total: 2, urls: [{ url: `${target.url}/` }] },
  });
  await waitUntil(async () => (await rig.call('GET', `/v2/tests/${json.test_id}`)).json.progress ?? null);
  expect((await rig.call('PUT', `/v2/tests/${json.test_id}/stop`)).status).toBe(200);
  const result = await resultOf(rig, json);
  expect(result.abort_reason).toBe('stopped');
});

test('a service that shuts down ends the load and stores the result', async () => {
  const target = await openTestTarget(withDelay((_, response) => response.end('hello')));
  const rig = await openWithEngine();
  await rig.verifiedApp(target.host);
  const { json } = await rig.call('POST', '/v2/tests', {
    json: { test_type: 'cycling', duration: 600, total: 4, urls: [{ url: `${target.url}/` }] },
  });
  await rig.service.close();
  const observed = target.requests.length;
  const again = await openTestService({ dataDirectory: rig.dataDirectory });
  expect((await resultOf(again, json)).abort_reason).toBe('stopped');
  expect(target.requests).toHaveLength(observed);
});

test('the target receives the values of expressions and payload files, and each iteration uses a different row of variables', async () => {
  const target = await openTestTarget((request, response) => {
    if (request.url === '/users.json') {
      const values = Array.from({ length: 10 }, (_, index) => [`user-${index}`]);
      response.end(JSON.stringify({ version: 1, variables: [{ names: ['user'], values }] }));
      return;
    }
    if (request.url === '/skus.json') {
      response.end(
        JSON.stringify({
          keys: ['sku', 'size'],
          values: [
            ['a&b', 1],
            ['c', 2],
          ],
        }),
      );
      return;
    }
    response.end('hello');
  });
  const rig = await openWithEngine();
  await rig.verifiedApp(target.host);
  const urls = [
    { url: `${target.url}/%{1:3}/{{user}}`, payload_file_url: `${target.url}/users.json` },
    { url: `${target.url}/cart`, payload_file_url: `${target.url}/skus.json` },
  ];
  const { json } = await rig.call('POST', '/v2/tests', {
    json: { test_type: 'non-cycling', duration: 1, total: 10, urls },
  });
  expect(json.message).toBe('success');
  expect(await resultOf(rig, json)).toMatchObject({ success: 20, error: 0, abort_reason: null });
  const observed = target.requests.filter((line) => !line.endsWith('.json'));
  const users = observed.flatMap((line) => /^GET \/[123]\/(user-\d)$/.exec(line)?.[1] ?? []);
  expect([...users].sort()).toEqual(Array.from({ length: 10 }, (_, index) => `user-${index}`));
  const carts = observed.filter((line) => line.startsWith('GET /cart'));
  expect(new Set(carts)).toEqual(new Set(['GET /cart?sku=a%26b&size=1', 'GET /cart?sku=c&size=2']));
  expect(carts).toHaveLength(10);
});

test('every request of a run, including requests that follow redirects, has headers with the run ID and with the declared or default User-Agent', async () => {
  const observed: IncomingHttpHeaders[] = [];
  const target = await openTestTarget((request, response) => {
    observed.push(request.headers);
    const cookies = { 'Set-Cookie': 'a=1; Path=/' };
    switch (request.url ?? '') {
      case '/moved':
        response.writeHead(302, { ...cookies, Location: '/moved/again' }).end();
        return;
      case '/moved/again':
        response.writeHead(307, { Location: '/end' }).end();
        return;
      default:
        response.writeHead(request.url === '/missing' ? 404 : 200, { Connection: 'close' }).end('hello');
    }
  });
  const rig = await openWithEngine();
  await rig.verifiedApp(target.host);
  const urls = [
    { url: `${target.url}/moved` },
    { url: `${target.url}/moved`, request_type: 'POST', request_params: { a: '1' } },
    {
      url: `${target.url}/form`,
      request_type: 'POST',
      raw_post_body: '{}',
      credentials: { login: 'a', password: 'b' },
    },
    { url: `${target.url}/missing`, headers: { 'User-Agent': 'browser/1', 'X-Other': '%{1:3}' } },
  ];
  const { json } = await rig.call('POST', '/v2/tests', {
    json: { test_type: 'per-second', duration: 1, total: 5, urls },
  });
  expect(json.message).toBe('success');
  await resultOf(rig, json);
  // Each iteration sends four requests, and two of them are redirected twice.
  expect(observed).toHaveLength(5 * 8);
  expect(new Set(observed.map((headers) => headers['x-loadtests-run']))).toEqual(new Set([json.result_id]));
  const agents = observed.map((headers) => headers['user-agent']);
  expect(agents.filter((agent) => agent === 'loadtests/0.0.0-test')).toHaveLength(5 * 7);
  // A test may set its own user agent; the header with the run remains.
  expect(agents.filter((agent) => agent === 'browser/1')).toHaveLength(5);
});

test('requests that follow redirects count toward the limit on requests per second, and the run ends when it exceeds the limit', async () => {
  const hops = new Map<string, number>();
  const target = await openTestTarget((request, response) => {
    const [, path = '', hop = '0'] = /^\/(\w+)\/?(\d*)$/.exec(request.url ?? '') ?? [];
    hops.set(path, (hops.get(path) ?? 0) + 1);
    const next = Number(hop) + 1;
    if (path === 'plain' || next > 5) response.end('hello');
    else response.writeHead(302, { Location: `/${path}/${next}` }).end();
  });
  const rig = await openWithEngine({ requestsPerSecondPerTarget: 100 });
  await rig.verifiedApp(target.host);
  const run = async (path: string, total: number, duration: number) => {
    const { json } = await rig.call('POST', '/v2/tests', {
      json: {
        test_type: 'per-second',
        duration,
        total,
        error_threshold: 100,
        urls: [{ url: `${target.url}/${path}` }],
      },
    });
    expect(json.errors).toBeUndefined();
    return await resultOf(rig, json);
  };
  // After a stall of the machine, requests that are late are sent in one second. Ten of them are below the limit.
  expect((await run('plain', 5, 2)).abort_reason).toBeNull();
  // 40 clients per second, each with five redirects.
  expect((await run('moved', 40, 60)).abort_reason).toBe('over_limit');
  const moved = hops.get('moved') ?? 0;
  expect(moved).toBeGreaterThan(240);
  expect(moved).toBeLessThan(2000);
});

test('the result of a run that is stopped during its warm-up contains the number of warm-up requests, but no measured requests', async () => {
  let observed = 0;
  const target = await openTestTarget(
    withDelay((_, response) => {
      observed++;
      response.end('hello');
    }),
  );
  const rig = await openWithEngine();
  await rig.verifiedApp(target.host);
  const { json } = await rig.call('POST', '/v2/tests', {
    json: {
      test_type: 'cycling',
      duration: 600,
      warmup: 300,
      initial: 2,
      total: 2,
      urls: [{ url: `${target.url}/` }],
    },
  });
  await waitUntil(async () => (await rig.call('GET', `/v2/tests/${json.test_id}`)).json.progress ?? null);
  await rig.call('PUT', `/v2/tests/${json.test_id}/stop`);
  const result = await resultOf(rig, json);
  expect(result).toMatchObject({
    abort_reason: 'stopped',
    requests: 0,
    success: 0,
    latency: null,
    ledger: { started: 0 },
    warmup: { seconds: 300, complete: false },
  });
  const { warmup } = result as unknown as { readonly warmup: { readonly requests: number } }; // as expected above
  expect(warmup.requests).toBeGreaterThan(0);
  expect(warmup.requests).toBeLessThanOrEqual(observed);
});
