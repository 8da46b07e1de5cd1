/** Sample snapshots and totals. */
import { Histogram } from '../../src/core/load/histogram.ts';
import type { GeneratorEnvironment } from '../../src/core/load/generator-totals.ts';
import {
  createConnectionSetup,
  createIterationTally,
  createUnobservedTenths,
  type Snapshot,
  type TallyData,
  type ThreadSecond,
} from '../../src/core/load/snapshot.ts';
import { RunTotals } from '../../src/core/load/run-totals.ts';
import { jobOf, targetOf } from './test-engine.ts';

/** A second in which a thread was never late. */
export const STALL_FREE_SECOND: ThreadSecond = {
  maxTickDelay: 0,
  maxEarlierTickDelay: 0,
  stalledMs: 0,
  busy: 0,
  neverStarted: {},
  missingClientMs: 0,
};

/** Creates the snapshot of a thread for one second. */
export function snapshotOf(
  threadIndex: number,
  second: number,
  targets: readonly TallyData[],
  changes: Partial<Snapshot> = {},
): Snapshot {
  const none = createIterationTally('record');
  const [first] = targets.length === 1 ? targets : [];
  return {
    threadIndex,
    second,
    until: (second + 1) * 1000,
    targets,
    // Like the engine, if each iteration is one request.
    iterations: [{ ...none, ...(first && { durations: first.response, lowerBounds: first.lowerBounds }) }],
    connections: 1,
    peakConnections: 2,
    tenths: createUnobservedTenths(),
    warmup: null,
    lag: Histogram.createRecorder(),
    connectionSetup: createConnectionSetup('record'),
    retractions: {},
    surplus: 0,
    pool: null,
    addresses: {},
    thread: STALL_FREE_SECOND,
    ...changes,
  };
}

/** Creates totals. `apart`: true if response and service time differ, as in the open models. */
export function createTotals(size: {
  readonly targets: number;
  readonly workers: number;
  readonly apart: boolean;
}): RunTotals {
  const targets = Array.from({ length: size.targets }, () => targetOf(80));
  const testType = size.apart ? 'non-cycling' : 'cycling';
  return new RunTotals(jobOf(targets, { testType }), size.workers);
}

/** The environment of the simulated load generator. */
export const TEST_GENERATOR: GeneratorEnvironment = {
  version: '0.0.0',
  cores: 2,
  quota: null,
  threadReason: 'load',
  node: '20.19.0',
};
