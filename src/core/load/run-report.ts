import type { PhaseName } from '../model/phase.ts';
import type { NamedPercentile, ThresholdLabels } from '../model/threshold.ts';
import type { Milliseconds } from '../units.ts';
import type { Bounds, SampleIterations, StoredHistogram } from '../model/sample.ts';
import type { ThreadReason } from './thread-count.ts';

/**
 * Reason why a run ended early.
 *
 * - `threshold`: a threshold with `abort_after` failed.
 * - `setup`: a request before the load failed.
 * - `over_limit`: active runs together exceeded the load limit for a host.
 * - `partial`: part of the load or of its data is missing, for example because a worker was lost.
 * - `missed`: the service was not running at the scheduled time.
 */
export type AbortReason =
  | 'stopped'
  | 'error_threshold'
  | 'threshold'
  | 'setup'
  | 'verification_lost'
  | 'over_limit'
  | 'partial'
  | 'missed';

/** Statistics of times, in ms. */
export type LatencySummary = Readonly<Record<'min' | 'mean' | NamedPercentile | 'max', number>>;

/**
 * Request counts, with the following sums:
 *
 * - planned = started + the sum of notStarted
 * - started = success + Σ httpError + Σ unexpected + Σ timeout + Σ network + Σ protocol + abandoned
 * @see docs/internals/engine.md, section 2
 */
export interface Ledger {
  readonly planned: number;
  readonly started: number;
  readonly notStarted: {
    readonly stopped: number;
    readonly aborted: number;
    readonly saturated: number;
    readonly noSocket: number;
    readonly undefinedVariable: number;
    readonly condition: number;
  };
  readonly success: number;
  /** Responses with status 400 or above, by status code, except responses of URLs with `expect`. */
  readonly httpError: Readonly<Record<string, number>>;
  /**
   * Responses that did not meet the expectations of the test, by the first violation: `status`, `header`, `size`,
   * `coding`, `body`, `json` or `time`; or `variable` if the response lacks a variable that a later request uses.
   */
  readonly unexpected: Readonly<Record<string, number>>;
  readonly timeout: { readonly connect: number; readonly tls: number; readonly response: number };
  readonly network: Readonly<Record<string, number>>;
  readonly protocol: Readonly<Record<string, number>>;
  readonly abandoned: number;
  /**
   * Requests that were sent again on a new connection, because a reused connection was closed before the first byte of
   * a response. Not part of the sums, because each of these requests counts only once as started.
   */
  readonly resent: number;
  /**
   * Responses with status 503 and a `Retry-After` header. Not part of the sums, because these responses are also
   * counted by outcome.
   */
  readonly retryAfter: number;
}

/** Metrics of a run, a flow or a URL. Bytes are application bytes, including headers. */
export interface Metrics {
  readonly ledger: Ledger;
  readonly statusCodes: Readonly<Record<string, number>>;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Response times: see `Tally.response`. Null if there are no samples. */
  readonly latency: LatencySummary | null;
  /** Like `latency`, but measured from when the request is sent. */
  readonly serviceTime: LatencySummary | null;
  /**
   * Number of requests that were not sent because of an outage (closed model), or because the run ended during their
   * iteration (open models). Omitted requests count as failed and are part of `latency`. In the open models, omitted
   * requests are also part of `ledger.notStarted.stopped`.
   */
  readonly omitted: number;
  readonly latencyHistogram: StoredHistogram | null;
  readonly serviceTimeHistogram: StoredHistogram | null;
}

/** In the closed model, response times exclude connection setup times. */
export interface ConnectionSetupTimes {
  readonly count: number;
  readonly times: LatencySummary;
  readonly histogram: StoredHistogram;
}

export interface AddressReport {
  /** IP address and port. */
  readonly address: string;
  readonly connections: number;
  /**
   * Number of requests, including requests of the warm-up, requests that were sent again, and requests whose connection
   * failed.
   */
  readonly requests: number;
  /** Number of failed requests, including requests of the warm-up and requests whose connection failed. */
  readonly failed: number;
  /** Numbers of TLS handshakes by TLS version and ALPN protocol, such as `TLSv1.3 http/1.1`. */
  readonly tls: Readonly<Record<string, number>>;
}

/** Only `opened` includes the warm-up. */
export interface PoolReport {
  readonly opened: number;
  readonly peak: number;
  readonly waited: number;
  /**
   * 99th percentile of the time that requests waited for a connection, in ms. Requests that did not wait count as 0.
   */
  readonly waitP99: number;
}

/** Iterations of a run or of one of its flows; see `IterationTally`. */
export interface IterationReport extends SampleIterations {
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  readonly withErrors: number;
  /**
   * Number of declared iterations that did not finish before the run ended; null for flows, and if the test does not
   * declare a number.
   */
  readonly missing: number | null;
  /** Null if no duration was recorded, or if each iteration was one request, whose response time is the duration. */
  readonly durations: LatencySummary | null;
}

export interface TimelineSecond {
  /** Start of the entry, in seconds from the start of the load. */
  readonly second: number;
  /** Length of the entry in seconds: 1, or more in long runs. */
  readonly span: number;
  /** True if the entry begins in the warm-up. */
  readonly warmup: boolean;
  readonly started: number;
  readonly success: number;
  readonly error: number;
  readonly timeoutError: number;
  readonly networkError: number;
  /** Sum of the maximum numbers of open connections of all threads, busy or idle. */
  readonly connections: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Median response time in ms; null if there are no samples. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/**
 * Timeline of one URL, with one value per entry of the timeline of the run. Times are in ms; null if there are no
 * samples.
 */
export type UrlTimeline = Readonly<
  Record<'success' | 'error' | 'timeoutError' | 'networkError', readonly number[]> &
    Record<'p50' | 'p95' | 'p99', readonly (number | null)[]>
>;

/** Counts of requests until `error_threshold` ended a run, including the warm-up. */
export interface ErrorStop {
  /** `error_threshold` of the test, in percent. */
  readonly threshold: number;
  readonly finished: number;
  readonly failed: number;
}

/** A threshold with `abort_after` that provably failed and ended a run. */
export interface ThresholdStop extends ThresholdLabels {
  readonly metric: string;
  /** The condition as written: `< 3s`. */
  readonly limit: string;
  /** Value of the metric when the threshold ended the run, in the unit of the metric. */
  readonly value: number;
  /** Second of the run in which the threshold failed. */
  readonly second: number;
}

/** A period without any response. Times are in seconds from the start of the load. */
export interface OutagePeriod {
  readonly from: number;
  readonly to: number;
}

/** Maximum length of `RunReport.outage.periods`. */
export const MAX_OUTAGE_PERIODS = 50;

export type LoadDelivery =
  | {
      readonly model: 'open';
      /** Number of declared clients, excluding the warm-up. */
      readonly due: number;
      /** Number of clients that started more than 3 ms late. */
      readonly late: number;
      /** Number of clients that never started, because their start was delayed too long or no socket was available. */
      readonly neverStarted: number;
      /** 99th percentile of the start delays of the clients that started, in ms. */
      readonly lagP99: number;
      readonly lagMax: number;
      /**
       * The period of five seconds, beginning with `second`, in which the largest fraction of the due clients never
       * started. Null if all clients started.
       */
      readonly worstWindow: {
        readonly second: number;
        readonly due: number;
        readonly neverStarted: number;
      } | null;
    }
  | {
      readonly model: 'closed';
      /** Fraction, from 0 to 1, of the declared client time that was not lost because of the load generator. */
      readonly heldShare: number;
    };

/** The machine of the load generator, and the utilization and stalls of its threads. */
export interface GeneratorMachine {
  /** Number of CPU cores available to the load generator. */
  readonly cores: number;
  /** CPU quota in cores, such as 0.5; null if there is no quota. */
  readonly quota: number | null;
  /** Reason for the number of threads; null if the record does not contain it. */
  readonly threadReason: ThreadReason | null;
  readonly node: string;
  /** Version of the measurement method. Metrics of different versions are not comparable. */
  readonly measurementVersion: number;
  /** Utilization of each thread, from 0 to 1: the mean, and the maximum in any second. */
  readonly threadLoads: readonly { readonly mean: number; readonly max: number }[];
  /** Number of seconds after the warm-up that the threads reported. */
  readonly seconds: number;
  /** Length of the longest stall, in ms. */
  readonly longestStall: number;
  /**
   * For each tolerance in ms, the number of seconds in which at least one thread stalled for longer than the tolerance.
   */
  readonly stalledSeconds: readonly { readonly tolerance: number; readonly seconds: number }[];
}

/** Counts include the warm-up. */
export interface WorkerReport {
  /** Name of the worker, chosen by its operator. */
  readonly name: string;
  readonly threads: number;
  readonly started: number;
  /** Number of requests that ended with an outcome other than `abandoned`. */
  readonly finished: number;
  /** 99th percentile of the scheduling lag of the worker's threads, in ms; null if the worker reported none. */
  readonly lagP99: number | null;
  /**
   * Time from the common start to the start of this worker, in ms. Negative if the worker started early; null if
   * unknown.
   */
  readonly startSkew: number | null;
  /** Uncertainty of the start time because of clock differences, in ms; null if unknown. */
  readonly clockUncertainty: number | null;
  /** Reason why part of the worker's load or reports is missing; null if nothing is missing. */
  readonly lossReason: string | null;
}

export const MAX_EXCHANGES = 100;

/** Maximum number of URLs in a test for which a timeline per URL is recorded. */
export const MAX_TIMELINE_URLS = 20;

/** Trace of one iteration, or of one iteration of each flow, with at most `MAX_EXCHANGES` exchanges. */
export interface TracedIteration {
  readonly exchanges: readonly TracedExchange[];
  /** Numbers of requests that were sent after the first `MAX_EXCHANGES` exchanges and are not listed. */
  readonly omitted: { readonly requests: number; readonly failed: number };
  readonly seed: number | null;
}

/** Long strings are truncated. */
export interface TracedExchange {
  /** Phase of the request; absent for requests of the iteration. */
  readonly phase?: PhaseName;
  readonly target: number;
  /** Requested URL, without user information. If the request was not sent, the URL in the test. */
  readonly url: string;
  readonly method: string;
  readonly redirected: boolean;
  /** True if the request was sent again on a new connection: see `Ledger.resent`. */
  readonly resent: boolean;
  /** Request line and headers, with credentials and cookies masked; empty if the request was not sent. */
  readonly requestHeader: string;
  /** Beginning of the body, at most 4 KiB. */
  readonly requestBody: string;
  /** HTTP status; null if there is no complete response. */
  readonly status: number | null;
  /** Status line and headers as received, at most 16 KiB, with cookies masked. */
  readonly responseHeader: string;
  /**
   * Beginning of the decoded body, at most 256 KiB, with credentials masked; null if the body is not text, exceeds 1
   * MiB, or cannot be decoded.
   */
  readonly responseBody: string | null;
  /** Received bytes, including headers. */
  readonly bytes: number;
  /** Error code, such as `timeout`, `ECONNRESET` or `undefined_variable`; null if a response was received in time. */
  readonly error: string | null;
  /**
   * Durations in ms. Null for a phase that did not occur because the connection was reused, TLS was not used, or
   * there was no response.
   */
  readonly ms: {
    readonly connect: number | null;
    readonly tls: number | null;
    readonly wait: number | null;
    readonly total: number;
  };
  /** True if the request counts as a success, including a redirect that is followed. */
  readonly success: boolean;
  /**
   * The violated expectation, and the actual value or null if the value is missing. Null if the response meets all
   * expectations.
   */
  readonly unexpected: { readonly error: string; readonly actual: string | null } | null;
  /** Values of the variables extracted from the response, by name. Credentials are masked. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface PartReport extends Metrics, Pick<RunReport, 'requestsPerSecond' | 'bounds' | 'minTimes'> {}

export interface FlowReport extends PartReport {
  readonly name: string;
  readonly iterations: IterationReport;
}

export interface UrlReport extends PartReport {
  readonly url: string;
  readonly method: string;
  /** Absent for tests with one URL or more than `MAX_TIMELINE_URLS`. */
  readonly timeline?: UrlTimeline;
}

export interface Warmup {
  readonly seconds: number;
  /** False if the run ended during the warm-up and therefore has no metrics. */
  readonly complete: boolean;
  readonly ledger: Ledger;
}

/** Counts of the requests before or after the load. These requests are not part of the ledger. */
export interface PhaseCounts {
  /** Number of sent requests, including requests that follow redirects. */
  readonly requests: number;
  readonly failed: number;
  readonly elapsed: Milliseconds;
}

export interface PhaseFailure {
  readonly url: string;
  readonly method: string;
  /** HTTP status; null if there is no complete response. */
  readonly status: number | null;
  /** Error code of a request without a response, as in `TracedExchange.error`; otherwise a description. */
  readonly error: string;
}

/** `failure` is the first failure; null if there is none. */
export interface PhaseReport extends PhaseCounts {
  readonly failure: PhaseFailure | null;
}

/**
 * Report on a run that has ended or is in progress. Excludes the warm-up, unless a member documents the opposite. See
 * `RunRecord` for members without a comment.
 */
export interface RunReport {
  /** Timeout of each request; null if no load was started. */
  readonly timeout: Milliseconds | null;
  readonly loadStartedAt: number | null;
  /** Time from the start of the load to the end of the drain. */
  readonly elapsed: Milliseconds;
  readonly knownUntil: Milliseconds | null;
  readonly errorStop: ErrorStop | null;
  readonly thresholdStop: ThresholdStop | null;
  readonly abortReason: AbortReason | null;
  readonly total: Metrics;
  readonly targets: readonly UrlReport[];
  /** Null if no load was started. */
  readonly iterations: IterationReport | null;
  readonly flows: readonly FlowReport[] | null;
  readonly seed: number | null;
  readonly setup: PhaseReport | null;
  readonly teardown: PhaseReport | null;
  readonly outage: {
    readonly spans: number;
    readonly seconds: number;
    readonly periods: readonly OutagePeriod[];
  };
  /** Finished requests per second of load time: see `requestRate`. */
  readonly requestsPerSecond: number;
  readonly peakConnections: number;
  readonly pool: PoolReport | null;
  /** Use of each address of the targets, sorted by address. */
  readonly addresses: readonly AddressReport[];
  readonly connect: ConnectionSetupTimes | null;
  readonly tls: ConnectionSetupTimes | null;
  readonly generator: {
    readonly lagP99: Milliseconds;
    readonly overloaded: boolean;
    readonly threads: number;
    readonly version: string;
  };
  readonly bounds: Bounds;
  /**
   * Histogram whose percentiles are lower bounds of the percentiles of the response times; null if there are no
   * samples.
   */
  readonly minTimes: StoredHistogram | null;
  readonly delivery: LoadDelivery | null;
  readonly warmup: Warmup | null;
  readonly machine: GeneratorMachine | null;
  readonly workers: readonly WorkerReport[] | null;
  /**
   * True if `error_threshold` would have ended the run even without delays of the load generator; null if
   * `error_threshold` did not end the run. Includes requests of the warm-up.
   */
  readonly abortCertain: boolean | null;
  readonly timeline: readonly TimelineSecond[];
  /** Kinds of failures, at most ten, in descending order of frequency. */
  readonly errorSamples: readonly { readonly url: string; readonly error: string; readonly count: number }[];
  /** The first `MAX_EXCHANGES` exchanges, in the order in which they ended; empty unless the job requests a trace. */
  readonly exchanges: readonly TracedExchange[];
}

/**
 * Progress of a run, reported about once per second. Counts include the warm-up. The rate and `p95` apply to the latest
 * timeline entry.
 */
export interface RunProgress {
  readonly elapsed: Milliseconds;
  readonly warmingUp: boolean;
  readonly connections: number;
  readonly success: number;
  readonly error: number;
  readonly timeoutError: number;
  readonly networkError: number;
  readonly requestsPerSecond: number;
  /** In ms; null if there are no samples. */
  readonly p95: number | null;
}

export interface LoadProgress extends RunProgress {
  /** Number of finished requests for each target of the job, including requests that follow redirects. */
  readonly targets: readonly number[];
}
