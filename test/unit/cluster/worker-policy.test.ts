import { describe, expect, test } from 'vitest';
import { parseRedisAddress } from '../../../src/cluster/redis-address.ts';
import { createWorkerPolicy } from '../../../src/cluster/worker-policy.ts';

const policyWith = async (redis: string, allowPrivate: readonly string[] = []) =>
  await createWorkerPolicy(parseRedisAddress(redis), {
    allowPrivate,
    health: 9102,
    redis: () => [{ address: '10.1.0.9', port: 7001 }],
  });

describe('worker address policy', () => {
  test('a worker sends no load to loopback unless its Redis server is on loopback', async () => {
    expect((await policyWith('redis://127.0.0.1:7000'))('127.0.0.1', 8080)).toBeNull();
    expect((await policyWith('redis://192.0.2.7:7000'))('127.0.0.1', 8080)).toContain('loopback');
  });

  test('a worker sends no load to loopback if the name of its Redis server cannot be resolved', async () => {
    expect((await policyWith('redis://redis.invalid:7000'))('127.0.0.1', 8080)).toContain('loopback');
    const sentinels = 'redis+sentinel://127.0.0.1:26000,redis.invalid:26000/main';
    expect((await policyWith(sentinels))('127.0.0.1', 8080)).toContain('loopback');
  });

  test('a worker sends no load to its Redis server or to its own health port', async () => {
    const policy = await policyWith('redis://127.0.0.1:7000');
    expect(policy('127.0.0.1', 7000)).toContain('loadtests or one of its dependencies uses this port');
    expect(policy('::1', 9102)).toContain('loadtests or one of its dependencies uses this port');
  });

  test('a worker sends no load to its Redis server through another local address', async () => {
    const policy = await policyWith('redis://127.0.0.1:7000');
    for (const address of ['127.0.0.2', '::1', '::ffff:127.0.0.1'])
      expect(policy(address, 7000)).toContain('loadtests or one of its dependencies uses this port');
  });

  test('a worker sends no load to a Sentinel server, or to a Redis server whose address Sentinel has returned', async () => {
    const policy = await policyWith('redis+sentinel://127.0.0.1:26000/main', ['10.1.0.0/16']);
    expect(policy('10.1.0.9', 7001)).toContain('loadtests or one of its dependencies uses this port');
    expect(policy('10.1.0.9', 7002)).toBeNull();
    expect(policy('127.0.0.1', 26_000)).toContain('loadtests or one of its dependencies uses this port');
  });

  test('a worker sends load to a private address only if its operator allows the address, and never to 169.254.169.254', async () => {
    const policy = await policyWith('redis://127.0.0.1:7000', ['10.1.0.0/16']);
    expect(policy('10.1.2.3', 80)).toBeNull();
    expect(policy('10.2.2.3', 80)).toContain('--allow-private');
    expect(policy('169.254.169.254', 80)).toContain('never allowed');
  });
});
