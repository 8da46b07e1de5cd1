/** Loads of some of a run's shares, as each of several machines would make them. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { LoadJob } from '../../src/core/load/load-job.ts';
import { RunMerger } from '../../src/core/load/run-merger.ts';
import type { Exchange } from '../../src/core/load/run-report.ts';
import { splitIntoShards, type Shard } from '../../src/core/load/shard.ts';
import { processTime } from '../../src/engine/clock.ts';
import { Lease, readClocks } from '../../src/engine/lease.ts';
import { ThreadGroup } from '../../src/engine/thread-group.ts';
import {
  expectBalancedLedger,
  jobOf,
  openTestEngine,
  targetOf,
  type TestEngine,
} from '../support/test-engine.ts';
import { openRawTarget } from '../support/raw-target.ts';
import { TEST_GENERATOR } from '../support/snapshots.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

/** The load of some shares, told to a merger of the whole run; ready and done once all of its threads are. */
function openShares(job: LoadJob, shards: readonly Shard[], merger: RunMerger, lease: Lease | null = null) {
  const exchanges: Exchange[] = [];
  let left = shards.length;
  let lapses = 0;
  let load: ThreadGroup | null = null;
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ready = new Promise<ThreadGroup>((resolve, reject) => {
    load = new ThreadGroup(
      rig.threadUrl,
      { job, shards, lease },
      {
        ready: () => {
          if (load !== null) resolve(load);
        },
        overloaded: () => undefined,
        leaseExpired: () => {
          lapses++;
        },
        snapshot: (snapshot) => {
          expect(shards.map(({ threadIndex }) => threadIndex)).toContain(snapshot.threadIndex);
          merger.add(snapshot);
        },
        exchange: (exchange) => exchanges.push(exchange),
        done: (worker, time) => {
          merger.close(worker, time);
          left--;
          if (left === 0) end();
        },
        lost: (_, cause) => {
          reject(cause);
        },
      },
    );
  });
  onTestFinished(async () => {
    await load?.close();
  });
  return { ready, done, exchanges, lapses: () => lapses };
}

describe('shares of one run, made apart', () => {
  test('add up to the whole run, to the request, and draw each row once', async () => {
    const shop = await openRawTarget();
    const values = Array.from({ length: 50 }, (_, row) => [`r${row}`]);
    const rows = { names: ['row'], values };
    const job = jobOf([targetOf(shop.port, { path: '/{{row}}' })], { total: 50, iterationRows: [rows] });
    const shards = splitIntoShards(job, 5);
    const merger = new RunMerger(job, shards);
    const machines = [shards.slice(0, 2), shards.slice(2)].map((some) => openShares(job, some, merger));
    const loads = await Promise.all(machines.map(({ ready }) => ready));
    expect(shop.requests).toEqual([]);
    const start = processTime() + 20;
    for (const load of loads) load.start(start);
    await Promise.all(machines.map(({ done }) => done));
    expect(merger.isOver()).toBe(true);
    const report = merger.report(TEST_GENERATOR);
    expectBalancedLedger(report);
    expect(report.total.ledger).toMatchObject({ planned: 50, started: 50, success: 50 });
    expect(report.generator.threads).toBe(5);
    expect(shop.requests.map(({ path }) => path).sort()).toEqual(
      values.map(([value]) => `/${value ?? ''}`).sort(),
    );
    const pulses = loads.map((load) => load.readLiveCounts().finished);
    expect(pulses.reduce((sum, finished) => sum + finished, 0)).toBe(50);
  });

  test('hand out their exchanges', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { total: 4, duration: 100, trace: { secrets: [] } });
    const shards = splitIntoShards(job, 2);
    const merger = new RunMerger(job, shards);
    const { ready, done, exchanges } = openShares(job, shards.slice(1), merger);
    (await ready).start(processTime());
    await done;
    expect(exchanges.map(({ status }) => status)).toEqual([200, 200]);
    expect(merger.isOver()).toBe(false);
  });

  test('that are stopped before they start account for all that was planned', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { total: 10 });
    const shards = splitIntoShards(job, 2);
    const merger = new RunMerger(job, shards);
    const { ready, done } = openShares(job, shards, merger);
    (await ready).stop(merger.abort('stopped'), 0);
    await done;
    const { elapsed, total } = merger.report(TEST_GENERATOR);
    expect(elapsed).toBe(0);
    expect(total.ledger).toMatchObject({ planned: 10, started: 0, notStarted: { stopped: 10 } });
    expect(shop.requests).toEqual([]);
  });

  test('end by themselves once their lease is over, and tell of it once', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 4, total: 4, duration: 60_000 });
    const shards = splitIntoShards(job, 2);
    const merger = new RunMerger(job, shards);
    const lease = new Lease();
    const { ready, done, lapses } = openShares(job, shards, merger, lease);
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
    expect(lapses()).toBe(1);
  });
});
