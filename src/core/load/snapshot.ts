/** Counters of one thread in one second, and their sums. */
import { addCount, forEachCount, type CountPages } from './count-pages.ts';
import { Histogram, type HistogramData } from './histogram.ts';
import { createTenths, TENTHS_PER_SECOND, UNOBSERVED, type Tenths } from './outage.ts';
import type { Ledger } from './run-report.ts';
import { sumOf } from '../sum.ts';

/** Size of a table of responses by status code. Status codes are at most 999. */
export const STATUS_CODE_COUNT = 1000;

/** Ledger class of requests that were not started because the run ended. */
export type UnstartedReason = 'stopped' | 'aborted';

export interface Tally {
  planned: number;
  started: number;
  stopped: number;
  aborted: number;
  saturated: number;
  noSocket: number;
  undefinedVariable: number;
  /** Requests that were skipped because of a condition or the failure of another request. */
  condition: number;
  timeoutConnect: number;
  timeoutTls: number;
  timeoutResponse: number;
  abandoned: number;
  /** See `Ledger.resent`. */
  resent: number;
  retryAfter: number;
  /** Application bytes, including headers. */
  bytesSent: number;
  bytesReceived: number;
  readonly statuses: CountPages;
  /**
   * Responses with status 400 or above to requests with expectations, by status code. Includes responses that count as
   * a success and responses that are also counted in `unexpected`.
   */
  readonly checkedErrors: Record<string, number>;
  /** Responses that did not meet the expectations or lack a variable, by the first violation: see `ResponseFault`. */
  readonly unexpected: Record<string, number>;
  readonly network: Record<string, number>;
  readonly protocol: Record<string, number>;
  /**
   * Times to the last byte of the response, the timeout or the abandonment. The times begin when the request is due
   * (open models) or sent (closed model). Includes omitted requests of the open models. Excludes requests that failed
   * with a network or protocol error.
   */
  readonly response: Histogram;
  /** Response times minus the maximum delays that the load generator may have added. Bounds of 0 are not recorded. */
  readonly lowerBounds: Histogram;
  /** Like `response`, but measured from when the request is sent; null in the closed model, in which both are equal. */
  readonly service: Histogram | null;
}

/** Iteration counters of one flow, or of a test without flows. */
export interface IterationTally {
  /**
   * Iterations that began after the warm-up. The other members, except `endedInWarmup`, count only these iterations.
   */
  started: number;
  /** Iterations that did not end early, even if requests failed. */
  completed: number;
  failed: number;
  /** Completed and failed iterations in which at least one request failed. */
  withErrors: number;
  /** Completed and failed iterations that began in the warm-up. */
  endedInWarmup: number;
  /**
   * Durations of completed iterations, in µs. A duration begins when the client is due (open models) or the iteration
   * starts (closed model). Excludes iterations in which a request had no response time.
   */
  durations: Histogram;
  /** Durations minus the maximum delays that the load generator may have added. */
  lowerBounds: Histogram;
}

type Exchanged<Counters> = {
  readonly [Name in keyof Counters]: Counters[Name] extends Histogram | null
    ? HistogramData | Extract<Counters[Name], null>
    : Readonly<Counters[Name]>;
};

export type IterationTallyData = Exchanged<IterationTally>;
export type TallyData = Exchanged<Tally>;

/** Names of the counts in a tally, in the order of their encoding. */
export const TALLY_COUNTS = [
  'planned',
  'started',
  'stopped',
  'aborted',
  'saturated',
  'noSocket',
  'undefinedVariable',
  'condition',
  'timeoutConnect',
  'timeoutTls',
  'timeoutResponse',
  'abandoned',
  'resent',
  'retryAfter',
  'bytesSent',
  'bytesReceived',
] as const;

export const TALLY_TABLES = ['checkedErrors', 'unexpected', 'network', 'protocol'] as const;

export interface ThreadSecond {
  /** Maximum delay, in ms, of the ticks in this second. */
  readonly maxTickDelay: number;
  /**
   * Maximum delay, in ms, of ticks in this second that were due in an earlier second. The stall that caused the delay
   * also affected the previous second.
   */
  readonly maxEarlierTickDelay: number;
  /** Sum of the delays, in ms, of the ticks that were later than `NORMAL_TICK_DELAY_MS`. */
  readonly stalledMs: number;
  /** Fraction of time during which the thread was busy, from 0 to 1. */
  readonly busy: number;
  /**
   * Open models: numbers of clients that never started because their start was delayed too long, by the second of the
   * due time.
   */
  readonly neverStarted: Readonly<Record<number, number>>;
  /** Closed model: total client time, in ms, during which clients were not active because of the load generator. */
  readonly missingClientMs: number;
}

/** Setup times of connections, in µs. */
export interface ConnectionSetup {
  readonly connect: Histogram;
  /** Time from the end of the TCP handshake to the end of the TLS handshake; empty if TLS is not used. */
  readonly tls: Histogram;
}

export type ConnectionSetupData = Exchanged<ConnectionSetup>;

/** Counts of an earlier second that are withdrawn, because a request or a part of a request was not sent. */
export interface Retraction {
  readonly started: number;
  readonly bytesSent: number;
}

/** See `AddressReport`. */
export interface AddressUse {
  readonly connections: number;
  readonly requests: number;
  readonly failed: number;
  /** Numbers of TLS handshakes by TLS version and, if ALPN selected a protocol, by this protocol. */
  readonly tls: Readonly<Record<string, number>>;
}

export type AddressUses = Readonly<Record<string, AddressUse>>;

export function addAddressUses(a: AddressUses, b: AddressUses): AddressUses {
  const sum = { ...a };
  for (const [address, use] of Object.entries(b)) {
    const { connections, requests, failed, tls } = sum[address] ?? NO_USE;
    const versions = { ...tls };
    for (const [version, count] of Object.entries(use.tls))
      versions[version] = (versions[version] ?? 0) + count;
    sum[address] = {
      connections: connections + use.connections,
      requests: requests + use.requests,
      failed: failed + use.failed,
      tls: versions,
    };
  }
  return sum;
}

const NO_USE: AddressUse = { connections: 0, requests: 0, failed: 0, tls: {} };

export interface PoolUse {
  /** Number of opened connections, including connections of the warm-up. */
  readonly opened: number;
  /** Number of requests, excluding requests of the warm-up. */
  readonly requests: number;
  /** Waiting times, in µs, of the requests that waited for a connection. */
  readonly waits: HistogramData;
}

export interface Snapshot {
  readonly threadIndex: number;
  readonly second: number;
  /** Time at which the snapshot was taken, in ms from the start of the run. */
  readonly until: number;
  /** One tally per URL of the job, in the same order. */
  readonly targets: readonly TallyData[];
  /** Tallies of requests that belong to the warm-up, even if a request ends later; null if there are none. */
  readonly warmup: readonly TallyData[] | null;
  /** One tally per flow, in the same order; one tally if the job has no flows. */
  readonly iterations: readonly IterationTallyData[];
  /** Number of open connections at the end of the second. */
  readonly connections: number;
  readonly peakConnections: number;
  readonly tenths: Tenths;
  /**
   * Scheduling lag in µs: delays of client starts (open models) or ticks (closed model), excluding clients of the
   * warm-up.
   */
  readonly lag: HistogramData;
  /** Setup times of connections for requests that do not belong to the warm-up. */
  readonly connectionSetup: ConnectionSetupData;
  /**
   * Withdrawn counts, by the earlier second in which they were counted. The tallies of this snapshot contain the
   * withdrawn counts as negative numbers.
   */
  readonly retractions: Readonly<Record<number, Retraction>>;
  /**
   * Closed model: number to subtract from the number of finished requests when computing the request rate. For each
   * request, the fraction of its duration after the end of the load is added. For each warm-up request, the fraction
   * within the measured part of the run is subtracted.
   */
  readonly surplus: number;
  /** Use of shared connections; null if each client opens its own connections. */
  readonly pool: PoolUse | null;
  readonly addresses: AddressUses;
  readonly thread: ThreadSecond;
}

export function createUnobservedTenths(): Tenths {
  return createTenths(TENTHS_PER_SECOND, UNOBSERVED);
}

/**
 * @param use - `record` for one second, `total` for a run
 * @param hasService - true if response time and service time differ
 */
export function createTally(use: 'record' | 'total', hasService: boolean): Tally {
  const create = histogramFactoryOf(use);
  return {
    planned: 0,
    started: 0,
    stopped: 0,
    aborted: 0,
    saturated: 0,
    noSocket: 0,
    undefinedVariable: 0,
    condition: 0,
    timeoutConnect: 0,
    timeoutTls: 0,
    timeoutResponse: 0,
    abandoned: 0,
    resent: 0,
    retryAfter: 0,
    bytesSent: 0,
    bytesReceived: 0,
    statuses: [],
    checkedErrors: {},
    unexpected: {},
    network: {},
    protocol: {},
    response: create(),
    lowerBounds: create(),
    service: hasService ? create() : null,
  };
}

export function createIterationTally(use: 'record' | 'total'): IterationTally {
  const create = histogramFactoryOf(use);
  return {
    started: 0,
    completed: 0,
    failed: 0,
    withErrors: 0,
    endedInWarmup: 0,
    durations: create(),
    lowerBounds: create(),
  };
}

export function addIterationTally(into: IterationTally, from: IterationTallyData): void {
  into.started += from.started;
  into.completed += from.completed;
  into.failed += from.failed;
  into.withErrors += from.withErrors;
  into.endedInWarmup += from.endedInWarmup;
  into.durations.add(from.durations);
  into.lowerBounds.add(from.lowerBounds);
}

export function createConnectionSetup(use: 'record' | 'total'): ConnectionSetup {
  const create = histogramFactoryOf(use);
  return { connect: create(), tls: create() };
}

function histogramFactoryOf(use: 'record' | 'total'): () => Histogram {
  return use === 'total' ? () => Histogram.createTotal() : () => Histogram.createRecorder();
}

export function addTally(into: Tally, from: TallyData): void {
  for (const name of TALLY_COUNTS) into[name] += from[name];
  forEachCount(from.statuses, (count, status) => addResponses(into, status, count));
  for (const name of TALLY_TABLES)
    for (const [key, count] of Object.entries(from[name])) incrementCount(into[name], key, count);
  into.response.add(from.response);
  into.lowerBounds.add(from.lowerBounds);
  if (from.service !== null) into.service?.add(from.service);
}

export function addResponses(tally: Tally, status: number, count = 1): void {
  addCount(tally.statuses, 53, status, count);
}

export function incrementCount(counts: Record<string, number>, key: string, by = 1): void {
  // A key from the target may equal the name of an inherited member, such as `constructor`.
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + by;
}

/** Outcomes of finished requests, which exclude abandoned requests. */
export const OUTCOMES = ['success', 'error', 'timeoutError', 'networkError'] as const;

/** Numbers of finished requests by outcome. */
export type Outcomes = Readonly<Record<(typeof OUTCOMES)[number], number>>;

/** Like `Outcomes`, but can be changed. */
export type OutcomeSums = Record<(typeof OUTCOMES)[number], number>;

export function noOutcomes(): OutcomeSums {
  return { success: 0, error: 0, timeoutError: 0, networkError: 0 };
}

export function addOutcomes(into: OutcomeSums, from: Outcomes): void {
  for (const outcome of OUTCOMES) into[outcome] += from[outcome];
}

export function outcomesOf(tally: TallyData): Outcomes {
  let success = 0;
  let error = 0;
  forEachCount(tally.statuses, (count, status) => {
    if (status < 400) success += count;
    else error += count;
  });
  const checked = sumOf(Object.values(tally.checkedErrors));
  const unexpected = sumOf(Object.values(tally.unexpected));
  return {
    success: success + checked - unexpected,
    error: error - checked + unexpected,
    timeoutError: tally.timeoutConnect + tally.timeoutTls + tally.timeoutResponse,
    networkError: sumOf(Object.values(tally.network)) + sumOf(Object.values(tally.protocol)),
  };
}

export function countBelow400(tally: TallyData): number {
  return (
    outcomesOf(tally).success -
    sumOf(Object.values(tally.checkedErrors)) +
    sumOf(Object.values(tally.unexpected))
  );
}

/** Returns the number of finished requests, excluding abandoned requests. */
export function countFinished(outcomes: Outcomes): number {
  return outcomes.success + outcomes.error + outcomes.timeoutError + outcomes.networkError;
}

export function countNotStarted(tally: TallyData): number {
  const { stopped, aborted, saturated, noSocket, undefinedVariable, condition } = tally;
  return stopped + aborted + saturated + noSocket + undefinedVariable + condition;
}

export function ledgerOf(tally: TallyData): Ledger {
  return {
    planned: tally.planned,
    started: tally.started,
    notStarted: {
      stopped: tally.stopped,
      aborted: tally.aborted,
      saturated: tally.saturated,
      noSocket: tally.noSocket,
      undefinedVariable: tally.undefinedVariable,
      condition: tally.condition,
    },
    success: outcomesOf(tally).success,
    httpError: httpErrorsOf(tally),
    timeout: { connect: tally.timeoutConnect, tls: tally.timeoutTls, response: tally.timeoutResponse },
    unexpected: unexpectedByKind(tally),
    network: { ...tally.network },
    protocol: { ...tally.protocol },
    abandoned: tally.abandoned,
    resent: tally.resent,
    retryAfter: tally.retryAfter,
  };
}

function unexpectedByKind({ unexpected }: TallyData): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [fault, count] of Object.entries(unexpected)) {
    incrementCount(counts, fault.split(' ', 1)[0] ?? fault, count);
  }
  return counts;
}

/** Returns the numbers of responses with status 400 or above to requests without expectations, by status code. */
export function httpErrorsOf(tally: TallyData): Record<string, number> {
  const codes: Record<string, number> = {};
  for (const [status, count] of Object.entries(statusCodesOf(tally, 400))) {
    const errors = count - (tally.checkedErrors[status] ?? 0);
    if (errors > 0) codes[status] = errors;
  }
  return codes;
}

export function statusCodesOf(tally: TallyData, from = 0): Record<string, number> {
  const codes: Record<string, number> = {};
  forEachCount(tally.statuses, (count, status) => {
    if (status >= from) codes[String(status)] = count;
  });
  return codes;
}
