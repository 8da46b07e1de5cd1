/**
 * Exchange: one request and its response, in any protocol. The load loop knows exchanges only; the connection
 * of a protocol implements them.
 */
import type { BufferedBody } from './buffered-body.ts';
import type { HeaderCache } from './header-cache.ts';

/** Phases of an exchange. */
export const ENDED = 0;
/** TCP is being connected. */
export const CONNECTING = 1;
/** The TLS handshake is in progress. */
export const SECURING = 2;
/** The request was sent. */
export const SENT = 3;

/** Phases of opening a connection. */
export type OpeningPhase = typeof CONNECTING | typeof SECURING;
export type Phase = typeof ENDED | OpeningPhase | typeof SENT;

export interface Exchange {
  readonly phase: Phase;
  /** Start of the phase; when the request was sent, for the first time if it was sent again. */
  readonly since: number;
  /** Valid until `release`, once the response is complete. */
  readonly response: ReceivedResponse;
  /** Application bytes received since the request was last sent. */
  readonly receivedBytes: number;
  /** True if the request was sent before, on a connection that was closing. */
  readonly wasResent: boolean;
  /** Returns the number of bytes of the request that have not left this process. */
  countUnsentBytes(): number;
  /**
   * Sends the request again on a new connection, after the failure CLOSED_BEFORE_RESPONSE.
   * @returns The number of bytes of the request.
   */
  resend(): number;
  /** Ends the exchange without further events. Its connection is closed if the protocol requires it. */
  abort(): void;
  /** Releases the response. */
  release(): void;
}

/** Response of an exchange. */
export interface ReceivedResponse {
  readonly status: number;
  /** True if `location` or `setCookies` is set. */
  readonly hasCookiesOrRedirect: boolean;
  /** Location of a redirect; null if there is none, empty if there are several. */
  readonly location: string | null;
  /** Values of `Set-Cookie`, if captured or part of a redirect; null if there are none. */
  readonly setCookies: readonly string[] | null;
  /** Values of the captured headers, in the order of their names, as latin1 characters. */
  readonly captured: readonly (string | undefined)[];
  /** Null if the body is not inspected. */
  readonly body: BufferedBody | null;
}

/** Parts of a response that are read. */
export interface ExpectedResponse {
  /** Names of the headers to capture, in lower case. */
  readonly headerNames: readonly Buffer[];
  readonly capturesCookies: boolean;
  /** True if the response ends after its header. */
  readonly headersOnly: boolean;
  /** True if the request has no body, so that no part of it is in transit when the response arrives. */
  readonly bodyless: boolean;
  readonly headerCache: HeaderCache | null;
  /** True if the body of the response is inspected. */
  readonly buffersBody: boolean;
}

export interface ExchangeFailure {
  readonly kind: 'network' | 'protocol';
  /** Error code of the system or of TLS, or the fault of the response. */
  readonly code: string;
}

/**
 * The peer closed a used connection before it sent any byte of the response: the connection was already
 * closing when the request was sent. The target is not at fault. Compared by identity.
 * @see RFC 9112, section 9.3.1
 */
export const CLOSED_BEFORE_RESPONSE: ExchangeFailure = { kind: 'network', code: 'closed_before_answer' };

/** Receiver of the events of exchanges. Each exchange ends with one call of `onResponse` or `onFailure`. */
export interface ExchangeListener {
  /** Number of the client, which selects the address of a new connection. */
  readonly number: number;
  /** A phase of opening the connection is complete. `elapsed` is its duration in ms. */
  onOpened(phase: OpeningPhase, elapsed: number): void;
  /** The response is complete. */
  onResponse(exchange: Exchange, at: number): void;
  /** There will be no response. The exchange is still in the phase in which it failed. */
  onFailure(exchange: Exchange, failure: ExchangeFailure): void;
}

/** Observer of all exchanges. */
export interface ExchangeObserver {
  onConnected(exchange: Exchange): void;
  /** The first request of a connection is about to be sent. */
  onSent(exchange: Exchange, at: number): void;
  /** Bytes were received that are not yet parsed. */
  onBytes(exchange: Exchange, buffer: Buffer, length: number): void;
}

/** Connection to a destination. It does not schedule or count anything. */
export interface Connection {
  /**
   * Begins an exchange. A connection that is not open is opened first.
   * @param request - The rendered request; a string represents bytes as latin1 characters.
   */
  begin(
    listener: ExchangeListener,
    request: Buffer | string,
    expected: ExpectedResponse,
    at: number,
  ): Exchange;
  /** Closes the connection; exchanges in flight have no further events. */
  close(): void;
}
