/** What a service knows of each worker of a run, and what the result says of it. */
import { describe, expect, test } from 'vitest';
import { addSlice, keepMaker, newMaker, reportMaker, takeUpMaker } from '../../../src/cluster/maker.ts';
import { encodeStoredResult, keepResult } from '../../../src/contract/result-codec.ts';
import { Histogram } from '../../../src/core/load/histogram.ts';
import { shard } from '../../../src/core/load/shard.ts';
import { createTally } from '../../../src/core/load/slice.ts';
import { emptyReport } from '../../../src/server/domain/empty-report.ts';
import { jobOf, targetOf } from '../../rig/engine.ts';
import { NOBODY, secondOf } from '../../rig/slices.ts';

const SHARES = shard(jobOf([targetOf(80)]), 2);

/** Of a worker that was late by so much in ms in each of its seconds, one request in each. */
function makerOf(late: readonly number[], warmup = 0) {
  const maker = newMaker({ workerId: 'id', shares: SHARES }, 'one');
  late.forEach((ms, second) => {
    const tally = createTally('record', true);
    tally.started = 2;
    tally.statuses[200] = 1;
    const lag = Histogram.createRecorder();
    lag.record(ms * 1000);
    addSlice(maker, secondOf(0, second, [tally], { lag }), warmup);
  });
  maker.ready = { kind: 'ready', name: 'one', uncertaintyMs: 0.7, surroundings: NOBODY };
  return maker;
}

describe('what a result says of a worker', () => {
  test('is what it told: requests, lag behind the warm-up, and its start as it saw it afterwards', () => {
    const maker = makerOf([90, 1, 2], 1000);
    maker.closed = {
      ...{ kind: 'closed', sums: maker.sums, endedBy: null },
      ...{ startedLate: -0.25, startUncertainty: 0.1 },
    };
    expect(reportMaker(maker)).toEqual({
      ...{ name: 'one', threads: 2, started: 6, finished: 3, lagP99: 2 },
      ...{ startSkew: -0.25, clockUncertainty: 0.1, lost: null },
    });
  });

  test('is as much as is known of one that was lost, with the reason', () => {
    const maker = makerOf([3]);
    Object.assign(maker, { closed: 'lost', lost: 'it said nothing for 8 s' });
    expect(reportMaker(maker)).toMatchObject({
      ...{ started: 2, startSkew: null, clockUncertainty: 0.7, lost: 'it said nothing for 8 s' },
    });
    expect(reportMaker(newMaker({ workerId: 'id', shares: SHARES }, 'two'))).toEqual({
      ...{ name: 'two', threads: 2, started: 0, finished: 0, lagP99: null },
      ...{ startSkew: null, clockUncertainty: null, lost: null },
    });
  });

  test('is the same after a restart of the service', () => {
    const maker = makerOf([1, 5, 9]);
    const kept: unknown = JSON.parse(JSON.stringify(keepMaker(maker)));
    const taken = takeUpMaker(kept as ReturnType<typeof keepMaker>, 17); // of keepMaker
    expect(taken).toEqual({ ...maker, heardAt: 17 });
    expect(reportMaker(taken)).toEqual(reportMaker(maker));
  });
});

describe('the record of a run', () => {
  const run = { id: 'r1', startedAt: 0 };
  const recordOf = (workers: Parameters<typeof keepResult>[1]['workers']) =>
    encodeStoredResult({ ...run, kept: keepResult(run, { ...emptyReport('partial', '1'), workers }) });

  test('has its workers, to the microsecond, unless it is in a list', () => {
    const worker = { ...reportMaker(makerOf([1])), startSkew: 0.12345, lost: 'it did not end' };
    expect(recordOf([worker]).workers).toEqual([
      {
        ...{ name: 'one', threads: 2, started: 2, finished: 1, lag_p99_ms: 1, start_skew_ms: 0.123 },
        ...{ clock_uncertainty_ms: 0.7, lost: 'it did not end' },
      },
    ]);
    const kept = keepResult(run, { ...emptyReport('partial', '1'), workers: [worker] });
    expect(encodeStoredResult({ ...run, kept: { ...kept, detail: null } })).not.toHaveProperty('workers');
  });

  test('says nothing of workers where the service made the load', () => {
    expect(recordOf(null)).not.toHaveProperty('workers');
  });
});
