/** Exchange of one request and its response, as an interface between the load loop and the connections. */
import type { BufferedBody } from './buffered-body.ts';
import type { HeaderCache } from './header-cache.ts';

export const ENDED = 0;
/** The TCP connection is being opened. */
export const CONNECTING = 1;
/** The TLS handshake is in progress. */
export const SECURING = 2;
export const SENT = 3;

export type OpeningPhase = typeof CONNECTING | typeof SECURING;
export type Phase = typeof ENDED | OpeningPhase | typeof SENT;

export interface Exchange {
  readonly phase: Phase;
  /** Start of the phase. In phase SENT, the time at which the request was first sent. */
  readonly since: number;
  /** The response, valid from its completion until `release`. */
  readonly response: ReceivedResponse;
  /** Application bytes received since the request was last sent. */
  readonly receivedBytes: number;
  /** True if the request was sent earlier on a connection that was closing. */
  readonly wasResent: boolean;
  /** Returns the number of request bytes that have not left this process. */
  countUnsentBytes(): number;
  /**
   * Sends the request again on a new connection after the failure CLOSED_BEFORE_RESPONSE. Returns the size of the
   * request in bytes.
   */
  resend(): number;
  /** Counts the exchange as failed for the address of the connection. */
  recordFailure(): void;
  /** Ends the exchange without further events. The connection is closed if the protocol requires that. */
  abort(): void;
  /** The response must not be used after this call. */
  release(): void;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly hasRetryAfter: boolean;
  readonly hasCookiesOrRedirect: boolean;
  /**
   * Location of a redirect; null if the response is not a redirect or has no Location, empty if the response has
   * several.
   */
  readonly location: string | null;
  /** `Set-Cookie` values of a redirect, or of any response if cookies are captured; null if there are none. */
  readonly setCookies: readonly string[] | null;
  /** Values of the captured headers as latin1 characters, in the order of `headerNames`; undefined if missing. */
  readonly captured: readonly (string | undefined)[];
  /** The body; null if it is not inspected. */
  readonly body: BufferedBody | null;
}

/** Specifies which parts of a response are read, and where the response ends. */
export interface ExpectedResponse {
  /** Names of the headers to capture, in lower case. */
  readonly headerNames: readonly Buffer[];
  readonly capturesCookies: boolean;
  readonly headersOnly: boolean;
  readonly bodyless: boolean;
  readonly headerCache: HeaderCache | null;
  readonly buffersBody: boolean;
  /** True if the connection closes after the response, even if the target would keep it open. */
  readonly closes: boolean;
}

export interface ExchangeFailure {
  readonly kind: 'network' | 'protocol';
  /** Error code of the operating system or of TLS, or a fault of the response. */
  readonly code: string;
}

/**
 * Failure of a request on a reused connection that the peer closed before sending any byte of the response. The
 * connection was probably already closing when the request was sent, so the request may be sent again. Compare this
 * value by identity.
 * @see RFC 9112, section 9.3.1
 */
export const CLOSED_BEFORE_RESPONSE: ExchangeFailure = { kind: 'network', code: 'closed_before_answer' };

/** Each exchange that is not aborted ends with one call to `onResponse` or `onFailure`. */
export interface ExchangeListener {
  /** Number of the client, which selects the address of a new connection. */
  readonly number: number;
  /** Called when a phase of opening the connection is complete. `elapsed` is the duration of the phase in ms. */
  onOpened(phase: OpeningPhase, elapsed: number): void;
  onResponse(exchange: Exchange, at: number): void;
  /** Called when the exchange fails. `exchange.phase` is still the phase in which the failure occurred. */
  onFailure(exchange: Exchange, failure: ExchangeFailure): void;
}

export interface ExchangeObserver {
  onConnected(exchange: Exchange): void;
  /** Called just before the first request on a connection is sent. */
  onSent(exchange: Exchange, at: number): void;
  /** Called when bytes were received, before they are parsed. */
  onBytes(exchange: Exchange, buffer: Buffer, length: number): void;
}

export interface Connection {
  /**
   * A connection that is not open is opened first.
   * @param request - The rendered request. In a string, each latin1 character represents one byte.
   */
  begin(
    listener: ExchangeListener,
    request: Buffer | string,
    expected: ExpectedResponse,
    at: number,
  ): Exchange;
  /** Exchanges in flight emit no further events. */
  close(): void;
}
