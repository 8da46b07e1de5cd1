/** Worker list and drain of a service whose Redis grants only the minimum permissions. */
// @module-tag load
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatMinimumAcl } from '../../src/cluster/redis-permissions.ts';
import {
  API_KEY,
  startTestCluster,
  type TestCluster,
  type StartedProcess,
} from '../support/cluster-processes.ts';
import { startCli } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { SKIP_WITHOUT_REDIS, type RedisServer } from '../support/redis-server.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

interface ListedWorker {
  readonly worker_id: string;
  readonly name: string;
  readonly state: string;
  readonly compatible: boolean;
  readonly threads: number;
  readonly result_id: string | null;
}

/** Gives all users the minimum permissions, except one operator. */
async function restrict(redis: RedisServer): Promise<string> {
  await redis.command('acl', 'setuser', 'operator', 'on', '>operator', '+@all', '~*', '&*');
  await redis.command('acl', 'setuser', 'default', ...formatMinimumAcl().split(' '));
  return redis.url;
}

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('worker pools', () => {
  let cluster: TestCluster;
  let east: StartedProcess;
  let west: StartedProcess;
  let operator: Redis;

  beforeAll(async () => {
    cluster = await startTestCluster({ proxyOf: restrict });
    [east, west] = await Promise.all([cluster.startWorker('east'), cluster.startWorker('west')]);
    operator = new Redis({
      host: '127.0.0.1',
      port: cluster.redis.port,
      username: 'operator',
      password: 'operator',
    });
  });
  afterAll(async () => {
    operator.disconnect();
    await cluster.close();
  });

  const listWorkers = async (): Promise<readonly ListedWorker[]> => {
    const { text } = await cluster.call('GET', '/v2/workers');
    const list = JSON.parse(text) as readonly ListedWorker[]; // checked in the next line
    expect(apiMismatch('worker-list', list)).toBeNull();
    return list;
  };

  const states = async () => (await listWorkers()).map(({ state }) => state);

  /** Returns a target and the fields of a short test of it. */
  const openVerifiedTarget = async () => {
    const content: Record<string, string> = { '/': 'hello' };
    const target = await openTestTarget(servePages(content));
    await cluster.verify(target.host, (path, token) => {
      content[path] = token;
    });
    const load = { test_type: 'non-cycling', total: 4, duration: 1, urls: [{ url: `${target.url}/` }] };
    return { target, load };
  };

  const noResponse = () => `Redis at ${cluster.redis.url} did not respond or returned an error`;

  /** Returns the keys without a time to live. */
  const persistentKeys = async (): Promise<readonly string[]> => {
    const keys = await operator.keys('*');
    const lives = await Promise.all(keys.map((key) => operator.pttl(key)));
    return keys.filter((_, index) => lives[index] === -1);
  };

  test('workers with the minimum Redis permissions are listed and complete a run, and each of their Redis keys has a time to live', async () => {
    await expect.poll(listWorkers).toMatchObject([
      { name: 'east', state: 'ready', compatible: true, threads: 1, result_id: null },
      { name: 'west', state: 'ready', compatible: true, threads: 1, result_id: null },
    ]);
    const { target, load } = await openVerifiedTarget();
    const { json } = await cluster.call('POST', '/v2/tests', { ...load, total: 40, duration: 8 });
    const testId = String(json['test_id']);
    await expect.poll(states).toEqual(['busy', 'busy']);
    // All keys must expire by themselves if every process dies now, including the offers in the mailboxes.
    await expect.poll(async () => await persistentKeys()).toEqual([]);
    const [one] = await listWorkers();
    // In this process, because the program may start only after the run has ended.
    const status = await runInProcess(['status'], {
      directory: cluster.directory,
      env: { LOADTESTS_API_KEY: API_KEY, LOADTESTS_BASE_URL: cluster.url() },
    });
    expect([status.exit, status.stderr]).toEqual([0, '']);
    expect(status.stdout).toMatch(
      new RegExp(`^ {2}east +busy +1 thread.* running ${String(one?.result_id)}$`, 'm'),
    );
    expect(await cluster.result(testId)).toMatchObject({ requests: 40, success: 40, abort_reason: null });
    expect(target.requests.filter((line) => line === 'GET /')).toHaveLength(40);
    // Redis logs the commands that it has denied.
    expect(await operator.call('acl', 'log')).toEqual([]);
    // All keys still have a time to live.
    expect(await persistentKeys()).toEqual([]);
  });

  test('a drained worker exits and is no longer listed', async () => {
    const [first] = await listWorkers();
    const drained = await cluster.call('POST', `/v2/workers/${String(first?.worker_id)}/drain`);
    expect(drained.status).toBe(200);
    expect((await east.ended).exit).toBe(0);
    await expect.poll(async () => (await listWorkers()).map(({ name }) => name)).toEqual(['west']);
    const metrics = await cluster.call('GET', '/v2/workers');
    expect(metrics.text).not.toContain('east');
  });

  test('a worker that is killed is listed as lost, and a worker that exits is not listed', async () => {
    const killed = await cluster.startWorker('north');
    const named = async () => (await listWorkers()).map(({ name, state }) => [name, state]);
    await expect.poll(named).toContainEqual(['north', 'ready']);
    killed.kill('SIGKILL');
    // The registration of the worker expires after several seconds.
    await expect.poll(named, { interval: 500 }).toEqual([
      ['west', 'ready'],
      ['north', 'lost'],
    ]);
    const lost = (await listWorkers()).find(({ name }) => name === 'north');
    const drained = await cluster.call('POST', `/v2/workers/${lost?.worker_id ?? ''}/drain`);
    expect(drained.status).toBe(404);
    const again = await cluster.startWorker('north');
    await expect.poll(named).toEqual([
      ['north', 'ready'],
      ['west', 'ready'],
    ]);
    again.kill('SIGTERM');
    await expect.poll(named).toEqual([['west', 'ready']]);
    expect(await operator.call('acl', 'log')).toEqual([]);
  });

  test('the service logs that a worker with a different secret receives no load', async () => {
    const worker = startCli(['worker', '--json', '--redis', cluster.redis.url, '--name', 'stranger'], {
      directory: cluster.directory,
      env: { LOADTESTS_WORKER_SECRET: 'f'.repeat(32) },
    });
    try {
      await worker.saw('"ready"');
      const id = /"id":"(\w+)"/.exec(worker.output())?.[1] ?? '';
      await cluster
        .service()
        .saw(`"worker-refused","worker":"${id}","reason":"the heartbeat cannot be decrypted`);
    } finally {
      worker.kill('SIGKILL');
      await worker.ended;
    }
  });

  test('if the memory of Redis is full, a start request fails with 503, and a worker logs the reason once', async () => {
    const { load } = await openVerifiedTarget();
    await operator.call('config', 'set', 'maxmemory', '1');
    try {
      const { status, json } = await cluster.call('POST', '/v2/tests', load);
      const reason = `Redis at ${cluster.redis.url} cannot be used: its memory is full; increase maxmemory`;
      expect([status, json['errors']]).toEqual([503, [reason]]);
      await west.saw(`"heartbeat-failed","reason":"${reason}"`);
    } finally {
      await operator.call('config', 'set', 'maxmemory', '0');
    }
    await expect.poll(states).toEqual(['ready']);
    expect(west.output().split('heartbeat-failed')).toHaveLength(2);
  });

  test('while Redis does not respond, start requests fail with 503, and after several seconds the state of the workers is unknown', async () => {
    const { target, load } = await openVerifiedTarget();
    cluster.redis.pause();
    try {
      const { status, json } = await cluster.call('POST', '/v2/tests', load);
      expect([status, json['errors']]).toEqual([503, [noResponse()]]);
      const list = async () => (await cluster.call('GET', '/v2/workers')).status;
      await expect.poll(list, { interval: 500 }).toBe(503);
      const shown = await runInProcess(['status'], {
        directory: cluster.directory,
        env: { LOADTESTS_API_KEY: API_KEY, LOADTESTS_BASE_URL: cluster.url() },
      });
      expect(shown.stdout).toMatch(
        /^Workers\n {2}unknown: Redis at .* has not responded for \d+ s, so the state of the workers is unknown$/m,
      );
      expect([shown.exit, shown.stderr]).toEqual([0, '']);
    } finally {
      cluster.redis.resume();
    }
    await expect.poll(states).toEqual(['ready']);
    expect(target.requests.filter((line) => line === 'GET /')).toEqual([]);
  });

  test('a drain request fails with 503 while Redis does not respond, and may still reach the worker', async () => {
    const [listed] = await listWorkers();
    cluster.redis.pause();
    try {
      const path = `/v2/workers/${String(listed?.worker_id)}/drain`;
      const { status, json } = await cluster.call('POST', path);
      expect([status, json['errors']]).toEqual([503, [noResponse()]]);
    } finally {
      cluster.redis.resume();
    }
    expect((await west.ended).exit).toBe(0);
  });
});
