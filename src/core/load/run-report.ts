/** What a generator of load tells: while it works, and at the end. */
import type { Milliseconds } from '../units.ts';
import type { ResultMetric } from '../model/threshold.ts';
import type { StoredHistogram } from './histogram.ts';
import type { ThreadReason } from './thread-count.ts';

/**
 * Why a run ended before its time. `over_limit`: all runs together did more on a host than they may. `partial`: a
 * worker was lost. `missed`: a schedule came due too long ago.
 */
export type AbortReason =
  | 'stopped'
  | 'error_threshold'
  | 'consent_withdrawn'
  | 'over_limit'
  | 'partial'
  | 'missed';

/** Percentiles in ms. */
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
 * Integers that close.
 *
 * Shape:  planned = started + the sum of notStarted;
 *         started = success + Σ httpError + Σ unexpected + Σ timeout + Σ network + Σ protocol + abandoned.
 * Source: docs/internals/engine.md, section 2.
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
  };
  readonly success: number;
  /** By status code; none of URLs with `expect`. */
  readonly httpError: Readonly<Record<string, number>>;
  /**
   * Answers that were not as the test expects, by the first thing that was wrong: `status`, `header`, `size`,
   * `coding`, `body`, `json`; or `variable`, one
   * that a later request of the pass uses is missing.
   */
  readonly unexpected: Readonly<Record<string, number>>;
  readonly timeout: { readonly connect: number; readonly tls: number; readonly response: number };
  /** By error code: `ECONNRESET`, … */
  readonly network: Readonly<Record<string, number>>;
  /** By what was wrong with the answer. */
  readonly protocol: Readonly<Record<string, number>>;
  readonly abandoned: number;
  /**
   * Beside the sums: requests that were sent once more on a new connection, since the used one was closed before any byte
   * of an answer. Each was started once, and ended in one of the classes above.
   */
  readonly resent: number;
}

/** Figures of one URL, or of all of them. Bytes are application bytes including headers. */
export interface Metrics {
  readonly ledger: Ledger;
  /** Answers by status code. */
  readonly statusCodes: Readonly<Record<string, number>>;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** From the instant the request was due; those without an answer are in it, see `Tally`. Null without samples. */
  readonly latency: LatencySummary | null;
  /** From sending the request. */
  readonly serviceTime: LatencySummary | null;
  /**
   * Requests that were not made because the target answered nobody, or because the run was over before their pass was.
   * They count as failed and stand in `latency`, and nowhere in the ledger.
   */
  readonly omitted: number;
  /** What `latency` and `serviceTime` were read from. */
  readonly latencyHistogram: StoredHistogram | null;
  readonly serviceTimeHistogram: StoredHistogram | null;
}

/** How long the connections of a run took to be made, those that were. They are in no time of a closed test's requests. */
export interface ConnectionSetupTimes {
  /** Connections. */
  readonly count: number;
  readonly times: LatencySummary;
  /** What `times` were read from. */
  readonly histogram: StoredHistogram;
}

export interface TimelineSecond {
  /** Seconds since the start of the run. */
  readonly second: number;
  /** Seconds that this entry covers: 1, or more in long runs. */
  readonly span: number;
  /** It begins in the warm-up. */
  readonly warmup: boolean;
  readonly started: number;
  readonly success: number;
  readonly error: number;
  readonly timeoutError: number;
  readonly networkError: number;
  /** Most connections busy or open at once within it. */
  readonly connections: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Response time in ms; null without samples. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** Both ends of a figure, in its unit. `high`: null where nothing is known of it. */
export interface Interval {
  readonly low: number;
  readonly high: number | null;
}

/**
 * What each figure that a limit can name would be without the generator's own delays.
 *
 * Source: docs/internals/results.md, section 1.
 */
export type Bounds = Readonly<Partial<Record<ResultMetric, Interval>>>;

/** How the declared load was met. */
export type LoadDelivery =
  | {
      readonly model: 'open';
      /** Clients that were to start. */
      readonly due: number;
      /** Of them, those that did not start on time. */
      readonly late: number;
      /** Those that this machine never started: they were over a second late, or found no socket. */
      readonly neverStarted: number;
      /** By how much those that started were late, in ms. */
      readonly lagP99: number;
      readonly lagMax: number;
      /** The five seconds from `second` on in which most of those that were due never started; null where all did. */
      readonly worstWindow: {
        readonly second: number;
        readonly due: number;
        readonly neverStarted: number;
      } | null;
    }
  | {
      readonly model: 'closed';
      /** The share of the declared connection time in which this machine let clients be there. */
      readonly heldShare: number;
    };

/** Where the load was made, and how that went. */
export interface GeneratorMachine {
  /** That the generator could use. */
  readonly cores: number;
  /** CPU time that it could use, in cores: 0.5 is half of one. Null where nothing limited it. */
  readonly quota: number | null;
  /** What the number of its threads comes from; null where the record does not tell. */
  readonly threadReason: ThreadReason | null;
  /** Version of Node.js. */
  readonly node: string;
  /** Figures with another number were measured in another way. */
  readonly measurementVersion: number;
  /** Of each thread: the share of its time in which it had something to do, and that of its busiest second. */
  readonly threadLoads: readonly { readonly mean: number; readonly max: number }[];
  /** That the threads told of. */
  readonly seconds: number;
  /** In ms. */
  readonly longestStall: number;
  /** In how many seconds some thread stood still for longer than a step in ms. */
  readonly stalledSeconds: readonly { readonly tolerance: number; readonly seconds: number }[];
}

/** One of the machines that made the load of a run together, and how that went. Counts are with the warm-up. */
export interface WorkerReport {
  /** As its operator calls it. */
  readonly name: string;
  readonly threads: number;
  /** Requests. */
  readonly started: number;
  /** Of them, those that ended before the load did. */
  readonly finished: number;
  /** The same as `generator.lagP99`, of its own threads, in ms; null where it told of no request. */
  readonly lagP99: number | null;
  /** By how much it began after the common start, in ms; less than nothing: before. Null where that is not known. */
  readonly startSkew: number | null;
  /** By how much its clock, and with it `startSkew`, may be wrong, in ms; null where it was never read. */
  readonly clockUncertainty: number | null;
  /** Why something of its part is missing; null: it made and told all of it. */
  readonly lossReason: string | null;
}

/** Most exchanges that a report holds. */
export const MAX_EXCHANGES = 100;

/** One request and what came of it, as a reader wants to see it. Texts are cut where they are very long. */
export interface Exchange {
  /** Which of the job's targets it belongs to. */
  readonly target: number;
  /** Where it went, without user part; as the user wrote it when it was not sent. */
  readonly url: string;
  readonly method: string;
  /** Whether it follows a redirect. */
  readonly redirected: boolean;
  /** Whether it was sent once more, on a new connection: see `Ledger.resent`. */
  readonly resent: boolean;
  /** Request line and headers, credentials and cookies masked; empty when it was not sent. */
  readonly requestHeader: string;
  /** At most 4 KiB of it. */
  readonly requestBody: string;
  /** Null without a complete answer. */
  readonly status: number | null;
  /** Status line and headers as far as they came, at most 16 KiB, cookies masked. */
  readonly responseHeader: string;
  /** Bytes that came, headers included. */
  readonly bytes: number;
  /** A word of the ledger: `timeout`, `ECONNRESET`, `undefined_variable`, …; null when there was an answer. */
  readonly error: string | null;
  /** Null where that part did not take place: on a kept connection, without TLS, without an answer. */
  readonly ms: {
    readonly connect: number | null;
    readonly tls: number | null;
    /** From sending to the first byte of the answer. */
    readonly wait: number | null;
    /** Everything together. */
    readonly total: number;
  };
  /** Whether it counts as one: also a redirect that is followed. */
  readonly success: boolean;
  /** Where the answer is not as the test expects: what is wrong, and what came instead; `came` is null where that is nothing. */
  readonly unexpected: { readonly error: string; readonly actual: string | null } | null;
  /** Taken from the answer's headers. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Of one URL. */
export interface UrlReport extends Metrics, Pick<RunReport, 'requestsPerSecond' | 'bounds' | 'minTimes'> {
  readonly url: string;
  readonly method: string;
}

/** What was made before the figures of a run begin. They hold nothing of it. */
export interface Warmup {
  readonly seconds: number;
  /** False: the run ended in it, so there are no figures. */
  readonly complete: boolean;
  readonly ledger: Ledger;
}

/** All but the warm-up, where nothing else is said. */
export interface RunReport {
  /** What a request was allowed to take; null where there was none. */
  readonly timeout: Milliseconds | null;
  /** From the start to the end of the drain. */
  readonly elapsed: Milliseconds;
  readonly abortReason: AbortReason | null;
  readonly total: Metrics;
  readonly targets: readonly UrlReport[];
  /** Spans in which nobody got an answer. */
  readonly outage: { readonly spans: number; readonly seconds: number };
  /** Finished requests per second in which load was made: see `requestRate`. */
  readonly requestsPerSecond: number;
  readonly peakConnections: number;
  /** Until TCP stood; null where no connection was made. */
  readonly connect: ConnectionSetupTimes | null;
  /** Of the TLS handshake, which comes after it; null where none was done. */
  readonly tls: ConnectionSetupTimes | null;
  readonly generator: {
    readonly lagP99: Milliseconds;
    readonly overloaded: boolean;
    readonly threads: number;
    readonly version: string;
  };
  readonly bounds: Bounds;
  /** What requests took at least, in their order: the low end of any percentile. Null without samples. */
  readonly minTimes: StoredHistogram | null;
  /** Null where nothing is known. */
  readonly delivery: LoadDelivery | null;
  /** Null where the test has none. */
  readonly warmup: Warmup | null;
  readonly machine: GeneratorMachine | null;
  /** Who made the load; null where it was the service itself. */
  readonly workers: readonly WorkerReport[] | null;
  /**
   * Whether `error_threshold` would have ended it without the generator's own delays; null where it did not end it. The
   * warm-up counts as well.
   */
  readonly abortCertain: boolean | null;
  /** With the warm-up. */
  readonly timeline: readonly TimelineSecond[];
  /** A few failures in words, without secrets. */
  readonly errorSamples: readonly { readonly url: string; readonly error: string; readonly count: number }[];
  /** The first ones, in the order in which they ended; none unless the job asked for it. */
  readonly exchanges: readonly Exchange[];
}

/** What is told about once a second. Counts are since the start, the warm-up among them. */
export interface RunProgress {
  readonly elapsed: Milliseconds;
  readonly warmingUp: boolean;
  readonly connections: number;
  readonly success: number;
  readonly error: number;
  readonly timeoutError: number;
  readonly networkError: number;
  readonly requestsPerSecond: number;
  /** Response time in ms; null without samples. */
  readonly p95: number | null;
}

/** The same, as a generator of load tells it. */
export interface LoadProgress extends RunProgress {
  /** Requests that have ended, by target of the job; those that follow redirects are among them. */
  readonly targets: readonly number[];
}
