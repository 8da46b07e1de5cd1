/** Split of a run over workers, and runs that do not fit. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findClusterShortage, shardRun, type WorkerCapacity } from '../../../src/cluster/run-sharding.ts';
import { splitIntoShards } from '../../../src/core/load/shard.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';

const jobWith = (total: number, threads: number | null = null) =>
  jobOf([targetOf(80)], { testType: 'cycling', initial: total, total, threads });

const worker = (index: number, threads: number, connections: number | null = null): WorkerCapacity => ({
  id: `w${index}`,
  name: `worker ${index}`,
  threads,
  connections,
  ports: null,
  portReuse: 'loopback',
});

describe('run sharding', () => {
  test('for workers of any size, run sharding distributes the shards that splitIntoShards returns, at most one for each thread', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 1, max: 200 }),
        (threads, clients) => {
          const workers = threads.map((count, index) => worker(index, count));
          const workerShards = shardRun(jobWith(clients), workers);
          const all = threads.reduce((sum, count) => sum + count, 0);
          const shards = workerShards
            .flatMap(({ threadShards }) => threadShards)
            .sort((one, other) => one.threadIndex - other.threadIndex);
          expect(shards).toEqual(splitIntoShards(jobWith(clients), all));
          for (const { workerId, threadShards } of workerShards) {
            const owner = workers.find(({ id }) => id === workerId);
            expect(threadShards.length).toBeGreaterThan(0);
            expect(threadShards.length).toBeLessThanOrEqual(owner?.threads ?? 0);
          }
        },
      ),
    );
  });

  test('run sharding distributes three clients over three workers, even if each worker has eight threads', () => {
    const shards = shardRun(jobWith(3), [worker(0, 8), worker(1, 8), worker(2, 8)]);
    expect(shards.map(({ threadShards }) => threadShards.length)).toEqual([1, 1, 1]);
  });

  test('run sharding uses exactly three threads of two workers if the run declares three threads', () => {
    const shards = shardRun(jobWith(100, 3), [worker(0, 2), worker(1, 2)]);
    expect(shards.flatMap(({ threadShards }) => threadShards)).toHaveLength(3);
  });
});

describe('capacity shortages', () => {
  const [small, large] = [worker(0, 1, 10), worker(1, 1, 1000)];

  test('a run is refused permanently if no workers are connected, or if a worker cannot support its share even when all workers are free', () => {
    expect(findClusterShortage(jobWith(1), [], [])).toMatchObject({
      retryAfter: null,
      reason: expect.stringContaining('loadtests worker --redis') as unknown,
    });
    expect(findClusterShortage(jobWith(100), [small, large], [small, large])).toEqual({
      retryAfter: null,
      reason:
        'the run needs 100 concurrent connections, 50 of them on worker "worker 0", which supports 10; all 2 workers together support 1,010',
    });
  });

  test('a run is refused temporarily if too few workers are free', () => {
    expect(findClusterShortage(jobWith(20), [small, large], [])).toEqual({
      retryAfter: 5,
      reason: 'all 2 workers are busy',
    });
    expect(findClusterShortage(jobWith(20), [small, large], [small])).toMatchObject({
      retryAfter: 5,
      reason: expect.stringContaining('only 1 of 2 workers is free: the run needs 20') as unknown,
    });
    expect(findClusterShortage(jobWith(20), [small, large], [small, large])).toBeNull();
  });
});

describe('source ports', () => {
  const AWAY = '192.0.2.1';
  const ported = (count: number, ports = 28_232, portReuse: WorkerCapacity['portReuse'] = 'loopback') =>
    Array.from({ length: count }, (_, index): WorkerCapacity => ({ ...worker(index, 1), ports, portReuse }));
  const minute = (total: number, addresses: readonly string[] = [AWAY]) =>
    jobOf([targetOf(80, { addresses })], {
      testType: 'per-second',
      total,
      duration: 60_000,
      threads: null,
    });

  test.each([
    ['one worker has enough source ports for 470 clients per second', minute(470), ported(1), null],
    ['one worker lacks source ports for 471 clients per second', minute(471), ported(1), 28_260],
    ['two workers have enough source ports for 940 clients per second', minute(940), ported(2), null],
    ['two workers lack source ports for 942 clients per second', minute(942), ported(2), 28_260],
    ['ten workers have enough source ports for 4,700 clients per second', minute(4700), ported(10), null],
    [
      'one worker that reuses source ports after one second has enough ports for 28,232 clients per second',
      minute(28_232),
      ported(1, 28_232, 'all'),
      null,
    ],
    [
      'one worker that reuses source ports over loopback has enough ports for 28,232 clients per second',
      minute(28_232, ['127.0.0.1']),
      ported(1),
      null,
    ],
    // Each worker has every second client, and therefore only one of the addresses.
    [
      'for two workers, a second target address does not increase the number of available source ports',
      minute(942, [AWAY, '192.0.2.2']),
      ported(2),
      28_260,
    ],
    [
      'for three workers, a second target address increases the number of available source ports',
      minute(2820, [AWAY, '192.0.2.2']),
      ported(3),
      null,
    ],
    [
      'two workers have enough source ports for 56,464 persistent connections',
      jobWith(56_464),
      ported(2),
      null,
    ],
    ['two workers lack source ports for 56,466 persistent connections', jobWith(56_466), ported(2), 28_233],
    [
      'one worker has enough source ports for 28,000 clients that each connect to two target ports',
      jobOf([targetOf(80), targetOf(81)], {
        testType: 'cycling',
        initial: 28_000,
        total: 28_000,
        threads: null,
      }),
      ported(1),
      null,
    ],
  ] as const)('%s', (_, job, workers, needed) => {
    const found = findClusterShortage(job, workers, workers);
    const ports = /needs ([\d,]+) source ports/.exec(found?.reason ?? '')?.[1]?.replaceAll(',', '');
    expect(found === null ? null : Number(ports)).toBe(needed);
    expect(found?.retryAfter ?? null).toBeNull();
  });

  test('the error about too few source ports states how many ports one worker and all workers support', () => {
    expect(findClusterShortage(minute(1000), ported(2), ported(2))?.reason).toBe(
      'the run needs 30,000 source ports to one address on worker "worker 0", which supports 28,232: each client opens a connection, and its port stays in use for 60 s after the connection closes; all 2 workers together support 56,464',
    );
  });

  test('a shortage of source ports is temporary if all workers together have enough ports, but too few workers are free', () => {
    expect(findClusterShortage(minute(900), ported(2), ported(1))).toMatchObject({
      retryAfter: 5,
      reason: expect.stringContaining('only 1 of 2 workers is free: the run needs 54,000') as unknown,
    });
  });
});
