/** One second of one worker's counters, and adding them up. Mutable on purpose: they are counted for every request. */
import { Histogram, type HistogramData } from './histogram.ts';
import { createTenths, TENTHS_PER_SECOND, UNOBSERVED, type Tenths } from './outage.ts';
import type { Ledger } from './run-report.ts';

/** Answers are counted by their code, 100 to 999. */
export const STATUS_CODE_COUNT = 1000;

/** Which class of the ledger takes what does not start any more. */
export type UnstartedReason = 'stopped' | 'aborted';

/** Everything that is counted of one URL. */
export interface Tally {
  planned: number;
  started: number;
  stopped: number;
  aborted: number;
  saturated: number;
  noSocket: number;
  undefinedVariable: number;
  timeoutConnect: number;
  timeoutTls: number;
  timeoutResponse: number;
  abandoned: number;
  /** Requests that were sent once more, since a used connection was closed before any byte of an answer. No failures. */
  resent: number;
  /** Application bytes including headers. */
  bytesSent: number;
  bytesReceived: number;
  /** By status code. */
  readonly statuses: Float64Array;
  /**
   * Answers of 400 and above, by status code, that are no HTTP errors: the test says what it expects there, so they are
   * successes, or in `unexpected`.
   */
  readonly checkedErrors: Record<string, number>;
  /**
   * Answers that were not what the test expects or needs, by what was wrong with the first thing that was: a word of the
   * ledger, and behind a space what it was about, where there is more to say.
   */
  readonly unexpected: Record<string, number>;
  readonly network: Record<string, number>;
  readonly protocol: Record<string, number>;
  /**
   * From due to the last byte, or until the request was given up: answered, timed out and abandoned ones, not those whose
   * connection failed.
   */
  readonly response: Histogram;
  /** The same from sending; null where it is the same. */
  readonly service: Histogram | null;
}

/** A tally as it travels between threads. */
export type TallyData = Readonly<
  Omit<Tally, 'response' | 'service' | 'checkedErrors' | 'unexpected' | 'network' | 'protocol'>
> & {
  readonly checkedErrors: Readonly<Record<string, number>>;
  readonly unexpected: Readonly<Record<string, number>>;
  readonly network: Readonly<Record<string, number>>;
  readonly protocol: Readonly<Record<string, number>>;
  readonly response: HistogramData;
  readonly service: HistogramData | null;
};

/** How a worker's thread kept up within a second. */
export interface ThreadSecond {
  /** By how much one of its ticks came too late at most, in ms. */
  readonly maxTickDelay: number;
  /** The same of ticks that were due before the second began: the second before was none to be trusted either. */
  readonly maxEarlierTickDelay: number;
  /** For how long it stood still in all, in ms: the lateness of its ticks beyond that of any timer. */
  readonly stalledMs: number;
  /** The share of the time in which it had something to do, 0 to 1. */
  readonly busy: number;
  /** Open models: clients that were never started since they were too late, by the second in which they were due. */
  readonly neverStarted: Readonly<Record<number, number>>;
  /** Closed model: milliseconds in which this machine kept clients from being there, added up. */
  readonly missingClientMs: number;
}

/** How long connections took to be made: one record, in µs, for each that was. */
export interface ConnectionSetup {
  /** Until TCP stood. */
  readonly connect: Histogram;
  /** From then on until the TLS handshake was done; without records where nothing is encrypted. */
  readonly tls: Histogram;
}

/** The same as it travels between threads. */
export type ConnectionSetupData = { readonly [Phase in keyof ConnectionSetup]: HistogramData };

/** Counted in an earlier second, and taken back since: it had not left this machine. */
export interface Retraction {
  readonly started: number;
  readonly bytesSent: number;
}

export interface Snapshot {
  readonly threadIndex: number;
  /** The second of the run that the counts belong to. */
  readonly second: number;
  /** When it was cut, in ms from the start of the run: at the end of the second, or a little later. */
  readonly until: number;
  /** One for each URL of the job, in its order. */
  readonly targets: readonly TallyData[];
  /** The same of what belongs to the warm-up, whenever it ends; null: nothing. */
  readonly warmup: readonly TallyData[] | null;
  /** Connections open at the end of the second, and most at once within it. */
  readonly connections: number;
  readonly peakConnections: number;
  /** What was seen of the target in each tenth of the second. */
  readonly tenths: Tenths;
  /** How late the generator itself was; in the open models of clients that do not belong to the warm-up. */
  readonly lag: HistogramData;
  /** For requests that do not belong to the warm-up. */
  readonly connectionSetup: ConnectionSetupData;
  /** By the second in which it was counted; the tallies of this second have it as less than nothing. */
  readonly retractions: Readonly<Record<number, Retraction>>;
  /**
   * Closed model: the shares of the times of requests that lay behind the end of the load, added up, less the shares of
   * those of the warm-up that lay behind that. By so many requests the tallies have more than the time between holds.
   */
  readonly surplus: number;
  readonly thread: ThreadSecond;
}

/** Of a second that nobody has looked at yet. */
export function createUnobservedTenths(): Tenths {
  return createTenths(TENTHS_PER_SECOND, UNOBSERVED);
}

/** An empty tally: `record` for one second, `total` for a run. `apart`: response and service time differ. */
export function createTally(use: 'record' | 'total', apart: boolean): Tally {
  const create = histogramFactoryOf(use);
  return {
    planned: 0,
    started: 0,
    stopped: 0,
    aborted: 0,
    saturated: 0,
    noSocket: 0,
    undefinedVariable: 0,
    timeoutConnect: 0,
    timeoutTls: 0,
    timeoutResponse: 0,
    abandoned: 0,
    resent: 0,
    bytesSent: 0,
    bytesReceived: 0,
    statuses: new Float64Array(STATUS_CODE_COUNT),
    checkedErrors: {},
    unexpected: {},
    network: {},
    protocol: {},
    response: create(),
    service: apart ? create() : null,
  };
}

/** Of no connection yet; as for `createTally`. */
export function createConnectionSetup(use: 'record' | 'total'): ConnectionSetup {
  const create = histogramFactoryOf(use);
  return { connect: create(), tls: create() };
}

function histogramFactoryOf(use: 'record' | 'total'): () => Histogram {
  return use === 'record' ? () => Histogram.createRecorder() : () => Histogram.createTotal();
}

/** Adds one tally to another. */
export function addTally(into: Tally, from: TallyData): void {
  into.planned += from.planned;
  into.started += from.started;
  into.stopped += from.stopped;
  into.aborted += from.aborted;
  into.saturated += from.saturated;
  into.noSocket += from.noSocket;
  into.undefinedVariable += from.undefinedVariable;
  into.timeoutConnect += from.timeoutConnect;
  into.timeoutTls += from.timeoutTls;
  into.timeoutResponse += from.timeoutResponse;
  into.abandoned += from.abandoned;
  into.resent += from.resent;
  into.bytesSent += from.bytesSent;
  into.bytesReceived += from.bytesReceived;
  const [statuses, more] = [into.statuses, from.statuses];
  for (let status = 0; status < STATUS_CODE_COUNT; status++) {
    const count = more[status] ?? 0;
    if (count !== 0) statuses[status] = (statuses[status] ?? 0) + count;
  }
  for (const [status, count] of Object.entries(from.checkedErrors))
    incrementCount(into.checkedErrors, status, count);
  for (const [fault, count] of Object.entries(from.unexpected)) incrementCount(into.unexpected, fault, count);
  for (const [code, count] of Object.entries(from.network)) incrementCount(into.network, code, count);
  for (const [fault, count] of Object.entries(from.protocol)) incrementCount(into.protocol, fault, count);
  into.response.add(from.response);
  if (from.service !== null) into.service?.add(from.service);
}

export function incrementCount(counts: Record<string, number>, key: string, by = 1): void {
  // Names come from elsewhere, and some are what every object has.
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + by;
}

/** The coarse classes that the API and the live view know. */
export interface Outcomes {
  readonly success: number;
  readonly error: number;
  readonly timeoutError: number;
  readonly networkError: number;
}

export function outcomesOf(tally: TallyData): Outcomes {
  const { statuses } = tally;
  let success = 0;
  let error = 0;
  for (let status = 0; status < 400; status++) success += statuses[status] ?? 0;
  for (let status = 400; status < STATUS_CODE_COUNT; status++) error += statuses[status] ?? 0;
  const judged = sum(tally.checkedErrors);
  const unexpected = sum(tally.unexpected);
  return {
    success: success + judged - unexpected,
    error: error - judged + unexpected,
    timeoutError: tally.timeoutConnect + tally.timeoutTls + tally.timeoutResponse,
    networkError: sum(tally.network) + sum(tally.protocol),
  };
}

/** Requests that came to an end which was not ours. */
export function countFinished(outcomes: Outcomes): number {
  return outcomes.success + outcomes.error + outcomes.timeoutError + outcomes.networkError;
}

export function countNotStarted(tally: TallyData): number {
  return tally.stopped + tally.aborted + tally.saturated + tally.noSocket + tally.undefinedVariable;
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
    },
    success: outcomesOf(tally).success,
    httpError: httpErrorsOf(tally),
    timeout: { connect: tally.timeoutConnect, tls: tally.timeoutTls, response: tally.timeoutResponse },
    unexpected: unexpectedByKind(tally),
    network: { ...tally.network },
    protocol: { ...tally.protocol },
    abandoned: tally.abandoned,
    resent: tally.resent,
  };
}

/** By the words of the ledger alone. */
function unexpectedByKind({ unexpected }: TallyData): Record<string, number> {
  const words: Record<string, number> = {};
  for (const [fault, count] of Object.entries(unexpected)) {
    incrementCount(words, fault.split(' ', 1)[0] ?? fault, count);
  }
  return words;
}

/** Answers of 400 and above that no expectation judges, by status code. */
export function httpErrorsOf(tally: TallyData): Record<string, number> {
  const codes: Record<string, number> = {};
  for (const [status, count] of Object.entries(statusCodesOf(tally, 400))) {
    const errors = count - (tally.checkedErrors[status] ?? 0);
    if (errors > 0) codes[status] = errors;
  }
  return codes;
}

/** Answers by status code, from a code upwards. */
export function statusCodesOf(tally: TallyData, from = 0): Record<string, number> {
  const codes: Record<string, number> = {};
  for (let status = from; status < STATUS_CODE_COUNT; status++) {
    const count = tally.statuses[status] ?? 0;
    if (count > 0) codes[String(status)] = count;
  }
  return codes;
}

function sum(counts: Readonly<Record<string, number>>): number {
  let total = 0;
  for (const count of Object.values(counts)) total += count;
  return total;
}
