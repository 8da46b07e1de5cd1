import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFakeRunner } from '../support/fake-runner.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

const PASSES = '/v2/iterations';

/** A service and a verified host; its runner's passes go on until they are ended. */
async function goingOn(options: Parameters<typeof openTestService>[0] = {}) {
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
  const pass = rig.call('POST', PASSES, { json: passOf(target.url) });
  await waitUntil(() => (rig.runner.runs.length > started ? true : null));
  return { rig, target, appId, pass };
}

/** More than a single pass, were it run as it is. */
function passOf(url: string): Record<string, unknown> {
  const urls = [
    {
      ...{ url: `${url}/`, request_type: 'POST', raw_post_body: 'canary-body' },
      ...{ headers: { 'x-api': 'canary-header' }, credentials: { login: 'ci', password: 'canary-password' } },
    },
  ];
  return smallTestFields(url, { total: 50, duration: 20, urls });
}

async function listed(rig: TestService) {
  return (await rig.call('GET', '/v2/tests')).list;
}

describe('a single pass that goes on', () => {
  test('is listed as running, as the one client that it is, and is stopped like any run', async () => {
    const { rig, pass } = await goingOn();
    const [running] = await listed(rig);
    expect(running).toMatchObject({ status: 'running', test_type: 'Non-Cycling', total: 1, duration: 1 });
    const id = running?.test_id ?? '';
    expect((await rig.call('PUT', `/v2/tests/${id}/stop`)).status).toBe(200);
    expect(rig.runner.latest().stops).toEqual(['stopped']);
    const response = await pass;
    expect([response.status, response.json.errors]).toEqual([422, ['the pass was ended: stopped']]);
    const [result] = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    expect(result?.abort_reason).toBe('stopped');
  });

  test('counts where runs are capped', async () => {
    const { rig, target, pass } = await goingOn({ limits: { connectionsPerTarget: 50 } });
    const create = { json: smallTestFields(`${target.url}/`, { test_type: 'cycling', total: 50 }) };
    expect((await rig.call('POST', '/v2/tests', create)).status).toBe(429);
    rig.runner.latest().end();
    expect((await pass).status).toBe(200);
    expect((await rig.call('POST', '/v2/tests', create)).status).toBe(200);
  });

  test('ends when its host withdraws its consent', async () => {
    const { rig, target, pass } = await goingOn({ limits: { hostCheckIntervalMs: 10 } });
    target.respondWith(servePages({}));
    expect((await pass).json.errors).toEqual(['the pass was ended: a host no longer agrees to get load']);
    expect(rig.runner.latest().stops).toEqual(['consent_withdrawn']);
  });

  test('ends when its app is deleted', async () => {
    const { rig, appId, pass } = await goingOn();
    expect((await rig.call('DELETE', `/v2/apps/${appId}`)).status).toBe(200);
    expect((await pass).status).toBe(422);
    expect(rig.runner.latest().stops).toEqual(['stopped']);
  });
});

describe('a single pass that has ended', () => {
  test('is in no list, and its record stays', async () => {
    const { rig, pass } = await goingOn();
    const id = (await listed(rig))[0]?.test_id ?? '';
    rig.runner.latest().end();
    expect((await pass).status).toBe(200);
    expect(await listed(rig)).toEqual([]);
    expect((await rig.call('GET', `/v2/tests/${id}`)).json.status).toBe('complete');
    const [result] = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    expect(result?.status).toBe('ready');
    const events = rig.log.filter((line) => line['test_id'] === id).map(({ event }) => event);
    expect(events).toEqual(['run-started', 'run-ended']);
  });

  test('keeps nothing of what it sent but its URLs, and so is not run again', async () => {
    const { rig, pass } = await goingOn();
    const id = (await listed(rig))[0]?.test_id ?? '';
    rig.runner.latest().end();
    await pass;
    const kept = readdirSync(rig.dataDirectory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('');
    expect(kept).toContain(id);
    expect(kept).not.toContain('canary');
    const again = await rig.call('PUT', `/v2/tests/${id}/run`);
    expect([again.status, again.json.errors]).toEqual([
      422,
      ['this was a single pass, which cannot be run again; create the test instead'],
    ]);
  });
});

test('a single pass whose process died is closed like any run', async () => {
  const { rig, pass } = await goingOn();
  const id = (await listed(rig))[0]?.test_id ?? '';
  await rig.service.close();
  await pass.catch(() => undefined);
  const later = await openTestService({ mode: 'serve', dataDirectory: rig.dataDirectory });
  expect(await listed(later)).toEqual([]);
  expect((await later.call('GET', `/v2/tests/${id}/results`)).list).toHaveLength(1);
});
