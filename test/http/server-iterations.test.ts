import { describe, expect, test } from 'vitest';
import { createFakeRunner } from '../support/fake-runner.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

const ITERATIONS_PATH = '/v2/iterations';

/** Opens a service with a verified host and a running single iteration, which ends when the test ends it. */
async function openWithIteration(options: Parameters<typeof openTestService>[0] = {}) {
  const target = await openTestTarget(servePages({}));
  const rig = await openTestService({
    mode: 'serve',
    fake: createFakeRunner({ endsIterations: false }),
    ...options,
  });
  const { app_id: appId, verification_id: token } = (
    await rig.call('POST', '/v2/apps', { form: { app: target.host } })
  ).json;
  target.respondWith(servePages({ [`/${token}.txt`]: token }));
  await rig.call('POST', `/v2/apps/${appId}/verify`);
  const started = rig.runner.runs.length;
  const response = rig.call('POST', ITERATIONS_PATH, { json: iterationOf(target.url) });
  await waitUntil(() => (rig.runner.runs.length > started ? true : null));
  return { rig, target, appId, response };
}

/** Returns a test that would send more than a single iteration. */
function iterationOf(url: string): Record<string, unknown> {
  return smallTestFields(`${url}/`, { total: 50, duration: 20 });
}

async function listTests(rig: TestService) {
  return (await rig.call('GET', '/v2/tests')).list;
}

describe('a running single iteration', () => {
  test('a single iteration is listed as a running test with one client and can be stopped', async () => {
    const { rig, response } = await openWithIteration();
    const [running] = await listTests(rig);
    expect(running).toMatchObject({ status: 'running', test_type: 'Non-Cycling', total: 1, duration: 1 });
    const id = running?.test_id ?? '';
    expect((await rig.call('PUT', `/v2/tests/${id}/stop`)).status).toBe(200);
    expect(rig.runner.latest().stops).toEqual(['stopped']);
    const stopped = await response;
    expect([stopped.status, stopped.json.errors]).toEqual([422, ['the iteration ended early: stopped']]);
    const [result] = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    expect(result?.abort_reason).toBe('stopped');
  });

  test('a single iteration counts toward the connection limit of its host', async () => {
    const { rig, target, response } = await openWithIteration({ limits: { connectionsPerTarget: 50 } });
    const create = { json: smallTestFields(`${target.url}/`, { test_type: 'cycling', total: 50 }) };
    expect((await rig.call('POST', '/v2/tests', create)).status).toBe(429);
    rig.runner.latest().end();
    expect((await response).status).toBe(200);
    expect((await rig.call('POST', '/v2/tests', create)).status).toBe(200);
  });

  test('a single iteration ends when its host is no longer verified', async () => {
    const { rig, target, response } = await openWithIteration({ limits: { hostCheckIntervalMs: 10 } });
    target.respondWith(servePages({}));
    expect((await response).json.errors).toEqual([
      'the iteration ended early: a target host is no longer verified',
    ]);
    expect(rig.runner.latest().stops).toEqual(['verification_lost']);
  });

  test('a single iteration ends when its app is deleted', async () => {
    const { rig, appId, response } = await openWithIteration();
    expect((await rig.call('DELETE', `/v2/apps/${appId}`)).status).toBe(200);
    expect((await response).status).toBe(422);
    expect(rig.runner.latest().stops).toEqual(['stopped']);
  });
});

describe('a completed single iteration', () => {
  test('a completed single iteration is not in the list of tests, but its record and its result are stored', async () => {
    const { rig, response } = await openWithIteration();
    const id = (await listTests(rig))[0]?.test_id ?? '';
    rig.runner.latest().end();
    expect((await response).status).toBe(200);
    expect(await listTests(rig)).toEqual([]);
    expect((await rig.call('GET', `/v2/tests/${id}`)).json.status).toBe('complete');
    const [result] = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    expect(result?.status).toBe('ready');
    const events = rig.log.filter((line) => line['test_id'] === id).map(({ event }) => event);
    expect(events).toEqual(['run-started', 'run-ended']);
  });

  test('a single iteration cannot be run again', async () => {
    const { rig, response } = await openWithIteration();
    const id = (await listTests(rig))[0]?.test_id ?? '';
    rig.runner.latest().end();
    await response;
    const again = await rig.call('PUT', `/v2/tests/${id}/run`);
    expect([again.status, again.json.errors]).toEqual([
      422,
      ['a single iteration cannot be run again; create a test instead'],
    ]);
  });
});

test('after a restart of the service, an interrupted single iteration is not in the list of tests and has one result', async () => {
  const { rig, response } = await openWithIteration();
  const id = (await listTests(rig))[0]?.test_id ?? '';
  await rig.service.close();
  await response.catch(() => undefined);
  const later = await openTestService({ mode: 'serve', dataDirectory: rig.dataDirectory });
  expect(await listTests(later)).toEqual([]);
  expect((await later.call('GET', `/v2/tests/${id}/results`)).list).toHaveLength(1);
});
