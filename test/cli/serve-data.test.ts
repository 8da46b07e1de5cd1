/** Results of runs when the disk of `serve` is full or the process is killed. */
// @module-tag load
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listeningUrlOf, PROGRAM, startShell } from '../support/cli.ts';
import { serveInProcess } from '../support/in-process-cli.ts';
import {
  callAt,
  smallTestFields,
  waitUntil,
  type ServiceResponse,
  type CallOptions,
} from '../support/test-service.ts';
import { openTestTarget, servePages, type TestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';

const SERVE = ['serve', '--port', '0', '--json', '--data', 'data'];

interface Serving {
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<unknown>;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<ServiceResponse>;
}

/** @param before - Shell command that starts the service in its place. */
async function serving(directory: string, before = 'exec'): Promise<Serving> {
  const line = `${before} '${process.execPath}' '${PROGRAM}' ${SERVE.join(' ')}`;
  const server = startShell(line, { directory, env: { LOADTESTS_API_KEY: KEY } });
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  await server.saw('"listening"');
  return {
    pid: server.pid ?? 0,
    kill: server.kill,
    ended: server.ended,
    call: callerOf(server.output()),
  };
}

/** Starts the service in this process. */
async function servingInProcess(directory: string): Promise<Pick<Serving, 'call'>> {
  const server = await serveInProcess(SERVE, { directory, env: { LOADTESTS_API_KEY: KEY } });
  return { call: callerOf(server.output()) };
}

/** Returns a function that sends requests to a service, by its output. */
function callerOf(output: string): Serving['call'] {
  const url = listeningUrlOf(output);
  return async (method, path, options = {}) => await callAt(url, method, path, { key: KEY, ...options });
}

async function verify({ call }: Serving, target: TestTarget): Promise<void> {
  const { app_id: app, verification_id: token } = (
    await call('POST', '/v2/apps', { form: { app: target.host } })
  ).json;
  target.respondWith(servePages({ '/': 'hello', [`/${token}.txt`]: token }));
  expect((await call('POST', `/v2/apps/${app}/verify`)).status).toBe(200);
}

/** Fills the remaining space. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [65_536, 1]) {
      const bytes = Buffer.alloc(size);
      try {
        while (writeSync(file, bytes) > 0);
      } catch {
        // No space is left for another write of this size.
      }
    }
  } finally {
    closeSync(file);
  }
}

/** A mount in a separate namespace, which other processes do not see. */
const MOUNT = 'mount -t tmpfs -o size=8m,mode=700 none';
const mayMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-rm', 'sh', '-c', `${MOUNT} /tmp`], { stdio: 'ignore' }).status === 0;

test.runIf(mayMount)(
  'serve reports a full disk and stores the result of a run when space is available again',
  async () => {
    const directory = createTestDirectory();
    mkdirSync(join(directory, 'data'), { mode: 0o700 });
    const target = await openTestTarget(servePages({}));
    const server = await serving(directory, `exec unshare -rm bash -c '${MOUNT} data && exec "$0" "$@"'`);
    const { call } = server;
    await verify(server, target);
    const requestsBefore = target.requests.length;
    const json = smallTestFields(`${target.url}/`, { duration: 8, total: 30 });
    const { test_id: id, result_id: result } = (await call('POST', '/v2/tests', { json })).json;
    const filler = join(`/proc/${server.pid}/root`, directory, 'data/filler');
    fill(filler);

    const health = await call('GET', '/healthz', { key: null });
    expect([health.status, health.json]).toEqual([
      503,
      { status: 'failing', reason: 'the disk is full; nothing can be stored until space is freed' },
    ]);
    expect((await call('POST', '/v2/apps', { form: { app: 'other.example' } })).status).toBe(503);
    // The run ends on time, but its result cannot be written yet. Requests of this test cost more than those of the run.
    await waitUntil(() => (target.requests.length - requestsBefore >= 30 ? true : null));
    await waitUntil(async () =>
      (await call('GET', `/v2/tests/${id}`)).json.status === 'complete' ? true : null,
    );
    expect((await call('GET', `/v2/tests/${id}/results/${result}`)).json.status).toBe('not_ready');
    const again = await call('PUT', `/v2/tests/${id}/run`);
    expect([again.status, again.json.errors]).toEqual([
      503,
      ['the result of the last run could not be stored yet; GET /healthz returns the cause'],
    ]);

    rmSync(filler);
    const stored = await waitUntil(async () => {
      const { json: record } = await call('GET', `/v2/tests/${id}/results/${result}`);
      return record.status === 'ready' ? record : null;
    });
    expect(stored).toMatchObject({ success: 30, abort_reason: null });
    await waitUntil(async () =>
      (await call('GET', '/healthz', { key: null })).status === 200 ? true : null,
    );
    expect((await call('PUT', `/v2/tests/${id}/run`)).status).toBe(200);
  },
);

test('a service that is killed under load preserves the metrics that it stored before, and reports the metrics of a newer run as unknown', async () => {
  const directory = createTestDirectory();
  const target = await openTestTarget(servePages({}));
  const before = await serving(directory);
  await verify(before, target);
  const requestsBefore = target.requests.length;
  const json = smallTestFields(`${target.url}/`, { test_type: 'per-second', duration: 40, total: 10 });
  const { test_id: id, result_id: result } = (await before.call('POST', '/v2/tests', { json })).json;
  // Longer than the interval at which metrics are stored. 80 requests take 8 s, and asking for the progress costs more.
  await waitUntil(() => (target.requests.length - requestsBefore >= 80 ? true : null));
  await waitUntil(async () => {
    const { progress } = (await before.call('GET', `/v2/tests/${id}`)).json;
    return elapsedOf(progress) >= 8000 ? true : null;
  });
  const late = (await before.call('POST', '/v2/tests', { json })).json;
  before.kill('SIGKILL');
  await before.ended;
  const sent = target.requests.length - requestsBefore;

  const after = await servingInProcess(directory);
  const { json: stored } = await after.call('GET', `/v2/tests/${id}/results/${result}`);
  expect(stored).toMatchObject({ status: 'ready', abort_reason: 'partial', error: 0, network_error: 0 });
  const { success } = stored as unknown as { readonly success: number }; // a metric of every result
  expect(success).toBeGreaterThan(20);
  expect(success).toBeLessThanOrEqual(sent);
  // The metrics of this run were not stored before the crash.
  const { json: unknown } = await after.call('GET', `/v2/tests/${late.test_id}/results/${late.result_id}`);
  expect(unknown).toMatchObject({
    status: 'ready',
    abort_reason: 'partial',
    success: null,
    requests: null,
  });
  for (const test of [id, late.test_id])
    expect((await after.call('GET', `/v2/tests/${test}`)).json.status).toBe('complete');
});

function elapsedOf(progress: unknown): number {
  return typeof progress === 'object' && progress !== null && 'elapsed_ms' in progress
    ? Number(progress.elapsed_ms)
    : 0;
}
