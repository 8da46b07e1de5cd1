/** Slices of runs that nobody made. */
import { Histogram } from '../../src/core/load/histogram.ts';
import { unseenTenths, type Slice, type TallyData, type ThreadSecond } from '../../src/core/load/slice.ts';

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
    lag: Histogram.createRecorder(),
    thread: CALM,
    ...changes,
  };
}
