/** HTTP/1.1 connection with one socket. The connection performs one exchange at a time. */
import { CLOSE_CODES } from '../core/load/uncertain-codes.ts';
import type { AddressCounter } from './address-counters.ts';
import type { BufferedBody } from './buffered-body.ts';
import type { Clock } from './clock.ts';
import {
  CLOSED_BEFORE_RESPONSE,
  CONNECTING,
  ENDED,
  SECURING,
  SENT,
  type Connection,
  type Exchange,
  type ExchangeFailure,
  type ExchangeListener,
  type ExchangeObserver,
  type ExpectedResponse,
  type Phase,
} from './exchange.ts';
import { DONE, MORE, ResponseParser } from './response-parser.ts';
import {
  ReusableSocket,
  type DestinationPool,
  type CloseMode,
  type SocketListener,
} from './reusable-socket.ts';

/** Resources that the connections of a thread share. */
export interface ConnectionContext {
  /** Read buffer that all sockets share. The bytes in the buffer are consumed within the read callback. */
  readonly buffer: Buffer;
  readonly now: Clock;
  /** Reports whether the lease has expired, so that nothing more may be sent; null without a lease. */
  readonly isLeaseExpired: (() => boolean) | null;
  readonly observer: ExchangeObserver | null;
  readonly createBody: () => BufferedBody;
  /** Called with 1 when a socket begins to open, and with −1 when it is closed. */
  readonly onSocketChange: (change: 1 | -1) => void;
}

/** Failure of a request whose connection was closed before the response was complete. */
const CLOSED_EARLY = { kind: 'network', code: 'closed' } as const;

/** Maximum size, in bytes, of a request that is assumed to fit into the socket buffers of the system. */
const MAX_UNBLOCKED_BYTES = 16 * 1024;

/** Connection that also represents its current exchange, so that no exchange is allocated per request. */
export class Http1Connection implements Connection, Exchange, SocketListener {
  /** Phase of the exchange; `ENDED` if the connection is idle or closed. */
  phase: Phase = ENDED;
  since = 0;
  receivedBytes = 0;
  readonly response = new ResponseParser();
  readonly #context: ConnectionContext;
  readonly #pool: DestinationPool;
  #listener: ExchangeListener | null = null;
  #expected: ExpectedResponse | null = null;
  /** Socket of the connection; null if the connection is closed. */
  #socket: ReusableSocket | null = null;
  /** Request to send when the connection is established; null if there is none. */
  #pending: Buffer | string | null = null;
  /** Time at which the request was first sent on an earlier connection; null if it was not sent before. */
  #firstSent: number | null = null;
  /** Latest request, if it was sent on a reused connection; null if it was the first request on the connection. */
  #lastRequest: Buffer | string | null = null;
  #body: BufferedBody | null = null;
  /** True if a part of the request may still be in the socket buffer when the response arrives. */
  #mayRespondEarly = false;
  /**
   * TLS only: true if the request is small and was passed to the system. Until the end of the event loop turn
   * in which the request was written, the socket still reports its bytes as unsent.
   */
  #wasFlushed = false;
  #requestLength = 0;
  /** Counter for the address of the socket; null if no socket has been opened yet. */
  #counter: AddressCounter | null = null;
  #writes = 0;

  constructor(context: ConnectionContext, pool: DestinationPool) {
    this.#context = context;
    this.#pool = pool;
  }

  begin(
    listener: ExchangeListener,
    request: Buffer | string,
    expected: ExpectedResponse,
    at: number,
  ): Exchange {
    this.#listener = listener;
    this.#mayRespondEarly = request.length > MAX_UNBLOCKED_BYTES;
    this.#expected = expected;
    this.#expectResponse(expected);
    if (this.#socket === null) {
      this.#open(listener, request, null);
    } else {
      this.phase = SENT;
      this.since = at;
      this.#firstSent = null;
      this.#lastRequest = request;
      this.#write(request, false);
    }
    return this;
  }

  #expectResponse(expected: ExpectedResponse): void {
    this.receivedBytes = 0;
    this.response.begin(
      expected.headerNames,
      expected.capturesCookies,
      expected.headerCache,
      expected.headersOnly,
    );
    this.release();
    if (expected.buffersBody) this.response.body = this.#body ??= this.#context.createBody();
  }

  /**
   * Opens a connection, on which the request is sent when the connection is established.
   * @param firstSent - Time at which the request was first sent on an earlier connection; null if it was not sent
   * before.
   */
  #open(listener: ExchangeListener, request: Buffer | string, firstSent: number | null): void {
    this.phase = CONNECTING;
    this.#pending = request;
    this.#firstSent = firstSent;
    this.#lastRequest = null;
    this.#socket = this.#pool.spare.pop() ?? new ReusableSocket(this.#pool, this.#context.buffer);
    const { counters } = this.#pool;
    this.#counter = counters[listener.number % counters.length] ?? null;
    this.#socket.open(this, listener.number);
    // The creation of a socket, especially of one with TLS, is not part of the connection time.
    this.since = this.#context.now();
    this.#context.onSocketChange(1);
  }

  resend(): number {
    const [listener, expected, request] = [this.#listener, this.#expected, this.#lastRequest];
    if (listener === null || expected === null || request === null)
      throw new Error('Bug: a request was sent again that was not sent on a reused connection');
    const { since } = this;
    this.close();
    this.#expectResponse(expected);
    this.#open(listener, request, since);
    return request.length;
  }

  recordFailure(): void {
    if (this.#counter === null) return;
    this.#counter.failed++;
    // `#write` counts requests, so a request that failed before it was written is counted here.
    if (this.phase === CONNECTING || this.phase === SECURING) this.#counter.requests++;
  }

  get wasResent(): boolean {
    return this.#firstSent !== null;
  }

  release(): void {
    this.#body?.release();
  }

  abort(): void {
    this.close();
  }

  countUnsentBytes(): number {
    if (this.#pending !== null) return this.#pending.length;
    if (this.#wasFlushed) return 0;
    // The socket may still contain the previous request, whose response has already arrived.
    return Math.min(this.#requestLength, this.#socket?.socket?.writableLength ?? 0);
  }

  close(mode: CloseMode = 'close'): void {
    if (this.#socket === null) return;
    const socket = this.#socket;
    this.#socket = null;
    // After a complete response, the body is still needed, so the body is released only in phase SENT.
    if (this.phase === SENT) this.release();
    this.phase = ENDED;
    this.#pending = null;
    socket.close(mode);
    this.#context.onSocketChange(-1);
  }

  onConnected(secure: boolean): void {
    const context = this.#context;
    const at = context.now();
    if (this.#counter !== null) this.#counter.connections++;
    context.observer?.onConnected(this);
    this.#listener?.onOpened(CONNECTING, at - this.since);
    if (secure) {
      this.phase = SECURING;
      this.since = at;
    } else {
      this.#sendPending(at);
    }
  }

  onSecured(version: string | null, alpn: string | null): void {
    this.#counter?.countHandshake(version, alpn);
    const at = this.#context.now();
    this.#listener?.onOpened(SECURING, at - this.since);
    this.#sendPending(at);
  }

  #sendPending(at: number): void {
    // After the lease has expired, the load loop stops and closes the connection.
    if (this.#pending === null || this.#context.isLeaseExpired?.() === true) return;
    const request = this.#pending;
    this.#pending = null;
    this.phase = SENT;
    this.#context.observer?.onSent(this, at);
    this.since = this.#firstSent ?? at;
    this.#write(request, true);
  }

  /** @param isFirst - True if bytes of the TLS handshake may still be unsent. */
  #write(request: Buffer | string, isFirst: boolean): void {
    const socket = this.#socket?.socket ?? null;
    this.#requestLength = request.length;
    if (this.#counter !== null) this.#counter.requests++;
    const write = ++this.#writes;
    const isSmallTls = this.#pool.destination.tls !== null && !this.#mayRespondEarly;
    this.#wasFlushed = isSmallTls && !isFirst && socket?.writableLength === 0;
    // By the end of this turn, the bytes of a small request have been passed to the system.
    if (isSmallTls && !this.#wasFlushed) setImmediate(markAsFlushed, this, write);
    socket?.write(request);
  }

  onFlushed(write: number): void {
    if (write === this.#writes) this.#wasFlushed = true;
  }

  onBytes(buffer: Buffer, length: number): boolean {
    this.#context.observer?.onBytes(this, buffer, length);
    this.receivedBytes += length;
    // Unsolicited bytes must not be treated as the response to the next request.
    if (this.phase !== SENT) {
      if (this.phase === ENDED) this.close();
      return false;
    }
    const outcome = this.response.feed(buffer, length);
    if (outcome === MORE) return this.response.endsByClose;
    // A reset frees the local port immediately. If the request has a body, a part of it may still be in transit, so the
    // connection is closed normally.
    if (outcome === DONE) this.#complete(this.#expected?.bodyless === true ? 'reset' : 'close');
    else this.#fail({ kind: 'protocol', code: this.response.fault });
    return false;
  }

  /** @param mode - How to close this side of the connection if the connection must be closed after this response. */
  #complete(mode: CloseMode): void {
    const at = this.#context.now();
    this.phase = ENDED;
    if (this.response.mustClose || this.#expected?.closes === true) this.close(mode);
    else if (this.#mayRespondEarly && this.countUnsentBytes() > 0) this.close();
    this.#listener?.onResponse(this, at);
  }

  onEnd(isClean: boolean): void {
    if (this.phase === ENDED) {
      this.close();
    } else if (this.phase === SENT && this.response.finish(isClean) === DONE) {
      this.#complete('close');
    } else {
      this.#fail(this.response.hasBegun ? { kind: 'protocol', code: this.response.fault } : CLOSED_EARLY);
    }
  }

  onError(code: string): void {
    this.#fail({ kind: 'network', code });
  }

  onClosed(): void {
    this.#fail(CLOSED_EARLY);
  }

  #fail(failure: ExchangeFailure): void {
    const { phase } = this;
    if (phase === ENDED) {
      this.close();
      return;
    }
    const hadNoResponse = phase === SENT && this.#lastRequest !== null && !this.response.hasBegun;
    this.#listener?.onFailure(
      this,
      hadNoResponse && CLOSE_CODES.has(failure.code) ? CLOSED_BEFORE_RESPONSE : failure,
    );
  }
}

function markAsFlushed(connection: Http1Connection, write: number): void {
  connection.onFlushed(write);
}
