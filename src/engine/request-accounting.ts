/** What becomes of requests, as counts and times of the second in which it is known. */
import { firstReportedAtLeast } from '../core/load/histogram.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import { isOpenModel } from '../core/load/pace.ts';
import { incrementCount, type Tally, type UnstartedReason } from '../core/load/snapshot.ts';
import type { ResponseFault } from '../core/load/unexpected-response.ts';
import type { Client } from './client.ts';
import {
  CONNECTING,
  SECURING,
  type Connection,
  type ConnectionFailure,
  type OpeningPhase,
  type Phase,
} from './connection.ts';
import type { CompiledTarget } from './request-compiler.ts';
import type { SnapshotRecorder } from './snapshot-recorder.ts';
import type { ExchangeTracer } from './exchange-tracer.ts';

/** How a final answer is judged. */
export type ResponseOutcome = ResponseFault | 'success' | 'failed';

/** Errors that are this machine's: its descriptors, ports or memory ran out. */
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
  /** When no more load is made. */
  loadEnds: number;
  readonly #open: boolean;
  readonly #timeout: number;
  readonly #warmup: number;
  readonly #targets: readonly CompiledTarget[];
  readonly #recorder: SnapshotRecorder;
  readonly #tracer: ExchangeTracer | null;
  /** What a request that is timed out is recorded with at least, in µs. */
  readonly #minTimeoutMicros: number;

  constructor(
    job: LoadJob,
    targets: readonly CompiledTarget[],
    second: SnapshotRecorder,
    tracer: ExchangeTracer | null,
  ) {
    this.loadEnds = job.duration;
    this.#open = isOpenModel(job);
    this.#timeout = job.timeout;
    this.#warmup = job.warmup;
    this.#targets = targets;
    this.#recorder = second;
    this.#tracer = tracer;
    this.#minTimeoutMicros = firstReportedAtLeast(job.timeout * 1000);
  }

  /** Of the client's request. */
  tallyOf(client: Client): Tally {
    return this.#recorder.tally(client.tallyBase + client.requestIndex);
  }

  /** Closed model: a request belongs to the warm-up by when it begins. In the open ones a pass does. */
  chooseTally(client: Client, at: number): void {
    if (!this.#open) client.tallyBase = at < this.#warmup ? this.#targets.length : 0;
  }

  // --- answers

  /** False for an answer that came too late: it is a time-out. */
  countResponse(client: Client, connection: Connection, at: number): boolean {
    const tally = this.tallyOf(client);
    const took = at - connection.since;
    this.#recorder.finished++;
    if (at > this.loadEnds || client.tallyBase > 0) this.#recordSurplus(client, connection.since, at);
    tally.bytesReceived += connection.receivedBytes;
    if (took > this.#timeout) {
      // It came, but too late, and only this thread's own delay let it.
      tally.timeoutResponse++;
      this.#recorder.failed++;
      this.#recordUnanswered(client, connection, at, this.#minTimeoutMicros);
      this.#tracer?.onFailure(connection, 'timeout', at);
      return false;
    }
    const { status } = connection.parser;
    tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
    tally.response.record((this.#open ? at - client.dueAt : took) * 1000);
    tally.service?.record(took * 1000);
    return true;
  }

  /** Counts what is wrong with a final answer, if anything is. `lacks`: a variable that is used later. */
  evaluateResponse(client: Client, { parser }: Connection, lacks: boolean): ResponseOutcome {
    const { status } = parser;
    const check = this.#targets[client.requestIndex]?.check ?? null;
    if (check === null && status >= 400) {
      this.#recorder.failed++;
      return 'failed';
    }
    const tally = this.tallyOf(client);
    if (check !== null && status >= 400) incrementCount(tally.checkedErrors, String(status));
    const fault = check?.faultOf(parser, parser.body) ?? (lacks ? 'variable' : null);
    if (fault === null) return 'success';
    incrementCount(tally.unexpected, fault);
    this.#recorder.failed++;
    return fault;
  }

  // --- requests without an answer

  /** False where it was no failure of the target: this machine had no socket for the request, so it never began. */
  countFailure(client: Client, connection: Connection, failure: ConnectionFailure, at: number): boolean {
    const { phase } = connection;
    const tally = this.tallyOf(client);
    const isOurs = phase === CONNECTING && LOCAL_LIMIT_ERRORS.has(failure.code);
    this.#tracer?.onFailure(connection, failure.code, at);
    if (isOurs) {
      tally.started--;
      tally.noSocket++;
      if (connection.wasResent) tally.resent--;
      this.#recorder.retract(client.startedIn, 1, 0);
    } else {
      if (phase === CONNECTING && failure.code === 'ETIMEDOUT') {
        tally.timeoutConnect++;
        this.#recordUnanswered(client, connection, at);
      } else {
        incrementCount(tally[failure.kind], failure.code);
      }
      this.#recordSurplus(client, connection.since, at);
      this.#recorder.countUnanswered();
    }
    this.settleBytes(client, connection);
    return !isOurs;
  }

  countTimeout(client: Client, connection: Connection, at: number): void {
    const { phase } = connection;
    const tally = this.tallyOf(client);
    this.#tracer?.onFailure(connection, TIMEOUT_CODES[phase] ?? 'timeout', at);
    if (phase === CONNECTING) tally.timeoutConnect++;
    else if (phase === SECURING) tally.timeoutTls++;
    else tally.timeoutResponse++;
    this.#recordUnanswered(client, connection, at, this.#minTimeoutMicros);
    this.#recordSurplus(client, connection.since, at);
    this.#recorder.countUnanswered();
    this.settleBytes(client, connection);
  }

  countAbandoned(client: Client, connection: Connection, at: number): void {
    this.tallyOf(client).abandoned++;
    this.#recordUnanswered(client, connection, at);
    this.#tracer?.onFailure(connection, 'abandoned', at);
    this.settleBytes(client, connection);
  }

  /** Bytes of a request that goes no further: those that came, less those that never left. */
  settleBytes(client: Client, connection: Connection): void {
    const tally = this.tallyOf(client);
    const unsent = connection.countUnsentBytes();
    tally.bytesReceived += connection.receivedBytes;
    tally.bytesSent -= unsent;
    this.#recorder.retract(client.sentIn, 0, unsent);
  }

  /** Records how long a request has taken that is given up. `least`: in µs. */
  #recordUnanswered(client: Client, { since }: Connection, at: number, least = 0): void {
    const tally = this.tallyOf(client);
    const from = this.#open ? client.dueAt : since;
    tally.response.record(Math.max(least, (at - from) * 1000));
    tally.service?.record(Math.max(least, (at - since) * 1000));
  }

  /** Of a request that ends: what of its time lay where its own part of the run was over. */
  #recordSurplus(client: Client, since: number, at: number): void {
    if (this.#open) return;
    const end = this.loadEnds;
    if (client.tallyBase === 0) {
      if (at > end) this.#recorder.addSurplus(since >= end ? 1 : (at - end) / (at - since));
    } else {
      const within = Math.min(at, end) - Math.max(since, this.#warmup);
      if (within > 0) this.#recorder.addSurplus(-within / (at - since));
    }
  }

  // --- requests that are not sent

  /**
   * All that remain of the passes of so many clients. In the open models the rest of a pass was planned from the start; in
   * the closed one it never was.
   */
  countUnstarted(
    { tallyBase, requestIndex }: Pick<Client, 'tallyBase' | 'requestIndex'>,
    clients: number,
    as: UnstartedReason | 'saturated',
  ): void {
    if (!this.#open || clients <= 0) return;
    for (let index = requestIndex; index < this.#targets.length; index++)
      this.#recorder.tally(tallyBase + index)[as] += clients;
  }

  /** What comes behind a request that is cut off would have been sent: it has waited as long. */
  recordOmitted(client: Client, waited: number): void {
    if (!this.#open) return;
    for (let index = client.requestIndex; index < this.#targets.length; index++) {
      const tally = this.#recorder.tally(client.tallyBase + index);
      tally.response.record(waited * 1000);
      tally.service?.record(waited * 1000);
    }
  }

  // --- connections

  /** Of the connections of requests that belong to the warm-up nothing is told. */
  recordOpening(client: Client, phase: OpeningPhase, took: number): void {
    if (client.tallyBase > 0) return;
    const { connect, tls } = this.#recorder.connectionSetup;
    (phase === CONNECTING ? connect : tls).record(took * 1000);
  }
}
