/** Names, health checks and shutdown of workers. */
// @module-tag load
import { hostname } from 'node:os';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { heartbeatKey } from '../../src/cluster/redis-keys.ts';
import { startTestCluster, type StartedProcess, type TestCluster } from '../support/cluster-processes.ts';
import { findFreePort } from '../support/free-port.ts';
import { SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import { openTestTarget, servePages, withDelay, type TestTarget } from '../support/test-target.ts';

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('worker lifecycle', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster();
  });
  afterAll(() => cluster.close());

  /** Starts a worker that ends with its test, also after a failure, because each run requires a single worker. */
  async function startWorker(name: string | null, flags: readonly string[] = []): Promise<StartedProcess> {
    const worker = await cluster.startWorker(name, flags);
    onTestFinished(() => void worker.kill('SIGKILL'));
    return worker;
  }

  async function openVerifiedTarget(responding: Promise<void>): Promise<TestTarget> {
    const content: Record<string, string> = { '/': 'hello' };
    const respond = withDelay(servePages(content));
    const target = await openTestTarget((request, response) => {
      if (request.url === '/') void responding.then(() => respond(request, response));
      else respond(request, response);
    });
    await cluster.verify(target.host, (path, token) => {
      content[path] = token;
    });
    return target;
  }

  /**
   * Starts a test and returns its id after the first request has arrived.
   * @param responding - Resolves when the target may respond to the requests.
   */
  async function startTest(
    spec: Readonly<Record<string, unknown>>,
    responding = Promise.resolve(),
  ): Promise<string> {
    const target = await openVerifiedTarget(responding);
    await expect.poll(readyWorkers, { interval: 200 }).toHaveLength(1);
    const { json } = await cluster.call('POST', '/v2/tests', { ...spec, urls: [{ url: `${target.url}/` }] });
    await expect.poll(() => target.requests.filter((line) => line === 'GET /').length).toBeGreaterThan(0);
    return String(json['test_id']);
  }

  async function readyWorkers(): Promise<readonly string[]> {
    const { text } = await cluster.call('GET', '/v2/workers');
    const workers = JSON.parse(text) as readonly { readonly name: string; readonly state: string }[]; // a list of workers
    return workers.filter(({ state }) => state === 'ready').map(({ name }) => name);
  }

  test('after SIGTERM, a worker completes its part of the run before it exits, and its health check returns 503 in the meantime', async () => {
    const port = await findFreePort();
    const worker = await startWorker('patient', ['--health', String(port)]);
    const request = async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      return { status: response.status, text: await response.text() };
    };
    const health = await request('/healthz');
    expect([health.status, JSON.parse(health.text)]).toEqual([
      200,
      { status: 'ready', name: 'patient', id: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown },
    ]);
    expect((await request('/healthz', 'POST')).status).toBe(404);
    expect((await request('/anything')).status).toBe(404);
    const metrics = (await request('/metrics')).text;
    expect(metrics).toMatch(/^loadtests_worker_busy 0$/m);
    // Values of the library before its first sample of the event loop delay.
    expect(metrics).not.toMatch(/ (nan|9223372036)/i);

    // The run does not end before the checks of its worker.
    let endChecks = (): void => undefined;
    const checked = new Promise<void>((resolve) => (endChecks = resolve));
    const load = { test_type: 'non-cycling', total: 30, duration: 3, timeout: 60_000 };
    const testId = await startTest(load, checked);
    expect(await request('/healthz')).toMatchObject({
      status: 200,
      text: expect.stringContaining('"busy"') as unknown,
    });
    worker.kill('SIGTERM');
    await expect
      .poll(() => request('/healthz'))
      .toMatchObject({ status: 503, text: expect.stringContaining('"draining"') as unknown });
    // The worker still sends heartbeats, so the service does not list it as lost.
    const redis = new Redis({ host: '127.0.0.1', port: cluster.redis.port });
    onTestFinished(() => redis.disconnect());
    const { id } = JSON.parse(health.text) as { readonly id: string };
    const heartbeats = new Set<string | null>();
    const countHeartbeats = async () => heartbeats.add(await redis.get(heartbeatKey(id))).size;
    await expect.poll(countHeartbeats, { interval: 500 }).toBe(3);
    const { text } = await request('/metrics');
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    for (const line of [
      'loadtests_worker_busy 1',
      'loadtests_worker_draining 1',
      'loadtests_worker_busy_threads 1',
      'loadtests_worker_shards_total 0',
      'loadtests_worker_refused_shards_total 0',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    endChecks();
    expect(await cluster.result(testId)).toMatchObject({ requests: 30, success: 30, abort_reason: null });
    expect((await worker.ended).exit).toBe(0);
  });

  test('after a run, the metrics of the worker count its completed requests and its shard, and show no active load', async () => {
    const port = await findFreePort();
    const worker = await startWorker('counting', ['--health', String(port)]);
    const metrics = async (): Promise<Readonly<Record<string, number>>> => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const samples = text.matchAll(/^loadtests_worker_(\w+) (\d+)$/gm);
      return Object.fromEntries(Array.from(samples, ([, name = '', value]) => [name, Number(value)]));
    };
    const testId = await startTest({ test_type: 'non-cycling', total: 10, duration: 1 });
    expect(await cluster.result(testId)).toMatchObject({ requests: 10, abort_reason: null });
    await expect.poll(metrics).toEqual({
      busy: 0,
      draining: 0,
      busy_threads: 0,
      connections: 0,
      requests_started_total: 10,
      requests_ended_total: 10,
      shards_total: 1,
      refused_shards_total: 0,
    });
    worker.kill('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
  });

  test('a worker stops its load when the grace period after SIGTERM ends, and the result contains the reason and, without --name, the host name and process ID of the worker', async () => {
    const worker = await startWorker(null, ['--grace', '1s']);
    const testId = await startTest({ test_type: 'cycling', initial: 1, total: 1, duration: 60 });
    worker.kill('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
    const result = await cluster.result(testId);
    expect(result.abort_reason).toBe('partial');
    expect(result.workers).toMatchObject([
      { name: `${hostname()}-${String(worker.pid)}`, lost: 'stopped by a signal' },
    ]);
  });
});
