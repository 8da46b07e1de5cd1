/** Slices of runs that nobody made. */
import { Histogram } from '../../src/core/load/histogram.ts';
import type { Surroundings } from '../../src/core/load/generator-totals.ts';
import {
  createOpening,
  unseenTenths,
  type Slice,
  type TallyData,
  type ThreadSecond,
} from '../../src/core/load/slice.ts';
import { RunTotals } from '../../src/core/load/totals.ts';
import { jobOf, targetOf } from './engine.ts';

/** A second in which a thread was never late. */
export const CALM: ThreadSecond = {
  ...{ late: 0, lateBefore: 0, stoodStill: 0, busy: 0, passedOver: {}, unheld: 0 },
};

/** What a worker tells of a second. */
export function secondOf(
  worker: number,
  second: number,
  targets: readonly TallyData[],
  changes: Partial<Slice> = {},
): Slice {
  return {
    worker,
    second,
    until: (second + 1) * 1000,
    targets,
    connections: 1,
    peakConnections: 2,
    tenths: unseenTenths(),
    warmup: null,
    lag: Histogram.createRecorder(),
    opening: createOpening('record'),
    takenBack: {},
    surplus: 0,
    thread: CALM,
    ...changes,
  };
}

/** What adds up the slices of a run that nobody made. `apart`: response and service time differ, as in the open models. */
export function totalsOf(size: {
  readonly targets: number;
  readonly workers: number;
  readonly apart: boolean;
}): RunTotals {
  const targets = Array.from({ length: size.targets }, () => targetOf(80));
  const testType = size.apart ? 'non-cycling' : 'cycling';
  return new RunTotals(jobOf(targets, { testType }), size.workers);
}

/** Who says to have made the load. */
export const NOBODY: Surroundings = {
  version: '0.0.0',
  cores: 2,
  quota: null,
  because: 'load',
  node: '20.19.0',
};
