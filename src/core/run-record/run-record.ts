/**
 * The record of a run: its metrics and all other data that a service returns about it.
 *
 * @remarks Services may omit any part, which is then null. The reader is `readRunRecord`, and the encoder is
 * `encodeRecord` in `contract/result-codec.ts`.
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

/** Counts by name. The API defines the names, such as status codes and error codes. */
export type Counts = Readonly<Record<string, number>>;

/** Times in ms by the name of a statistic. */
export type Times = Readonly<Partial<Record<keyof LatencySummary, number>>>;

/** Outcomes of the requests of a run: see `Ledger`. */
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
  /** Number of responses with status 503 and a `Retry-After` header. */
  readonly retryAfter: number | null;
}

/** Measured values of a run, or of one of its flows or URLs. */
export interface MeasurementRecord extends Sample {
  readonly dataSent: number | null;
  /** Number of omitted requests, which count as failed. */
  readonly omitted: number | null;
  readonly statusCodes: Counts | null;
  /** Response times. */
  readonly latency: Times | null;
  /** Service times, which start when a request is sent. */
  readonly serviceTime: Times | null;
  readonly serviceTimeHistogram: StoredHistogram | null;
  readonly ledger: LedgerRecord | null;
  /** Iterations; absent for URLs, and if they are unknown. */
  readonly iterations?: IterationRecord;
}

export interface IterationRecord extends SampleIterations {
  readonly started: number | null;
  readonly completed: number | null;
  /** Iterations that a failed request ended early. */
  readonly failed: number | null;
  /** Completed and failed iterations in which at least one request failed; null if unknown. */
  readonly withErrors: number | null;
  /** Number of declared iterations that did not finish; null for flows, and if the test declares no number. */
  readonly missing: number | null;
  /** Durations of the completed iterations; null if there are none, or if the durations are the response times. */
  readonly durations: Times | null;
}

export interface UrlRecord extends MeasurementRecord {
  readonly url: string | null;
  readonly method: string | null;
  /** Timeline of the URL; absent if the record does not contain it. */
  readonly timeline?: UrlTimeline;
}

export interface FlowRecord extends MeasurementRecord {
  readonly name: string | null;
}

/** Setup times of connections. */
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

/** Use of connections that clients share. */
export type PoolRecord = Partly<PoolReport>;

export interface WarmupRecord {
  readonly seconds: number | null;
  /** False if the run ended during the warm-up and therefore has no metrics. */
  readonly complete: boolean | null;
  readonly requests: number | null;
  readonly ledger: LedgerRecord | null;
}

/** Requests before or after the load. */
export interface PhaseRecord {
  readonly requests: number | null;
  readonly failed: number | null;
  readonly seconds: number | null;
  readonly failure: PhaseFailureRecord | null;
}

/** The first failed request before or after the load. */
export interface PhaseFailureRecord {
  readonly url: string | null;
  readonly method: string | null;
  readonly status: number | null;
  readonly error: string | null;
}

/** An entry of the timeline. Counts that a service omits are 0. */
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
  /** Start of the load, from which the timeline counts, in milliseconds since the epoch; null if unknown. */
  readonly loadStartedAt: number | null;
  /** End of the known part of an incomplete record, in ms from the start of the run; null if the record is complete. */
  readonly knownUntil: number | null;
  /** Counts with which `error_threshold` ended the run; null if it did not, or if they are unknown. */
  readonly errorStop: ErrorStop | null;
  /** The threshold with `abort_after` that ended the run; null if none did, or if it is unknown. */
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
    /** The longest outages, in chronological order; empty if the record does not contain them. */
    readonly periods: readonly OutagePeriod[];
  } | null;
  readonly peakConnections: number | null;
  /** Use of connections that the clients share. */
  readonly pool: PoolRecord | null;
  /** Use of each address of the targets; empty if the service does not return it. */
  readonly addresses: readonly AddressReport[];
  /** Time to establish a TCP connection. */
  readonly connect: SetupRecord | null;
  /** Duration of the TLS handshake. */
  readonly tls: SetupRecord | null;
  /** Reason why the run ended early; null if it ended normally, undefined if unknown. */
  readonly abortReason: string | null | undefined;
  readonly stop: RunStop | null;
  readonly generator: GeneratorRecord | null;
  readonly delivery: LoadDelivery | null;
  readonly machine: MachineRecord | null;
  /** See `RunReport.abortCertain`. Also null if unknown. */
  readonly abortCertain: boolean | null;
  readonly warmup: WarmupRecord | null;
  /** Records of the URLs in the order of the test; null in lists of results. */
  readonly urls: readonly UrlRecord[] | null;
  /** Records of the flows in the order of the test; null if the test has none, and in lists of results. */
  readonly flows: readonly FlowRecord[] | null;
  /** Seed of all random numbers of the run; null if unknown. */
  readonly seed: number | null;
  /** Requests before the load; null if the test has none. */
  readonly setup: PhaseRecord | null;
  /** Requests after the load; null if there were none. */
  readonly teardown: PhaseRecord | null;
  /** Timeline in chronological order; null in lists of results. */
  readonly timeline: readonly SecondRecord[] | null;
  readonly errorSamples: readonly ErrorSample[] | null;
  /** Workers that generated the load; null if the service generated it, and in lists of results. */
  readonly workers: readonly WorkerRecord[] | null;
}

/** Reports whether the counts are lower bounds, because the service was interrupted, or a worker or thread was lost. */
export function hasMinimumCounts({
  abortReason,
  knownUntil = null,
}: Partial<Pick<RunRecord, 'abortReason' | 'knownUntil'>>): boolean {
  return knownUntil !== null || abortReason === 'partial';
}
