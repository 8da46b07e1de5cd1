/** A run and its result, as returned by the service. */
import type { Json } from '../canonical.ts';
import type { Histogram } from '../load/histogram.ts';
import type { RunReport } from '../load/run-report.ts';
import type { ResultId } from './ids.ts';
import type { RunVerdict } from './run-verdict.ts';
import type { RunStop } from './run-stop.ts';
import type { ResultMetric } from './threshold.ts';

/** The data about the load generator in a record. */
export type GeneratorRecord = Pick<RunReport, 'bounds' | 'delivery' | 'machine' | 'abortCertain'>;

/** Distributions from which any percentile can be read. */
export interface ResponseTimes {
  readonly measured: Histogram;
  /**
   * Lower bounds of the response times, without delays of the load generator; null in records of earlier
   * versions and third-party services.
   */
  readonly minimum: Histogram | null;
}

/** The values on which thresholds are evaluated, for a run or one of its URLs. */
export interface Sample {
  /** Times in ms, rates in percent, integer counts. Metrics that the service does not return are absent. */
  readonly metrics: Readonly<Partial<Record<ResultMetric, number>>>;
  /** Null in records of earlier versions and third-party services. */
  readonly bounds: RunReport['bounds'] | null;
  /** Null if the record does not contain them, as in lists and records of some third-party services. */
  readonly times: ResponseTimes | null;
}

/** A decoded result record. */
export interface RunResult {
  readonly id: ResultId;
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null;
  /** `other` is an unrecognized status, which is never treated as ready. */
  readonly status: 'ready' | 'not_ready' | 'other';
  readonly metrics: Sample['metrics'];
  /** Null if the run ended normally; undefined if the service does not return it. */
  readonly abortReason: string | null | undefined;
  readonly times: Sample['times'];
  /** In the order of the test; null if the record does not contain them, as in lists. */
  readonly urls: readonly Sample[] | null;
  /** Who stopped the run; null if the service does not return it. */
  readonly stop: RunStop | null;
  /** Set in records that contain nothing else about their load generator. */
  readonly generatorOverloaded: boolean;
  /** Version of the load generator; null if the record does not contain it. */
  readonly generatorVersion: string | null;
  /** Null in records of earlier versions and third-party services. */
  readonly generator: GeneratorRecord | null;
  /** The verdict that was published to the service; null if there is none. */
  readonly verdict: RunVerdict | null;
  /** True if the run ended during the warm-up, before any measurement. */
  readonly endedInWarmup: boolean;
  readonly dataSent: number | null;
  readonly peakConnections: number | null;
  /** The complete record, for machine-readable output. */
  readonly record: Readonly<Record<string, Json>>;
}
