/** Workers of a service: in the API, in metrics and in the client. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { problem, ProblemError } from '../../src/core/problem.ts';
import { Secret } from '../../src/core/model/secret.ts';
import type { RegisteredWorker } from '../../src/core/model/worker.ts';
import { seconds } from '../../src/core/units.ts';
import { openShop } from '../support/shop.ts';
import { API_KEY, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { EAST_WORKER, createWorkerPool } from '../support/fake-worker-pool.ts';

const WEST: RegisteredWorker = {
  ...EAST_WORKER,
  id: 'fedcba9876543210',
  name: 'west-1',
  state: 'ready',
  runId: null,
  compatible: false,
  protocol: 9,
  connections: null,
  threads: 2,
};

describe('the list of workers', () => {
  test('the list of workers contains all workers with their states', async () => {
    const rig = await openTestService({ workerPool: createWorkerPool([EAST_WORKER, WEST]) });
    const { status, text } = await rig.call('GET', '/v2/workers');
    expect(status).toBe(200);
    const workers: unknown = JSON.parse(text);
    expect(apiMismatch('worker-list', workers)).toBeNull();
    expect(workers).toMatchObject([
      {
        worker_id: EAST_WORKER.id,
        name: 'east-1',
        version: '1.2.3',
        protocol: 1,
        compatible: true,
        state: 'busy',
        since: '2026-11-22T10:00:00.000Z',
        result_id: EAST_WORKER.runId,
        threads: 4,
        connections: 28_000,
        ip_versions: [4, 6],
        clock_offset_ms: -12.5,
        clock_uncertainty_ms: 0.4,
        load: 0.25,
      },
      { worker_id: WEST.id, compatible: false, protocol: 9, result_id: null, connections: null },
    ]);
  });

  test('the list of workers contains the ID and name of the test that a lost worker ran, even after the run ends', async () => {
    const workers: RegisteredWorker[] = [];
    const { service, target } = await openShop({ workerPool: createWorkerPool(workers) });
    const json = smallTestFields(`${target.url}/`);
    const { test_id: id, result_id: run } = (await service.call('POST', '/v2/tests', { json })).json;
    service.runner.latest().end();
    await waitUntil(async () => {
      const { list } = await service.call('GET', `/v2/tests/${id}/results`);
      return list[0]?.status === 'ready' ? true : null;
    });
    workers.push({ ...EAST_WORKER, state: 'lost', runId: run });
    const { text } = await service.call('GET', '/v2/workers');
    expect(JSON.parse(text)).toMatchObject([
      { state: 'lost', result_id: run, test_id: id, test_name: `${target.url}/` },
    ]);
  });

  test('if the service generates the load itself, the list of workers is empty, and a drain request is refused', async () => {
    const rig = await openTestService();
    expect((await rig.call('GET', '/v2/workers')).list).toEqual([]);
    expect((await rig.call('POST', `/v2/workers/${EAST_WORKER.id}/drain`)).status).toBe(404);
  });

  test('the routes for workers require the API key', async () => {
    const rig = await openTestService({ workerPool: createWorkerPool([EAST_WORKER]) });
    for (const [method, path] of [
      ['GET', '/v2/workers'],
      ['POST', `/v2/workers/${EAST_WORKER.id}/drain`],
    ] as const)
      expect((await rig.call(method, path, { key: null })).status).toBe(401);
  });

  test('the client reads the list of workers only after a response shows that the service supports workers', async () => {
    const rig = await openTestService({ workerPool: createWorkerPool([EAST_WORKER, WEST]) });
    const client = createClient({
      baseUrl: rig.service.url,
      authHeader: 'service-auth',
      version: '1.2.3',
      key: new Secret('LOADTESTS_API_KEY', API_KEY),
      requestTimeout: seconds(10),
    });
    onTestFinished(() => client.close());
    // The client does not know yet whether the service supports workers.
    expect(await client.listWorkers()).toEqual([]);
    await client.listTests();
    expect(await client.listWorkers()).toEqual([EAST_WORKER, WEST]);
  });
});

describe('draining a worker', () => {
  test('a drain request is sent only to the worker with the given id, and is refused for an unknown id', async () => {
    const drained: string[] = [];
    const rig = await openTestService({ workerPool: createWorkerPool([EAST_WORKER, WEST], drained) });
    expect((await rig.call('POST', `/v2/workers/${WEST.id}/drain`)).status).toBe(200);
    expect((await rig.call('POST', '/v2/workers/0000000000000000/drain')).status).toBe(404);
    expect((await rig.call('POST', '/v2/workers/..%2f..%2f/drain')).status).toBe(404);
    expect(drained).toEqual([WEST.id]);
  });

  test('while Redis is unreachable, a drain request is refused with a temporary error', async () => {
    const rig = await openTestService({
      workerPool: { ...createWorkerPool([EAST_WORKER]), drain: () => Promise.reject(OUTAGE) },
    });
    const { status, headers, json } = await rig.call('POST', `/v2/workers/${EAST_WORKER.id}/drain`);
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(json.errors).toEqual(['Redis did not respond']);
  });
});

const OUTAGE = new ProblemError(problem('LT_CLUSTER_UNREACHABLE', 'Redis did not respond'));

describe('workers whose state is unknown', () => {
  const openUnknown = async () =>
    await openTestService({
      mode: 'serve',
      workerPool: {
        ...createWorkerPool([]),
        list: () => {
          throw OUTAGE;
        },
      },
    });

  test('if Redis does not respond, the list of workers and a drain request are refused with the reason', async () => {
    const rig = await openUnknown();
    for (const [method, path] of [
      ['GET', '/v2/workers'],
      ['POST', `/v2/workers/${EAST_WORKER.id}/drain`],
    ] as const) {
      const { status, headers, json } = await rig.call(method, path);
      expect([status, headers.get('retry-after'), json.errors]).toEqual([
        503,
        '5',
        ['Redis did not respond'],
      ]);
    }
  });

  test('if Redis does not respond, the metrics report the outage and contain no counts of workers', async () => {
    const rig = await openUnknown();
    const { text } = await rig.call('GET', '/metrics');
    expect(text).toContain('loadtests_redis_up 0\n');
    expect(text).not.toMatch(/^loadtests_worker/m);
  });
});

describe('metrics of workers', () => {
  test('metrics count workers by state, and contain the threads, the load and the clock offset of a worker', async () => {
    const rig = await openTestService({ mode: 'serve', workerPool: createWorkerPool([EAST_WORKER, WEST]) });
    const { text } = await rig.call('GET', '/metrics');
    for (const line of [
      'loadtests_redis_up 1',
      'loadtests_workers{state="busy"} 1',
      'loadtests_workers{state="ready"} 0',
      'loadtests_workers{state="unusable"} 1',
      'loadtests_worker_threads{worker="east-1"} 4',
      'loadtests_worker_load{worker="east-1"} 0.25',
      'loadtests_worker_clock_offset_seconds{worker="east-1"} -0.0125',
    ])
      expect(text).toContain(`${line}\n`);
  });

  test('the metrics of a service without a worker pool do not mention workers', async () => {
    const rig = await openTestService({ mode: 'serve' });
    expect((await rig.call('GET', '/metrics')).text).not.toMatch(/loadtests_(worker|redis)/);
  });
});
