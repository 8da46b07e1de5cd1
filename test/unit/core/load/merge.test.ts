import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RunMerger, type ThreadTime } from '../../../../src/core/load/run-merger.ts';
import { MAX_EXCHANGES, type Exchange } from '../../../../src/core/load/run-report.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { splitIntoShards } from '../../../../src/core/load/shard.ts';
import { createTally, type Snapshot } from '../../../../src/core/load/snapshot.ts';
import { expectBalancedLedger, jobOf, targetOf } from '../../../support/test-engine.ts';
import { arbitrarySnapshot } from '../../../support/arbitrary-snapshots.ts';
import { scaleCount } from '../../../support/test-scale.ts';
import { TEST_GENERATOR, snapshotOf } from '../../../support/snapshots.ts';

/** Twelve clients, three for each of four workers. */
const JOB = jobOf([targetOf(80)], { total: 12, duration: 3000, threads: 4, errorThreshold: 50 });
const SHARES = splitIntoShards(JOB, 4);

/** A second of a worker in which so many requests were answered. */
function slice(worker: number, second: number, answered: number): Snapshot {
  const tally = createTally('record', true);
  tally.started = answered;
  tally.statuses[200] = answered;
  for (let count = 0; count < answered; count++) tally.response.record(1000 * (worker + second + 1));
  return snapshotOf(worker, second, [tally]);
}

/** Of a worker whose drain took no time. */
const timeOf = (elapsed: number): ThreadTime => ({ elapsed, loaded: elapsed });

/** What a worker tells of a whole run: one request each second. */
const seconds = (worker: number): readonly Snapshot[] => [0, 1, 2].map((second) => slice(worker, second, 1));

describe('slices of several workers', () => {
  test('make the same report in whatever order they arrive, worker by worker', () => {
    const reportOf = (order: readonly number[]) => {
      const merger = new RunMerger(JOB, SHARES);
      const left = SHARES.map(({ threadIndex }) => [...seconds(threadIndex)]);
      for (const worker of order) {
        const next = left[worker]?.shift();
        if (next !== undefined) merger.add(next);
      }
      for (const { threadIndex } of SHARES) merger.close(threadIndex, timeOf(3000 + threadIndex));
      const report = merger.report({ ...TEST_GENERATOR, version: '1.2.3' });
      expectBalancedLedger(report);
      return report;
    };
    const workers = SHARES.flatMap(({ threadIndex }) => [threadIndex, threadIndex, threadIndex]);
    const expected = reportOf(workers);
    expect(expected).toMatchObject({ elapsed: 3003, abortReason: null, generator: { threads: 4 } });
    expect(expected.total.ledger).toMatchObject({ planned: 12, started: 12, success: 12 });
    fc.assert(
      fc.property(fc.shuffledSubarray(workers, { minLength: workers.length }), (order) => {
        expect(reportOf(order)).toEqual(expected);
      }),
    );
  });

  test('tell the progress of a second once all workers that go on have told of it', () => {
    const merger = new RunMerger(JOB, SHARES);
    expect(merger.add(slice(0, 0, 1))).toBeNull();
    expect(merger.add(slice(0, 1, 1))).toBeNull();
    expect(merger.add(slice(1, 0, 1))).toBeNull();
    expect(merger.add(slice(2, 0, 1))).toBeNull();
    expect(merger.add(slice(3, 0, 1))).toMatchObject({ elapsed: 1000, success: 5, targets: [5] });
    // The second 1 is not told yet, and 0 is not told twice.
    expect(merger.add(slice(3, 1, 1))).toBeNull();
    merger.lose(1, 'aborted', 1500);
    merger.close(2, timeOf(1000));
    expect(merger.add(slice(0, 2, 1))).toMatchObject({ elapsed: 2000 });
  });
});

test('a run is over when the books of every worker are closed', () => {
  const merger = new RunMerger(JOB, SHARES);
  merger.close(0, timeOf(10));
  merger.close(1, timeOf(10));
  merger.lose(2, 'aborted', 20);
  expect(merger.isOver()).toBe(false);
  merger.close(3, timeOf(10));
  expect(merger.isOver()).toBe(true);
});

test('what a lost worker had not told of is abandoned or not started, once', () => {
  const merger = new RunMerger(JOB, SHARES);
  const told = slice(1, 0, 1);
  merger.add({ ...told, targets: told.targets.map((tally) => ({ ...tally, started: 2 })) });
  merger.lose(1, 'aborted', 500);
  merger.lose(1, 'stopped', 900);
  for (const worker of [0, 2, 3]) {
    for (const second of seconds(worker)) merger.add(second);
    merger.close(worker, timeOf(400));
  }
  const report = merger.report({ ...TEST_GENERATOR, version: '1.2.3' });
  expectBalancedLedger(report);
  expect(report.elapsed).toBe(500);
  expect(report.total.ledger).toMatchObject({
    ...{ planned: 12, started: 11, success: 10, abandoned: 1 },
    notStarted: { aborted: 1, stopped: 0 },
  });
});

describe('the reason of an early end', () => {
  test('is the first one, and says how what did not start is counted', () => {
    const merger = new RunMerger(JOB, SHARES);
    expect(merger.abort('over_limit')).toBe('aborted');
    expect(merger.abort('stopped')).toBe('aborted');
    expect(merger.report(TEST_GENERATOR).abortReason).toBe('over_limit');
    expect(new RunMerger(JOB, SHARES).abort('stopped')).toBe('stopped');
  });

  test('is not the errors of a run that is ended already', () => {
    const merger = new RunMerger(JOB, SHARES);
    expect(merger.reachesErrorThreshold({ finished: 100, failed: 49 })).toBe(false);
    expect(merger.reachesErrorThreshold({ finished: 100, failed: 50 })).toBe(true);
    merger.abort('stopped');
    expect(merger.reachesErrorThreshold({ finished: 100, failed: 50 })).toBe(false);
  });
});

test('the first exchanges are kept, and no more', () => {
  const exchange: Exchange = {
    ...{
      target: 0,
      url: '',
      method: 'GET',
      redirected: false,
      requestHeader: '',
      requestBody: '',
      status: 200,
    },
    ...{ responseHeader: '', bytes: 0, error: null, variables: {}, resent: false },
    ...{ success: true, unexpected: null },
    ms: { connect: null, tls: null, wait: 1, total: 1 },
  };
  const merger = new RunMerger(JOB, SHARES);
  for (let bytes = 0; bytes < MAX_EXCHANGES + 5; bytes++) merger.addExchange({ ...exchange, bytes });
  expect(merger.report(TEST_GENERATOR).exchanges.map(({ bytes }) => bytes)).toEqual(
    Array.from({ length: MAX_EXCHANGES }, (_, index) => index),
  );
});

describe('what a run has counted so far', () => {
  test('is nothing before anything was told', () => {
    expect(new RunMerger(JOB, SHARES).partialReport(TEST_GENERATOR)).toBeNull();
  });

  test('closes its books: what is in flight is abandoned, what is to come is not started', () => {
    const merger = new RunMerger(JOB, SHARES);
    merger.add(slice(0, 0, 2));
    const busy = slice(1, 0, 1);
    const tally = busy.targets[0];
    if (tally === undefined) throw new Error('no target');
    merger.add({ ...busy, targets: [{ ...tally, started: 3 }] });
    const report = merger.partialReport(TEST_GENERATOR);
    if (report === null) throw new Error('nothing was told');
    expectBalancedLedger(report);
    expect(report).toMatchObject({ abortReason: 'partial', elapsed: 1000, requestsPerSecond: 3 });
    expect(report.total.ledger).toMatchObject({ planned: 12, started: 5, success: 3, abandoned: 2 });
    expect(report.total.ledger.notStarted).toMatchObject({ aborted: 7 });
    expect(report.total.latency).not.toBeNull();
  });

  test('does not change what the run tells in the end, however often it is asked for', () => {
    const reportOf = (asked: boolean) => {
      const merger = new RunMerger(JOB, SHARES);
      for (let second = 0; second < 3; second++) {
        for (const { threadIndex } of SHARES) {
          merger.add(slice(threadIndex, second, 1));
          if (asked) merger.partialReport(TEST_GENERATOR);
        }
      }
      for (const { threadIndex } of SHARES) merger.close(threadIndex, timeOf(3000));
      return merger.report(TEST_GENERATOR);
    };
    expect(reportOf(true)).toEqual(reportOf(false));
  });
});

describe('a merger that is put down', () => {
  test('and taken up again, at any moment, comes to the same figures', () => {
    const anyRun = fc.record({
      testType: fc.constantFrom('cycling' as const, 'non-cycling' as const),
      targets: fc.integer({ min: 1, max: 2 }),
      shards: fc.integer({ min: 1, max: 4 }),
      warmup: fc.constantFrom(0, 2000),
    });
    const anyCase = anyRun.chain((run) =>
      fc.record({
        run: fc.constant(run),
        slices: fc.array(
          arbitrarySnapshot({
            ...run,
            open: run.testType !== 'cycling',
            lastSecond: 12,
            counts: fc.nat(1000),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        cuts: fc.array(fc.nat(8), { maxLength: 3 }),
        lost: fc.nat(run.shards - 1),
      }),
    );
    fc.assert(
      fc.property(anyCase, ({ run, slices: snapshots, cuts, lost }) => {
        const { testType, warmup } = run;
        const targets = Array.from({ length: run.targets }, () => targetOf(80));
        const job = jobOf(targets, { testType, warmup: milliseconds(warmup), total: 40, duration: 10_000 });
        const shards = splitIntoShards(job, run.shards);
        const whole = new RunMerger(job, shards);
        let parted = new RunMerger(job, shards);
        snapshots.forEach((snapshot, index) => {
          if (cuts.includes(index)) {
            const state = parted.toCheckpoint();
            const taken = RunMerger.fromCheckpoint(job, shards, state);
            if (taken === null) throw new Error('Bug: what was put down is not taken up');
            expect(taken.toCheckpoint()).toEqual(state);
            parted = taken;
          }
          const told = snapshot.warmup !== null && warmup === 0 ? { ...snapshot, warmup: null } : snapshot;
          expect(parted.add(told)).toEqual(whole.add(told));
          expect(parted.partialReport(TEST_GENERATOR)).toEqual(whole.partialReport(TEST_GENERATOR));
        });
        for (const merger of [whole, parted]) {
          merger.lose(lost, 'aborted', 9000.5);
          merger.abort('partial');
        }
        parted = RunMerger.fromCheckpoint(job, shards, parted.toCheckpoint()) ?? parted;
        expect(parted.report(TEST_GENERATOR)).toEqual(whole.report(TEST_GENERATOR));
        expect(parted.isClosed(lost)).toBe(true);
      }),
      { numRuns: scaleCount(40) },
    );
  });

  test('is not taken up from bytes that another one put down, or nobody', () => {
    const job = jobOf([targetOf(80)], { total: 10 });
    const shards = splitIntoShards(job, 2);
    const state = new RunMerger(job, shards).toCheckpoint();
    expect(RunMerger.fromCheckpoint(job, splitIntoShards(job, 3), state)).toBeNull();
    expect(RunMerger.fromCheckpoint(job, shards, state.subarray(0, state.length - 1))).toBeNull();
    expect(RunMerger.fromCheckpoint(job, shards, Uint8Array.of(0, ...state.subarray(1)))).toBeNull();
    expect(RunMerger.fromCheckpoint(job, shards, new Uint8Array())).toBeNull();
  });
});
