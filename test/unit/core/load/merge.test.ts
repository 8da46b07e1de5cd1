import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RunMerger, type ThreadTime } from '../../../../src/core/load/run-merger.ts';
import { MAX_EXCHANGES, type TracedExchange } from '../../../../src/core/load/run-report.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { shareOf, splitIntoShards } from '../../../../src/core/load/shard.ts';
import { addResponses, createTally, type Snapshot } from '../../../../src/core/load/snapshot.ts';
import { expectBalancedLedger, jobOf, targetOf } from '../../../support/test-engine.ts';
import { arbitrarySnapshot } from '../../../support/arbitrary-snapshots.ts';
import { scaleCount } from '../../../support/test-scale.ts';
import { STALL_FREE_SECOND, TEST_GENERATOR, snapshotOf } from '../../../support/snapshots.ts';

/** Twelve clients, three for each of four threads. */
const JOB = jobOf([targetOf(80)], { total: 12, duration: 3000, threads: 4, errorThreshold: 50 });
const SHARDS = splitIntoShards(JOB, 4);

/** A snapshot of one second in which a thread received `responses` responses. */
function secondOf(thread: number, second: number, responses: number): Snapshot {
  const tally = createTally('record', true);
  tally.started = responses;
  addResponses(tally, 200, responses);
  for (let count = 0; count < responses; count++) tally.response.record(1000 * (thread + second + 1));
  return snapshotOf(thread, second, [tally]);
}

/** The times of a thread whose drain took no time. */
const timeOf = (elapsed: number): ThreadTime => ({ elapsed, loaded: elapsed });

/** The snapshots of a thread for a whole run: one request each second. */
const snapshotsOf = (thread: number): readonly Snapshot[] =>
  [0, 1, 2].map((second) => secondOf(thread, second, 1));

describe('snapshots of several threads', () => {
  test('the report of a run does not depend on the order in which the snapshots of different threads arrive', () => {
    const reportOf = (order: readonly number[]) => {
      const merger = new RunMerger(JOB, SHARDS);
      const pending = SHARDS.map(({ threadIndex }) => [...snapshotsOf(threadIndex)]);
      for (const thread of order) {
        const next = pending[thread]?.shift();
        if (next !== undefined) merger.add(next);
      }
      for (const { threadIndex } of SHARDS) merger.close(threadIndex, timeOf(3000 + threadIndex));
      const report = merger.report({ ...TEST_GENERATOR, version: '1.2.3' });
      expectBalancedLedger(report);
      return report;
    };
    const threads = SHARDS.flatMap(({ threadIndex }) => [threadIndex, threadIndex, threadIndex]);
    const expected = reportOf(threads);
    expect(expected).toMatchObject({ elapsed: 3003, abortReason: null, generator: { threads: 4 } });
    expect(expected.total.ledger).toMatchObject({ planned: 12, started: 12, success: 12 });
    fc.assert(
      fc.property(fc.shuffledSubarray(threads, { minLength: threads.length }), (order) => {
        expect(reportOf(order)).toEqual(expected);
      }),
      { numRuns: scaleCount(300) },
    );
  });

  test('the merger reports the progress of a second when all active threads have reported that second', () => {
    const merger = new RunMerger(JOB, SHARDS);
    const progressAfter = (threadIndex: number, second: number) => {
      merger.add(secondOf(threadIndex, second, 1));
      return merger.progress();
    };
    expect(progressAfter(0, 0)).toBeNull();
    expect(progressAfter(0, 1)).toBeNull();
    expect(progressAfter(1, 0)).toBeNull();
    expect(progressAfter(2, 0)).toBeNull();
    expect(progressAfter(3, 0)).toMatchObject({ elapsed: 1000, success: 5, targets: [5] });
    // Second 1 is incomplete, and second 0 is not reported twice.
    expect(progressAfter(3, 1)).toBeNull();
    merger.lose(1, 'aborted', 1500);
    merger.close(2, timeOf(1000));
    expect(progressAfter(0, 2)).toMatchObject({ elapsed: 2000 });
  });

  test('after all threads have ended, the progress describes the last second that any thread reported', () => {
    const merger = new RunMerger(JOB, SHARDS);
    for (const { threadIndex } of SHARDS) merger.add(secondOf(threadIndex, 0, 1));
    merger.add({ ...secondOf(0, 1, 3), until: 1400.4 });
    for (const { threadIndex } of SHARDS) merger.close(threadIndex, timeOf(1500));
    expect(merger.progress()).toEqual({
      elapsed: 1400,
      warmingUp: false,
      connections: 4,
      success: 7,
      error: 0,
      timeoutError: 0,
      networkError: 0,
      requestsPerSecond: 3,
      p95: 2,
      targets: [7],
    });
    expect(merger.progress()).toBeNull();
  });

  test('threads that have ended do not delay the progress of the other threads', () => {
    const merger = new RunMerger(JOB, SHARDS);
    for (const { threadIndex } of SHARDS) merger.add(secondOf(threadIndex, 0, 1));
    for (const threadIndex of [0, 1, 2]) merger.close(threadIndex, timeOf(900));
    expect(merger.progress()).toMatchObject({ elapsed: 1000 });
    merger.add(secondOf(3, 1, 1));
    expect(merger.progress()).toMatchObject({ elapsed: 2000, success: 5 });
  });

  test('the last progress message counts all requests of the report, regardless of the order of the threads', () => {
    const seconds = SHARDS.flatMap(({ threadIndex }) =>
      Array.from({ length: threadIndex + 2 }, () => threadIndex),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(seconds, { minLength: seconds.length }), (order) => {
        const merger = new RunMerger(JOB, SHARDS);
        const next = SHARDS.map(() => 0);
        let last = 0;
        for (const threadIndex of order) {
          const second = next[threadIndex] ?? 0;
          next[threadIndex] = second + 1;
          merger.add(secondOf(threadIndex, second, 1));
          last = merger.progress()?.success ?? last;
          // A thread closes after its last second; a slow main thread may read that before the seconds of others.
          if (second === threadIndex + 1) merger.close(threadIndex, timeOf(1000 * (second + 1)));
          last = merger.progress()?.success ?? last;
        }
        expect(merger.isOver()).toBe(true);
        expect(last).toBe(merger.report(TEST_GENERATOR).total.ledger.success);
        expect(merger.progress()).toBeNull();
      }),
      { numRuns: scaleCount(300) },
    );
  });
});

test('the shares of the threads add up to the shared number and differ by at most one', () => {
  expect([4, 5, 7, 8, 102].map((count) => SHARDS.map((shard) => shareOf(shard, count)))).toEqual([
    [1, 1, 1, 1],
    [2, 1, 1, 1],
    [2, 2, 2, 1],
    [2, 2, 2, 2],
    [26, 26, 25, 25],
  ]);
});

test('a run is over when every thread is closed or lost', () => {
  const merger = new RunMerger(JOB, SHARDS);
  merger.close(0, timeOf(10));
  merger.close(1, timeOf(10));
  merger.lose(2, 'aborted', 20);
  expect(merger.isOver()).toBe(false);
  merger.close(3, timeOf(10));
  expect(merger.isOver()).toBe(true);
});

test('requests that a lost thread did not report are counted once, as abandoned or not started', () => {
  const merger = new RunMerger(JOB, SHARDS);
  const snapshot = secondOf(1, 0, 1);
  merger.add({ ...snapshot, targets: snapshot.targets.map((tally) => ({ ...tally, started: 2 })) });
  merger.lose(1, 'aborted', 500);
  merger.lose(1, 'stopped', 900);
  for (const thread of [0, 2, 3]) {
    for (const snapshot of snapshotsOf(thread)) merger.add(snapshot);
    merger.close(thread, timeOf(400));
  }
  const report = merger.report({ ...TEST_GENERATOR, version: '1.2.3' });
  expectBalancedLedger(report);
  expect(report.elapsed).toBe(500);
  expect(report.total.ledger).toMatchObject({
    planned: 12,
    started: 11,
    success: 10,
    abandoned: 1,
    notStarted: { aborted: 1, stopped: 0 },
  });
});

describe('abort reasons', () => {
  test('the first abort reason is reported and determines how requests that do not start are counted', () => {
    const merger = new RunMerger(JOB, SHARDS);
    expect(merger.abort('over_limit')).toBe('aborted');
    expect(merger.abort('stopped')).toBe('aborted');
    expect(merger.report(TEST_GENERATOR).abortReason).toBe('over_limit');
    expect(new RunMerger(JOB, SHARDS).abort('stopped')).toBe('stopped');
  });

  test('a run that is already stopped no longer reaches its error threshold', () => {
    const merger = new RunMerger(JOB, SHARDS);
    expect(merger.reachesErrorThreshold({ finished: 100, failed: 49 })).toBe(false);
    expect(merger.reachesErrorThreshold({ finished: 100, failed: 50 })).toBe(true);
    merger.abort('stopped');
    expect(merger.reachesErrorThreshold({ finished: 100, failed: 50 })).toBe(false);
    // The run reached its threshold, but another reason was recorded first.
    expect(merger.report(TEST_GENERATOR)).toMatchObject({ abortReason: 'stopped', errorStop: null });
  });
});

test('snapshots and threads of another run are refused', () => {
  const merger = new RunMerger(JOB, SHARDS);
  expect(() => merger.isClosed(4)).toThrow('Bug: the thread belongs to a different run');
  expect(() => merger.add(secondOf(4, 0, 1))).toThrow('Bug: the snapshot belongs to a different run');
});

const EXCHANGE: TracedExchange = {
  target: 0,
  url: '',
  method: 'GET',
  redirected: false,
  resent: false,
  requestHeader: '',
  requestBody: '',
  responseBody: '',
  status: 200,
  responseHeader: '',
  bytes: 0,
  error: null,
  variables: {},
  success: true,
  unexpected: null,
  ms: { connect: null, tls: null, wait: 1, total: 1 },
};

test('if more exchanges are traced than the limit permits, a report contains only the first exchanges up to the limit', () => {
  const merger = new RunMerger(JOB, SHARDS);
  for (let bytes = 0; bytes < MAX_EXCHANGES + 5; bytes++) merger.addExchange({ ...EXCHANGE, bytes });
  expect(merger.report(TEST_GENERATOR).exchanges.map(({ bytes }) => bytes)).toEqual(
    Array.from({ length: MAX_EXCHANGES }, (_, index) => index),
  );
});

describe('partial reports', () => {
  test('a run without snapshots has no partial report', () => {
    expect(new RunMerger(JOB, SHARDS).partialReport(TEST_GENERATOR)).toBeNull();
  });

  test('a partial report counts requests in flight as abandoned and pending requests as not started', () => {
    const merger = new RunMerger(JOB, SHARDS);
    merger.add(secondOf(0, 0, 2));
    const busy = secondOf(1, 0, 1);
    const tally = busy.targets[0];
    if (tally === undefined) throw new Error('no target');
    merger.add({ ...busy, targets: [{ ...tally, started: 3 }] });
    const report = merger.partialReport(TEST_GENERATOR);
    if (report === null) throw new Error('no partial report');
    expectBalancedLedger(report);
    expect(report).toMatchObject({ abortReason: 'partial', elapsed: 1000, requestsPerSecond: 3 });
    expect(report.total.ledger).toMatchObject({ planned: 12, started: 5, success: 3, abandoned: 2 });
    expect(report.total.ledger.notStarted).toMatchObject({ aborted: 7 });
    expect(report.total.latency).not.toBeNull();
  });

  test('after the declared duration, the rate of a partial report is computed from the duration', () => {
    const merger = new RunMerger(JOB, SHARDS);
    merger.add({ ...secondOf(0, 4, 6), until: 4999.6 });
    expect(merger.partialReport(TEST_GENERATOR, 1_700_000_000_000)).toMatchObject({
      ...{ elapsed: 5000, knownUntil: 5000, requestsPerSecond: 2, loadStartedAt: 1_700_000_000_000 },
      ...{ errorStop: null, generator: { threads: 4 } },
    });
  });

  test('partial reports do not change the final report', () => {
    const reportOf = (withPartialReports: boolean) => {
      const merger = new RunMerger(JOB, SHARDS);
      for (let second = 0; second < 3; second++) {
        for (const { threadIndex } of SHARDS) {
          merger.add(secondOf(threadIndex, second, 1));
          if (withPartialReports) merger.partialReport(TEST_GENERATOR);
        }
      }
      for (const { threadIndex } of SHARDS) merger.close(threadIndex, timeOf(3000));
      return merger.report(TEST_GENERATOR);
    };
    expect(reportOf(true)).toEqual(reportOf(false));
  });
});

describe('checkpoints of a merger', () => {
  test('a merger that is restored from a checkpoint produces the same reports as the original merger', () => {
    const anyRun = fc.record({
      testType: fc.constantFrom('cycling' as const, 'non-cycling' as const),
      targets: fc.integer({ min: 1, max: 2 }),
      shards: fc.integer({ min: 1, max: 4 }),
      warmup: fc.constantFrom(0, 2000),
    });
    const anyCase = anyRun.chain((run) =>
      fc.record({
        run: fc.constant(run),
        snapshots: fc.array(
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
      fc.property(anyCase, ({ run, snapshots, cuts, lost }) => {
        const { testType, warmup } = run;
        const targets = Array.from({ length: run.targets }, () => targetOf(80));
        const job = jobOf(targets, { testType, warmup: milliseconds(warmup), total: 40, duration: 10_000 });
        const shards = splitIntoShards(job, run.shards);
        const original = new RunMerger(job, shards);
        let resumed = new RunMerger(job, shards);
        snapshots.forEach((snapshot, index) => {
          if (cuts.includes(index)) {
            const state = resumed.toCheckpoint();
            const restored = RunMerger.fromCheckpoint(job, shards, state);
            if (restored === null) throw new Error('the checkpoint was rejected');
            expect(restored.toCheckpoint()).toEqual(state);
            resumed = restored;
          }
          const next = snapshot.warmup !== null && warmup === 0 ? { ...snapshot, warmup: null } : snapshot;
          for (const merger of [resumed, original]) merger.add(next);
          expect(resumed.progress()).toEqual(original.progress());
          expect(resumed.partialReport(TEST_GENERATOR)).toEqual(original.partialReport(TEST_GENERATOR));
        });
        for (const merger of [original, resumed]) {
          merger.lose(lost, 'aborted', 9000.5);
          merger.abort('partial');
        }
        resumed = RunMerger.fromCheckpoint(job, shards, resumed.toCheckpoint()) ?? resumed;
        expect(resumed.report(TEST_GENERATOR)).toEqual(original.report(TEST_GENERATOR));
        expect(resumed.isClosed(lost)).toBe(true);
      }),
      { numRuns: scaleCount(40) },
    );
  });

  test('a restored merger reports the traced exchanges', () => {
    const merger = new RunMerger(JOB, SHARDS);
    const exchanges = [EXCHANGE, { ...EXCHANGE, bytes: 7, variables: { user: 'anna' } }];
    for (const exchange of exchanges) merger.addExchange(exchange);
    const restored = RunMerger.fromCheckpoint(JOB, SHARDS, merger.toCheckpoint());
    expect(restored?.report(TEST_GENERATOR).exchanges).toEqual(exchanges);
  });

  test('a restored merger preserves the clients that did not start and whether the load generator was overloaded', () => {
    const merger = new RunMerger(JOB, SHARDS);
    const thread = { ...STALL_FREE_SECOND, neverStarted: { 0: 2, 1: 1 } };
    merger.add({ ...secondOf(0, 1, 1), thread });
    expect(merger.report(TEST_GENERATOR).generator.overloaded).toBe(false);
    merger.markOverloaded();
    const restored = RunMerger.fromCheckpoint(JOB, SHARDS, merger.toCheckpoint());
    expect(restored?.report(TEST_GENERATOR)).toMatchObject({
      generator: { overloaded: true },
      delivery: { neverStarted: 3, worstWindow: { second: 0, neverStarted: 3 } },
      total: { ledger: { planned: 12, started: 1, success: 1 } },
    });
  });

  test('a restored merger does not report the progress of a second again', () => {
    const merger = new RunMerger(JOB, SHARDS);
    for (const { threadIndex } of SHARDS) merger.add(secondOf(threadIndex, 0, 1));
    expect(merger.progress()).not.toBeNull();
    merger.close(2, timeOf(1000));
    const restored = RunMerger.fromCheckpoint(JOB, SHARDS, merger.toCheckpoint());
    expect(restored?.progress()).toBeNull();
    expect(SHARDS.map(({ threadIndex }) => restored?.isClosed(threadIndex))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    for (const threadIndex of [0, 1, 3]) restored?.add(secondOf(threadIndex, 1, 1));
    expect(restored?.progress()).toMatchObject({ elapsed: 2000, success: 7 });
  });

  test('a restored merger reports the counts at which the error threshold ended the run', () => {
    const merger = new RunMerger(JOB, SHARDS);
    expect(merger.reachesErrorThreshold({ finished: 40, failed: 30 })).toBe(true);
    merger.abort('error_threshold');
    const restored = RunMerger.fromCheckpoint(JOB, SHARDS, merger.toCheckpoint());
    expect(restored?.report(TEST_GENERATOR)).toMatchObject({
      abortReason: 'error_threshold',
      errorStop: { threshold: 50, finished: 40, failed: 30 },
    });
  });

  test.each([
    'stopped',
    'error_threshold',
    'threshold',
    'setup',
    'verification_lost',
    'over_limit',
    'partial',
    'missed',
  ] as const)('a merger that is restored from a checkpoint reports the abort reason %s', (reason) => {
    const merger = new RunMerger(JOB, SHARDS);
    merger.abort(reason);
    const restored = RunMerger.fromCheckpoint(JOB, SHARDS, merger.toCheckpoint());
    expect(restored?.report(TEST_GENERATOR)).toMatchObject({ abortReason: reason });
  });

  test('a checkpoint is rejected if the number of thread shards differs or if bytes are missing or invalid', () => {
    const job = jobOf([targetOf(80)], { total: 10 });
    const shards = splitIntoShards(job, 2);
    const state = new RunMerger(job, shards).toCheckpoint();
    expect(RunMerger.fromCheckpoint(job, splitIntoShards(job, 1), state)).toBeNull();
    expect(RunMerger.fromCheckpoint(job, splitIntoShards(job, 3), state)).toBeNull();
    expect(RunMerger.fromCheckpoint(job, shards, state.subarray(0, state.length - 1))).toBeNull();
    expect(RunMerger.fromCheckpoint(job, shards, Uint8Array.of(0, ...state.subarray(1)))).toBeNull();
    expect(RunMerger.fromCheckpoint(job, shards, new Uint8Array())).toBeNull();
    const noBytes = null as unknown as Uint8Array;
    expect(() => RunMerger.fromCheckpoint(job, shards, noBytes)).toThrow(TypeError);
  });
});
