/** Workers as their operators see them, on a Redis that lets them do no more than they need. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatMinimumAcl } from '../../src/cluster/redis-permissions.ts';
import { runCli } from '../support/cli.ts';
import {
  API_KEY,
  startTestCluster,
  type TestCluster,
  type StartedProcess,
} from '../support/cluster-processes.ts';
import { SKIP_WITHOUT_REDIS, type RedisServer } from '../support/redis-server.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

interface WorkerSeen {
  readonly worker_id: string;
  readonly name: string;
  readonly state: string;
  readonly compatible: boolean;
  readonly threads: number;
  readonly result_id: string | null;
}

/** Everybody has the least rights, but for one operator. */
async function restrict(redis: RedisServer): Promise<string> {
  await redis.command('acl', 'setuser', 'operator', 'on', '>operator', '+@all', '~*', '&*');
  await redis.command('acl', 'setuser', 'default', ...formatMinimumAcl().split(' '));
  return redis.url;
}

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('workers', () => {
  let rig: TestCluster;
  let east: StartedProcess;
  let operator: Redis;

  beforeAll(async () => {
    rig = await startTestCluster({ proxyOf: restrict });
    [east] = await Promise.all([rig.startWorker('east'), rig.startWorker('west')]);
    operator = new Redis({
      host: '127.0.0.1',
      port: rig.redis.port,
      username: 'operator',
      password: 'operator',
    });
  });
  afterAll(async () => {
    operator.disconnect();
    await rig.close();
  });

  const seen = async (): Promise<readonly WorkerSeen[]> => {
    const { text } = await rig.call('GET', '/v2/workers');
    const list = JSON.parse(text) as readonly WorkerSeen[]; // checked in the next line
    expect(apiMismatch('worker-list', list)).toBeNull();
    return list;
  };

  /** Those without a time to live. */
  const immortalKeys = async (): Promise<readonly string[]> => {
    const keys = await operator.keys('*');
    const lives = await Promise.all(keys.map((key) => operator.pttl(key)));
    return keys.filter((_, index) => lives[index] === -1);
  };

  test('are there, by name, and make a run with the rights that are documented', async () => {
    await expect.poll(seen, { timeout: 10_000 }).toMatchObject([
      { name: 'east', state: 'ready', compatible: true, threads: 1, result_id: null },
      { name: 'west', state: 'ready', compatible: true, threads: 1, result_id: null },
    ]);
    const content: Record<string, string> = { '/': 'hello' };
    const target = await openTestTarget(servePages(content));
    await rig.verify(target.host, (path, token) => {
      content[path] = token;
    });
    const load = { test_type: 'non-cycling', total: 40, duration: 4, urls: [{ url: `${target.url}/` }] };
    const { json } = await rig.call('POST', '/v2/tests', load);
    const testId = String(json['test_id']);
    await expect
      .poll(async () => (await seen()).map(({ state }) => state), { timeout: 10_000 })
      .toEqual(['busy', 'busy']);
    // What lies in Redis would go by itself if everybody died now: the parts in the mailboxes too.
    await expect.poll(async () => await immortalKeys(), { timeout: 2000 }).toEqual([]);
    const [one] = await seen();
    const status = await runCli(['status'], {
      directory: rig.directory,
      env: { LOADTESTS_API_KEY: API_KEY, LOADTESTS_BASE_URL: rig.url() },
    });
    expect([status.exit, status.stderr]).toEqual([0, '']);
    expect(status.stdout).toMatch(
      new RegExp(`^ {2}east +busy +1 thread.* works on ${String(one?.result_id)}$`, 'm'),
    );
    expect(await rig.result(testId)).toMatchObject({ requests: 40, success: 40, abort_reason: null });
    expect(target.requests.filter((line) => line === 'GET /')).toHaveLength(40);
    // Redis writes down what it refused.
    expect(await operator.call('acl', 'log')).toEqual([]);
    // And nothing that they wrote stays for ever.
    expect(await immortalKeys()).toEqual([]);
  });

  test('leave when they are asked to, and are not shown any more', async () => {
    const [first] = await seen();
    const drained = await rig.call('POST', `/v2/workers/${String(first?.worker_id)}/drain`);
    expect(drained.status).toBe(200);
    expect((await east.ended).exit).toBe(0);
    await expect
      .poll(async () => (await seen()).map(({ name }) => name), { timeout: 10_000 })
      .toEqual(['west']);
    const metrics = await rig.call('GET', '/v2/workers');
    expect(metrics.text).not.toContain('east');
  });

  test('are not drained while Redis is away', async () => {
    const [west] = await seen();
    rig.redis.pause();
    try {
      expect((await rig.call('POST', `/v2/workers/${String(west?.worker_id)}/drain`)).status).toBe(503);
    } finally {
      rig.redis.resume();
    }
  });
});
