/**
 * One exchange with the service, over undici. Knows nothing of what is asked or answered.
 *
 * Nothing of undici leaves this file: its errors may hold the request, and the request holds the key.
 */
import { Client, Pool, buildConnector, type Dispatcher } from 'undici';
import type { Secret } from '../core/model/secret.ts';
import type { Milliseconds } from '../core/units.ts';
import { ReceivedBody, type Body } from './received-body.ts';

export interface TransportOptions {
  readonly baseUrl: URL;
  readonly authHeader: string;
  readonly key: Secret;
  /** One exchange in all: name, connection, request and the whole answer. */
  readonly requestTimeout: Milliseconds;
  readonly version: string;
  readonly signal: AbortSignal | null;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Begins with `/`; ids in it are checked. */
  readonly path: string;
  readonly body: { readonly type: string; readonly text: string | Uint8Array } | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Longest answer that is read, in bytes. */
  readonly maxBytes: number;
}

interface ResponseHeader {
  readonly status: number;
  /** Lower-case names; the first value of each. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface ServiceResponse extends ResponseHeader {
  readonly kind: 'answer';
  readonly body: Body;
}

export interface NoResponse {
  readonly kind: 'none';
  /** `never`: no byte of the request left. `perhaps`: anything else. */
  readonly sent: 'never' | 'perhaps';
  /** `passing`: another try may do. `lasting`: it will not. `interrupted`: our own signal. */
  readonly cause: 'passing' | 'lasting' | 'interrupted';
  /** Goes after "the service at …". */
  readonly reason: string;
  readonly hint: string | null;
}

/** Something came that is not HTTP, or not HTTP that may be read. */
export interface MalformedResponse {
  readonly kind: 'garbled';
  /** What it began with, as it came; empty where that is not known. It may echo the request. */
  readonly received: string;
  /** The reader's own word for it; null where it has none. */
  readonly code: string | null;
}

export type ExchangeOutcome = ServiceResponse | NoResponse | MalformedResponse;

export interface Transport {
  /** Over a connection that may serve further reads. */
  read(request: OutgoingRequest): Promise<ExchangeOutcome>;
  /**
   * Over a connection of its own, opened for it and closed after it: so a connection that the service closed
   * meanwhile can never make it doubtful whether the request was carried out.
   */
  write(request: OutgoingRequest): Promise<ExchangeOutcome>;
  /** The texts that no message may hold. */
  secrets(): readonly string[];
  close(): Promise<void>;
}

const CONNECT_TIMEOUT = 10_000;

// undici's own timers measure standstill only; one timer over the whole exchange stands in for them.
const NO_TIMERS = { headersTimeout: 0, bodyTimeout: 0 } as const;

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl } = options;
  const closed = new AbortController();
  const signals = options.signal === null ? [closed.signal] : [closed.signal, options.signal];
  const dial = buildConnector({
    timeout: Math.min(CONNECT_TIMEOUT, options.requestTimeout),
    // Node's 250 ms per address gives up on far hosts that have several.
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
    surelyUnsent: (error: unknown) => boolean,
  ): Promise<ExchangeOutcome> {
    if (signals.some((signal) => signal.aborted)) {
      return {
        kind: 'none',
        sent: 'never',
        cause: 'interrupted',
        reason: 'was not asked again',
        hint: null,
      };
    }
    const stop = new AbortController();
    let stoppedBy: 'deadline' | 'signal' | null = null;
    const onSignal = () => {
      stoppedBy ??= 'signal';
      stop.abort();
    };
    const timer = setTimeout(() => {
      stoppedBy ??= 'deadline';
      stop.abort();
    }, options.requestTimeout);
    for (const signal of signals) signal.addEventListener('abort', onSignal, { once: true });
    const sending: Dispatcher.DispatchOptions = {
      method: request.method,
      path: baseUrl.pathname.replace(/\/+$/, '') + request.path,
      headers: {
        ...request.headers,
        ...(request.body === null ? {} : { 'content-type': request.body.type }),
        accept: 'application/json',
        // A compressed answer could be a thousand times longer than what came over the wire.
        'accept-encoding': 'identity',
        'user-agent': `loadtests/${options.version}`,
        [options.authHeader]: options.key.reveal(),
      },
      body: request.body?.text ?? null,
      reset: request.method !== 'GET',
    };
    // Read through a function, since the assignments happen in callbacks that the compiler does not follow.
    const stopped = () => stoppedBy;
    const received = await receive(dispatcher, sending, { cap: request.maxBytes, stop: stop.signal });
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', onSignal);
    const { header } = received;
    if (received.body !== null) return { kind: 'answer', ...received.header, body: received.body };
    const { error } = received;
    const by = stopped();
    if (header !== null && by !== 'signal') {
      const reason =
        by === 'deadline'
          ? `was not complete after ${options.requestTimeout / 1000} s`
          : `was cut off (${errorCodeOf(error)})`;
      return { kind: 'answer', ...header, body: { kind: 'cut', reason } };
    }
    const garbled = by === null ? readMalformed(error) : null;
    if (garbled !== null) return garbled;
    const sent = surelyUnsent(error) ? 'never' : 'perhaps';
    if (by === 'signal') {
      return { kind: 'none', sent, cause: 'interrupted', reason: 'was not waited for', hint: null };
    }
    if (by === 'deadline') {
      const reason = `did not respond within ${options.requestTimeout / 1000} s`;
      return { kind: 'none', sent, cause: 'passing', reason, hint: null };
    }
    return { kind: 'none', sent, ...explainFailure(error, connectErrors) };
  }

  return {
    read: (request) => exchange(request, pool, (error) => error instanceof Error && connectErrors.has(error)),

    async write(request) {
      let dialled = false;
      let connected = false;
      const client = new Client(baseUrl.origin, {
        ...NO_TIMERS,
        pipelining: 0,
        connect: (where, callback) => {
          // undici connects again by itself when a connection breaks early; a write gets one only.
          if (dialled) {
            callback(new Error('one connection only'), null);
            return;
          }
          dialled = true;
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

/** A whole answer, or why there is none; `head`: as far as it came. */
type ReceivedResponse =
  | { readonly header: ResponseHeader; readonly body: Body }
  | { readonly header: ResponseHeader | null; readonly body: null; readonly error: Error };

/**
 * Sends a request and collects its answer. By undici's callbacks: its streams would take a quarter of the time in
 * which a long list comes.
 *
 * @param cap longest answer that is read, in bytes
 * @param stop ends the exchange, as soon as there is a connection to end
 */
async function receive(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { cap, stop }: { readonly cap: number; readonly stop: AbortSignal },
): Promise<ReceivedResponse> {
  let header: ResponseHeader | null = null;
  let body: ReceivedBody | null = null;
  let connection: Dispatcher.DispatchController | null = null;
  const leave = () => connection?.abort(new Error('The exchange was left'));
  stop.addEventListener('abort', leave);
  const received = await new Promise<ReceivedResponse>((resolve) => {
    dispatcher.dispatch(request, {
      onRequestStart: (controller) => {
        connection = controller;
        if (stop.aborted) leave();
      },
      onResponseStart: (_, status, fields) => {
        if (status < 200) return;
        header = { status, headers: headersOf(fields) };
        body = new ReceivedBody(header.headers, cap);
        if (body.refused) leave();
      },
      onResponseData: (_, chunk) => {
        body?.add(chunk);
        if (body?.refused === true) leave();
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
  stop.removeEventListener('abort', leave);
  return received;
}

/** The code of a transport's error. Nothing else of it is looked at, but for what a service sent instead of HTTP. */
function errorCodeOf(error: unknown): string {
  return knownCode(error) ?? 'unknown cause';
}

function knownCode(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : null;
}

/** Null: it failed otherwise. */
function readMalformed(error: unknown): MalformedResponse | null {
  const code = knownCode(error);
  const parsing = error instanceof Error && error.name === 'HTTPParserError';
  if (!parsing && !/^HPE_|HEADERS_OVERFLOW|CONTENT_LENGTH/.test(code ?? '')) return null;
  const received = parsing && 'data' in error && typeof error.data === 'string' ? error.data : '';
  return { kind: 'garbled', received, code };
}

function explainFailure(
  error: unknown,
  connectErrors: WeakSet<Error>,
): Pick<NoResponse, 'cause' | 'reason' | 'hint'> {
  const code = errorCodeOf(error);
  const connecting = error instanceof Error && connectErrors.has(error);
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
        hint: `the clock of this machine shows ${new Date().toISOString()}`,
      };
    default:
      break;
  }
  if (!connecting) return { cause: 'passing', reason: `closed the connection (${code})`, hint: null };
  if (/CERT|SIGNATURE|ISSUER|SIGNED|CRL|_CA$/.test(code)) {
    return {
      cause: 'lasting',
      reason: `has a certificate that is not trusted (${code})`,
      hint: 'NODE_EXTRA_CA_CERTS=FILE adds a certificate authority',
    };
  }
  if (/SSL|TLS|EPROTO/.test(code)) {
    return { cause: 'lasting', reason: `failed the TLS handshake (${code})`, hint: null };
  }
  return { cause: 'passing', reason: `is unreachable (${code})`, hint: null };
}
