/** Slices of runs that nobody made. */
import { Histogram } from '../../src/core/load/histogram.ts';
import type { Slice, TallyData } from '../../src/core/load/slice.ts';

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
    lag: Histogram.createRecorder(),
    ...changes,
  };
}
