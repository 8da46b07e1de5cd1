/** Connection of a client: one socket, one request at a time. It does not schedule or count anything. */
import type { Clock } from './clock.ts';
import type { HeaderCache } from './header-cache.ts';
import type { BufferedBody } from './buffered-body.ts';
import { DONE, MORE, ResponseParser } from './response-parser.ts';
import {
  ReusableSocket,
  type DestinationPool,
  type CloseMode,
  type SocketListener,
} from './reusable-socket.ts';

/** Phases of a connection. */
export const CLOSED = 0;
export const CONNECTING = 1;
export const SECURING = 2;
export const IDLE = 3;
export const BUSY = 4;

export type Phase = typeof CLOSED | typeof CONNECTING | typeof SECURING | typeof IDLE | typeof BUSY;

/** Phases of opening a connection. */
export type OpeningPhase = typeof CONNECTING | typeof SECURING;

/**
 * Receiver of a connection's events. Each request passed to `open` or `send` ends with exactly one call of
 * `onResponse` or `onFailure`.
 */
export interface ConnectionListener {
  /** The response is complete; `connection.parser` holds it until the next request. */
  onResponse(connection: Connection, at: number): void;
  /** There will be no response. `phase` is the phase of the connection at that time. */
  onFailure(connection: Connection, phase: Phase, failure: ConnectionFailure): void;
  /**
   * A phase is complete. `elapsed` is its duration in ms: of the TCP connection, or of the TLS handshake
   * after it.
   */
  onOpened(connection: Connection, phase: OpeningPhase, elapsed: number): void;
  /** The socket was opened or closed. */
  onSocketChange(change: 1 | -1): void;
}

export interface ConnectionFailure {
  readonly kind: 'network' | 'protocol';
  /** Error code of the system or of TLS, or the fault of the parser. */
  readonly code: string;
}

/** Resources that the connections of a thread share. */
export interface ConnectionContext {
  /** Read buffer of all sockets; its bytes are consumed within the callback. */
  readonly buffer: Buffer;
  readonly now: Clock;
  /** Reports whether the lease has expired, so that nothing more may be sent; null without a lease. */
  readonly isLeaseExpired: (() => boolean) | null;
  /** Observer of all connections; null if there is none. */
  readonly observer: ConnectionObserver | null;
  /** Creates the body buffer of a connection whose responses are inspected. */
  readonly createBody: () => BufferedBody;
}

/** Parts of the response that are read; see `ResponseParser.begin`. */
export interface ExpectedResponse {
  readonly headerNames: readonly Buffer[];
  readonly capturesCookies: boolean;
  readonly headersOnly: boolean;
  /** True if the request has no body, so that no part of it is in transit when the response arrives. */
  readonly bodyless: boolean;
  readonly headerCache: HeaderCache | null;
  /** True if the body of the response is inspected. */
  readonly buffersBody: boolean;
}

/** Observer of connections. */
export interface ConnectionObserver {
  onConnected(connection: Connection): void;
  /** The first request of a connection is about to be sent. */
  onSent(connection: Connection, at: number): void;
  /** Bytes were received that are not yet parsed. */
  onBytes(connection: Connection, buffer: Buffer, length: number): void;
}

/** The peer closed the connection before it sent a response. */
const CLOSED_EARLY = { kind: 'network', code: 'closed' } as const;

/**
 * The same on a connection that has carried a response before: it was already closing when the request was
 * sent. The target is not at fault. Compared by identity.
 * @see RFC 9112, section 9.3.1
 */
export const CLOSED_BEFORE_RESPONSE: ConnectionFailure = { kind: 'network', code: 'closed_before_answer' };

/** Codes for a connection that the peer has closed. */
const CLOSE_CODES: ReadonlySet<string> = new Set(['closed', 'ECONNRESET', 'EPIPE']);

export class Connection implements SocketListener {
  phase: Phase = CLOSED;
  /** Start of this phase. While busy: when the request was sent, for the first time if it was sent again. */
  since = 0;
  /** Application bytes received since this was last set to 0. */
  receivedBytes = 0;
  readonly parser = new ResponseParser();
  readonly #context: ConnectionContext;
  readonly #listener: ConnectionListener;
  #socket: ReusableSocket | null = null;
  /** Request to send when the connection is established. */
  #pending: Buffer | string | null = null;
  /** When the pending request was first sent, on a connection that was closing; null if it was not. */
  #firstSent: number | null = null;
  /** Latest request on this connection; null if it was the first one. */
  #lastRequest: Buffer | string | null = null;
  /** Body buffer, created when it is first needed. */
  #body: BufferedBody | null = null;
  /** True if the socket may still hold a part of the request when the response arrives. */
  #mayRespondEarly = false;
  #bodyless = false;

  constructor(context: ConnectionContext, listener: ConnectionListener) {
    this.#context = context;
    this.#listener = listener;
  }

  /** Sets which parts of the next response are read. */
  expect(response: ExpectedResponse, mayRespondEarly: boolean): void {
    this.parser.begin(
      response.headerNames,
      response.capturesCookies,
      response.headerCache,
      response.headersOnly,
    );
    this.releaseBody();
    if (response.buffersBody) this.parser.body = this.#body ??= this.#context.createBody();
    this.#mayRespondEarly = mayRespondEarly;
    this.#bodyless = response.bodyless;
  }

  /**
   * Opens the connection and sends a request. `firstSent` is the time when the request was sent before; null
   * if it was not.
   */
  open(
    pool: DestinationPool,
    addressIndex: number,
    request: Buffer | string,
    firstSent: number | null,
  ): void {
    this.phase = CONNECTING;
    this.since = this.#context.now();
    this.#pending = request;
    this.#firstSent = firstSent;
    this.#lastRequest = null;
    this.#socket = pool.spare.pop() ?? new ReusableSocket(pool, this.#context.buffer);
    this.#socket.open(this, addressIndex);
    this.#listener.onSocketChange(1);
  }

  /** Sends a request on an idle connection. */
  send(request: Buffer | string, at: number): void {
    this.phase = BUSY;
    this.since = at;
    this.#lastRequest = request;
    this.#socket?.socket?.write(request);
  }

  /**
   * Request that a connection was closed before.
   * @throws An error if the connection did not fail that way.
   */
  get lastRequest(): Buffer | string {
    if (this.#lastRequest === null) throw new Error('Bug: only a request on a used connection is sent again');
    return this.#lastRequest;
  }

  /** Reports whether the request in flight was sent before, on a connection that was closing. */
  get wasResent(): boolean {
    return this.#firstSent !== null;
  }

  /** Releases the body of the latest response. */
  releaseBody(): void {
    this.#body?.release();
  }

  /** Returns the number of bytes that were passed to the socket but have not left this process. */
  countUnsentBytes(): number {
    return this.#pending?.length ?? this.#socket?.socket?.writableLength ?? 0;
  }

  /** Closes the connection immediately; the request in flight has no further events. */
  close(mode: CloseMode = 'close'): void {
    if (this.#socket === null) return;
    const socket = this.#socket;
    this.#socket = null;
    // The body of a complete response is still needed.
    if (this.phase === BUSY) this.releaseBody();
    this.phase = CLOSED;
    this.#pending = null;
    socket.close(mode);
    this.#listener.onSocketChange(-1);
  }

  onConnected(secure: boolean): void {
    const context = this.#context;
    const at = context.now();
    context.observer?.onConnected(this);
    this.#listener.onOpened(this, CONNECTING, at - this.since);
    if (secure) {
      this.phase = SECURING;
      this.since = at;
    } else {
      this.#sendPending(at);
    }
  }

  onSecured(): void {
    const at = this.#context.now();
    this.#listener.onOpened(this, SECURING, at - this.since);
    this.#sendPending(at);
  }

  #sendPending(at: number): void {
    // If the lease has expired, the load loop closes the connection soon.
    if (this.#pending === null || this.#context.isLeaseExpired?.() === true) return;
    const request = this.#pending;
    this.#pending = null;
    this.phase = BUSY;
    this.#context.observer?.onSent(this, at);
    this.since = this.#firstSent ?? at;
    this.#socket?.socket?.write(request);
  }

  onBytes(buffer: Buffer, length: number): boolean {
    this.#context.observer?.onBytes(this, buffer, length);
    this.receivedBytes += length;
    // Unsolicited bytes must not become the response to the next request.
    if (this.phase !== BUSY) {
      if (this.phase === IDLE) this.close();
      return false;
    }
    const outcome = this.parser.feed(buffer, length);
    if (outcome === MORE) return this.parser.endsByClose;
    // If the target announced that it closes, a reset is sufficient and frees the local port immediately.
    if (outcome === DONE) this.#complete(this.#bodyless ? 'reset' : 'close');
    else this.#fail({ kind: 'protocol', code: this.parser.fault });
    return false;
  }

  /** @param mode - How the connection is closed if the target closes after this response. */
  #complete(mode: CloseMode): void {
    const at = this.#context.now();
    this.phase = IDLE;
    if (this.parser.mustClose) this.close(mode);
    else if (this.#mayRespondEarly && this.countUnsentBytes() > 0) this.close();
    this.#listener.onResponse(this, at);
  }

  onEnd(isClean: boolean): void {
    if (this.phase === IDLE) {
      this.close();
    } else if (this.phase === BUSY && this.parser.finish(isClean) === DONE) {
      this.#complete('close');
    } else {
      this.#fail(this.parser.hasBegun ? { kind: 'protocol', code: this.parser.fault } : CLOSED_EARLY);
    }
  }

  onError(code: string): void {
    this.#fail({ kind: 'network', code });
  }

  onClosed(): void {
    this.#fail(CLOSED_EARLY);
  }

  #fail(failure: ConnectionFailure): void {
    const { phase } = this;
    if (phase === IDLE) {
      this.close();
      return;
    }
    const hadNoResponse = phase === BUSY && this.#lastRequest !== null && !this.parser.hasBegun;
    this.#listener.onFailure(
      this,
      phase,
      hadNoResponse && CLOSE_CODES.has(failure.code) ? CLOSED_BEFORE_RESPONSE : failure,
    );
  }
}
