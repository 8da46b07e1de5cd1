/** Recorder of the first exchanges of a load loop, with secrets masked and long bodies truncated. */
import type { JobVariable, LoadJob } from '../core/load/load-job.ts';
import { Mask } from '../core/mask.ts';
import { MAX_EXCHANGES, type TracedExchange } from '../core/load/run-report.ts';
import { responseFaultText, type ResponseFault } from '../core/load/unexpected-response.ts';
import { compileTemplate } from '../core/model/template.ts';
import { originOf } from '../core/model/resolved-url.ts';
import { isCredentialName } from '../core/model/header-name.ts';
import { textsOfBody } from '../core/model/request-body.ts';
import type { Client } from './client.ts';
import type { Clock } from './clock.ts';
import { SENT, type Exchange, type ExchangeObserver } from './exchange.ts';
import { textOfExtracted, ValueExtractor } from './value-extractor.ts';

const MAX_TRACED_BODY_BYTES = 4 * 1024;
const MAX_TRACED_RESPONSE_BYTES = 256 * 1024;
const MAX_TRACED_HEADER_BYTES = 16 * 1024;

const MAX_ACTUAL_LENGTH = 1024;

export interface UnexpectedResponse {
  readonly fault: ResponseFault;
  /** Actual value as bytes in latin1 characters; null if there is none. */
  readonly actual: string | null;
}

/** Outcome of a response. `failed` is a status of 400 or above in a response from a URL without expectations. */
export type TracedOutcome = 'success' | typeof FAILED | UnexpectedResponse;

const FAILED = 'failed';

interface Recording {
  readonly target: number;
  readonly origin: string;
  readonly hop: boolean;
  /** Bytes of the request as latin1 characters. */
  readonly request: string;
  readonly beganAt: number;
  /** Time at which the client began to open the connection; for an existing connection, the start of the exchange. */
  dialledAt: number;
  /** Time at which the connection was established; null before that and on a reused connection. */
  connectedAt: number | null;
  sentAt: number | null;
  resent: boolean;
  firstByteAt: number | null;
  response: string;
}

export class ExchangeTracer implements ExchangeObserver {
  readonly #job: LoadJob;
  readonly #now: Clock;
  readonly #onExchange: (exchange: TracedExchange) => void;
  readonly #recordings = new Map<Exchange, Recording>();
  /** Mask for the secrets of the job and credentials in responses. */
  readonly #mask: Mask;
  /** Names of variables that hold credentials. */
  readonly #credentials: ReadonlySet<string>;
  readonly #extractors: readonly ValueExtractor[];
  /** Headers and JSON Pointers, in lower case, from which variables that hold credentials are extracted. */
  readonly #sources: ReadonlySet<string>;
  readonly #maskedSlots: readonly number[];
  readonly #maxExchanges: number;
  #recordingCount = 0;

  constructor(
    job: LoadJob,
    { maskedSlots }: { readonly maskedSlots: readonly number[] },
    ports: {
      readonly now: Clock;
      readonly onExchange: (exchange: TracedExchange) => void;
      readonly maxExchanges?: number;
    },
  ) {
    this.#job = job;
    this.#mask = new Mask((job.trace?.secrets ?? []).flatMap(listSecretParts));
    for (const { credentials, awsSigv4 } of job.targets) {
      if (credentials !== null) this.#mask.addBasic(credentials.login, credentials.password);
      for (const secret of [awsSigv4?.secretAccessKey, awsSigv4?.sessionToken])
        if (secret != null) this.#mask.add(secret);
    }
    for (const secret of findCredentialConstants(job)) this.#mask.add(secret);
    this.#credentials = findCredentialVariables(job);
    this.#extractors = job.targets.map(({ variables }) => new ValueExtractor(variables));
    this.#sources = new Set(
      job.targets
        .flatMap(({ variables }) => variables)
        .filter(({ name }) => this.#credentials.has(name))
        .flatMap(sourceOf),
    );
    this.#maskedSlots = maskedSlots;
    this.#now = ports.now;
    this.#onExchange = ports.onExchange;
    this.#maxExchanges = ports.maxExchanges ?? MAX_EXCHANGES;
  }

  /** Called when a request has been sent or is waiting for its connection to open. */
  onRequest(client: Client, exchange: Exchange, request: Buffer | string, at: number): void {
    if (this.#recordingCount++ >= this.#maxExchanges) return;
    for (const slot of this.#maskedSlots) {
      const value = client.values[slot];
      if (value === undefined || value.length < MIN_MASKED_LENGTH) continue;
      this.#mask.add(asText(value));
      this.#mask.add(value);
    }
    this.#recordings.set(exchange, {
      target: client.requestIndex,
      origin: originOf(client.resolvedTarget?.parts ?? this.#targetOf(client.requestIndex)),
      hop: client.hop !== null,
      request: typeof request === 'string' ? request : request.toString('latin1'),
      beganAt: at,
      dialledAt: at,
      connectedAt: null,
      sentAt: exchange.phase === SENT ? at : null,
      resent: false,
      firstByteAt: null,
      response: '',
    });
  }

  onConnected(exchange: Exchange): void {
    const recording = this.#recordings.get(exchange);
    if (recording !== undefined) recording.connectedAt = this.#now();
  }

  onSent(exchange: Exchange, at: number): void {
    const recording = this.#recordings.get(exchange);
    if (recording !== undefined) recording.sentAt = at;
  }

  /** Called when a request is sent again on a new connection, whose events follow. */
  onResent(exchange: Exchange, at: number): void {
    const recording = this.#recordings.get(exchange);
    if (recording === undefined) return;
    recording.resent = true;
    recording.sentAt = null;
    recording.dialledAt = at;
  }

  onBytes(exchange: Exchange, buffer: Buffer, length: number): void {
    const recording = this.#recordings.get(exchange);
    if (recording === undefined) return;
    recording.firstByteAt ??= this.#now();
    const room = MAX_TRACED_HEADER_BYTES - recording.response.length;
    if (room > 0) recording.response += buffer.toString('latin1', 0, Math.min(length, room));
  }

  /** @param pick - The random number of the response: see `ValueExtractor.extract`. */
  onResponse(exchange: Exchange, at: number, outcome: TracedOutcome, pick: number): void {
    this.#end(exchange, null, at, { outcome, pick });
  }

  /** @param error - Error code, such as `ECONNRESET`, `timeout` or `abandoned`. */
  onFailure(exchange: Exchange, error: string, at: number): void {
    this.#end(exchange, error, at);
  }

  /** @param error - Reason why the request was not sent, such as `undefined_variable`. */
  onUnsent(target: number, error: string): void {
    if (this.#recordingCount++ >= this.#maxExchanges) return;
    const { url, method } = this.#targetOf(target);
    this.#onExchange({
      target,
      url: this.#mask.apply(removeUserInfo(url)),
      method,
      redirected: false,
      resent: false,
      requestHeader: '',
      requestBody: '',
      status: null,
      responseHeader: '',
      responseBody: '',
      bytes: 0,
      error,
      success: false,
      unexpected: null,
      ms: { connect: null, tls: null, wait: null, total: 0 },
      variables: {},
    });
  }

  #end(
    exchange: Exchange,
    error: string | null,
    at: number,
    { outcome, pick }: { readonly outcome: TracedOutcome; readonly pick: number } = NO_RESPONSE,
  ): void {
    const recording = this.#recordings.get(exchange);
    if (recording === undefined) return;
    this.#recordings.delete(exchange);
    const { target, origin, hop: redirected, resent, request } = recording;
    const end = request.indexOf('\r\n\r\n');
    const variables = error === null ? this.#extractedVariables(target, exchange, pick) : [];
    for (const { name, value } of variables) {
      if (!this.#credentials.has(name)) continue;
      this.#mask.add(asText(value));
      // Also masks the raw bytes, because the bytes may not be valid UTF-8.
      this.#mask.add(value);
    }
    // Masks before truncation and decoding, because a truncated or decoded secret would not be recognized.
    const header = this.#mask.apply(removeCredentials(request.slice(0, end), this.#sources));
    const body = this.#mask.apply(request.slice(end + 4));
    const response = finalHeaderOf(recording.response);
    const [method = '', path = ''] = header.split(' ', 2);
    this.#onExchange({
      target,
      url: origin + path,
      method,
      redirected,
      resent,
      requestHeader: asText(header),
      requestBody: asText(body.slice(0, MAX_TRACED_BODY_BYTES)),
      status: error === null ? exchange.response.status : null,
      responseHeader: asText(
        this.#mask.apply(removeCredentials(response.text, this.#sources), !response.isComplete),
      ),
      responseBody: error === null ? this.#responseBodyOf(exchange, response.text) : '',
      bytes: exchange.receivedBytes,
      error,
      success: outcome === 'success',
      unexpected: typeof outcome === 'string' ? null : this.#describe(target, outcome),
      ms: this.#times(recording, at),
      variables: Object.fromEntries(
        variables.map(({ name, value }) => [
          name,
          this.#credentials.has(name) ? MASKED : asText(this.#mask.apply(value)),
        ]),
      ),
    });
  }

  /**
   * Returns the decoded body with secrets masked; empty if no body was buffered. Returns null if the body contains a
   * NUL byte, is too large, or cannot be decoded.
   */
  #responseBodyOf({ response: { body } }: Exchange, header: string): string | null {
    if (body === null) return '';
    if (body.isTooLarge) return null;
    const coding = /^content-encoding[^\S\r\n]*:(.*)$/im.exec(header)?.[1];
    const content = body.decode(coding);
    if (content === null || content.includes(0)) return null;
    const masked = removeJsonCredentials(this.#mask.apply(content.toString('latin1')), this.#sources);
    return asText(masked.slice(0, MAX_TRACED_RESPONSE_BYTES));
  }

  #describe(target: number, { fault, actual }: UnexpectedResponse): TracedExchange['unexpected'] {
    const subject = fault.slice(fault.indexOf(' ') + 1);
    const isSecret = lastSegmentNamesCredentials(subject) || this.#sources.has(subject.toLowerCase());
    const maskedActual =
      actual === null
        ? null
        : isSecret
          ? MASKED
          : asText(this.#mask.apply(actual).slice(0, MAX_ACTUAL_LENGTH));
    return { error: responseFaultText(fault, this.#targetOf(target).expect), actual: maskedActual };
  }

  #times(recording: Recording, at: number): TracedExchange['ms'] {
    const { beganAt, dialledAt, connectedAt, sentAt, firstByteAt } = recording;
    const { secure } = this.#targetOf(recording.target);
    return {
      connect: connectedAt === null ? null : roundMs(connectedAt - dialledAt),
      tls: !secure || connectedAt === null || sentAt === null ? null : roundMs(sentAt - connectedAt),
      wait: firstByteAt === null || sentAt === null ? null : roundMs(firstByteAt - sentAt),
      total: roundMs(at - beganAt),
    };
  }

  #extractedVariables(target: number, exchange: Exchange, pick: number): readonly ExtractedVariable[] {
    const extractor = this.#extractors[target];
    return this.#targetOf(target).variables.flatMap(({ name }, index) => {
      const value = extractor?.extract(exchange.response, index, pick);
      return value === undefined ? [] : [{ name, value: textOfExtracted(value) }];
    });
  }

  #targetOf(index: number): LoadJob['targets'][number] {
    const target = this.#job.targets[index];
    if (target === undefined) throw new Error('Bug: the target of an exchange does not exist');
    return target;
  }
}

const NO_RESPONSE = { outcome: FAILED, pick: 0 } as const;

const MASKED = '***';

/** Returns a list with the header or JSON Pointer, in lower case, that a variable is extracted from; otherwise `[]`. */
function sourceOf(variable: JobVariable): readonly string[] {
  if ('header' in variable) return [variable.header.toLowerCase()];
  return 'json' in variable ? [variable.json.toLowerCase()] : [];
}

interface ExtractedVariable {
  readonly name: string;
  /** Bytes as latin1 characters. */
  readonly value: string;
}

/** Minimum length of a masked part. Shorter parts reveal little of a secret and occur in too many strings. */
const MIN_SECRET_PART_LENGTH = 3;

/** Returns a secret and its constant parts, which remain when its expressions and variables are replaced. */
function listSecretParts(secret: string): readonly string[] {
  const parts = secret.split(/%\{[^}]*\}|\{\{[^}]*\}\}/);
  return [secret, ...parts.filter((part) => part.length >= MIN_SECRET_PART_LENGTH)];
}

/** Minimum length of a value that is masked because of its name or origin. Shorter values often match other text. */
const MIN_MASKED_LENGTH = 4;

function findCredentialConstants({ targets }: LoadJob): readonly string[] {
  return targets
    .flatMap(({ body }) => textsOfBody(body))
    .filter(({ name, value }) => name !== null && isCredentialName(name) && value.length >= MIN_MASKED_LENGTH)
    .flatMap(({ value }) => (compileTemplate(value).names.length === 0 ? [value] : []));
}

/** Returns the names of variables that are extracted from credentials or sent in credential headers or body fields. */
function findCredentialVariables({ targets }: LoadJob): ReadonlySet<string> {
  const credentialVariables = targets.flatMap(({ variables }) => variables).filter(carriesCredentials);
  const sentNames = targets
    .flatMap(({ headers, body }) => [...headers, ...textsOfBody(body)])
    .filter(({ name }) => name !== null && isCredentialName(name))
    .flatMap(({ value }) => compileTemplate(value).names);
  return new Set([...credentialVariables.map(({ name }) => name), ...sentNames]);
}

function carriesCredentials(variable: JobVariable): boolean {
  if ('status' in variable) return false;
  if ('header' in variable) return isCredentialName(variable.header);
  if ('pattern' in variable) return isCredentialName(variable.pattern);
  return 'cookie' in variable || lastSegmentNamesCredentials(variable.json);
}

function lastSegmentNamesCredentials(path: string): boolean {
  return isCredentialName(path.slice(path.lastIndexOf('/') + 1));
}

/**
 * Masks the values of headers that carry credentials. In a `Set-Cookie` header, the cookie name and the attributes
 * remain.
 * @param extraNames - Additional header names, in lower case.
 */
function removeCredentials(header: string, extraNames: ReadonlySet<string>): string {
  return header.replaceAll(
    /^([^\s:]+)([^\S\r\n]*:)(.*(?:\r?\n[ \t].*)*)$/gm,
    (line, name: string, colon: string, value: string) => {
      if (!isCredentialName(name) && !extraNames.has(name.toLowerCase())) return line;
      if (name.toLowerCase() !== 'set-cookie') return `${name}${colon} ${MASKED}`;
      return `${name}${colon}${value.replace(/^([^=;]*=)[^;]*/, `$1${MASKED}`)}`;
    },
  );
}

/**
 * Masks the string and number values of JSON members whose names indicate credentials or equal the last segment of a
 * pointer in `sources`.
 */
function removeJsonCredentials(body: string, sources: ReadonlySet<string>): string {
  const names = new Set([...sources].map((source) => source.slice(source.lastIndexOf('/') + 1)));
  return body.replaceAll(
    /"((?:[^"\\]|\\.)*)"(\s*:\s*)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/g,
    (member, name: string, colon: string) =>
      isCredentialName(name) || names.has(name.toLowerCase()) ? `"${name}"${colon}"${MASKED}"` : member,
  );
}

function finalHeaderOf(response: string): { readonly text: string; readonly isComplete: boolean } {
  let from = 0;
  for (;;) {
    const end = response.indexOf('\r\n\r\n', from);
    if (end < 0) return { text: response.slice(from), isComplete: false };
    if (!/^HTTP\/\d\.\d 1\d\d/.test(response.slice(from, from + 12)))
      return { text: response.slice(from, end), isComplete: true };
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
