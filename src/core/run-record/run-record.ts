/**
 * The record of a run: the metrics and all other data that a service returns about a run.
 *
 * @remarks Services may omit any part: see `readRunRecord`.
 */
import type {
  ErrorStop,
  ThresholdStop,
  GeneratorMachine,
  LatencySummary,
  LoadDelivery,
  OutagePeriod,
  AddressReport,
  PoolReport,
  TimelineSecond,
  UrlTimeline,
  WorkerReport,
} from '../load/run-report.ts';
import type { RunStop } from '../model/run-stop.ts';
import type { Sample, SampleIterations, StoredHistogram } from '../model/sample.ts';

/** The type `T` with members that are null if unknown. */
type Partly<T> = { readonly [Name in keyof T]: T[Name] | null };

/** Counts by name, such as a status code or an error code. */
export type Counts = Readonly<Record<string, number>>;

/** Times in ms by the name of a statistic. */
export type Times = Readonly<Partial<Record<keyof LatencySummary, number>>>;

/** See `Ledger`. */
export interface LedgerRecord {
  readonly planned: number | null;
  readonly started: number | null;
  readonly notStarted: Counts;
  readonly success: number | null;
  readonly httpError: Counts;
  readonly unexpected: Counts;
  readonly timeout: Counts;
  readonly network: Counts;
  readonly protocol: Counts;
  readonly abandoned: number | null;
  readonly resent: number | null;
  readonly retryAfter: number | null;
}

export interface MeasurementRecord extends Sample {
  readonly dataSent: number | null;
  /** Number of omitted requests, which count as failed. */
  readonly omitted: number | null;
  readonly statusCodes: Counts | null;
  readonly latency: Times | null;
  /** Like `latency`, but measured from when the request is sent. */
  readonly serviceTime: Times | null;
  readonly serviceTimeHistogram: StoredHistogram | null;
  readonly ledger: LedgerRecord | null;
  /** Absent for URLs, and if the record does not contain iterations. */
  readonly iterations?: IterationRecord;
}

export interface IterationRecord extends SampleIterations {
  readonly started: number | null;
  readonly completed: number | null;
  /** Iterations that a failed request ended early. */
  readonly failed: number | null;
  /** Completed and failed iterations in which at least one request failed. */
  readonly withErrors: number | null;
  /** Number of declared iterations that did not finish; null for flows, and if the test does not declare a number. */
  readonly missing: number | null;
  /** Durations of the completed iterations; null if there are none, or if the durations are the response times. */
  readonly durations: Times | null;
}

export interface UrlRecord extends MeasurementRecord {
  readonly url: string | null;
  readonly method: string | null;
  /** Absent if the record does not contain a timeline of the URL. */
  readonly timeline?: UrlTimeline;
}

export interface FlowRecord extends MeasurementRecord {
  readonly name: string | null;
}

export interface SetupRecord {
  readonly count: number | null;
  readonly times: Times;
  readonly histogram: StoredHistogram | null;
}

export interface GeneratorRecord {
  /** 99th percentile of the scheduling lag, in ms. */
  readonly lagP99: number | null;
  readonly overloaded: boolean;
  readonly threads: number | null;
  readonly version: string | null;
}

export type MachineRecord = Partly<Omit<GeneratorMachine, 'threadLoads' | 'stalledSeconds'>> &
  Pick<GeneratorMachine, 'threadLoads' | 'stalledSeconds'>;

export type PoolRecord = Partly<PoolReport>;

export interface WarmupRecord {
  readonly seconds: number | null;
  /** False if the run ended during the warm-up and therefore has no metrics. */
  readonly complete: boolean | null;
  readonly requests: number | null;
  readonly ledger: LedgerRecord | null;
}

export interface PhaseRecord {
  readonly requests: number | null;
  readonly failed: number | null;
  readonly seconds: number | null;
  readonly failure: PhaseFailureRecord | null;
}

export interface PhaseFailureRecord {
  readonly url: string | null;
  readonly method: string | null;
  readonly status: number | null;
  readonly error: string | null;
}

/** A timeline entry. Counts that a service omits are 0, except `connections`. */
export interface SecondRecord extends Omit<TimelineSecond, 'connections'> {
  readonly connections: number | null;
}

export type WorkerRecord = Partly<WorkerReport>;

export interface ErrorSample {
  readonly url: string | null;
  readonly error: string | null;
  readonly count: number | null;
}

export interface RunRecord extends MeasurementRecord {
  /** Start of the run, in milliseconds since the epoch; null if unknown. */
  readonly startedAt: number | null;
  /** Start of the load, which is second 0 of the timeline, in milliseconds since the epoch; null if unknown. */
  readonly loadStartedAt: number | null;
  /**
   * Time up to which an incomplete record contains data, in ms from the start of the run; null if the record is
   * complete.
   */
  readonly knownUntil: number | null;
  /**
   * Counts with which `error_threshold` ended the run; null if the error threshold did not end the run, or if the
   * counts are unknown.
   */
  readonly errorStop: ErrorStop | null;
  /** The threshold with `abort_after` that ended the run; null if no threshold did, or if the threshold is unknown. */
  readonly thresholdStop: ThresholdStop | null;
  /** URL of a web page with the result. */
  readonly publicUrl: string | null;
  /** Duration of the run in ms. */
  readonly elapsed: number | null;
  /** Timeout of a request in ms. */
  readonly timeout: number | null;
  readonly outage: {
    readonly spans: number | null;
    readonly seconds: number | null;
    /** The longest outages, in chronological order; empty if the record does not contain periods. */
    readonly periods: readonly OutagePeriod[];
  } | null;
  readonly peakConnections: number | null;
  readonly pool: PoolRecord | null;
  /** Use of each target address; empty if the service does not return addresses. */
  readonly addresses: readonly AddressReport[];
  /** Times to establish TCP connections. */
  readonly connect: SetupRecord | null;
  /** Durations of TLS handshakes. */
  readonly tls: SetupRecord | null;
  /** Reason why the run ended early; null if the run ended normally, undefined if unknown. */
  readonly abortReason: string | null | undefined;
  readonly stop: RunStop | null;
  readonly generator: GeneratorRecord | null;
  readonly delivery: LoadDelivery | null;
  readonly machine: MachineRecord | null;
  /** See `RunReport.abortCertain`; also null if unknown. */
  readonly abortCertain: boolean | null;
  readonly warmup: WarmupRecord | null;
  /** Records of the URLs in the order of the test; null if unknown, as in lists of results. */
  readonly urls: readonly UrlRecord[] | null;
  /**
   * Records of the flows in the order of the test; null if the test has no flows, or if unknown, as in lists of
   * results.
   */
  readonly flows: readonly FlowRecord[] | null;
  /** Seed of all random numbers of the run; null if unknown. */
  readonly seed: number | null;
  /** Requests before the load; null if the record does not contain any. */
  readonly setup: PhaseRecord | null;
  /** Requests after the load; null if the record does not contain any. */
  readonly teardown: PhaseRecord | null;
  /** Timeline in chronological order; null if unknown, as in lists of results. */
  readonly timeline: readonly SecondRecord[] | null;
  readonly errorSamples: readonly ErrorSample[] | null;
  /** Workers that generated the load; null if the service generated the load, or if unknown, as in lists of results. */
  readonly workers: readonly WorkerRecord[] | null;
}

/** Reports whether the counts are lower bounds, because the service was interrupted, or a worker or thread was lost. */
export function hasMinimumCounts({
  abortReason,
  knownUntil = null,
}: Partial<Pick<RunRecord, 'abortReason' | 'knownUntil'>>): boolean {
  return knownUntil !== null || abortReason === 'partial';
}
