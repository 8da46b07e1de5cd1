/** Loads of some of a run's shares, as each of several machines would make them. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { LoadJob } from '../../src/core/load/job.ts';
import { RunMerger } from '../../src/core/load/merge.ts';
import type { Exchange } from '../../src/core/load/report.ts';
import { shard, type Share } from '../../src/core/load/shard.ts';
import { processTime } from '../../src/engine/clock.ts';
import { Lease, thisMoment } from '../../src/engine/lease.ts';
import { ShareLoad } from '../../src/engine/share-load.ts';
import { expectClosedLedger, jobOf, openEngine, targetOf, type EngineRig } from '../rig/engine.ts';
import { openRawTarget } from '../rig/raw-target.ts';
import { NOBODY } from '../rig/slices.ts';

let rig: EngineRig;
beforeAll(async () => {
  rig = await openEngine();
});
afterAll(() => rig.close());

/** The load of some shares, told to a merger of the whole run; ready and done once all of its threads are. */
function openShares(job: LoadJob, shares: readonly Share[], merger: RunMerger, lease: Lease | null = null) {
  const exchanges: Exchange[] = [];
  let left = shares.length;
  let lapses = 0;
  let load: ShareLoad | null = null;
  let end: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ready = new Promise<ShareLoad>((resolve, reject) => {
    load = new ShareLoad(
      rig.workerUrl,
      { job, shares, lease },
      {
        ready: () => {
          if (load !== null) resolve(load);
        },
        overloaded: () => undefined,
        lapsed: () => {
          lapses++;
        },
        slice: (slice) => {
          expect(shares.map(({ worker }) => worker)).toContain(slice.worker);
          merger.add(slice);
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
    const job = jobOf([targetOf(shop.port, { path: '/{{row}}' })], { total: 50, passRows: [rows] });
    const shares = shard(job, 5);
    const merger = new RunMerger(job, shares);
    const machines = [shares.slice(0, 2), shares.slice(2)].map((some) => openShares(job, some, merger));
    const loads = await Promise.all(machines.map(({ ready }) => ready));
    expect(shop.seen).toEqual([]);
    const start = processTime() + 20;
    for (const load of loads) load.go(start);
    await Promise.all(machines.map(({ done }) => done));
    expect(merger.isOver()).toBe(true);
    const report = merger.report(NOBODY);
    expectClosedLedger(report);
    expect(report.total.ledger).toMatchObject({ planned: 50, started: 50, success: 50 });
    expect(report.generator.threads).toBe(5);
    expect(shop.seen.map(({ path }) => path).sort()).toEqual(
      values.map(([value]) => `/${value ?? ''}`).sort(),
    );
    const pulses = loads.map((load) => load.pulse().finished);
    expect(pulses.reduce((sum, finished) => sum + finished, 0)).toBe(50);
  });

  test('hand out their exchanges', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { total: 4, duration: 100, trace: { secrets: [] } });
    const shares = shard(job, 2);
    const merger = new RunMerger(job, shares);
    const { ready, done, exchanges } = openShares(job, shares.slice(1), merger);
    (await ready).go(processTime());
    await done;
    expect(exchanges.map(({ status }) => status)).toEqual([200, 200]);
    expect(merger.isOver()).toBe(false);
  });

  test('that are stopped before they start account for all that was planned', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { total: 10 });
    const shares = shard(job, 2);
    const merger = new RunMerger(job, shares);
    const { ready, done } = openShares(job, shares, merger);
    (await ready).stop(merger.abort('stopped'), 0);
    await done;
    const { elapsed, total } = merger.report(NOBODY);
    expect(elapsed).toBe(0);
    expect(total.ledger).toMatchObject({ planned: 10, started: 0, notStarted: { stopped: 10 } });
    expect(shop.seen).toEqual([]);
  });

  test('end by themselves once their lease is over, and tell of it once', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 4, total: 4, duration: 60_000 });
    const shares = shard(job, 2);
    const merger = new RunMerger(job, shares);
    const lease = new Lease();
    const { ready, done, lapses } = openShares(job, shares, merger, lease);
    const load = await ready;
    lease.renew(thisMoment(), 100);
    const renewed = thisMoment();
    lease.renew(renewed, 300);
    load.go(processTime());
    await done;
    merger.abort('partial');
    const report = merger.report(NOBODY);
    expectClosedLedger(report);
    expect(report.total.ledger.success).toBeGreaterThan(0);
    expect(report.elapsed).toBeGreaterThanOrEqual(295);
    expect(lapses()).toBe(1);
  });
});
