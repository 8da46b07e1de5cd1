/** Who makes which part of a run, and what does not fit. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findClusterShortage, shardRun, type WorkerCapacity } from '../../../src/cluster/run-sharding.ts';
import { splitIntoShards } from '../../../src/core/load/shard.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';

const jobWith = (total: number, threads: number | null = null) =>
  jobOf([targetOf(80)], { testType: 'cycling', initial: total, total, threads });

const worker = (index: number, threads: number, connections: number | null = null): WorkerCapacity => ({
  ...{ id: `w${index}`, name: `worker ${index}`, threads, connections, ports: null, portReuse: 'loopback' },
});

describe('a split', () => {
  test('gives every client to one thread of one worker, whatever the workers are like', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 1, max: 200 }),
        (threads, clients) => {
          const workers = threads.map((count, index) => worker(index, count));
          const parts = shardRun(jobWith(clients), workers);
          const all = threads.reduce((sum, count) => sum + count, 0);
          const shards = parts
            .flatMap((part) => part.threadShards)
            .sort((one, other) => one.threadIndex - other.threadIndex);
          expect(shards).toEqual(splitIntoShards(jobWith(clients), all));
          for (const part of parts) {
            const own = workers.find(({ id }) => id === part.workerId);
            expect(part.threadShards.length).toBeGreaterThan(0);
            expect(part.threadShards.length).toBeLessThanOrEqual(own?.threads ?? 0);
          }
        },
      ),
    );
  });

  test('goes round the workers, so that few clients are not all made by one of them', () => {
    const parts = shardRun(jobWith(3), [worker(0, 8), worker(1, 8), worker(2, 8)]);
    expect(parts.map(({ threadShards }) => threadShards.length)).toEqual([1, 1, 1]);
  });

  test('takes as many threads as somebody asked for', () => {
    const parts = shardRun(jobWith(100, 3), [worker(0, 2), worker(1, 2)]);
    expect(parts.flatMap(({ threadShards }) => threadShards)).toHaveLength(3);
  });
});

describe('a run that does not fit', () => {
  const [small, large] = [worker(0, 1, 10), worker(1, 1, 1000)];

  test('is refused for good where there is nobody, or all together are too small, with the figures', () => {
    expect(findClusterShortage(jobWith(1), [], [])).toMatchObject({
      retryAfter: null,
      reason: expect.stringContaining('loadtests worker --redis') as unknown,
    });
    expect(findClusterShortage(jobWith(100), [small, large], [small, large])).toEqual({
      retryAfter: null,
      reason:
        'the run needs 100 connections at once, 50 of them by worker "worker 0", which has room for 10; all 2 together have room for 1010',
    });
  });

  test('now, while others are busy, may come again', () => {
    expect(findClusterShortage(jobWith(20), [small, large], [])?.retryAfter).toBe(5);
    expect(findClusterShortage(jobWith(20), [small, large], [small])).toMatchObject({
      retryAfter: 5,
      reason: expect.stringContaining('1 worker of 2 is free now') as unknown,
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
      ...{ testType: 'per-second', total, duration: 60_000, threads: null },
    });

  test.each([
    ['one worker has them for 470 clients a second', minute(470), ported(1), null],
    ['and for no more', minute(471), ported(1), 28_260],
    ['two have twice as many', minute(940), ported(2), null],
    ['and no more either', minute(942), ported(2), 28_260],
    ['ten have ten times as many', minute(4700), ported(10), null],
    ['where they are used again after a second, 28,232', minute(28_232), ported(1, 28_232, 'all'), null],
    ['over loopback too', minute(28_232, ['127.0.0.1']), ported(1), null],
    // Each worker has every second client, and so one of the addresses alone.
    ['two addresses are of no use to two workers', minute(942, [AWAY, '192.0.2.2']), ported(2), 28_260],
    ['but to three', minute(2820, [AWAY, '192.0.2.2']), ported(3), null],
    ['kept connections take one each', jobWith(56_464), ported(2), null],
    ['and the next one has none', jobWith(56_466), ported(2), 28_233],
    [
      'of two hosts each connection has one of its own',
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
    expect(found === null ? null : Number(/needs (\d+) source ports/.exec(found.reason)?.[1])).toBe(needed);
    expect(found?.retryAfter ?? null).toBeNull();
  });

  test('are told with the figures of all, and why they stay taken', () => {
    expect(findClusterShortage(minute(1000), ported(2), ported(2))?.reason).toBe(
      'the run needs 30000 source ports to one address by worker "worker 0", which has room for 28232; all 2 together have room for 56464: each client opens a connection, and its port stays taken for 60 s after it',
    );
  });

  test('of those that are busy come back', () => {
    expect(findClusterShortage(minute(900), ported(2), ported(1))).toMatchObject({
      retryAfter: 5,
      reason: expect.stringContaining('1 worker of 2 is free now: the run needs 54000') as unknown,
    });
  });
});
