/** Response times by percentile, as far as the number of requests tells them apart. */
import { storedValueAtRank, rankOf, type StoredHistogram } from '../load/histogram.ts';

export interface CurvePoint {
  /** Powers of ten by which the share of slower requests shrinks: 1 is p90, 2 is p99. */
  readonly nines: number;
  /** In ms. */
  readonly time: number;
}

const STEPS_PER_NINE = 20;

/** From p0 on. A request more or less decides the last of them. */
export function percentileCurve(times: StoredHistogram): readonly CurvePoint[] {
  const count = countOf(times);
  const most = Math.log10(Math.max(1, count));
  const steps = Math.ceil(most * STEPS_PER_NINE);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const nines = Math.min(most, step / STEPS_PER_NINE);
    return { nines, time: timeAt(times, rankOf(1 - 10 ** -nines, count)) };
  });
}

const NAMED_PERCENTILES = [50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999];

/** `[['p50', 1.2], …]`, in ms: those that more than one request lies above, between the least and the most. */
export function namedPercentiles(times: StoredHistogram): readonly (readonly [name: string, time: number])[] {
  const count = countOf(times);
  const told = NAMED_PERCENTILES.filter((percent) => count * (100 - percent) >= 100 * (1 - 1e-9));
  return [
    ['min', times.min / 1000],
    ...told.map((percent) => [`p${percent}`, timeAt(times, rankOf(percent / 100, count))] as const),
    ['max', times.max / 1000],
  ];
}

function countOf({ counts }: StoredHistogram): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

/** Zero without records. */
function timeAt(times: StoredHistogram, rank: number): number {
  return Math.round(times.counts.length === 0 ? 0 : storedValueAtRank(times, rank)) / 1000;
}
