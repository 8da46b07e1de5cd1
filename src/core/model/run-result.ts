/** A run and its result, as the service tells it. */
import type { Json } from '../canonical.ts';
import type { Histogram } from '../load/histogram.ts';
import type { RunReport } from '../load/run-report.ts';
import type { ResultId } from './ids.ts';
import type { RunVerdict } from './run-verdict.ts';
import type { RunStop } from './run-stop.ts';
import type { ResultMetric } from './threshold.ts';

/** What a record says of its generator. */
export type GeneratorRecord = Pick<RunReport, 'bounds' | 'delivery' | 'machine' | 'abortCertain'>;

/** What any percentile is read from. */
export interface ResponseTimes {
  readonly measured: Histogram;
  /** What requests took at least, whatever the generator did; null in records of before, and of other services. */
  readonly minimum: Histogram | null;
}

/** What limits are judged by: of a run, or of one of its URLs. */
export interface Sample {
  /** Times in ms, rates in percent, counts whole. Figures that the service does not give are absent. */
  readonly metrics: Readonly<Partial<Record<ResultMetric, number>>>;
  /** Null: a record of before, or of another service. */
  readonly bounds: RunReport['bounds'] | null;
  /** Null where the record lacks them: lists do, and other services may. */
  readonly times: ResponseTimes | null;
}

/** One result record, decoded. Figures that the service does not give are absent from `figures`. */
export interface RunResult {
  readonly id: ResultId;
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null;
  /** `other` is a word we do not know: never taken for ready. */
  readonly status: 'ready' | 'not_ready' | 'other';
  readonly metrics: Sample['metrics'];
  /** Null: ended by itself. Undefined: the service does not say. */
  readonly abortReason: string | null | undefined;
  readonly times: Sample['times'];
  /** In the order of the test; null where the record lacks them: lists do, and other services may. */
  readonly urls: readonly Sample[] | null;
  /** Who stopped it, where the service tells. */
  readonly stop: RunStop | null;
  /** Of records that say no more of their generator than this. */
  readonly generatorOverloaded: boolean;
  /** Of the program that made the load; null where the record does not tell. */
  readonly generatorVersion: string | null;
  /** Null: a record of before, or of another service. */
  readonly generator: GeneratorRecord | null;
  /** What it was judged to be, as the service was told; null where it was not. */
  readonly verdict: RunVerdict | null;
  /** It ended before its figures began. */
  readonly endedInWarmup: boolean;
  readonly dataSent: number | null;
  readonly peakConnections: number | null;
  /** The whole record, for machine output. */
  readonly record: Readonly<Record<string, Json>>;
}
