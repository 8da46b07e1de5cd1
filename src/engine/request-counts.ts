/** What becomes of requests, as counts and times of the second in which it is known. */
import { toldAsNoLess } from '../core/load/histogram.ts';
import type { LoadJob } from '../core/load/job.ts';
import { isOpenModel } from '../core/load/pace.ts';
import { countUp, type Tally, type Unstarted } from '../core/load/slice.ts';
import type { UnexpectedFault } from '../core/load/unexpected.ts';
import type { Client } from './client.ts';
import {
  CONNECTING,
  SECURING,
  type Connection,
  type ConnectionFailure,
  type OpeningPhase,
  type Phase,
} from './connection.ts';
import type { CompiledTarget } from './request-bytes.ts';
import type { SecondOfCounts } from './second.ts';
import type { Tracer } from './tracer.ts';

/** How a final answer is judged. */
export type Judgement = UnexpectedFault | 'success' | 'failed';

/** Errors that are this machine's: its descriptors, ports or memory ran out. */
const OWN_LIMITS: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'EADDRINUSE',
  'EAGAIN',
  'ENOBUFS',
  'ENOMEM',
]);

const TIMEOUT_WORDS: Partial<Readonly<Record<Phase, string>>> = {
  [CONNECTING]: 'timeout_connect',
  [SECURING]: 'timeout_tls',
};

export class RequestCounts {
  /** When no more load is made. */
  loadEnds: number;
  readonly #open: boolean;
  readonly #timeout: number;
  readonly #warmup: number;
  readonly #targets: readonly CompiledTarget[];
  readonly #second: SecondOfCounts;
  readonly #tracer: Tracer | null;
  /** What a request that is timed out is recorded with at least, in µs. */
  readonly #leastGivenUp: number;

  constructor(
    job: LoadJob,
    targets: readonly CompiledTarget[],
    second: SecondOfCounts,
    tracer: Tracer | null,
  ) {
    this.loadEnds = job.duration;
    this.#open = isOpenModel(job);
    this.#timeout = job.timeout;
    this.#warmup = job.warmup;
    this.#targets = targets;
    this.#second = second;
    this.#tracer = tracer;
    this.#leastGivenUp = toldAsNoLess(job.timeout * 1000);
  }

  /** Of the client's request. */
  tallyOf(client: Client): Tally {
    return this.#second.tally(client.base + client.at);
  }

  /** Closed model: a request belongs to the warm-up by when it begins. In the open ones a pass does. */
  chooseTally(client: Client, at: number): void {
    if (!this.#open) client.base = at < this.#warmup ? this.#targets.length : 0;
  }

  // --- answers

  /** False for an answer that came too late: it is a time-out. */
  countAnswer(client: Client, connection: Connection, at: number): boolean {
    const tally = this.tallyOf(client);
    const took = at - connection.since;
    this.#second.finished++;
    if (at > this.loadEnds || client.base > 0) this.#noteSurplus(client, connection.since, at);
    tally.bytesReceived += connection.received;
    if (took > this.#timeout) {
      // It came, but too late, and only this thread's own delay let it.
      tally.timeoutResponse++;
      this.#second.failed++;
      this.#recordUnanswered(client, connection, at, this.#leastGivenUp);
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
  judge(client: Client, { parser }: Connection, lacks: boolean): Judgement {
    const { status } = parser;
    const check = this.#targets[client.at]?.check ?? null;
    if (check === null && status >= 400) {
      this.#second.failed++;
      return 'failed';
    }
    const tally = this.tallyOf(client);
    if (check !== null && status >= 400) countUp(tally.judged, String(status));
    const fault = check?.faultOf(parser, parser.body) ?? (lacks ? 'variable' : null);
    if (fault === null) return 'success';
    countUp(tally.unexpected, fault);
    this.#second.failed++;
    return fault;
  }

  // --- requests without an answer

  /** False where it was no failure of the target: this machine had no socket for the request, so it never began. */
  countFailure(client: Client, connection: Connection, failure: ConnectionFailure, at: number): boolean {
    const { phase } = connection;
    const tally = this.tallyOf(client);
    const isOurs = phase === CONNECTING && OWN_LIMITS.has(failure.code);
    this.#tracer?.onFailure(connection, failure.code, at);
    if (isOurs) {
      tally.started--;
      tally.noSocket++;
      if (connection.sentBefore) tally.resent--;
      this.#second.takeBack(client.startedIn, 1, 0);
    } else {
      if (phase === CONNECTING && failure.code === 'ETIMEDOUT') {
        tally.timeoutConnect++;
        this.#recordUnanswered(client, connection, at);
      } else {
        countUp(tally[failure.kind], failure.code);
      }
      this.#noteSurplus(client, connection.since, at);
      this.#second.endUnanswered();
    }
    this.settleBytes(client, connection);
    return !isOurs;
  }

  countTimeOut(client: Client, connection: Connection, at: number): void {
    const { phase } = connection;
    const tally = this.tallyOf(client);
    this.#tracer?.onFailure(connection, TIMEOUT_WORDS[phase] ?? 'timeout', at);
    if (phase === CONNECTING) tally.timeoutConnect++;
    else if (phase === SECURING) tally.timeoutTls++;
    else tally.timeoutResponse++;
    this.#recordUnanswered(client, connection, at, this.#leastGivenUp);
    this.#noteSurplus(client, connection.since, at);
    this.#second.endUnanswered();
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
    const unsent = connection.unsent();
    tally.bytesReceived += connection.received;
    tally.bytesSent -= unsent;
    this.#second.takeBack(client.sentIn, 0, unsent);
  }

  /** Records how long a request has taken that is given up. `least`: in µs. */
  #recordUnanswered(client: Client, { since }: Connection, at: number, least = 0): void {
    const tally = this.tallyOf(client);
    const from = this.#open ? client.dueAt : since;
    tally.response.record(Math.max(least, (at - from) * 1000));
    tally.service?.record(Math.max(least, (at - since) * 1000));
  }

  /** Of a request that ends: what of its time lay where its own part of the run was over. */
  #noteSurplus(client: Client, since: number, at: number): void {
    if (this.#open) return;
    const end = this.loadEnds;
    if (client.base === 0) {
      if (at > end) this.#second.addSurplus(since >= end ? 1 : (at - end) / (at - since));
    } else {
      const within = Math.min(at, end) - Math.max(since, this.#warmup);
      if (within > 0) this.#second.addSurplus(-within / (at - since));
    }
  }

  // --- requests that are not sent

  /**
   * All that remain of the passes of so many clients. In the open models the rest of a pass was planned from the start; in
   * the closed one it never was.
   */
  countUnstarted(
    { base, at }: Pick<Client, 'base' | 'at'>,
    clients: number,
    as: Unstarted | 'saturated',
  ): void {
    if (!this.#open || clients <= 0) return;
    for (let index = at; index < this.#targets.length; index++)
      this.#second.tally(base + index)[as] += clients;
  }

  /** What comes behind a request that is cut off would have been sent: it has waited as long. */
  recordMissed(client: Client, waited: number): void {
    if (!this.#open) return;
    for (let index = client.at; index < this.#targets.length; index++) {
      const tally = this.#second.tally(client.base + index);
      tally.response.record(waited * 1000);
      tally.service?.record(waited * 1000);
    }
  }

  // --- connections

  /** Of the connections of requests that belong to the warm-up nothing is told. */
  recordOpening(client: Client, phase: OpeningPhase, took: number): void {
    if (client.base > 0) return;
    const { connect, tls } = this.#second.opening;
    (phase === CONNECTING ? connect : tls).record(took * 1000);
  }
}
