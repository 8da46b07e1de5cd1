/** Assignment of a worker in a run, and its entry in the result. */
import { describe, expect, test } from 'vitest';
import {
  addSnapshot,
  checkpointAssignment,
  createAssignment,
  toWorkerReport,
  resumeAssignment,
} from '../../../src/cluster/worker-assignment.ts';
import { encodeStoredResult, createResultDocument } from '../../../src/contract/result-codec.ts';
import { Histogram } from '../../../src/core/load/histogram.ts';
import { splitIntoShards } from '../../../src/core/load/shard.ts';
import { addResponses, createTally } from '../../../src/core/load/snapshot.ts';
import { createEmptyReport } from '../../../src/server/domain/empty-report.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { TEST_GENERATOR, snapshotOf } from '../../support/snapshots.ts';

const SHARDS = splitIntoShards(jobOf([targetOf(80)]), 2);

/**
 * Returns the assignment of a worker with the given scheduling lag, in ms, in each of its seconds; each
 * second has one request.
 */
function assignmentOf(lags: readonly number[], warmup = 0) {
  const assignment = createAssignment({ workerId: 'id', threadShards: SHARDS }, 'one');
  lags.forEach((ms, second) => {
    const tally = createTally('record', true);
    tally.started = 2;
    addResponses(tally, 200);
    const lag = Histogram.createRecorder();
    lag.record(ms * 1000);
    addSnapshot(assignment, snapshotOf(0, second, [tally], { lag }), warmup);
  });
  assignment.ready = { kind: 'ready', name: 'one', uncertaintyMs: 0.7, environment: TEST_GENERATOR };
  return assignment;
}

describe('worker reports', () => {
  test('a worker report contains the numbers of requests, the scheduling lag after the warm-up, the start lateness and the clock uncertainty', () => {
    const assignment = assignmentOf([90, 1, 2], 1000);
    assignment.finalMessage = {
      kind: 'final',
      totals: assignment.totals,
      endedBy: null,
      startLatenessMs: -0.25,
      startUncertaintyMs: 0.1,
    };
    expect(toWorkerReport(assignment)).toEqual({
      name: 'one',
      threads: 2,
      started: 6,
      finished: 3,
      lagP99: 2,
      startSkew: -0.25,
      clockUncertainty: 0.1,
      lossReason: null,
    });
  });

  test('the report of a lost worker contains the counts from its messages and the reason for the loss, and without messages its counts are 0', () => {
    const assignment = assignmentOf([3]);
    Object.assign(assignment, { finalMessage: 'lost', lossReason: 'no message for 8 s' });
    expect(toWorkerReport(assignment)).toMatchObject({
      started: 2,
      startSkew: null,
      clockUncertainty: 0.7,
      lossReason: 'no message for 8 s',
    });
    expect(toWorkerReport(createAssignment({ workerId: 'id', threadShards: SHARDS }, 'two'))).toEqual({
      name: 'two',
      threads: 2,
      started: 0,
      finished: 0,
      lagP99: null,
      startSkew: null,
      clockUncertainty: null,
      lossReason: null,
    });
  });

  test('a worker report is unchanged after the state of the worker is restored from a checkpoint', () => {
    const assignment = assignmentOf([1, 5, 9]);
    const checkpoint: unknown = JSON.parse(JSON.stringify(checkpointAssignment(assignment)));
    const resumed = resumeAssignment(checkpoint as ReturnType<typeof checkpointAssignment>, 17); // of checkpointAssignment
    expect(resumed).toEqual({ ...assignment, lastHeardAt: 17 });
    expect(toWorkerReport(resumed)).toEqual(toWorkerReport(assignment));
  });
});

describe('run records', () => {
  const run = { id: 'r1', startedAt: 0 };
  const recordOf = (workers: Parameters<typeof createResultDocument>[1]['workers']) =>
    encodeStoredResult({
      ...run,
      document: createResultDocument(run, { ...createEmptyReport('partial', '1'), workers }),
    });

  test('a run record lists its workers with times rounded to microseconds, and a run record without details lists no workers', () => {
    const worker = {
      ...toWorkerReport(assignmentOf([1])),
      startSkew: 0.12345,
      lossReason: 'did not end in time',
    };
    expect(recordOf([worker]).workers).toEqual([
      {
        name: 'one',
        threads: 2,
        started: 2,
        finished: 1,
        lag_p99_ms: 1,
        start_skew_ms: 0.123,
        clock_uncertainty_ms: 0.7,
        lost: 'did not end in time',
      },
    ]);
    const document = createResultDocument(run, { ...createEmptyReport('partial', '1'), workers: [worker] });
    expect(encodeStoredResult({ ...run, document: { ...document, detail: null } })).not.toHaveProperty(
      'workers',
    );
  });

  test('a run record has no workers if the service generated the load', () => {
    expect(recordOf(null)).not.toHaveProperty('workers');
  });
});
