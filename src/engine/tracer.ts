/** Writes down the first exchanges of a run word for word, for a reader. Only there when a job asks for it. */
import type { LoadJob } from '../core/load/job.ts';
import { MOST_EXCHANGES, type Exchange } from '../core/load/report.ts';
import type { Client } from './client.ts';
import type { Clock } from './clock.ts';
import { BUSY, IDLE, type Connection, type ConnectionTap } from './connection.ts';

const MOST_BODY_BYTES = 4 * 1024;
const MOST_HEAD_BYTES = 16 * 1024;

/** An exchange that has not ended. */
interface Recording {
  readonly target: number;
  readonly hop: boolean;
  /** As latin1 characters that stand for bytes. */
  readonly request: string;
  readonly beganAt: number;
  /** Null on a kept connection, and before it is there. */
  connectedAt: number | null;
  readonly kept: boolean;
  firstByteAt: number | null;
  answer: string;
}

export class Tracer implements ConnectionTap {
  readonly #job: LoadJob;
  readonly #now: Clock;
  readonly #exchanged: (exchange: Exchange) => void;
  /** A connection has one exchange at a time. */
  readonly #recordings = new Map<Connection, Recording>();
  #begun = 0;

  constructor(
    job: LoadJob,
    ports: { readonly now: Clock; readonly exchanged: (exchange: Exchange) => void },
  ) {
    this.#job = job;
    this.#now = ports.now;
    this.#exchanged = ports.exchanged;
  }

  /** A request is about to be sent. */
  onRequest(client: Client, connection: Connection, request: Buffer | string, at: number): void {
    if (this.#begun++ >= MOST_EXCHANGES) return;
    this.#recordings.set(connection, {
      target: client.at,
      hop: client.hop !== null,
      request: typeof request === 'string' ? request : request.toString('latin1'),
      beganAt: at,
      connectedAt: null,
      kept: connection.phase === IDLE,
      firstByteAt: null,
      answer: '',
    });
  }

  onConnected(connection: Connection): void {
    const recording = this.#recordings.get(connection);
    if (recording !== undefined) recording.connectedAt = this.#now();
  }

  onBytes(connection: Connection, buffer: Buffer, length: number): void {
    const recording = this.#recordings.get(connection);
    if (recording === undefined) return;
    recording.firstByteAt ??= this.#now();
    const room = MOST_HEAD_BYTES - recording.answer.length;
    if (room > 0) recording.answer += buffer.toString('latin1', 0, Math.min(length, room));
  }

  onAnswer(connection: Connection, at: number): void {
    this.#end(connection, null, at);
  }

  /** `error`: a word of the ledger. */
  onFailure(connection: Connection, error: string, at: number): void {
    this.#end(connection, error, at);
  }

  /** A request was not sent: a variable of it is undefined. */
  onUnsent(target: number): void {
    if (this.#begun++ >= MOST_EXCHANGES) return;
    const { url, method } = this.#targetOf(target);
    this.#exchanged({
      ...{ target, url: withoutUserInfo(url), method, hop: false, requestHead: '', requestBody: '' },
      ...{ status: null, responseHead: '', bytes: 0, error: 'undefined_variable' },
      ...{ ms: { connect: null, tls: null, wait: null, total: 0 }, variables: {} },
    });
  }

  #end(connection: Connection, error: string | null, at: number): void {
    const recording = this.#recordings.get(connection);
    if (recording === undefined) return;
    this.#recordings.delete(connection);
    const { target, hop, request } = recording;
    const end = request.indexOf('\r\n\r\n');
    const head = request.slice(0, end);
    const [method = '', path = ''] = head.split(' ', 2);
    const { secure, authority } = this.#targetOf(target);
    this.#exchanged({
      target,
      url: `${secure ? 'https' : 'http'}://${authority}${path}`,
      method,
      hop,
      requestHead: asText(head).replace(SECRET_HEADERS, '$1: ***'),
      requestBody: asText(request.slice(end + 4, end + 4 + MOST_BODY_BYTES)),
      status: error === null ? connection.parser.status : null,
      responseHead: asText(finalHead(recording.answer)).replace(SET_COOKIE, '$1***'),
      bytes: connection.received,
      error,
      ms: this.#times(recording, connection, at),
      variables: error === null ? this.#variablesOf(target, connection) : {},
    });
  }

  #times(recording: Recording, connection: Connection, at: number): Exchange['ms'] {
    const { beganAt, connectedAt, firstByteAt, kept } = recording;
    // An answer has come to an end already, and a failure leaves the phase as it was.
    const sent = connection.phase === BUSY || firstByteAt !== null;
    const sentAt = sent ? connection.since : null;
    const { secure } = this.#targetOf(recording.target);
    return {
      connect: kept || connectedAt === null ? null : rounded(connectedAt - beganAt),
      tls: !secure || connectedAt === null || sentAt === null ? null : rounded(sentAt - connectedAt),
      wait: firstByteAt === null || sentAt === null ? null : rounded(firstByteAt - sentAt),
      total: rounded(at - beganAt),
    };
  }

  #variablesOf(target: number, connection: Connection): Readonly<Record<string, string>> {
    const taken: Record<string, string> = {};
    this.#targetOf(target).variables.forEach(({ name }, index) => {
      const value = connection.parser.captured[index];
      if (value !== undefined) taken[name] = asText(value);
    });
    return taken;
  }

  #targetOf(index: number): LoadJob['targets'][number] {
    const target = this.#job.targets[index];
    if (target === undefined) throw new Error('Bug: an exchange of no target');
    return target;
  }
}

const SECRET_HEADERS = /^(authorization|proxy-authorization|cookie):.*$/gim;
const SET_COOKIE = /^(set-cookie\s*:[^=;\r\n]*=)[^;\r\n]*/gim;

/** The head of the final answer, as far as it came; where there is none, whatever came instead. */
function finalHead(answer: string): string {
  let from = 0;
  for (;;) {
    const end = answer.indexOf('\r\n\r\n', from);
    if (end < 0) return answer.slice(from);
    if (!/^HTTP\/\d\.\d 1\d\d/.test(answer.slice(from, from + 12))) return answer.slice(from, end);
    from = end + 4;
  }
}

function asText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function withoutUserInfo(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1');
}

function rounded(ms: number): number {
  return Math.round(Math.max(0, ms) * 1000) / 1000;
}
