import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LoadProgress } from '../../src/core/load/run-report.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createFakeReport, createFakeRunner, type UnfinishedRun } from '../support/fake-runner.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOST = '127.0.0.1:4080';

type RigOptions = NonNullable<Parameters<typeof openTestService>[0]>;

/** Opens a service with running tests, and copies its data as if it were killed. */
async function openWithRuns(runs: number, changes: Readonly<Record<string, unknown>> = {}) {
  const before = await openTestService();
  const appId = await before.verifiedApp(HOST);
  const ids: string[] = [];
  for (let count = 0; count < runs; count++) {
    const response = await before.call('POST', '/v2/tests', {
      json: smallTestFields(`http://${HOST}/`, changes),
    });
    ids.push(response.json.test_id);
  }
  return { before, ids, appId, dataDirectory: copyOf(before.dataDirectory) };
}

/** Copies the files of a data directory, as a killed process leaves them. */
function copyOf(directory: string): string {
  const copy = createTestDirectory();
  for (const name of readdirSync(directory))
    writeFileSync(join(copy, name), readFileSync(join(directory, name)));
  return copy;
}

/** Opens a service with the data of a killed one and a runner whose load continued in the meantime. */
async function openAfter(
  { before, dataDirectory }: { readonly before: TestService; readonly dataDirectory: string },
  { lastProgress = null, ...options }: RigOptions & { readonly lastProgress?: LoadProgress | null } = {},
) {
  const unfinishedRuns: UnfinishedRun[] = before.runner.runs.map(({ job }) => ({ job, lastProgress }));
  return await openTestService({ dataDirectory, fake: createFakeRunner({ unfinishedRuns }), ...options });
}

function progress(success: number): LoadProgress {
  return {
    elapsed: milliseconds(1000),
    connections: 1,
    success,
    error: 0,
    timeoutError: 0,
    networkError: 0,
    warmingUp: false,
    requestsPerSecond: success,
    p95: 1,
    targets: [success],
  };
}

async function statusOf(rig: TestService, id = '') {
  return (await rig.call('GET', `/v2/tests/${id}`)).json.status;
}

async function readyResult(rig: TestService, id = '') {
  return await waitUntil(async () => {
    const [result] = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    return result?.status === 'ready' ? result : null;
  });
}

describe('runs whose load continues while the service is down', () => {
  test('a restarted service follows a resumed run to its end and stores the result', async () => {
    const killed = await openWithRuns(1);
    const [id] = killed.ids;
    const rig = await openAfter(killed, { lastProgress: progress(7) });
    expect(rig.log.map(({ event }) => event)).not.toContain('runs-lost');
    expect((await rig.call('GET', `/v2/tests/${id ?? ''}`)).json).toMatchObject({
      status: 'running',
      progress: { success: 7 },
    });
    const run = rig.runner.latest();
    run.reportProgress(progress(9));
    expect((await rig.call('GET', `/v2/tests/${id ?? ''}`)).json.progress).toMatchObject({ success: 9 });
    expect((await rig.call('PUT', `/v2/tests/${id ?? ''}/run`)).status).toBe(422);
    run.end();
    expect(await readyResult(rig, id)).toMatchObject({ abort_reason: null, requests: 3 });
    expect(await statusOf(rig, id)).toBe('complete');
    expect((await rig.call('GET', `/v2/tests/${id ?? ''}/results`)).list).toHaveLength(1);
    expect((await rig.call('PUT', `/v2/tests/${id ?? ''}/run`)).status).toBe(200);
  });

  test('the result of a resumed run that a threshold ended contains the threshold, even without further progress', async () => {
    const killed = await openWithRuns(1, { abort_rules: [{ metric: 'max', limit: '< 1ms', after: 1 }] });
    const unfinishedRuns = killed.before.runner.runs.map(({ job }) => ({
      job,
      lastProgress: null,
      report: createFakeReport(job, 'threshold'),
    }));
    const rig = await openAfter(killed, { fake: createFakeRunner({ unfinishedRuns, endsOnStop: false }) });
    rig.runner.latest().end('threshold');
    expect(await readyResult(rig, killed.ids[0])).toMatchObject({
      abort_reason: 'threshold',
      threshold_stop: { metric: 'max', limit: '< 1ms', value: 5 },
    });
  });

  test('a resumed run can be stopped', async () => {
    const killed = await openWithRuns(1);
    const rig = await openAfter(killed);
    await rig.call('PUT', `/v2/tests/${killed.ids[0] ?? ''}/stop`);
    expect(await readyResult(rig, killed.ids[0])).toMatchObject({ abort_reason: 'stopped', requests: 3 });
  });

  test('a resumed run ends when its app is deleted', async () => {
    const killed = await openWithRuns(1);
    const rig = await openAfter(killed);
    await rig.call('DELETE', `/v2/apps/${killed.appId}`);
    expect(rig.runner.latest().stops).toEqual(['stopped']);
  });

  test('a resumed run counts toward the limit on requests per second until the run ends', async () => {
    const killed = await openWithRuns(1, { test_type: 'per-second', total: 60, duration: 10 });
    const rig = await openAfter(killed, { limits: { requestsPerSecondPerTarget: 100 } });
    const json = smallTestFields(`http://${HOST}/`, { test_type: 'per-second', total: 60, duration: 10 });
    expect((await rig.call('POST', '/v2/tests', { json })).status).toBe(429);
    rig.runner.latest().end();
    await readyResult(rig, killed.ids[0]);
    expect((await rig.call('POST', '/v2/tests', { json })).status).toBe(200);
  });

  test('a resumed run ends when its host is no longer verified', async () => {
    const shop = await openShop();
    const { target, service: before } = shop;
    const json = smallTestFields(`${target.url}/`);
    const { test_id: id } = (await before.call('POST', '/v2/tests', { json })).json;
    const requestCount = target.requests.length;
    const dataDirectory = copyOf(before.dataDirectory);
    const rig = await openAfter(
      { before, dataDirectory },
      { mode: 'serve', limits: { hostCheckIntervalMs: 20 } },
    );
    await waitUntil(() => (target.requests.length > requestCount + 3 ? true : null));
    expect(rig.runner.latest().stops).toEqual([]);
    target.respondWith((_, response) => {
      response.writeHead(404).end();
    });
    expect(await readyResult(rig, id)).toMatchObject({ abort_reason: 'verification_lost' });
  });

  test('a resumed run is partial if its load generator fails', async () => {
    const killed = await openWithRuns(1);
    const rig = await openAfter(killed);
    rig.runner.latest().fail(new Error('simulated'));
    expect(await readyResult(rig, killed.ids[0])).toMatchObject({ abort_reason: 'partial', requests: null });
  });

  test('a run that a restarted service cannot resume is partial, even if other runs are resumed', async () => {
    const killed = await openWithRuns(3);
    const [first, second, third] = killed.ids;
    const unfinishedRuns = killed.before.runner.runs
      .slice(1, 2)
      .map(({ job }) => ({ job, lastProgress: null }));
    const rig = await openTestService({
      dataDirectory: killed.dataDirectory,
      fake: createFakeRunner({ unfinishedRuns }),
    });
    const statuses = [await statusOf(rig, first), await statusOf(rig, second), await statusOf(rig, third)];
    expect(statuses).toEqual(['complete', 'running', 'complete']);
    expect(await readyResult(rig, first)).toMatchObject({ abort_reason: 'partial' });
    expect(await readyResult(rig, third)).toMatchObject({ abort_reason: 'partial' });
    expect(rig.log).toContainEqual({ level: 'warn', event: 'runs-lost', count: 2 });
    rig.runner.latest().end();
    expect(await readyResult(rig, second)).toMatchObject({ abort_reason: null });
  });
});

test('a run is partial if an error prevents the service from resuming it', async () => {
  const killed = await openWithRuns(1);
  const fake = createFakeRunner({ resumeError: new Error('simulated') });
  const rig = await openTestService({ dataDirectory: killed.dataDirectory, fake });
  expect(await statusOf(rig, killed.ids[0])).toBe('complete');
  expect(await readyResult(rig, killed.ids[0])).toMatchObject({ abort_reason: 'partial', requests: null });
});
