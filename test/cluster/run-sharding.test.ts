/** Whoever is not ready gets no part: the run is split once more over those who are, or refused with the reasons. */
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

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('a run that is split over workers', () => {
  let redis: RedisServer;
  let service: SimulatedService;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis.close();
  });
  beforeEach(async () => {
    service = await openSimulatedService(redis);
  });
  afterEach(async () => {
    await service.close();
  });

  const play = async (loads: Readonly<Record<string, StartLoad>>, total = 12) => {
    for (const [name, load] of Object.entries(loads)) await service.addWorker(name, load);
    const { job, hosts } = await service.run({ total });
    return await service.runner.start(job, () => undefined, hosts).ended;
  };

  /** What the service has told the workers of a run that they may forget, in its order. */
  const acknowledged = async (runId: string): Promise<readonly string[]> => {
    const client = new Redis({ host: '127.0.0.1', port: redis.port });
    const from = { seal: new Seal(WORKER_SECRET), box: toWorkersStream(runId) };
    const { letters } = await receiveSealed(client, from, STREAM_START, 1);
    client.disconnect();
    return letters.flatMap(({ body }) => {
      const message = JSON.parse(body.toString()) as ServiceMessage; // sealed by the service
      return message.kind === 'acknowledged'
        ? Object.entries(message.merged).map((one) => one.join(' '))
        : [];
    });
  };

  /** Names of those that did not make their part. */
  const refused = (): readonly unknown[] =>
    service.warnings.flatMap(({ event, worker }) =>
      event === 'part-refused' && worker !== undefined ? [worker] : [],
    );

  test.each([
    ['is not ready within 5 s', silentLoad, 'not ready within 5 s'],
    ['refuses', refusedLoad('it has no threads'), 'refused: it has no threads'],
  ])('goes to all others when one %s', async (_, load, reason) => {
    const report = await play({ one: completeLoad, two: load, three: completeLoad });
    expect(report).toMatchObject({ abortReason: null, total: { ledger: { started: 12, success: 12 } } });
    expect(report.workers?.map(({ name, started, lossReason }) => [name, started, lossReason])).toEqual([
      ['one', 6, null],
      ['three', 6, null],
    ]);
    expect(service.warnings).toContainEqual(
      expect.objectContaining({ event: 'part-refused', worker: 'two', reason }),
    );
  });

  test('tells its workers what is new, and nothing twice', async () => {
    await service.addWorker('worker-10', completeLoad);
    await service.addWorker('worker-2', completeLoad);
    expect(service.cluster.workerPool.list().map(({ name }) => name)).toEqual(['worker-2', 'worker-10']);
    const { job, hosts } = await service.run();
    await service.runner.start(job, () => undefined, hosts).ended;
    const told = await acknowledged(job.runId);
    // That each was ready, at least.
    expect(told.length).toBeGreaterThanOrEqual(2);
    expect(new Set(told).size).toBe(told.length);
  });

  test.each([false, true])(
    'is made at once after Redis was restarted (its data is gone: %s)',
    async (empty) => {
      await service.addWorker('one', completeLoad);
      await service.addWorker('two', completeLoad);
      await redis.start({ empty });
      // The service looks, and finds them as soon as they say again that they are there.
      await expect
        .poll(
          async () => {
            await service.runner.check((await service.run()).job);
            return service.cluster.workerPool.list().map(({ name }) => name);
          },
          { timeout: 20_000 },
        )
        .toEqual(['one', 'two']);
      const { job, hosts } = await service.run();
      const report = await service.runner.start(job, () => undefined, hosts).ended;
      expect(report).toMatchObject({ abortReason: null, total: { ledger: { started: 10, success: 10 } } });
      expect(report.workers).toHaveLength(2);
      expect(refused()).toEqual([]);
    },
  );

  test('can be left by a worker whose Redis is away', async () => {
    const one = await service.addWorker('one', completeLoad);
    await redis.kill();
    // It does not wait for Redis to come back.
    await one.close(0);
    await redis.start();
  });

  test('is refused with all reasons when somebody is not ready in the second split either', async () => {
    let asked = 0;
    const once: StartLoad = (work, events) =>
      (asked++ === 0 ? completeLoad : refusedLoad('its disk is gone'))(work, events);
    const ended = play({ one: once, two: refusedLoad('it has no threads'), three: completeLoad });
    await expect(ended).rejects.toThrow(
      'the workers could not make the load: worker "two" refused: it has no threads; worker "one" refused: its disk is gone',
    );
    // Nobody is asked a third time.
    expect([asked, refused()]).toEqual([2, ['two', 'one']]);
  });

  test('is refused at once when all of them refuse, with each reason once', async () => {
    const reason = 'it has no threads';
    const ended = play({
      one: refusedLoad(reason),
      two: refusedLoad(reason),
      three: refusedLoad('its disk is gone'),
    });
    await expect(ended).rejects.toThrow(
      'the workers could not make the load: 2 workers refused: it has no threads ("one", "two"); worker "three" refused: its disk is gone',
    );
  });

  test('is refused when those that are left have no room for it', async () => {
    await service.addWorker('small', completeLoad, 7);
    await service.addWorker('large', refusedLoad('it has no threads'));
    const { job, hosts } = await service.run({ testType: 'cycling', initial: 12, total: 12 });
    await expect(service.runner.start(job, () => undefined, hosts).ended).rejects.toThrow(
      'worker "large" refused',
    );
    expect(refused()).toEqual(['large']);
  });

  test('leaves no more of what was told in Redis than its workers can miss', async () => {
    const client = new Redis({ host: '127.0.0.1', port: redis.port });
    const to = { seal: new Seal(WORKER_SECRET), box: toWorkersStream('long') };
    for (let ordinal = 0; ordinal < 2000; ordinal++)
      await sendSealed(client, to, { epoch: 1, workerId: '', ordinal }, Buffer.from('{}'));
    expect(await client.xlen(to.box.key)).toBeLessThan(500);
    client.disconnect();
  });
});
