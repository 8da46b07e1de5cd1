/** How workers are named, how an orchestrator asks them, and how they leave: with their work done, or when told to. */
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../support/cluster-processes.ts';
import { findFreePort } from '../support/free-port.ts';
import { SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import { openTestTarget, servePages, type TestTarget } from '../support/test-target.ts';

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('a worker', () => {
  let rig: TestCluster;
  beforeAll(async () => {
    rig = await startTestCluster();
  });
  afterAll(async () => {
    await rig.close();
  });

  async function consenting(): Promise<TestTarget> {
    const content: Record<string, string> = { '/': 'hello' };
    const target = await openTestTarget(servePages(content));
    await rig.verify(target.host, (path, token) => {
      content[path] = token;
    });
    return target;
  }

  /** The id of its test, once load has come. */
  async function begun(spec: Readonly<Record<string, unknown>>): Promise<string> {
    const target = await consenting();
    await expect.poll(ready, { timeout: 20_000 }).toHaveLength(1);
    const { json } = await rig.call('POST', '/v2/tests', { ...spec, urls: [{ url: `${target.url}/` }] });
    await expect
      .poll(() => target.requests.filter((line) => line === 'GET /').length, { timeout: 20_000 })
      .toBeGreaterThan(0);
    return String(json['test_id']);
  }

  async function ready(): Promise<readonly string[]> {
    const { text } = await rig.call('GET', '/v2/workers');
    const workers = JSON.parse(text) as readonly { readonly name: string; readonly state: string }[]; // a list of workers
    return workers.filter(({ state }) => state === 'ready').map(({ name }) => name);
  }

  test('finishes its part when it is asked to end, and tells an orchestrator that it takes nothing more', async () => {
    const port = await findFreePort();
    const worker = await rig.startWorker('patient', ['--health', String(port)]);
    const ask = async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      return { status: response.status, text: await response.text() };
    };
    const health = await ask('/healthz');
    expect([health.status, JSON.parse(health.text)]).toEqual([
      200,
      { status: 'ready', name: 'patient', id: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown },
    ]);
    expect((await ask('/healthz', 'POST')).status).toBe(404);
    expect((await ask('/anything')).status).toBe(404);
    expect((await ask('/metrics')).text).toMatch(/^loadtests_worker_busy 0$/m);

    const testId = await begun({ test_type: 'non-cycling', total: 30, duration: 3 });
    expect(await ask('/healthz')).toMatchObject({
      status: 200,
      text: expect.stringContaining('"busy"') as unknown,
    });
    worker.kill('SIGTERM');
    await expect
      .poll(() => ask('/healthz'))
      .toMatchObject({ status: 503, text: expect.stringContaining('"draining"') as unknown });
    const { text } = await ask('/metrics');
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    for (const line of [
      'loadtests_worker_busy 1',
      'loadtests_worker_draining 1',
      'loadtests_worker_busy_threads 1',
      'loadtests_worker_parts_total 0',
      'loadtests_worker_refused_total 0',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(await rig.result(testId)).toMatchObject({ requests: 30, success: 30, abort_reason: null });
    expect((await worker.ended).exit).toBe(0);
  });

  test('tells what it has made, and what it makes now', async () => {
    const port = await findFreePort();
    const worker = await rig.startWorker('counting', ['--health', String(port)]);
    const metrics = async (): Promise<Readonly<Record<string, number>>> => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const told = text.matchAll(/^loadtests_worker_(\w+) (\d+)$/gm);
      return Object.fromEntries(Array.from(told, ([, name = '', value]) => [name, Number(value)]));
    };
    const testId = await begun({ test_type: 'non-cycling', total: 10, duration: 1 });
    expect(await rig.result(testId)).toMatchObject({ requests: 10, abort_reason: null });
    await expect.poll(metrics, { timeout: 20_000 }).toEqual({
      ...{ busy: 0, draining: 0, busy_threads: 0, connections: 0 },
      ...{ requests_started_total: 10, requests_ended_total: 10, parts_total: 1, refused_total: 0 },
    });
    worker.kill('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
  });

  test('that is given little time stops its part, and the run says so', async () => {
    const worker = await rig.startWorker('hasty', ['--grace', '1s']);
    const testId = await begun({ test_type: 'cycling', initial: 1, total: 1, duration: 60 });
    worker.kill('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
    const result = await rig.result(testId);
    expect(result.abort_reason).toBe('partial');
    expect(result.workers).toMatchObject([{ name: 'hasty', lost: 'it was ended by a signal' }]);
  });

  test('has the name of its machine where it was given none', async () => {
    const worker = await rig.startWorker(null);
    expect(worker.output()).toContain(`"name":"${hostname()}"`);
    await expect.poll(ready, { timeout: 20_000 }).toContain(hostname());
  });
});
