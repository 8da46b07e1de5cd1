/** Who makes which part of a run, and what does not fit. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findClusterShortage, splitRun, type Capacity } from '../../../src/cluster/split.ts';
import { shard } from '../../../src/core/load/shard.ts';
import { jobOf, targetOf } from '../../rig/engine.ts';

const jobWith = (total: number, threads: number | null = null) =>
  jobOf([targetOf(80)], { testType: 'cycling', initial: total, total, threads });

const worker = (index: number, threads: number, connections: number | null = null): Capacity => ({
  ...{ id: `w${index}`, name: `worker ${index}`, threads, connections, ports: null },
});

describe('a split', () => {
  test('gives every client to one thread of one worker, whatever the workers are like', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 1, max: 200 }),
        (threads, clients) => {
          const workers = threads.map((count, index) => worker(index, count));
          const parts = splitRun(jobWith(clients), workers);
          const all = threads.reduce((sum, count) => sum + count, 0);
          const shares = parts.flatMap((part) => part.shares).sort((one, other) => one.worker - other.worker);
          expect(shares).toEqual(shard(jobWith(clients), all));
          for (const part of parts) {
            const own = workers.find(({ id }) => id === part.workerId);
            expect(part.shares.length).toBeGreaterThan(0);
            expect(part.shares.length).toBeLessThanOrEqual(own?.threads ?? 0);
          }
        },
      ),
    );
  });

  test('goes round the workers, so that few clients are not all made by one of them', () => {
    const parts = splitRun(jobWith(3), [worker(0, 8), worker(1, 8), worker(2, 8)]);
    expect(parts.map(({ shares }) => shares.length)).toEqual([1, 1, 1]);
  });

  test('takes as many threads as somebody asked for', () => {
    const parts = splitRun(jobWith(100, 3), [worker(0, 2), worker(1, 2)]);
    expect(parts.flatMap(({ shares }) => shares)).toHaveLength(3);
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
