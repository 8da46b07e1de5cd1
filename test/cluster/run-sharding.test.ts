/**
 * Runs with workers that do not become ready: the run is split again over the ready ones, or refused with the
 * reasons.
 */
// @module-tag load
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { STREAM_START, receiveSealed, sendSealed, toWorkersStream } from '../../src/cluster/sealed-stream.ts';
import type { ServiceMessage } from '../../src/cluster/cluster-messages.ts';
import type { StartLoad } from '../../src/cluster/worker-run.ts';
import { Seal } from '../../src/cluster/seal.ts';
import {
  openSimulatedService,
  refusedLoad,
  WORKER_SECRET,
  silentLoad,
  completeLoad,
  type SimulatedService,
} from '../support/simulated-workers.ts';
import { startRedis, SKIP_WITHOUT_REDIS, type RedisServer } from '../support/redis-server.ts';

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('run sharding with unavailable workers', () => {
  let redis: RedisServer;
  let service: SimulatedService;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());
  beforeEach(async () => {
    service = await openSimulatedService(redis);
  });
  afterEach(() => service.close());

  const startRun = async (loads: Readonly<Record<string, StartLoad>>, total = 12) => {
    for (const [name, load] of Object.entries(loads)) await service.addWorker(name, load);
    const { job, hosts } = await service.run({ total });
    return await service.runner.start(job, () => undefined, hosts).ended;
  };

  /** Returns the acknowledgments that the service has sent to the workers of a run, in order. */
  const acknowledged = async (runId: string): Promise<readonly string[]> => {
    const client = new Redis({ host: '127.0.0.1', port: redis.port });
    const from = { seal: new Seal(WORKER_SECRET), stream: toWorkersStream(runId) };
    const { messages } = await receiveSealed(client, from, STREAM_START, 1);
    client.disconnect();
    return messages.flatMap(({ body }) => {
      const message = JSON.parse(body.toString()) as ServiceMessage; // sealed by the service
      return message.kind === 'acknowledged'
        ? Object.entries(message.merged).map((one) => one.join(' '))
        : [];
    });
  };

  /** Returns the names of workers that did not run their shards. */
  const refused = (): readonly unknown[] =>
    service.warnings.flatMap(({ event, worker }) =>
      event === 'shard-refused' && worker !== undefined ? [worker] : [],
    );

  test.each([
    ['does not respond', silentLoad, 'did not become ready within 5 s'],
    ['refuses its shard', refusedLoad('it has no threads'), 'refused the run: it has no threads'],
  ])('a run is distributed among the other workers when one worker %s', async (_, load, reason) => {
    const report = await startRun({ one: completeLoad, two: load, three: completeLoad });
    expect(report).toMatchObject({ abortReason: null, total: { ledger: { started: 12, success: 12 } } });
    expect(report.workers?.map(({ name, started, lossReason }) => [name, started, lossReason])).toEqual([
      ['one', 6, null],
      ['three', 6, null],
    ]);
    expect(service.warnings).toContainEqual(
      expect.objectContaining({ event: 'shard-refused', worker: 'two', reason }),
    );
  });

  test('the service lists "worker-2" before "worker-10", and acknowledges no message of a worker twice', async () => {
    await service.addWorker('worker-10', completeLoad);
    await service.addWorker('worker-2', completeLoad);
    expect(service.cluster.workerPool.list().map(({ name }) => name)).toEqual(['worker-2', 'worker-10']);
    const { job, hosts } = await service.run();
    await service.runner.start(job, () => undefined, hosts).ended;
    const sent = await acknowledged(job.runId);
    // At least the ready message of each worker.
    expect(sent.length).toBeGreaterThanOrEqual(2);
    expect(new Set(sent).size).toBe(sent.length);
  });

  test.each([false, true])(
    'after Redis restarts, a run completes and no worker refuses its shard (data lost: %s)',
    async (empty) => {
      await service.addWorker('one', completeLoad);
      await service.addWorker('two', completeLoad);
      await redis.start({ empty });
      const { job, hosts } = await service.run();
      // The service finds the workers again with their next heartbeats.
      await expect
        .poll(
          async () => {
            await service.runner.check(job);
            return service.cluster.workerPool.list().map(({ name }) => name);
          },
          { interval: 200 },
        )
        .toEqual(['one', 'two']);
      const report = await service.runner.start(job, () => undefined, hosts).ended;
      expect(report).toMatchObject({ abortReason: null, total: { ledger: { started: 10, success: 10 } } });
      expect(report.workers).toHaveLength(2);
      expect(refused()).toEqual([]);
    },
  );

  test('a worker shuts down while Redis is unavailable', async () => {
    const one = await service.addWorker('one', completeLoad);
    await redis.kill();
    // Must not wait for Redis.
    await one.close(0);
    await redis.start();
  });

  test('if one worker refuses its shard in the first attempt and another worker in the second, the run is refused with the reasons of both workers', async () => {
    let attempts = 0;
    const once: StartLoad = (work, events) =>
      (attempts++ === 0 ? completeLoad : refusedLoad('its disk is gone'))(work, events);
    const ended = startRun({ one: once, two: refusedLoad('it has no threads'), three: completeLoad });
    await expect(ended).rejects.toThrow(
      'the run could not be started: worker "two" refused the run: it has no threads; worker "one" refused the run: its disk is gone',
    );
    // No third attempt follows.
    expect([attempts, refused()]).toEqual([2, ['two', 'one']]);
  });

  test('if all workers refuse their shards, the run is refused with an error that contains each reason once', async () => {
    const reason = 'it has no threads';
    const ended = startRun({
      one: refusedLoad(reason),
      two: refusedLoad(reason),
      three: refusedLoad('its disk is gone'),
    });
    await expect(ended).rejects.toThrow(
      'the run could not be started: 2 workers refused the run: it has no threads ("one", "two"); worker "three" refused the run: its disk is gone',
    );
  });

  test('a run is refused if one worker refuses its shard and the other worker lacks the required capacity', async () => {
    await service.addWorker('small', completeLoad, 7);
    await service.addWorker('large', refusedLoad('it has no threads'));
    const { job, hosts } = await service.run({ testType: 'cycling', initial: 12, total: 12 });
    await expect(service.runner.start(job, () => undefined, hosts).ended).rejects.toThrow(
      'worker "large" refused',
    );
    expect(refused()).toEqual(['large']);
  });

  test('the message stream to workers in Redis contains fewer than 500 of 2,000 sent messages', async () => {
    const client = new Redis({ host: '127.0.0.1', port: redis.port });
    const to = { seal: new Seal(WORKER_SECRET), stream: toWorkersStream('long') };
    const ordinals = Array.from({ length: 2000 }, (_, ordinal) => ordinal);
    await Promise.all(
      ordinals.map((ordinal) =>
        sendSealed(client, to, { epoch: 1, workerId: '', ordinal }, Buffer.from('{}')),
      ),
    );
    expect(await client.xlen(to.stream.key)).toBeLessThan(500);
    client.disconnect();
  });
});
