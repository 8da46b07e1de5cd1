/** Measured values on which thresholds are evaluated. */
import type { ResultMetric } from './threshold.ts';

/** Lower and upper end of a metric, in its unit. `high` is null if it is unknown. */
export interface Interval {
  readonly low: number;
  readonly high: number | null;
}

/**
 * Interval that contains each metric of a run without the delays of the load generator.
 * @see docs/internals/results.md, section 1
 */
export type Bounds = Readonly<Partial<Record<ResultMetric, Interval>>>;

/**
 * Content of a stored histogram, in µs. Any percentile can be computed from it with the same result as from
 * the original.
 * @remarks Only non-empty buckets, ascending; see `Histogram` for their values.
 */
export interface StoredHistogram {
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly counts: readonly (readonly [bucket: number, count: number])[];
}

/** Distributions from which any percentile can be read. */
export interface ResponseTimes {
  readonly measured: StoredHistogram;
  /**
   * Lower bounds of the response times, without delays of the load generator; null in records of earlier
   * versions and third-party services.
   */
  readonly minimum: StoredHistogram | null;
}

/** The values on which thresholds are evaluated, for a run or one of its URLs. */
export interface Sample {
  /** Times in ms, rates in percent, integer counts. Metrics that the service does not return are absent. */
  readonly metrics: Readonly<Partial<Record<ResultMetric, number>>>;
  /** Null in records of earlier versions and third-party services. */
  readonly bounds: Bounds | null;
  /** Null if the record does not contain them, as in lists and records of some third-party services. */
  readonly times: ResponseTimes | null;
}
