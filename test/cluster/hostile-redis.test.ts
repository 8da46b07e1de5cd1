/** Clients that can write to Redis, without the secret: the service and its workers read only a bounded part. */
// @module-tag load
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  fromWorkersKey,
  heartbeatKey,
  mailboxKey,
  toWorkersKey,
  WORKERS_KEY,
} from '../../src/cluster/redis-keys.ts';
import { startRedis, SKIP_WITHOUT_REDIS, type RedisServer } from '../support/redis-server.ts';
import { completeLoad, createOpenLoad, openSimulatedService } from '../support/simulated-workers.ts';

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('data of other clients in Redis', () => {
  let server: RedisServer;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis({ host: '127.0.0.1', port: server.port });
  });
  beforeEach(async () => {
    await redis.flushall();
  });
  afterAll(async () => {
    redis.disconnect();
    await server.close();
  });

  async function openService() {
    const service = await openSimulatedService(server);
    onTestFinished(() => service.close());
    return service;
  }

  async function runOnce(service: Awaited<ReturnType<typeof openSimulatedService>>) {
    const { job, hosts } = await service.run();
    expect(await service.runner.check(job)).toBeNull();
    return await service.runner.start(job, () => undefined, hosts).ended;
  }

  test('invalid entries in the list of workers do not hide real workers', async () => {
    const service = await openService();
    await service.addWorker('one', completeLoad);
    const now = Date.now();
    for (let batch = 0; batch < 3; batch++) {
      const names = Array.from({ length: 1000 }, (_, index) => [now + 3_600_000, `name ${batch} ${index}`]);
      await redis.zadd(WORKERS_KEY, ...names.flat());
    }
    await redis.zadd(WORKERS_KEY, now, '../workers', now, 'x'.repeat(100_000));
    expect(await runOnce(service)).toMatchObject({ abortReason: null, workers: [{ name: 'one' }] });
    expect(service.cluster.workerPool.list()).toHaveLength(1);
  });

  test('for a list of 6,000 fake workers, the service reads fewer than 5,000 heartbeats', async () => {
    const service = await openService();
    const now = Date.now();
    const ids = Array.from({ length: 6000 }, (_, index) => [now, index.toString(16).padStart(16, '0')]);
    await redis.zadd(WORKERS_KEY, ...ids.flat());
    const reads = await countCalls('getrange');
    await service.runner.check((await service.run()).job);
    expect((await countCalls('getrange')) - reads).toBeGreaterThan(0);
    expect((await countCalls('getrange')) - reads).toBeLessThan(5000);
  });

  test.each([
    ['many small messages', 20_000, 20],
    ['messages of a megabyte', 40, 1024 * 1024],
  ])('%s from another client in the stream of a run do not affect the next run', async (_, count, size) => {
    const service = await openService();
    const load = createOpenLoad();
    await service.addWorker('one', load.startLoad);
    const { job, hosts } = await service.run();
    expect(await service.runner.check(job)).toBeNull();
    const run = service.runner.start(job, () => undefined, hosts);
    const key = fromWorkersKey(job.runId);
    await expect.poll(async () => await redis.exists(key)).toBe(1);
    const adds = redis.pipeline();
    for (let entry = 0; entry < count; entry++) adds.xadd(key, '*', 's', 'x'.repeat(size));
    await adds.exec();
    load.end();
    const report = await run.ended.catch((error: unknown) => error);
    if (report instanceof Error) expect(report.message).not.toBe('');
    else expect(['partial', null]).toContain((report as { abortReason: unknown }).abortReason);
    expect(await runOnce(service)).toMatchObject({ abortReason: null, workers: [{ name: 'one' }] });
  });

  test('heartbeats of the wrong type or size do not hide a worker with a valid heartbeat', async () => {
    const service = await openService();
    await service.addWorker('one', completeLoad);
    for (const [index, write] of [
      async (key: string) => await redis.lpush(key, 'a'),
      async (key: string) => await redis.set(key, 'x'.repeat(5_000_000)),
    ].entries()) {
      const id = String(index).padStart(16, '0');
      await write(heartbeatKey(id));
      await redis.zadd(WORKERS_KEY, Date.now(), id);
    }
    expect(await runOnce(service)).toMatchObject({ abortReason: null, workers: [{ name: 'one' }] });
  });

  test('a worker list and a mailbox with the wrong Redis type are replaced, and the next run completes', async () => {
    const service = await openService();
    const worker = await service.addWorker('one', completeLoad);
    await redis.set(WORKERS_KEY, 'text');
    await expect.poll(async () => await redis.zcard(WORKERS_KEY).catch(() => 0)).toBe(1);
    await redis.del(mailboxKey(worker.id));
    await redis.lpush(mailboxKey(worker.id), 'text');
    expect(await runOnce(service)).toMatchObject({ abortReason: null, workers: [{ name: 'one' }] });
  });

  test.each([
    ['from the workers', fromWorkersKey],
    ['to the workers', toWorkersKey],
  ] as const)(
    'if another client replaces the Redis key of the messages %s, the run ends and reports the replacement',
    async (_name, keyOf) => {
      const service = await openService();
      await service.addWorker('one', createOpenLoad().startLoad);
      const { job, hosts } = await service.run();
      expect(await service.runner.check(job)).toBeNull();
      const run = service.runner.start(job, () => undefined, hosts);
      const key = keyOf(job.runId);
      await expect.poll(async () => await redis.exists(key)).toBe(1);
      await redis.multi().del(key).set(key, 'text').exec();
      const reason = 'another client has replaced a key of loadtests in Redis (WRONGTYPE)';
      const report = await run.ended.catch((error: unknown) => error);
      // The key of the workers exists before the start.
      if (report instanceof Error) expect(report.message).toContain(reason);
      else
        expect(report).toMatchObject({
          abortReason: 'partial',
          workers: [{ lossReason: expect.stringContaining(reason) as string }],
        });
      // Otherwise, the worker would try to send the end of its load until a timeout.
      await redis.del(key);
    },
  );

  test.each([
    ['has the wrong type', async (key: string) => void (await redis.set(key, 'text'))],
    [
      'contains large messages',
      async (key: string) => {
        const large = Buffer.alloc(12 * 1024 * 1024);
        const adds = redis.multi();
        for (let count = 0; count < 6; count++) adds.xadd(key, '*', 's', large);
        // In one transaction, so that the worker reads all messages together.
        await adds.exec();
      },
    ],
  ])('a worker replaces a mailbox that %s, and accepts the next shard', async (_, fill) => {
    const service = await openService();
    const worker = await service.addWorker('one', completeLoad);
    // The worker creates the key only when it receives a message.
    await redis.del(mailboxKey(worker.id));
    await fill(mailboxKey(worker.id));
    await expect
      .poll(() => service.warnings.filter(({ event }) => event === 'mailbox-replaced'))
      .not.toEqual([]);
    await expect.poll(async () => await redis.exists(mailboxKey(worker.id))).toBe(0);
    expect(await runOnce(service)).toMatchObject({ abortReason: null, workers: [{ name: 'one' }] });
  });

  async function countCalls(command: string): Promise<number> {
    const info = await redis.info('commandstats');
    return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
  }
});
