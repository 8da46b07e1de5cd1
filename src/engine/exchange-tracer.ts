/**
 * Writes down the first exchanges of a run word for word, for a reader, but for what is secret. Only there when a job
 * asks for it.
 */
import type { JobVariable, LoadJob } from '../core/load/load-job.ts';
import { Mask } from '../core/mask.ts';
import { MAX_EXCHANGES, type Exchange } from '../core/load/run-report.ts';
import { responseFaultText, type ResponseFault } from '../core/load/unexpected-response.ts';
import { compileTemplate } from '../core/load/template.ts';
import { isCredentialName } from '../core/model/header-name.ts';
import type { Client } from './client.ts';
import type { Clock } from './clock.ts';
import { IDLE, type Connection, type ConnectionObserver } from './connection.ts';
import { ValueExtractor } from './value-extractor.ts';

const MAX_TRACED_BODY_BYTES = 4 * 1024;
const MAX_TRACED_HEADER_BYTES = 16 * 1024;

/** Of what came in the place of what was expected. */
const MAX_ACTUAL_LENGTH = 1024;

/** An answer that is not as the test expects. */
export interface UnexpectedResponse {
  readonly fault: ResponseFault;
  /** What came instead, as latin1 characters that stand for bytes; null for nothing. */
  readonly actual: string | null;
}

/** Of an answer. `failed`: by its status, where the test does not say what it expects. */
export type TracedOutcome = 'success' | typeof FAILED | UnexpectedResponse;

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
  response: string;
}

export class ExchangeTracer implements ConnectionObserver {
  readonly #job: LoadJob;
  readonly #now: Clock;
  readonly #onExchange: (exchange: Exchange) => void;
  /** A connection has one exchange at a time. */
  readonly #recordings = new Map<Connection, Recording>();
  /** The secrets of the job, and the credentials that answers gave. */
  readonly #mask: Mask;
  /** Names of variables that hold credentials. */
  readonly #credentials: ReadonlySet<string>;
  /** Of each target. */
  readonly #extractors: readonly ValueExtractor[];
  /** The headers and the pointers into JSON that these are taken from, in lower case. */
  readonly #sources: ReadonlySet<string>;
  #recordingCount = 0;

  constructor(
    job: LoadJob,
    ports: { readonly now: Clock; readonly onExchange: (exchange: Exchange) => void },
  ) {
    this.#job = job;
    this.#mask = new Mask((job.trace?.secrets ?? []).flatMap(listSecretParts));
    for (const { credentials } of job.targets) {
      if (credentials !== null) this.#mask.addBasic(credentials.login, credentials.password);
    }
    this.#credentials = findCredentialVariables(job);
    this.#extractors = job.targets.map(({ variables }) => new ValueExtractor(variables));
    this.#sources = new Set(
      job.targets
        .flatMap(({ variables }) => variables)
        .filter(({ name }) => this.#credentials.has(name))
        .flatMap(sourceOf),
    );
    this.#now = ports.now;
    this.#onExchange = ports.onExchange;
  }

  /** A request is about to be sent. */
  onRequest(client: Client, connection: Connection, request: Buffer | string, at: number): void {
    if (this.#recordingCount++ >= MAX_EXCHANGES) return;
    this.#recordings.set(connection, {
      target: client.requestIndex,
      hop: client.hop !== null,
      request: typeof request === 'string' ? request : request.toString('latin1'),
      beganAt: at,
      dialledAt: at,
      connectedAt: null,
      sentAt: connection.phase === IDLE ? at : null,
      resent: false,
      firstByteAt: null,
      response: '',
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
    const room = MAX_TRACED_HEADER_BYTES - recording.response.length;
    if (room > 0) recording.response += buffer.toString('latin1', 0, Math.min(length, room));
  }

  onResponse(connection: Connection, at: number, verdict: TracedOutcome): void {
    this.#end(connection, null, at, verdict);
  }

  /** `error`: a word of the ledger. */
  onFailure(connection: Connection, error: string, at: number): void {
    this.#end(connection, error, at);
  }

  /** A request was not sent: a variable of it is undefined. */
  onUnsent(target: number): void {
    if (this.#recordingCount++ >= MAX_EXCHANGES) return;
    const { url, method } = this.#targetOf(target);
    this.#onExchange({
      ...{
        target,
        url: this.#mask.apply(removeUserInfo(url)),
        method,
        redirected: false,
        resent: false,
        requestHeader: '',
        requestBody: '',
      },
      ...{ status: null, responseHeader: '', bytes: 0, error: 'undefined_variable' },
      ...{ success: false, unexpected: null },
      ...{ ms: { connect: null, tls: null, wait: null, total: 0 }, variables: {} },
    });
  }

  #end(connection: Connection, error: string | null, at: number, verdict: TracedOutcome = FAILED): void {
    const recording = this.#recordings.get(connection);
    if (recording === undefined) return;
    this.#recordings.delete(connection);
    const { target, hop: redirected, resent, request } = recording;
    const end = request.indexOf('\r\n\r\n');
    const variables = error === null ? this.#extractedVariables(target, connection) : [];
    for (const { name, value } of variables) {
      if (!this.#credentials.has(name)) continue;
      this.#mask.add(asText(value));
      // Where it is no UTF-8.
      this.#mask.add(value);
    }
    // Masked before anything is cut or decoded: half a secret, or one that is no UTF-8, would not be known again.
    const head = this.#mask.apply(removeCredentials(request.slice(0, end), this.#sources));
    const body = this.#mask.apply(request.slice(end + 4));
    const response = finalHeaderOf(recording.response);
    const [method = '', path = ''] = head.split(' ', 2);
    const { secure, authority } = this.#targetOf(target);
    this.#onExchange({
      target,
      url: `${secure ? 'https' : 'http'}://${authority}${path}`,
      method,
      redirected,
      resent,
      requestHeader: asText(head),
      requestBody: asText(body.slice(0, MAX_TRACED_BODY_BYTES)),
      status: error === null ? connection.parser.status : null,
      responseHeader: asText(
        this.#mask.apply(removeCredentials(response.text, this.#sources), !response.whole),
      ),
      bytes: connection.receivedBytes,
      error,
      success: verdict === 'success',
      unexpected: typeof verdict === 'string' ? null : this.#describe(target, verdict),
      ms: this.#times(recording, at),
      variables: Object.fromEntries(
        variables.map(({ name, value }) => [
          name,
          this.#credentials.has(name) ? MASKED : asText(this.#mask.apply(value)),
        ]),
      ),
    });
  }

  #describe(target: number, { fault, actual }: UnexpectedResponse): Exchange['unexpected'] {
    const about = fault.slice(fault.indexOf(' ') + 1);
    const secret = lastSegmentNamesCredentials(about) || this.#sources.has(about.toLowerCase());
    const shown =
      actual === null ? null : secret ? MASKED : asText(this.#mask.apply(actual).slice(0, MAX_ACTUAL_LENGTH));
    return { error: responseFaultText(fault, this.#targetOf(target).expect), actual: shown };
  }

  #times(recording: Recording, at: number): Exchange['ms'] {
    const { beganAt, dialledAt, connectedAt, sentAt, firstByteAt } = recording;
    const { secure } = this.#targetOf(recording.target);
    return {
      connect: connectedAt === null ? null : roundMs(connectedAt - dialledAt),
      tls: !secure || connectedAt === null || sentAt === null ? null : roundMs(sentAt - connectedAt),
      wait: firstByteAt === null || sentAt === null ? null : roundMs(firstByteAt - sentAt),
      total: roundMs(at - beganAt),
    };
  }

  #extractedVariables(target: number, connection: Connection): readonly ExtractedVariable[] {
    const taker = this.#extractors[target];
    return this.#targetOf(target).variables.flatMap(({ name }, index) => {
      const value = taker?.extract(connection.parser, index);
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

interface ExtractedVariable {
  readonly name: string;
  /** Bytes. */
  readonly value: string;
}

/** Shorter pieces say too little of a secret, and stand in too many texts. */
const MIN_SECRET_PART_LENGTH = 3;

/** A secret, and what stays of it where the engine puts something in the place of an expression or a variable. */
function listSecretParts(secret: string): readonly string[] {
  const pieces = secret.split(/%\{[^}]*\}|\{\{[^}]*\}\}/);
  return [secret, ...pieces.filter((piece) => piece.length >= MIN_SECRET_PART_LENGTH)];
}

/** Variables that come from what carries credentials, or go to such headers or parameters. */
function findCredentialVariables({ targets }: LoadJob): ReadonlySet<string> {
  const taken = targets.flatMap(({ variables }) => variables).filter(carriesCredentials);
  const sent = targets
    .flatMap(({ headers, params }) => [...headers, ...params])
    .filter(({ name }) => isCredentialName(name))
    .flatMap(({ value }) => compileTemplate(value).names);
  return new Set([...taken.map(({ name }) => name), ...sent]);
}

/** Cookies are there for credentials; of JSON the name of the member tells, and of a pattern what stands around the value. */
function carriesCredentials(variable: JobVariable): boolean {
  if ('header' in variable) return isCredentialName(variable.header);
  if ('pattern' in variable) return isCredentialName(variable.pattern);
  return 'cookie' in variable || lastSegmentNamesCredentials(variable.json);
}

/** Of a pointer, whose last part is the name of the member; or of a plain name. */
function lastSegmentNamesCredentials(path: string): boolean {
  return isCredentialName(path.slice(path.lastIndexOf('/') + 1));
}

/**
 * A head without the values of headers that carry credentials; of a cookie that is set its name and attributes stay.
 *
 * @param more names in lower case of such headers, besides those known by name
 */
function removeCredentials(head: string, more: ReadonlySet<string>): string {
  return head.replaceAll(
    /^([^\s:]+)([^\S\r\n]*:)(.*(?:\r?\n[ \t].*)*)$/gm,
    (line, name: string, colon: string, value: string) => {
      if (!isCredentialName(name) && !more.has(name.toLowerCase())) return line;
      if (name.toLowerCase() !== 'set-cookie') return `${name}${colon} ${MASKED}`;
      return `${name}${colon}${value.replace(/^([^=;]*=)[^;]*/, `$1${MASKED}`)}`;
    },
  );
}

/** The head of the final answer, as far as it came; where there is none, whatever came instead. */
function finalHeaderOf(response: string): { readonly text: string; readonly whole: boolean } {
  let from = 0;
  for (;;) {
    const end = response.indexOf('\r\n\r\n', from);
    if (end < 0) return { text: response.slice(from), whole: false };
    if (!/^HTTP\/\d\.\d 1\d\d/.test(response.slice(from, from + 12)))
      return { text: response.slice(from, end), whole: true };
    from = end + 4;
  }
}

function asText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function removeUserInfo(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1');
}

function roundMs(ms: number): number {
  return Math.round(Math.max(0, ms) * 1000) / 1000;
}
