/** Every row of the API document against the built `serve`, with plain HTTP. */
// @module-tag load
import { mkdirSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listeningUrlOf, runInShell, startCli } from '../support/cli.ts';
import { runInProcess, serveInProcess } from '../support/in-process-cli.ts';
import { waitUntil } from '../support/test-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { WAIT_MS } from '../support/wait.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';

interface ServeResponse {
  readonly status: number;
  readonly text: string;
  /** The JSON of the response. The API document defines the fields that a test reads. */
  readonly json: Readonly<Record<string, unknown>> &
    Readonly<Record<number, Readonly<Record<string, unknown>>>>;
}

const SERVE = ['serve', '--port', '0', '--json', '--data', 'data'];

/** Starts the built program in its own process. */
async function serving(directory: string, flags: readonly string[] = []) {
  const server = startCli([...SERVE, ...flags], { directory, env: { LOADTESTS_API_KEY: KEY } });
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  await server.saw('"listening"');
  return { server, ...callerOf(server.output()) };
}

/** Starts a service in this process. */
async function servingInProcess(directory: string) {
  const server = await serveInProcess(SERVE, { directory, env: { LOADTESTS_API_KEY: KEY } });
  return { server, ...callerOf(server.output()) };
}

/** Returns the URL of a service, by its output, and a function that sends requests to it. */
function callerOf(output: string) {
  const url = listeningUrlOf(output);
  const call = async (
    method: string,
    path: string,
    body?: { form?: Record<string, string>; json?: unknown },
  ): Promise<ServeResponse> => {
    const type = body?.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    const text =
      body?.form === undefined ? JSON.stringify(body?.json) : new URLSearchParams(body.form).toString();
    const response = await fetch(url + path, {
      method,
      headers: { 'service-auth': KEY, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: text }),
    });
    const responseText = await response.text();
    return {
      status: response.status,
      text: responseText,
      json: (responseText === '' ? {} : JSON.parse(responseText)) as ServeResponse['json'],
    };
  };
  return { url, call };
}

describe('the serve command', () => {
  // Later versions of Node.js open fewer files, so that serve starts with 36.
  test.each(process.versions.node.startsWith('20.') ? [22, 52] : [22])(
    'with an open-file limit of %i, serve prints one error with a hint to increase the limit, and no stack trace',
    async (files) => {
      const directory = createTestDirectory();
      const { exit, stdout, stderr } = await runInShell(`ulimit -n ${files}; loadtests serve --port 0`, {
        directory,
        env: { LOADTESTS_API_KEY: KEY },
      });
      expect([exit, stdout, stderr]).toEqual([
        1,
        '',
        `error LT_CLI_FILES: this process cannot open more files or connections
  hint: increase the limit, for example with "ulimit -n 65536" in the same shell, and run the command again
`,
      ]);
    },
  );

  test('serve does not start with a short API key, or with a mail relay password on the command line', async () => {
    const directory = createTestDirectory();
    for (const [flags, key] of [
      [[], 'cat'],
      [['--smtp', 'smtp://ci:canary@mail.example.com'], KEY],
    ] as const) {
      const ran = await runInProcess(['serve', '--port', '0', ...flags], {
        directory,
        env: { LOADTESTS_API_KEY: key },
      });
      expect([ran.exit, ran.stdout]).toEqual([3, '']);
      expect(ran.stderr).toMatch(
        /LT_CLI_WEAK_KEY: LOADTESTS_API_KEY has 3 characters|LT_CLI_USAGE: --smtp must/,
      );
      expect(ran.stderr).not.toMatch(/cat\b|canary/);
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each([
    [['--host', '192.0.2.1'], 'LT_SERVER_ADDRESS: the service cannot listen on "192.0.2.1:0"'],
    [['--public-url', 'loads'], 'LT_SERVER_ADDRESS: the public URL "loads" is not valid'],
    [['--allow-private', '10.0.0.0'], 'LT_SERVER_ADDRESS: "10.0.0.0" is not a valid address range'],
    [['--trust-proxy', 'proxy'], 'LT_SERVER_ADDRESS: "proxy" is not a valid proxy address; write it like'],
    [['--trust-proxy', '10.0.0.0/33'], 'LT_SERVER_ADDRESS: "10.0.0.0/33" is not a valid proxy address'],
    [['--allow-mail', '@'], 'LT_SERVER_ADDRESS: "@" is not a valid email address or domain'],
    [['--smtp', 'mail'], 'LT_SERVER_ADDRESS: the mail relay URL is not valid'],
    [['--redis', 'localhost'], 'LT_CLUSTER_REDIS: the Redis address is not a valid URL'],
    [['--redis', 'redis://127.0.0.1:1'], 'LT_CLUSTER_UNREACHABLE'],
  ])(
    'with the unusable flags %j, serve creates neither a data directory nor a key',
    async (flags, message) => {
      const directory = createTestDirectory();
      const ran = await runInProcess(['serve', '--port', '0', ...flags], { directory });
      expect(ran.stderr).toContain(message);
      expect(ran.stderr).not.toContain('API key');
      expect([ran.stdout, readdirSync(directory)]).toEqual(['', []]);
    },
  );

  test('serve creates no data directory and no key if its port is in use', async () => {
    const target = await openTestTarget(servePages({}));
    const { port } = new URL(target.url);
    const directory = createTestDirectory();
    mkdirSync(join(directory, 'there'));
    for (const data of ['data', 'there']) {
      const ran = await runInProcess(['serve', '--port', port, '--data', data], { directory });
      expect(ran.stderr).toContain(`LT_SERVER_ADDRESS: the service cannot listen on "127.0.0.1:${port}"`);
      expect(ran.stderr).not.toContain('API key');
    }
    expect(readdirSync(directory, { recursive: true })).toEqual(['there']);
  });

  test('serve waits until another service releases the data directory and the port, and then starts', async () => {
    const directory = createTestDirectory();
    const first = await servingInProcess(directory);
    const { port } = new URL(first.url);
    const second = startCli(['serve', '--port', port, '--data', 'data'], {
      directory,
      env: { LOADTESTS_API_KEY: KEY },
    });
    onTestFinished(() => {
      second.kill('SIGKILL');
    });
    await second.saw('waiting up to');
    first.server.interrupt();
    await second.saw(`is listening on ${first.url}`);
  });

  test('serve verifies apps, runs and stops tests, returns their results, and preserves its data across a restart', async () => {
    const directory = createTestDirectory();
    const target = await openTestTarget(servePages({ '/': 'hello' }));
    const caps = ['--max-host-connections', '500', '--max-host-rate', '1000'];
    const { server, url, call } = await serving(directory, caps);

    expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ status: 'ok' });
    expect((await fetch(`${url}/v2/apps`)).status).toBe(401);
    expect((await call('GET', '/v2/apps')).json).toEqual([]);

    const registered = await call('POST', '/v2/apps', { form: { app: target.host } });
    expect(registered.json).toMatchObject({ message: 'success' });
    const appId = String(registered.json['app_id']);
    const verificationId = String(registered.json['verification_id']);
    expect(verificationId).toBe(`service-${appId}`);
    expect((await call('POST', '/v2/apps', { form: { app: target.host } })).json['app_id']).toBe(appId);

    const create = { test_type: 'non-cycling', total: 20, duration: 1, urls: [{ url: `${target.url}/` }] };
    expect((await call('POST', '/v2/tests', { json: create })).status).toBe(422);
    const rejected = await call('POST', `/v2/apps/${appId}/verify`, { form: { method: 'http' } });
    expect([rejected.status, rejected.json['message'], rejected.json['app_id']]).toEqual([
      422,
      'error',
      appId,
    ]);
    expect(String((rejected.json['errors'] as string[])[0])).toContain(target.host);

    target.respondWith(servePages({ '/': 'hello', [`/${verificationId}.txt`]: `${verificationId}\n` }));
    expect((await call('POST', `/v2/apps/${appId}/verify`, { form: { method: 'http' } })).json).toEqual({
      app_id: appId,
      message: 'success',
    });
    expect((await call('GET', `/v2/apps/${appId}`)).json).toMatchObject({
      app: target.host,
      status: 'verified',
    });

    for (const [more, reason] of [
      [{ test_type: 'per-second', total: 1001 }, '1,001 requests per second on one host; the limit is 1,000'],
      [{ test_type: 'cycling', total: 501 }, '501 connections on one host; the limit is 500'],
    ] as const) {
      const rejected = await call('POST', '/v2/tests', { json: { ...create, ...more } });
      expect([rejected.status, rejected.text]).toEqual([422, expect.stringContaining(reason)]);
    }
    const created = await call('POST', '/v2/tests', { json: create });
    expect(created.json).toMatchObject({ message: 'success', status: 'running' });
    const testId = String(created.json['test_id']);
    const ended = (id: string) =>
      waitUntil(async () => {
        const { json } = await call('GET', `/v2/tests/${id}`);
        return json['status'] === 'complete' ? json : null;
      });
    expect(await ended(testId)).toMatchObject({
      test_id: testId,
      domain: target.host,
      test_type: 'Non-Cycling',
      total: 20,
    });
    const results = (await call('GET', `/v2/tests/${testId}/results`)).json;
    expect(results[0]).toMatchObject({
      result_id: created.json['result_id'],
      status: 'ready',
      success: 20,
      requests: 20,
    });
    expect(target.requests.filter((line) => line === 'GET /')).toHaveLength(20);
    const one = await call('GET', `/v2/tests/${testId}/results/${String(created.json['result_id'])}`);
    expect(one.json['timeline']).not.toHaveLength(0);

    // A test that is running cannot be started.
    const long = (await call('POST', '/v2/tests', { json: { ...create, duration: 600 } })).json;
    const longId = String(long['test_id']);
    expect((await call('PUT', `/v2/tests/${longId}/run`)).status).toBe(422);
    expect((await call('PUT', `/v2/tests/${longId}/stop`)).status).toBe(200);
    await ended(longId);

    const again = await call('PUT', `/v2/tests/${longId}/run`);
    expect(again.json).toMatchObject({ message: 'success', status: 'running', test_id: longId });
    expect((await call('PUT', `/v2/tests/${longId}/stop`)).json).toMatchObject({
      message: 'success',
      test_id: longId,
    });
    expect(await ended(longId)).toMatchObject({ status: 'complete' });
    expect((await call('GET', '/v2/tests')).json).toHaveLength(2);
    expect((await call('GET', '/v2/servers')).json).toMatchObject({
      ip_addresses: expect.any(Array) as unknown,
    });
    expect((await call('GET', '/v2/nothing')).json).toMatchObject({ message: 'error' });

    server.kill('SIGTERM');
    expect((await server.ended).exit).toBe(0);
    const later = await servingInProcess(directory);
    expect((await later.call('GET', `/v2/tests/${longId}/results`)).json).toHaveLength(2);
    const deleted = await later.call('DELETE', `/v2/apps/${appId}`);
    expect([deleted.status, deleted.text]).toEqual([200, '']);
    expect((await later.call('GET', '/v2/tests')).json).toEqual([]);
  });

  test('serve responds while thousands of slow connections are open', async () => {
    const { server, url, call } = await serving(createTestDirectory());
    const slow: Socket[] = [];
    onTestFinished(() => {
      for (const socket of slow) socket.destroy();
    });
    const { hostname, port } = new URL(url);
    while (slow.length < 4200) {
      const some = Array.from({ length: 100 }, () => connect(Number(port), hostname));
      slow.push(...some);
      for (const socket of some) socket.on('error', () => undefined);
      await Promise.all(
        some.map(async (socket) => {
          await new Promise((resolve) => socket.once('connect', resolve));
          socket.write('G');
        }),
      );
    }
    const signal = AbortSignal.timeout(WAIT_MS);
    expect((await fetch(`${url}/healthz`, { signal })).status).toBe(200);
    expect((await call('GET', '/v2/apps')).status).toBe(200);
    server.kill('SIGTERM');
    expect((await server.ended).exit).toBe(0);
  });
});
