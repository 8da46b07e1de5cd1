/** Thread groups with some of a run's shards, as on several load generators. */
// @module-tag load
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LoadJob } from '../../src/core/load/load-job.ts';
import { RunMerger } from '../../src/core/load/run-merger.ts';
import type { TracedExchange } from '../../src/core/load/run-report.ts';
import { splitIntoShards, type Shard } from '../../src/core/load/shard.ts';
import { processTime } from '../../src/engine/clock.ts';
import { Lease, readClocks } from '../../src/engine/lease.ts';
import { ThreadGroup } from '../../src/engine/thread-group.ts';
import { expectBalancedLedger, jobOf, useTestEngine, targetOf } from '../support/test-engine.ts';
import { openRawTarget } from '../support/raw-target.ts';
import { TEST_GENERATOR } from '../support/snapshots.ts';

const testEngine = useTestEngine();

/**
 * Creates the group of some shards, which reports to a merger of the whole run. `ready` and `done` wait for
 * all of its threads.
 */
function openShards(job: LoadJob, shards: readonly Shard[], merger: RunMerger, lease: Lease | null = null) {
  const exchanges: TracedExchange[] = [];
  let remaining = shards.length;
  let expiryCount = 0;
  let group: ThreadGroup | null = null;
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ready = new Promise<ThreadGroup>((resolve, reject) => {
    group = new ThreadGroup(
      testEngine.threadUrl,
      { job, shards, lease },
      {
        ready: () => {
          if (group !== null) resolve(group);
        },
        overloaded: () => undefined,
        leaseExpired: () => {
          expiryCount++;
        },
        snapshot: (snapshot) => {
          expect(shards.map(({ threadIndex }) => threadIndex)).toContain(snapshot.threadIndex);
          merger.add(snapshot);
        },
        exchange: (exchange) => exchanges.push(exchange),
        done: (threadIndex, time) => {
          merger.close(threadIndex, time);
          remaining--;
          if (remaining === 0) end();
        },
        lost: (_, cause) => reject(cause),
      },
    );
  });
  onTestFinished(() => group?.close());
  return { ready, done, exchanges, expiryCount: () => expiryCount };
}

describe('shards of one run in separate thread groups', () => {
  test('two thread groups that divide the shards of a run send all of its requests, and use each row once', async () => {
    const shop = await openRawTarget();
    const values = Array.from({ length: 50 }, (_, row) => [`r${row}`]);
    const rows = { names: ['row'], values };
    const job = jobOf([targetOf(shop.port, { path: '/{{row}}' })], { total: 50, iterationRows: [rows] });
    const shards = splitIntoShards(job, 5);
    const merger = new RunMerger(job, shards);
    const groups = [shards.slice(0, 2), shards.slice(2)].map((groupShards) =>
      openShards(job, groupShards, merger),
    );
    const readyGroups = await Promise.all(groups.map(({ ready }) => ready));
    expect(shop.requests).toEqual([]);
    const start = processTime() + 20;
    for (const group of readyGroups) group.start(start);
    await Promise.all(groups.map(({ done }) => done));
    expect(merger.isOver()).toBe(true);
    const report = merger.report(TEST_GENERATOR);
    expectBalancedLedger(report);
    expect(report.total.ledger).toMatchObject({ planned: 50, started: 50, success: 50 });
    expect(report.generator.threads).toBe(5);
    expect(shop.requests.map(({ path }) => path).sort()).toEqual(
      values.map(([value]) => `/${value ?? ''}`).sort(),
    );
    const finishedCounts = readyGroups.map((group) => group.readLiveCounts().finished);
    expect(finishedCounts.reduce((sum, finished) => sum + finished, 0)).toBe(50);
  });

  test('a thread group with one of two shards reports only the exchanges of that shard', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { total: 4, duration: 100, trace: { secrets: [] } });
    const shards = splitIntoShards(job, 2);
    const merger = new RunMerger(job, shards);
    const { ready, done, exchanges } = openShards(job, shards.slice(1), merger);
    (await ready).start(processTime());
    await done;
    expect(exchanges.map(({ status }) => status)).toEqual([200, 200]);
    expect(merger.isOver()).toBe(false);
  });

  test('a thread group that is stopped before its start reports all planned requests as not started', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { total: 10 });
    const shards = splitIntoShards(job, 2);
    const merger = new RunMerger(job, shards);
    const { ready, done } = openShards(job, shards, merger);
    (await ready).stop(merger.abort('stopped'), 0);
    await done;
    const { elapsed, total } = merger.report(TEST_GENERATOR);
    expect(elapsed).toBe(0);
    expect(total.ledger).toMatchObject({ planned: 10, started: 0, notStarted: { stopped: 10 } });
    expect(shop.requests).toEqual([]);
  });

  test('a thread group stops when its lease expires, and reports the expiry once', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 4, total: 4, duration: 60_000 });
    const shards = splitIntoShards(job, 2);
    const merger = new RunMerger(job, shards);
    const lease = new Lease();
    const { ready, done, expiryCount } = openShards(job, shards, merger, lease);
    const load = await ready;
    lease.renew(readClocks(), 100);
    const renewed = readClocks();
    lease.renew(renewed, 300);
    load.start(processTime());
    await done;
    merger.abort('partial');
    const report = merger.report(TEST_GENERATOR);
    expectBalancedLedger(report);
    expect(report.total.ledger.success).toBeGreaterThan(0);
    expect(report.elapsed).toBeGreaterThanOrEqual(295);
    expect(expiryCount()).toBe(1);
  });
});
