/** Response times by percentile. */
import { storedCount, storedValueAtRank, rankOf } from '../load/histogram.ts';
import type { StoredHistogram } from '../model/sample.ts';

export interface CurvePoint {
  /** Negative decimal logarithm of the fraction of slower requests: 1 for p90, 2 for p99. */
  readonly nines: number;
  readonly time: number;
}

const STEPS_PER_NINE = 20;

export function percentileCurve(times: StoredHistogram): readonly CurvePoint[] {
  const count = storedCount(times);
  const maximum = Math.log10(Math.max(1, count));
  const steps = Math.ceil(maximum * STEPS_PER_NINE);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const nines = Math.min(maximum, step / STEPS_PER_NINE);
    return { nines, time: timeAt(times, rankOf(1 - 10 ** -nines, count)) };
  });
}

const NAMED_PERCENTILES = [50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999];

/** Returns `[['min', 0.4], ['p50', 1.2], …, ['max', 20]]` in ms. Each percentile has at least one slower request. */
export function namedPercentiles(times: StoredHistogram): readonly (readonly [name: string, time: number])[] {
  const count = storedCount(times);
  const percentiles = NAMED_PERCENTILES.filter((percent) => count * (100 - percent) >= 100 * (1 - 1e-9));
  return [
    ['min', times.min / 1000],
    ...percentiles.map((percent) => [`p${percent}`, timeAt(times, rankOf(percent / 100, count))] as const),
    ['max', times.max / 1000],
  ];
}

/** Returns the time at a rank in ms; zero if the histogram is empty. */
function timeAt(times: StoredHistogram, rank: number): number {
  return Math.round(times.counts.length === 0 ? 0 : storedValueAtRank(times, rank)) / 1000;
}
