/**
 * Sends requests to the service through undici and receives the responses.
 *
 * @remarks No undici object leaves this module, because undici errors may contain the request with the key.
 */
import { Client, Pool, buildConnector, type Dispatcher } from 'undici';
import type { Secret } from '../core/model/secret.ts';
import type { Milliseconds } from '../core/units.ts';
import { codeOf } from '../core/unknown-value.ts';
import { ReceivedBody, type Body } from './received-body.ts';

export interface TransportOptions {
  readonly baseUrl: URL;
  readonly authHeader: string;
  readonly key: Secret;
  /** Maximum time for a timed exchange: name resolution, connection, request and response. */
  readonly requestTimeout: Milliseconds;
  readonly version: string;
}

export interface RequestBody {
  readonly type: string;
  readonly text: string | Uint8Array;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path, which begins with `/`. The IDs in the path must be valid. */
  readonly path: string;
  readonly body: RequestBody | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum size of the response body in bytes. */
  readonly maxBytes: number;
  /** True to limit the exchange to `requestTimeout`. */
  readonly isTimed: boolean;
}

interface ResponseHeader {
  readonly status: number;
  /** First value of each header, by lowercase name. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface ServiceResponse extends ResponseHeader {
  readonly kind: 'response';
  readonly body: Body;
}

export interface NoResponse {
  readonly kind: 'none';
  /** `never` if no part of the request was sent; otherwise, `possibly`. */
  readonly sent: 'never' | 'possibly';
  /**
   * `passing`: another attempt may succeed. `lasting`: another attempt would fail in the same way. `interrupted`: this
   * process aborted the exchange.
   */
  readonly cause: 'passing' | 'lasting' | 'interrupted';
  /** Reason as a predicate that follows "the service at …". */
  readonly reason: string;
  readonly hint: string | null;
}

/** Received data that is not valid HTTP. */
export interface MalformedResponse {
  readonly kind: 'malformed';
  /** Beginning of the received data, which may contain the request; empty if the parser does not report the data. */
  readonly received: string;
  /** Error code of the HTTP parser; null if there is none. */
  readonly code: string | null;
}

export type ExchangeOutcome = ServiceResponse | NoResponse | MalformedResponse;

export interface Transport {
  /** Sends a request over a persistent connection. */
  read(request: OutgoingRequest): Promise<ExchangeOutcome>;
  /**
   * Sends a request over a new connection. A service may close a persistent connection while a request is being sent,
   * which would make the outcome unknown.
   */
  write(request: OutgoingRequest): Promise<ExchangeOutcome>;
  /** Returns the secrets that must not appear in messages. */
  secrets(): readonly string[];
  close(): Promise<void>;
}

const CONNECT_TIMEOUT = 10_000;

// A timer for the whole exchange replaces these timers of undici.
const NO_TIMERS = { headersTimeout: 0, bodyTimeout: 0 } as const;

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl } = options;
  const closed = new AbortController();
  const dial = buildConnector({
    timeout: Math.min(CONNECT_TIMEOUT, options.requestTimeout),
    // The default attempt timeout of Node.js is too short for distant hosts with several addresses.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
  });
  const connectErrors = new WeakSet<Error>();
  const pool = new Pool(baseUrl.origin, {
    ...NO_TIMERS,
    connections: 4,
    pipelining: 1,
    connect: (where, callback) => {
      dial(where, (...result) => {
        if (result[0] !== null) connectErrors.add(result[0]);
        callback(...result);
      });
    },
  });
  let closing: Promise<void> | null = null;

  async function exchange(
    request: OutgoingRequest,
    dispatcher: Dispatcher,
    isUnsent: (error: unknown) => boolean,
  ): Promise<ExchangeOutcome> {
    if (closed.signal.aborted) {
      return {
        kind: 'none',
        sent: 'never',
        cause: 'interrupted',
        reason: 'received no further request',
        hint: null,
      };
    }
    const stop = new AbortController();
    let stoppedBy: 'deadline' | 'close' | null = null;
    const onClose = () => {
      stoppedBy ??= 'close';
      stop.abort();
    };
    const onDeadline = () => {
      stoppedBy ??= 'deadline';
      stop.abort();
    };
    const timer = request.isTimed ? setTimeout(onDeadline, options.requestTimeout) : null;
    closed.signal.addEventListener('abort', onClose, { once: true });
    const dispatchOptions: Dispatcher.DispatchOptions = {
      method: request.method,
      path: baseUrl.pathname.replace(/\/+$/, '') + request.path,
      headers: {
        ...request.headers,
        ...(request.body === null ? {} : { 'content-type': request.body.type }),
        accept: 'application/json',
        // A compressed response could expand to a thousand times its size.
        'accept-encoding': 'identity',
        'user-agent': `loadtests/${options.version}`,
        [options.authHeader]: options.key.reveal(),
      },
      body: request.body?.text ?? null,
      reset: request.method !== 'GET',
    };
    // A function, because the compiler does not consider the assignments to `stoppedBy` in callbacks.
    const stopped = () => stoppedBy;
    const received = await receive(dispatcher, dispatchOptions, {
      maxBytes: request.maxBytes,
      stop: stop.signal,
    });
    if (timer !== null) clearTimeout(timer);
    closed.signal.removeEventListener('abort', onClose);
    const { header } = received;
    if (received.body !== null) return { kind: 'response', ...received.header, body: received.body };
    const { error } = received;
    const cause = stopped();
    if (header !== null && cause !== 'close') {
      const reason =
        cause === 'deadline'
          ? `was not complete after ${options.requestTimeout / 1000} s`
          : `was truncated (${errorCodeOf(error)})`;
      return { kind: 'response', ...header, body: { kind: 'truncated', reason } };
    }
    const malformed = cause === null ? readMalformed(error) : null;
    if (malformed !== null) return malformed;
    const sent = isUnsent(error) ? 'never' : 'possibly';
    if (cause === 'close') {
      return { kind: 'none', sent, cause: 'interrupted', reason: 'had not responded yet', hint: null };
    }
    if (cause === 'deadline') {
      const reason = `did not respond within ${options.requestTimeout / 1000} s`;
      return { kind: 'none', sent, cause: 'passing', reason, hint: null };
    }
    return { kind: 'none', sent, ...explainFailure(error, connectErrors) };
  }

  return {
    read: (request) => exchange(request, pool, (error) => error instanceof Error && connectErrors.has(error)),

    async write(request) {
      let hasDialed = false;
      let connected = false;
      const client = new Client(baseUrl.origin, {
        ...NO_TIMERS,
        pipelining: 0,
        connect: (where, callback) => {
          // undici reconnects if a connection breaks early, but a write must use only one connection.
          if (hasDialed) {
            callback(new Error('A write uses only one connection'), null);
            return;
          }
          hasDialed = true;
          dial(where, (...result) => {
            if (result[0] === null) connected = true;
            else connectErrors.add(result[0]);
            callback(...result);
          });
        },
      });
      try {
        return await exchange(request, client, () => !connected);
      } finally {
        await client.destroy();
      }
    },

    secrets: () => (options.key.present ? [options.key.reveal()] : []),

    close() {
      closed.abort();
      closing ??= pool.destroy();
      return closing;
    },
  };
}

function headersOf(headers: Readonly<Record<string, string | string[] | undefined>>): Map<string, string> {
  const result = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = typeof value === 'string' ? value : value?.[0];
    if (first !== undefined) result.set(name.toLowerCase(), first);
  }
  return result;
}

/** A complete response, or an error with the response headers if these were received. */
type ReceivedResponse =
  | { readonly header: ResponseHeader; readonly body: Body }
  | { readonly header: ResponseHeader | null; readonly body: null; readonly error: Error };

/**
 * Uses undici's callbacks, which are faster than undici's streams for long lists.
 * @param stop - Aborts the exchange. A request that waits for a connection is aborted when it starts.
 */
async function receive(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { maxBytes, stop }: { readonly maxBytes: number; readonly stop: AbortSignal },
): Promise<ReceivedResponse> {
  let header: ResponseHeader | null = null;
  let body: ReceivedBody | null = null;
  let connection: Dispatcher.DispatchController | null = null;
  const abort = () => connection?.abort(new Error('The exchange was aborted'));
  stop.addEventListener('abort', abort);
  const received = await new Promise<ReceivedResponse>((resolve) => {
    dispatcher.dispatch(request, {
      onRequestStart: (controller) => {
        connection = controller;
        if (stop.aborted) abort();
      },
      onResponseStart: (_, status, fields) => {
        if (status < 200) return;
        header = { status, headers: headersOf(fields) };
        body = new ReceivedBody(header.headers, maxBytes);
        if (body.refused) abort();
      },
      onResponseData: (_, chunk) => {
        body?.add(chunk);
        if (body?.refused === true) abort();
      },
      onResponseEnd: () => {
        if (header !== null && body !== null) resolve({ header, body: body.end() });
      },
      onResponseError: (_, error) => {
        const refused = body?.refused === true ? body.end() : null;
        resolve(
          header !== null && refused !== null ? { header, body: refused } : { header, body: null, error },
        );
      },
    });
  });
  stop.removeEventListener('abort', abort);
  return received;
}

function errorCodeOf(error: unknown): string {
  return knownCode(error) ?? 'unknown cause';
}

function knownCode(error: unknown): string | null {
  const code = codeOf(error);
  return code !== null && /^[A-Z0-9_]{1,60}$/.test(code) ? code : null;
}

/** Returns the malformed response that caused the error; null for any other error. */
function readMalformed(error: unknown): MalformedResponse | null {
  const code = knownCode(error);
  const isParserError = error instanceof Error && error.name === 'HTTPParserError';
  if (!isParserError && !/^HPE_|HEADERS_OVERFLOW|CONTENT_LENGTH/.test(code ?? '')) return null;
  const received = isParserError && 'data' in error && typeof error.data === 'string' ? error.data : '';
  return { kind: 'malformed', received, code };
}

function explainFailure(
  error: unknown,
  connectErrors: WeakSet<Error>,
): Pick<NoResponse, 'cause' | 'reason' | 'hint'> {
  const code = errorCodeOf(error);
  const isConnectError = error instanceof Error && connectErrors.has(error);
  switch (code) {
    case 'ENOTFOUND':
      return { cause: 'passing', reason: `is unreachable: host name not found (${code})`, hint: null };
    case 'EAI_AGAIN':
      return {
        cause: 'passing',
        reason: `is unreachable: the host name could not be resolved (${code})`,
        hint: null,
      };
    case 'ECONNREFUSED':
      return { cause: 'passing', reason: `refused the connection (${code})`, hint: null };
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return { cause: 'passing', reason: `did not accept a connection in time (${code})`, hint: null };
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return {
        cause: 'lasting',
        reason: `has a certificate that is expired or not yet valid (${code})`,
        hint: `check the clock of this machine; it shows ${new Date().toISOString()}`,
      };
    default:
      break;
  }
  if (!isConnectError) return { cause: 'passing', reason: `closed the connection (${code})`, hint: null };
  if (/CERT|SIGNATURE|ISSUER|SIGNED|CRL|_CA$/.test(code)) {
    return {
      cause: 'lasting',
      reason: `has a certificate that is not trusted (${code})`,
      hint: 'set NODE_EXTRA_CA_CERTS=FILE to add a certificate authority',
    };
  }
  if (/WRONG_VERSION_NUMBER|EPROTO|PACKET_LENGTH/.test(code)) {
    const hint = 'the port may accept only unencrypted HTTP; if it does, use an http:// URL for the service';
    return { cause: 'lasting', reason: `failed the TLS handshake (${code})`, hint };
  }
  if (/SSL|TLS/.test(code)) {
    return { cause: 'lasting', reason: `failed the TLS handshake (${code})`, hint: null };
  }
  return { cause: 'passing', reason: `is unreachable (${code})`, hint: null };
}
