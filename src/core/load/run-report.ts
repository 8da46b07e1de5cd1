/** The reports of a load generator: progress during a run, and a report at its end. */
import type { PhaseName } from '../model/phase.ts';
import type { ThresholdLabels } from '../model/threshold.ts';
import type { Milliseconds } from '../units.ts';
import type { Bounds, StoredHistogram } from '../model/sample.ts';
import type { ThreadReason } from './thread-count.ts';

/**
 * Reason why a run ended early.
 *
 * - `threshold`: a threshold with `abort_after` failed.
 * - `setup`: a request before the load failed.
 * - `over_limit`: active runs together exceeded the load limit for a host.
 * - `partial`: part of the load or of its data is missing, for example because a worker was lost.
 * - `missed`: the scheduled start was too long ago.
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
export interface LatencySummary {
  readonly min: number;
  readonly mean: number;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly 'p99.9': number;
  readonly max: number;
}

/**
 * Request counts that add up.
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
  /** Responses with status 400 or above, by status code, except those to URLs with `expect`. */
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
   * Requests that were sent again on a new connection, because a reused one was closed before the first byte of a
   * response. They are not part of the sums, because each started only once and has one of the outcomes above.
   */
  readonly resent: number;
  /**
   * Responses with status 503 and a `Retry-After` header. They also count under their outcome, so they are not part of
   * the sums.
   */
  readonly retryAfter: number;
}

/** Metrics of a run, a flow or a URL. Bytes are application bytes, including headers. */
export interface Metrics {
  readonly ledger: Ledger;
  readonly statusCodes: Readonly<Record<string, number>>;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Times of requests, including some without a response: see `Tally.response`. Null if there are no samples. */
  readonly latency: LatencySummary | null;
  /** Service times, which start when a request is sent. */
  readonly serviceTime: LatencySummary | null;
  /**
   * Requests that were not sent because of an outage (closed model), or because the run ended during their iteration
   * (open models). They count as failed and are part of `latency`. Only those of the open models are in the ledger,
   * as `notStarted.stopped`.
   */
  readonly omitted: number;
  readonly latencyHistogram: StoredHistogram | null;
  readonly serviceTimeHistogram: StoredHistogram | null;
}

/** Setup times of the established connections of a run. In the closed model, request times exclude them. */
export interface ConnectionSetupTimes {
  readonly count: number;
  readonly times: LatencySummary;
  readonly histogram: StoredHistogram;
}

/** Use of one target address, including the warm-up. */
export interface AddressReport {
  /** IP address with its port. */
  readonly address: string;
  readonly connections: number;
  /** Number of requests, including those that were sent again and those whose connection failed. */
  readonly requests: number;
  /** Number of failed requests, including those whose connection could not be established. */
  readonly failed: number;
  /** Number of TLS handshakes by protocol, such as `TLSv1.3 http/1.1`. */
  readonly tls: Readonly<Record<string, number>>;
}

/** Use of connections that clients share. Only `opened` includes the warm-up. */
export interface PoolReport {
  readonly opened: number;
  /** Maximum number of open connections. */
  readonly peak: number;
  readonly waited: number;
  /** 99th percentile of the waits of all requests, in ms. Requests that did not wait count as 0. */
  readonly waitP99: number;
}

/** Iterations of a run or of one of its flows; see `IterationTally`. */
export interface IterationReport {
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  readonly withErrors: number;
  /** Durations; null if each iteration was one request, because its duration is then the response time. */
  readonly durations: {
    /** Statistics of the durations. `times`, `histogram` and `minTimes` are null if no duration was recorded. */
    readonly times: LatencySummary | null;
    readonly histogram: StoredHistogram | null;
    /** Histogram whose percentiles are the lower bounds of the percentiles of the durations. */
    readonly minTimes: StoredHistogram | null;
  } | null;
}

export interface TimelineSecond {
  /** Start of the entry, in seconds from the start of the run. */
  readonly second: number;
  /** Seconds that this entry covers: 1, or more in long runs. */
  readonly span: number;
  /** True if the entry begins in the warm-up. */
  readonly warmup: boolean;
  readonly started: number;
  readonly success: number;
  readonly error: number;
  readonly timeoutError: number;
  readonly networkError: number;
  /** Sum of the threads' maximum numbers of open connections, busy or idle. */
  readonly connections: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Median response time in ms; null if there are no samples. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/**
 * Requests of one URL, with one value per entry of the timeline of the run. Times are in ms; null if there are no
 * samples.
 */
export type UrlTimeline = Readonly<
  Record<'success' | 'error' | 'timeoutError' | 'networkError', readonly number[]> &
    Record<'p50' | 'p95' | 'p99', readonly (number | null)[]>
>;

/** Counts of requests up to the moment at which `error_threshold` ended a run, including the warm-up. */
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

/** A period without any response. Times are in seconds from the start of the run. */
export interface OutagePeriod {
  readonly from: number;
  readonly to: number;
}

/** Maximum length of `RunReport.outage.periods`. */
export const MAX_OUTAGE_PERIODS = 50;

/** The part of the declared load that was delivered. */
export type LoadDelivery =
  | {
      readonly model: 'open';
      /** Declared clients of the run, excluding the warm-up. */
      readonly due: number;
      /** Due clients that started more than 3 ms late. */
      readonly late: number;
      /** Due clients that never started, because they were too late or no socket was available. */
      readonly neverStarted: number;
      /** 99th percentile of the start delays of the clients that started, in ms. */
      readonly lagP99: number;
      readonly lagMax: number;
      /**
       * The five seconds, beginning with `second`, in which the largest fraction of the due clients never started.
       * Null if all clients started.
       */
      readonly worstWindow: {
        readonly second: number;
        readonly due: number;
        readonly neverStarted: number;
      } | null;
    }
  | {
      readonly model: 'closed';
      /** Fraction, 0 to 1, of the declared client time that was not lost because of the load generator. */
      readonly heldShare: number;
    };

/** The machine that generated the load, and how well it kept up with the schedule. */
export interface GeneratorMachine {
  /** Cores that the generator could use. */
  readonly cores: number;
  /** CPU time that the generator could use, in cores: 0.5 is half a core. Null if there is no quota. */
  readonly quota: number | null;
  /** Reason for the number of threads; null if the record does not contain it. */
  readonly threadReason: ThreadReason | null;
  /** Version of Node.js. */
  readonly node: string;
  /** Version of the measuring method; metrics of different versions are not comparable. */
  readonly measurementVersion: number;
  /** For each thread, the fraction of time during which it was busy: the mean, and the maximum in any second. */
  readonly threadLoads: readonly { readonly mean: number; readonly max: number }[];
  /** Number of seconds after the warm-up that the threads reported. */
  readonly seconds: number;
  /** Length of the longest stall, in ms. */
  readonly longestStall: number;
  /** For each tolerance in ms, the number of seconds in which at least one thread stalled for longer. */
  readonly stalledSeconds: readonly { readonly tolerance: number; readonly seconds: number }[];
}

/** One of the workers that generated the load of a run. Counts include the warm-up. */
export interface WorkerReport {
  /** Name of the worker, chosen by its operator. */
  readonly name: string;
  readonly threads: number;
  readonly started: number;
  /** Requests that ended with an outcome other than abandoned. */
  readonly finished: number;
  /** 99th percentile of the scheduling lag of the worker's threads, in ms; null if the worker reported none. */
  readonly lagP99: number | null;
  /** Time from the common start to the start of this worker, in ms. Negative if it started early; null if unknown. */
  readonly startSkew: number | null;
  /** Uncertainty of the start time because of clock differences, in ms; null if unknown. */
  readonly clockUncertainty: number | null;
  /** Reason why part of the worker's load or reports is missing; null if nothing is missing. */
  readonly lossReason: string | null;
}

export const MAX_EXCHANGES = 100;

/** Maximum number of URLs with their own timeline, which needs a histogram for each URL and entry. */
export const MAX_TIMELINE_URLS = 20;

/**
 * Trace of one iteration, or of one iteration of each flow. It contains at most the first `MAX_EXCHANGES` exchanges.
 */
export interface TracedIteration {
  readonly exchanges: readonly TracedExchange[];
  /** Number of requests after the first `MAX_EXCHANGES` exchanges. These requests were sent, but are not listed. */
  readonly omitted: { readonly requests: number; readonly failed: number };
  readonly seed: number | null;
}

/** One request and its response, as text to display. Long strings are truncated. */
export interface TracedExchange {
  /** Phase of the request; absent for requests of the iteration. */
  readonly phase?: PhaseName;
  /** Index of the target in the job. */
  readonly target: number;
  /** The requested URL, without user information; if the request was not sent, the URL in the test. */
  readonly url: string;
  readonly method: string;
  readonly redirected: boolean;
  /** True if the request was sent again on a new connection: see `Ledger.resent`. */
  readonly resent: boolean;
  /** Request line and headers, with credentials and cookies masked; empty if the request was not sent. */
  readonly requestHeader: string;
  /** The beginning of the body, at most 4 KiB. */
  readonly requestBody: string;
  /** HTTP status; null if there is no complete response. */
  readonly status: number | null;
  /** Status line and headers as received, at most 16 KiB, with cookies masked. */
  readonly responseHeader: string;
  /**
   * The beginning of the decoded body, at most 256 KiB, with credentials masked; null if the body is not text, exceeds
   * 1 MiB, or cannot be decoded.
   */
  readonly responseBody: string | null;
  /** Received bytes, including headers. */
  readonly bytes: number;
  /** Error code, such as `timeout`, `ECONNRESET` or `undefined_variable`; null if a response arrived in time. */
  readonly error: string | null;
  /**
   * Durations in ms. Null for a phase that did not occur because the connection was reused, TLS was not used, or
   * there was no response.
   */
  readonly ms: {
    readonly connect: number | null;
    readonly tls: number | null;
    /** Time from sending the request to the first byte of the response. */
    readonly wait: number | null;
    readonly total: number;
  };
  /** True if the request counts as a success, including a redirect that is followed. */
  readonly success: boolean;
  /**
   * The violated expectation and the actual value; null if the response meets all expectations. The actual
   * value is null if it is missing.
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
  /** Timeline of the URL. Absent for tests with one URL or more than `MAX_TIMELINE_URLS`. */
  readonly timeline?: UrlTimeline;
}

/** The load before the measured part of a run, which all metrics exclude. */
export interface Warmup {
  readonly seconds: number;
  /** False if the run ended during the warm-up and therefore has no metrics. */
  readonly complete: boolean;
  readonly ledger: Ledger;
}

/** Counts of the requests before or after the load, which are not part of the ledger. */
export interface PhaseCounts {
  /** Requests that were sent, including those that follow redirects. */
  readonly requests: number;
  readonly failed: number;
  readonly elapsed: Milliseconds;
}

export interface PhaseFailure {
  readonly url: string;
  readonly method: string;
  /** HTTP status; null if there is no complete response. */
  readonly status: number | null;
  /** The error class of a request without a response, as in `TracedExchange.error`; otherwise a description. */
  readonly error: string;
}

/** Report on the requests before or after the load. `failure` is the first failure. */
export interface PhaseReport extends PhaseCounts {
  readonly failure: PhaseFailure | null;
}

/**
 * Report on a run that has ended, or on a run in progress so far. Excludes the warm-up unless a member states
 * otherwise. `RunRecord` documents the members that both types have.
 */
export interface RunReport {
  /** Timeout of each request; null if no load was started. */
  readonly timeout: Milliseconds | null;
  readonly loadStartedAt: number | null;
  /** Time from the start of the run to the end of the drain. */
  readonly elapsed: Milliseconds;
  readonly knownUntil: Milliseconds | null;
  readonly errorStop: ErrorStop | null;
  readonly thresholdStop: ThresholdStop | null;
  readonly abortReason: AbortReason | null;
  readonly total: Metrics;
  readonly targets: readonly UrlReport[];
  /** Null if no load was started. */
  readonly iterations: IterationReport | null;
  /** Number of declared iterations that did not finish before the run ended; null if the test declares no number. */
  readonly missingIterations: number | null;
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
   * Histogram whose percentiles are the lower bounds of the percentiles of the response times. Null if there are no
   * samples.
   */
  readonly minTimes: StoredHistogram | null;
  readonly delivery: LoadDelivery | null;
  readonly warmup: Warmup | null;
  readonly machine: GeneratorMachine | null;
  readonly workers: readonly WorkerReport[] | null;
  /**
   * True if `error_threshold` would have ended the run even without delays of the load generator; null if it
   * did not end the run. Requests of the warm-up are included.
   */
  readonly abortCertain: boolean | null;
  readonly timeline: readonly TimelineSecond[];
  /** Kinds of failures, at most ten, in descending order of frequency. The descriptions contain no secrets. */
  readonly errorSamples: readonly { readonly url: string; readonly error: string; readonly count: number }[];
  /** The first exchanges, in the order in which they ended; empty unless the job requests a trace. */
  readonly exchanges: readonly TracedExchange[];
}

/**
 * Progress of a run, reported about once per second. Counts begin at the start of the run and include the warm-up;
 * the rate and `p95` are those of the latest timeline entry.
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
