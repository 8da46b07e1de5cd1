/** Counts outcomes and times of requests in the second of the run in which the outcomes become known. */
import { firstReportedAtLeast, lastReportedAtMost } from '../core/load/histogram.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import { isOpenModel } from '../core/model/pace.ts';
import { INVALID_URL } from '../core/model/resolved-url.ts';
import { addResponses, incrementCount, type Tally, type UnstartedReason } from '../core/load/snapshot.ts';
import { UNCERTAIN_TIME, type ResponseFault } from '../core/load/unexpected-response.ts';
import type { Client } from './client.ts';
import {
  CONNECTING,
  SECURING,
  type Exchange,
  type ExchangeFailure,
  type OpeningPhase,
  type Phase,
  type ReceivedResponse,
} from './exchange.ts';
import type { Iteration } from '../core/model/iteration.ts';
import { IterationProgram, type CompiledGroup } from './iteration-program.ts';
import type { CompiledTarget } from './request-compiler.ts';
import type { SnapshotRecorder } from './snapshot-recorder.ts';
import type { ExchangeTracer } from './exchange-tracer.ts';

export type ResponseOutcome = ResponseFault | 'success' | 'failed';

/** Error codes that indicate that the load generator has run out of descriptors, ports or memory. */
const LOCAL_LIMIT_ERRORS: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'EADDRINUSE',
  'EAGAIN',
  'ENOBUFS',
  'ENOMEM',
]);

const TIMEOUT_CODES: Partial<Readonly<Record<Phase, string>>> = {
  [CONNECTING]: 'timeout_connect',
  [SECURING]: 'timeout_tls',
};

export class RequestAccounting {
  loadEnds: number;
  readonly #open: boolean;
  readonly #timeout: number;
  readonly #warmup: number;
  readonly #targets: readonly CompiledTarget[];
  readonly #recorder: SnapshotRecorder;
  readonly #tracer: ExchangeTracer | null;
  #program: IterationProgram<Client> | null = null;
  /** Minimum recorded time of a request that timed out, in µs. */
  readonly #minTimeoutMicros: number;

  constructor(
    job: LoadJob,
    targets: readonly CompiledTarget[],
    recorder: SnapshotRecorder,
    tracer: ExchangeTracer | null,
  ) {
    this.loadEnds = job.duration;
    this.#open = isOpenModel(job);
    this.#timeout = job.timeout;
    this.#warmup = job.warmup;
    this.#targets = targets;
    this.#recorder = recorder;
    this.#tracer = tracer;
    this.#minTimeoutMicros = firstReportedAtLeast(job.timeout * 1000);
  }

  createProgram(job: LoadJob, conditions: readonly CompiledGroup[]): IterationProgram<Client> | null {
    if (job.groups === null) return null;
    this.#program = new IterationProgram(job, conditions, this.#countSkipped);
    return this.#program;
  }

  tallyOf(client: Client): Tally {
    return this.#recorder.tally(client.tallyBase + client.requestIndex);
  }

  /**
   * Closed model: selects the tally by the start time of the request. In the open models, the client determines the
   * tally.
   */
  chooseTally(client: Client, at: number): void {
    if (!this.#open) client.tallyBase = at < this.#warmup ? this.#targets.length : 0;
  }

  // --- responses

  /** Returns false if the response arrived after the timeout. */
  countResponse(client: Client, exchange: Exchange, at: number): boolean {
    const tally = this.tallyOf(client);
    const elapsed = at - exchange.since;
    this.#recorder.finished++;
    if (at > this.loadEnds || client.tallyBase > 0) this.#recordSurplus(client, exchange.since, at);
    tally.bytesReceived += exchange.receivedBytes;
    if (elapsed > this.#timeout) {
      // The exchange was still open because this thread was late.
      tally.timeoutResponse++;
      this.#recorder.failed++;
      this.#recordTimes(tally, client, exchange, at, this.#minTimeoutMicros);
      this.#tracer?.onFailure(exchange, 'timeout', at);
      return false;
    }
    const { status } = exchange.response;
    addResponses(tally, status);
    this.#recordTimes(tally, client, exchange, at);
    return true;
  }

  /**
   * Returns the first failed expectation; null if there is none. If only the response time failed and delays of this
   * thread may be the reason, returns `UNCERTAIN_TIME`. Call this function before extracting the variables of the
   * response, because expected values refer to variables of earlier responses.
   */
  faultOf(client: Client, exchange: Exchange, at: number): ResponseFault | null {
    const check = this.#targets[client.requestIndex]?.check ?? null;
    if (check === null) return null;
    const fault = check.faultOf(exchange.response, client.values);
    if (fault !== null || at - (this.#open ? client.dueAt : exchange.since) <= check.within) return fault;
    return this.minTimeOf(client, exchange, at) > check.within ? 'time' : UNCERTAIN_TIME;
  }

  /**
   * Counts a failed or unexpected response. Returns the outcome of the response.
   * @param failure - `lacksVariable` is true if a later request needs a variable that has no value.
   */
  evaluateResponse(
    client: Client,
    response: ReceivedResponse,
    failure: { readonly fault: ResponseFault | null; readonly lacksVariable: boolean },
  ): ResponseOutcome {
    const { status } = response;
    const check = this.#targets[client.requestIndex]?.check ?? null;
    const tally = this.tallyOf(client);
    if (status >= 400) {
      if (status === 503 && response.hasRetryAfter) tally.retryAfter++;
      if (check === null) {
        this.#recorder.failed++;
        return 'failed';
      }
      incrementCount(tally.checkedErrors, String(status));
    }
    const fault = failure.fault ?? (failure.lacksVariable ? 'variable' : null);
    if (fault === null) return 'success';
    incrementCount(tally.unexpected, fault);
    this.#recorder.failed++;
    return fault;
  }

  // --- requests without a response

  /**
   * Counts a failed request. Returns false if the request never began, because the load generator could not open a
   * socket.
   */
  countFailure(client: Client, exchange: Exchange, failure: ExchangeFailure, at: number): boolean {
    const { phase } = exchange;
    const tally = this.tallyOf(client);
    const isLocalLimit = phase === CONNECTING && LOCAL_LIMIT_ERRORS.has(failure.code);
    client.lacksResponse = true;
    this.#tracer?.onFailure(exchange, failure.code, at);
    if (isLocalLimit) {
      tally.started--;
      tally.noSocket++;
      if (exchange.wasResent) tally.resent--;
      this.#recorder.retract(client.startedIn, 1, 0);
    } else {
      exchange.recordFailure();
      if (phase === CONNECTING && failure.code === 'ETIMEDOUT') {
        tally.timeoutConnect++;
        this.#recordTimes(tally, client, exchange, at);
      } else {
        incrementCount(tally[failure.kind], failure.code);
      }
      this.#recordSurplus(client, exchange.since, at);
      this.#recorder.countWithoutResponse();
    }
    this.settleBytes(client, exchange);
    return !isLocalLimit;
  }

  countTimeout(client: Client, exchange: Exchange, at: number): void {
    const { phase } = exchange;
    const tally = this.tallyOf(client);
    this.#tracer?.onFailure(exchange, TIMEOUT_CODES[phase] ?? 'timeout', at);
    exchange.recordFailure();
    if (phase === CONNECTING) tally.timeoutConnect++;
    else if (phase === SECURING) tally.timeoutTls++;
    else tally.timeoutResponse++;
    this.#recordTimes(tally, client, exchange, at, this.#minTimeoutMicros);
    this.#recordSurplus(client, exchange.since, at);
    this.#recorder.countWithoutResponse();
    this.settleBytes(client, exchange);
  }

  countAbandoned(client: Client, exchange: Exchange, at: number): void {
    const tally = this.tallyOf(client);
    tally.abandoned++;
    this.#recordTimes(tally, client, exchange, at);
    this.#tracer?.onFailure(exchange, 'abandoned', at);
    this.settleBytes(client, exchange);
  }

  settleBytes(client: Client, exchange: Exchange): void {
    const tally = this.tallyOf(client);
    const unsentBytes = exchange.countUnsentBytes();
    tally.bytesReceived += exchange.receivedBytes;
    tally.bytesSent -= unsentBytes;
    this.#recorder.retract(client.sentIn, 0, unsentBytes);
  }

  // --- times

  /** @param minMicros - Minimum response time to record, in µs. */
  #recordTimes(tally: Tally, client: Client, exchange: Exchange, at: number, minMicros = 0): void {
    const { since } = exchange;
    const from = this.#open ? client.dueAt : since;
    tally.response.record(Math.max(minMicros, (at - from) * 1000));
    tally.service?.record(Math.max(minMicros, (at - since) * 1000));
    const minTime = this.minTimeOf(client, exchange, at);
    if (this.#recorder.measuresIterations)
      client.minDuration += Math.max(0, minTime) + (this.#open ? 0 : client.minOpeningTime);
    if (minTime > 0) tally.lowerBounds.record(this.#reportedMinTime(minTime));
  }

  /**
   * Returns a lower bound of the time of a request, in ms, without any delay that this thread may have added. The
   * thread may have begun the request late, read events late, or caused a burst of requests at the target. May be
   * negative.
   */
  minTimeOf(client: Client, { since, wasResent }: Exchange, at: number): number {
    // The time of a request that was sent twice includes additional events, so its lower bound is 0.
    if (wasResent) return 0;
    const { delay } = this.#recorder;
    const measured = at - since - delay.maxReadDelay(at);
    return this.#open
      ? client.minOpeningTime + measured - delay.maxBurstDelay(client.dueAt)
      : measured - delay.maxBurstDelay(since);
  }

  /**
   * Converts a lower bound to µs, rounded so that reported quantiles do not exceed the lower bound. If the lower bound
   * reaches the timeout, returns at least the minimum recorded time of a timeout.
   */
  #reportedMinTime(minTime: number): number {
    const micros = lastReportedAtMost(minTime * 1000);
    return minTime >= this.#timeout ? Math.max(micros, this.#minTimeoutMicros) : micros;
  }

  /**
   * Closed model: records the fraction of a request's time that falls after the end of the load. For a request of the
   * warm-up, records the fraction within the measured part as a negative number.
   */
  #recordSurplus(client: Client, since: number, at: number): void {
    if (this.#open) return;
    const end = this.loadEnds;
    if (client.tallyBase === 0) {
      if (at > end) this.#recorder.addSurplus(since >= end ? 1 : (at - end) / (at - since));
    } else {
      const overlap = Math.min(at, end) - Math.max(since, this.#warmup);
      if (overlap > 0) this.#recorder.addSurplus(-overlap / (at - since));
    }
  }

  /** Counts a request that failed because the variable for its URL contains no URL of a host of the test. */
  countInvalidUrl(client: Client, at: number): void {
    this.chooseTally(client, at);
    const tally = this.tallyOf(client);
    if (!this.#open) tally.planned++;
    tally.started++;
    incrementCount(tally.network, INVALID_URL);
    client.lacksResponse = true;
    this.#recorder.countWithoutResponse();
    this.#tracer?.onUnsent(client.requestIndex, INVALID_URL);
  }

  // --- requests that are not sent

  /**
   * Open models: counts the remaining requests with the given outcome. These requests were counted as planned in
   * advance.
   */
  countUnstarted(client: Client, outcome: UnstartedReason | 'saturated'): void {
    if (!this.#open || client.requestIndex >= client.iteration.end) return;
    this.#forEachRemaining(client, (request, count) => {
      this.#recorder.tally(client.tallyBase + request)[outcome] += count;
    });
  }

  /** Counts skipped requests. In the closed model, also counts the requests as planned. */
  readonly #countSkipped = (client: Client, request: number, count: number): void => {
    if (!this.#open) this.chooseTally(client, this.#recorder.second * 1000);
    const tally = this.#recorder.tally(client.tallyBase + request);
    if (!this.#open) tally.planned += count;
    tally.condition += count;
  };

  /** Ends an iteration because of a failed request, and counts its remaining requests as skipped. */
  endIteration(client: Client): void {
    this.#forEachRemaining(client, (request, count) => this.#countSkipped(client, request, count));
    client.requestIndex = client.iteration.end;
  }

  /** Open models: counts all requests of an iteration that never begins, because the load generator is saturated. */
  countSaturatedIteration(tallyBase: number, iteration: Iteration): void {
    if (!this.#open) return;
    const count = (request: number, requests: number) => {
      this.#recorder.tally(tallyBase + request).saturated += requests;
    };
    if (this.#program !== null) this.#program.forEachOf(iteration, count);
    else for (let request = iteration.first; request < iteration.end; request++) count(request, 1);
  }

  #forEachRemaining(client: Client, visit: (request: number, count: number) => void): void {
    if (this.#program !== null && client.owner === null) this.#program.forEachRemaining(client, visit);
    else for (let request = client.requestIndex; request < client.iteration.end; request++) visit(request, 1);
  }

  countUnstartedClients(tallyBase: number, requests: readonly number[], outcome: UnstartedReason): void {
    if (!this.#open) return;
    requests.forEach((count, index) => {
      if (count > 0) this.#recorder.tally(tallyBase + index)[outcome] += count;
    });
  }

  recordOmitted(client: Client, exchange: Exchange, at: number): void {
    this.recordOmittedTimes(client, at, this.minTimeOf(client, exchange, at));
  }

  /**
   * Open models: records the remaining requests of an iteration, each with the time since its client was due.
   * @param minTime - Lower bound of that time, in ms.
   */
  recordOmittedTimes(client: Client, at: number, minTime: number): void {
    if (!this.#open) return;
    const waited = at - client.dueAt;
    this.#forEachRemaining(client, (request, count) => {
      const tally = this.#recorder.tally(client.tallyBase + request);
      tally.response.recordMany(count, waited * 1000);
      tally.service?.recordMany(count, waited * 1000);
      if (minTime > 0) tally.lowerBounds.recordMany(count, this.#reportedMinTime(minTime));
    });
  }

  // --- connections

  /** Records the duration of a phase of opening a connection. The metrics exclude the warm-up. */
  recordOpening(client: Client, phase: OpeningPhase, elapsed: number, at: number): void {
    // A TLS handshake may take two round trips.
    const events = phase === CONNECTING ? 1 : 2;
    client.minOpeningTime += Math.max(0, elapsed - events * this.#recorder.delay.maxReadDelay(at));
    if (client.tallyBase > 0) return;
    const { connect, tls } = this.#recorder.connectionSetup;
    (phase === CONNECTING ? connect : tls).record(elapsed * 1000);
  }
}
