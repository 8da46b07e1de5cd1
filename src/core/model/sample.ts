/** Measured values to compare with thresholds. */
import type { ResultMetric } from './threshold.ts';

/** Lower and upper end of the possible values of a metric. `high` is null if no upper end is known. */
export interface Interval {
  readonly low: number;
  readonly high: number | null;
}

/**
 * For each metric of a run, the interval of its possible values if the load generator had no delays.
 * @see docs/internals/results.md, section 1
 */
export type Bounds = Readonly<Partial<Record<ResultMetric, Interval>>>;

/** Content of a stored histogram in µs, with the non-empty buckets of `Histogram` in ascending order. */
export interface StoredHistogram {
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly counts: readonly (readonly [bucket: number, count: number])[];
}

/** Distributions of response times. */
export interface ResponseTimes {
  readonly measured: StoredHistogram;
  /** Times without the delays of the load generator. Null in records of earlier versions and third-party services. */
  readonly minimum: StoredHistogram | null;
}

export interface SampleIterations {
  /** Distributions of the durations of the iterations; null if the record does not contain them. */
  readonly times: ResponseTimes | null;
  /** True if each iteration was one request, so that iterations and requests have the same metrics. */
  readonly areRequests: boolean;
}

export interface Sample {
  /** Times in ms, rates in percent, and counts. Metrics that the service does not return are absent. */
  readonly metrics: Readonly<Partial<Record<ResultMetric, number>>>;
  /** Bounds of the metrics; null in records of earlier versions and of third-party services. */
  readonly bounds: Bounds | null;
  /** Response times; null if the record contains none, as in lists and in records of some third-party services. */
  readonly times: ResponseTimes | null;
  /** Iterations; absent for a URL, and if the record does not contain them. */
  readonly iterations?: SampleIterations;
}
