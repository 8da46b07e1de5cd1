/**
 * Writes down the first exchanges of a run word for word, for a reader, but for what is secret. Only there when a job
 * asks for it.
 */
import type { JobVariable, LoadJob } from '../core/load/job.ts';
import { Mask } from '../core/mask.ts';
import { MOST_EXCHANGES, type Exchange } from '../core/load/report.ts';
import { unexpectedText, type UnexpectedFault } from '../core/load/unexpected.ts';
import { compileTemplate } from '../core/load/template.ts';
import { namesCredentials } from '../core/model/header-name.ts';
import type { Client } from './client.ts';
import type { Clock } from './clock.ts';
import { IDLE, type Connection, type ConnectionTap } from './connection.ts';
import { ValueTaker } from './taken-values.ts';

const MOST_BODY_BYTES = 4 * 1024;
const MOST_HEAD_BYTES = 16 * 1024;

/** Of what came in the place of what was expected. */
const MOST_CAME = 1024;

/** An answer that is not as the test expects. */
export interface Unexpected {
  readonly fault: UnexpectedFault;
  /** What came instead, as latin1 characters that stand for bytes; null for nothing. */
  readonly came: string | null;
}

/** Of an answer. `failed`: by its status, where the test does not say what it expects. */
export type Verdict = 'success' | typeof FAILED | Unexpected;

const FAILED = 'failed';

/** An exchange that has not ended. */
interface Recording {
  readonly target: number;
  readonly hop: boolean;
  /** As latin1 characters that stand for bytes. */
  readonly request: string;
  readonly beganAt: number;
  /** When its connection was begun, unless that was there. */
  dialledAt: number;
  /** Null on a kept connection, and before it is there. */
  connectedAt: number | null;
  /** Null before it was sent. */
  sentAt: number | null;
  resent: boolean;
  firstByteAt: number | null;
  answer: string;
}

export class Tracer implements ConnectionTap {
  readonly #job: LoadJob;
  readonly #now: Clock;
  readonly #exchanged: (exchange: Exchange) => void;
  /** A connection has one exchange at a time. */
  readonly #recordings = new Map<Connection, Recording>();
  /** The secrets of the job, and the credentials that answers gave. */
  readonly #mask: Mask;
  /** Names of variables that hold credentials. */
  readonly #credentials: ReadonlySet<string>;
  /** Of each target. */
  readonly #takers: readonly ValueTaker[];
  /** The headers and the pointers into JSON that these are taken from, in lower case. */
  readonly #sources: ReadonlySet<string>;
  #begun = 0;

  constructor(
    job: LoadJob,
    ports: { readonly now: Clock; readonly exchanged: (exchange: Exchange) => void },
  ) {
    this.#job = job;
    this.#mask = new Mask((job.trace?.secrets ?? []).flatMap(withPieces));
    for (const { credentials } of job.targets) {
      if (credentials !== null) this.#mask.addBasic(credentials.login, credentials.password);
    }
    this.#credentials = credentialVariables(job);
    this.#takers = job.targets.map(({ variables }) => new ValueTaker(variables));
    this.#sources = new Set(
      job.targets
        .flatMap(({ variables }) => variables)
        .filter(({ name }) => this.#credentials.has(name))
        .flatMap(sourceOf),
    );
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
      dialledAt: at,
      connectedAt: null,
      sentAt: connection.phase === IDLE ? at : null,
      resent: false,
      firstByteAt: null,
      answer: '',
    });
  }

  onConnected(connection: Connection): void {
    const recording = this.#recordings.get(connection);
    if (recording !== undefined) recording.connectedAt = this.#now();
  }

  onSent(connection: Connection, at: number): void {
    const recording = this.#recordings.get(connection);
    if (recording !== undefined) recording.sentAt = at;
  }

  /** A request is about to be sent once more, on a new connection: its parts are told of that. */
  onResent(connection: Connection, at: number): void {
    const recording = this.#recordings.get(connection);
    if (recording === undefined) return;
    recording.resent = true;
    recording.sentAt = null;
    recording.dialledAt = at;
  }

  onBytes(connection: Connection, buffer: Buffer, length: number): void {
    const recording = this.#recordings.get(connection);
    if (recording === undefined) return;
    recording.firstByteAt ??= this.#now();
    const room = MOST_HEAD_BYTES - recording.answer.length;
    if (room > 0) recording.answer += buffer.toString('latin1', 0, Math.min(length, room));
  }

  onAnswer(connection: Connection, at: number, verdict: Verdict): void {
    this.#end(connection, null, at, verdict);
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
      ...{
        target,
        url: this.#mask.of(withoutUserInfo(url)),
        method,
        hop: false,
        resent: false,
        requestHead: '',
        requestBody: '',
      },
      ...{ status: null, responseHead: '', bytes: 0, error: 'undefined_variable' },
      ...{ success: false, unexpected: null },
      ...{ ms: { connect: null, tls: null, wait: null, total: 0 }, variables: {} },
    });
  }

  #end(connection: Connection, error: string | null, at: number, verdict: Verdict = FAILED): void {
    const recording = this.#recordings.get(connection);
    if (recording === undefined) return;
    this.#recordings.delete(connection);
    const { target, hop, resent, request } = recording;
    const end = request.indexOf('\r\n\r\n');
    const variables = error === null ? this.#takenVariables(target, connection) : [];
    for (const { name, value } of variables) {
      if (!this.#credentials.has(name)) continue;
      this.#mask.add(asText(value));
      // Where it is no UTF-8.
      this.#mask.add(value);
    }
    // Masked before anything is cut or decoded: half a secret, or one that is no UTF-8, would not be known again.
    const head = this.#mask.of(withoutCredentials(request.slice(0, end), this.#sources));
    const body = this.#mask.of(request.slice(end + 4));
    const answer = finalHead(recording.answer);
    const [method = '', path = ''] = head.split(' ', 2);
    const { secure, authority } = this.#targetOf(target);
    this.#exchanged({
      target,
      url: `${secure ? 'https' : 'http'}://${authority}${path}`,
      method,
      hop,
      resent,
      requestHead: asText(head),
      requestBody: asText(body.slice(0, MOST_BODY_BYTES)),
      status: error === null ? connection.parser.status : null,
      responseHead: asText(this.#mask.of(withoutCredentials(answer.text, this.#sources), !answer.whole)),
      bytes: connection.received,
      error,
      success: verdict === 'success',
      unexpected: typeof verdict === 'string' ? null : this.#inWords(target, verdict),
      ms: this.#times(recording, at),
      variables: Object.fromEntries(
        variables.map(({ name, value }) => [
          name,
          this.#credentials.has(name) ? MASKED : asText(this.#mask.of(value)),
        ]),
      ),
    });
  }

  #inWords(target: number, { fault, came }: Unexpected): Exchange['unexpected'] {
    const about = fault.slice(fault.indexOf(' ') + 1);
    const secret = lastNamesCredentials(about) || this.#sources.has(about.toLowerCase());
    const shown = came === null ? null : secret ? MASKED : asText(this.#mask.of(came).slice(0, MOST_CAME));
    return { error: unexpectedText(fault, this.#targetOf(target).expect), actual: shown };
  }

  #times(recording: Recording, at: number): Exchange['ms'] {
    const { beganAt, dialledAt, connectedAt, sentAt, firstByteAt } = recording;
    const { secure } = this.#targetOf(recording.target);
    return {
      connect: connectedAt === null ? null : rounded(connectedAt - dialledAt),
      tls: !secure || connectedAt === null || sentAt === null ? null : rounded(sentAt - connectedAt),
      wait: firstByteAt === null || sentAt === null ? null : rounded(firstByteAt - sentAt),
      total: rounded(at - beganAt),
    };
  }

  #takenVariables(target: number, connection: Connection): readonly TakenVariable[] {
    const taker = this.#takers[target];
    return this.#targetOf(target).variables.flatMap(({ name }, index) => {
      const value = taker?.take(connection.parser, index);
      return value === undefined ? [] : [{ name, value }];
    });
  }

  #targetOf(index: number): LoadJob['targets'][number] {
    const target = this.#job.targets[index];
    if (target === undefined) throw new Error('Bug: an exchange of no target');
    return target;
  }
}

const MASKED = '***';

/** Answers never show the cookies that they set. */
function sourceOf(variable: JobVariable): readonly string[] {
  if ('header' in variable) return [variable.header.toLowerCase()];
  return 'json' in variable ? [variable.json.toLowerCase()] : [];
}

interface TakenVariable {
  readonly name: string;
  /** Bytes. */
  readonly value: string;
}

/** Shorter pieces say too little of a secret, and stand in too many texts. */
const LEAST_PIECE = 3;

/** A secret, and what stays of it where the engine puts something in the place of an expression or a variable. */
function withPieces(secret: string): readonly string[] {
  const pieces = secret.split(/%\{[^}]*\}|\{\{[^}]*\}\}/);
  return [secret, ...pieces.filter((piece) => piece.length >= LEAST_PIECE)];
}

/** Variables that come from what carries credentials, or go to such headers or parameters. */
function credentialVariables({ targets }: LoadJob): ReadonlySet<string> {
  const taken = targets.flatMap(({ variables }) => variables).filter(carriesCredentials);
  const sent = targets
    .flatMap(({ headers, params }) => [...headers, ...params])
    .filter(({ name }) => namesCredentials(name))
    .flatMap(({ value }) => compileTemplate(value).names);
  return new Set([...taken.map(({ name }) => name), ...sent]);
}

/** Cookies are there for credentials; of JSON the name of the member tells, and of a pattern what stands around the value. */
function carriesCredentials(variable: JobVariable): boolean {
  if ('header' in variable) return namesCredentials(variable.header);
  if ('pattern' in variable) return namesCredentials(variable.pattern);
  return 'cookie' in variable || lastNamesCredentials(variable.json);
}

/** Of a pointer, whose last part is the name of the member; or of a plain name. */
function lastNamesCredentials(path: string): boolean {
  return namesCredentials(path.slice(path.lastIndexOf('/') + 1));
}

/**
 * A head without the values of headers that carry credentials; of a cookie that is set its name and attributes stay.
 *
 * @param more names in lower case of such headers, besides those known by name
 */
function withoutCredentials(head: string, more: ReadonlySet<string>): string {
  return head.replaceAll(
    /^([^\s:]+)([^\S\r\n]*:)(.*(?:\r?\n[ \t].*)*)$/gm,
    (line, name: string, colon: string, value: string) => {
      if (!namesCredentials(name) && !more.has(name.toLowerCase())) return line;
      if (name.toLowerCase() !== 'set-cookie') return `${name}${colon} ${MASKED}`;
      return `${name}${colon}${value.replace(/^([^=;]*=)[^;]*/, `$1${MASKED}`)}`;
    },
  );
}

/** The head of the final answer, as far as it came; where there is none, whatever came instead. */
function finalHead(answer: string): { readonly text: string; readonly whole: boolean } {
  let from = 0;
  for (;;) {
    const end = answer.indexOf('\r\n\r\n', from);
    if (end < 0) return { text: answer.slice(from), whole: false };
    if (!/^HTTP\/\d\.\d 1\d\d/.test(answer.slice(from, from + 12)))
      return { text: answer.slice(from, end), whole: true };
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
