/** What a service knows of each worker of a run, and what the result says of it. */
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
import { createTally } from '../../../src/core/load/snapshot.ts';
import { createEmptyReport } from '../../../src/server/domain/empty-report.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { TEST_GENERATOR, snapshotOf } from '../../support/snapshots.ts';

const SHARES = splitIntoShards(jobOf([targetOf(80)]), 2);

/** Of a worker that was late by so much in ms in each of its seconds, one request in each. */
function makerOf(late: readonly number[], warmup = 0) {
  const assignment = createAssignment({ workerId: 'id', threadShards: SHARES }, 'one');
  late.forEach((ms, second) => {
    const tally = createTally('record', true);
    tally.started = 2;
    tally.statuses[200] = 1;
    const lag = Histogram.createRecorder();
    lag.record(ms * 1000);
    addSnapshot(assignment, snapshotOf(0, second, [tally], { lag }), warmup);
  });
  assignment.ready = { kind: 'ready', name: 'one', uncertaintyMs: 0.7, surroundings: TEST_GENERATOR };
  return assignment;
}

describe('what a result says of a worker', () => {
  test('is what it told: requests, lag behind the warm-up, and its start as it saw it afterwards', () => {
    const assignment = makerOf([90, 1, 2], 1000);
    assignment.finalMessage = {
      ...{ kind: 'final', totals: assignment.totals, endedBy: null },
      ...{ startLatenessMs: -0.25, startUncertaintyMs: 0.1 },
    };
    expect(toWorkerReport(assignment)).toEqual({
      ...{ name: 'one', threads: 2, started: 6, finished: 3, lagP99: 2 },
      ...{ startSkew: -0.25, clockUncertainty: 0.1, lost: null },
    });
  });

  test('is as much as is known of one that was lost, with the reason', () => {
    const assignment = makerOf([3]);
    Object.assign(assignment, { closed: 'lost', lost: 'it said nothing for 8 s' });
    expect(toWorkerReport(assignment)).toMatchObject({
      ...{ started: 2, startSkew: null, clockUncertainty: 0.7, lost: 'it said nothing for 8 s' },
    });
    expect(toWorkerReport(createAssignment({ workerId: 'id', threadShards: SHARES }, 'two'))).toEqual({
      ...{ name: 'two', threads: 2, started: 0, finished: 0, lagP99: null },
      ...{ startSkew: null, clockUncertainty: null, lost: null },
    });
  });

  test('is the same after a restart of the service', () => {
    const assignment = makerOf([1, 5, 9]);
    const kept: unknown = JSON.parse(JSON.stringify(checkpointAssignment(assignment)));
    const taken = resumeAssignment(kept as ReturnType<typeof checkpointAssignment>, 17); // of checkpointAssignment
    expect(taken).toEqual({ ...assignment, heardAt: 17 });
    expect(toWorkerReport(taken)).toEqual(toWorkerReport(assignment));
  });
});

describe('the record of a run', () => {
  const run = { id: 'r1', startedAt: 0 };
  const recordOf = (workers: Parameters<typeof createResultDocument>[1]['workers']) =>
    encodeStoredResult({
      ...run,
      document: createResultDocument(run, { ...createEmptyReport('partial', '1'), workers }),
    });

  test('has its workers, to the microsecond, unless it is in a list', () => {
    const worker = { ...toWorkerReport(makerOf([1])), startSkew: 0.12345, lossReason: 'it did not end' };
    expect(recordOf([worker]).workers).toEqual([
      {
        ...{ name: 'one', threads: 2, started: 2, finished: 1, lag_p99_ms: 1, start_skew_ms: 0.123 },
        ...{ clock_uncertainty_ms: 0.7, lost: 'it did not end' },
      },
    ]);
    const kept = createResultDocument(run, { ...createEmptyReport('partial', '1'), workers: [worker] });
    expect(encodeStoredResult({ ...run, document: { ...kept, detail: null } })).not.toHaveProperty('workers');
  });

  test('says nothing of workers where the service made the load', () => {
    expect(recordOf(null)).not.toHaveProperty('workers');
  });
});
