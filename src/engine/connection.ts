/** One socket, one exchange at a time. Knows nothing of paces and counts. */
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

/** What a connection is doing. */
export const CLOSED = 0;
export const CONNECTING = 1;
export const SECURING = 2;
export const IDLE = 3;
export const BUSY = 4;

export type Phase = typeof CLOSED | typeof CONNECTING | typeof SECURING | typeof IDLE | typeof BUSY;

/** A step of making a connection. */
export type OpeningPhase = typeof CONNECTING | typeof SECURING;

/** Whoever uses a connection. Each request given to `open` or `send` ends in exactly one of the first two. */
export interface ConnectionListener {
  /** The answer is complete; `connection.parser` holds it until the next request. */
  onResponse(connection: Connection, at: number): void;
  /** There will be no answer. `phase`: how far it came. */
  onFailure(connection: Connection, phase: Phase, failure: ConnectionFailure): void;
  /** A step is done. `took`: in ms, until TCP stood, and from then on until the handshake of TLS was done. */
  onOpened(connection: Connection, phase: OpeningPhase, took: number): void;
  /** The socket is open or gone. */
  onSocketChange(change: 1 | -1): void;
}

export interface ConnectionFailure {
  readonly kind: 'network' | 'protocol';
  /** An error code of the system or of TLS, or the fault of the parser. */
  readonly code: string;
}

/** What a thread lends to its connections. */
export interface ConnectionContext {
  /** Shared by all sockets: the bytes are used up within the callback. */
  readonly buffer: Buffer;
  readonly now: Clock;
  /** Whether nothing more may be sent; null where that never comes. */
  readonly isLeaseExpired: (() => boolean) | null;
  /** Sees what connections do; null when nobody looks. */
  readonly observer: ConnectionObserver | null;
  /** For a connection whose answers are looked at. */
  readonly createBody: () => BufferedBody;
}

/** What an answer is read for: see `ResponseParser.begin`. */
export interface ExpectedResponse {
  readonly headerNames: readonly Buffer[];
  readonly capturesCookies: boolean;
  readonly headersOnly: boolean;
  /** The request has no body: once the answer is there, none of it can be on its way. */
  readonly bodyless: boolean;
  readonly headerCache: HeaderCache | null;
  /** The body of the answer is looked at. */
  readonly buffersBody: boolean;
}

/** Whoever watches connections. */
export interface ConnectionObserver {
  onConnected(connection: Connection): void;
  /** The first request of a connection goes out. */
  onSent(connection: Connection, at: number): void;
  /** Bytes came, of which nobody has read any yet. */
  onBytes(connection: Connection, buffer: Buffer, length: number): void;
}

/** The other side closed before it had answered anything. */
const CLOSED_EARLY = { kind: 'network', code: 'closed' } as const;

/**
 * The same on a connection that has carried an answer before: it was closing already when the request was sent. This one
 * object says so, and nothing is wrong with the target.
 *
 * Source: RFC 9112, section 9.3.1.
 */
export const CLOSED_BEFORE_RESPONSE: ConnectionFailure = { kind: 'network', code: 'closed_before_answer' };

/** How the system tells that the other side has closed. */
const CLOSE_CODES: ReadonlySet<string> = new Set(['closed', 'ECONNRESET', 'EPIPE']);

export class Connection implements SocketListener {
  phase: Phase = CLOSED;
  /** When this phase began; while busy, when the request was sent, for the first time if it was sent again. */
  since = 0;
  /** Application bytes since this was last set to 0. */
  receivedBytes = 0;
  readonly parser = new ResponseParser();
  readonly #context: ConnectionContext;
  readonly #listener: ConnectionListener;
  #socket: ReusableSocket | null = null;
  /** Sent as soon as the connection stands. */
  #pending: Buffer | string | null = null;
  /** When that was sent before, on a connection that was closing; null for what was not. */
  #firstSent: number | null = null;
  /** What was sent last on this connection, if it was not the first. */
  #lastRequest: Buffer | string | null = null;
  /** The socket may hold back a part of the request when the answer comes. */
  /** Made when first needed. */
  #body: BufferedBody | null = null;
  #mayRespondEarly = false;
  #bodyless = false;

  constructor(reading: ConnectionContext, user: ConnectionListener) {
    this.#context = reading;
    this.#listener = user;
  }

  /** Says what the next request's answer is read for. */
  expect(response: ExpectedResponse, mayOutrun: boolean): void {
    this.parser.begin(
      response.headerNames,
      response.capturesCookies,
      response.headerCache,
      response.headersOnly,
    );
    this.releaseBody();
    if (response.buffersBody) this.parser.body = this.#body ??= this.#context.createBody();
    this.#mayRespondEarly = mayOutrun;
    this.#bodyless = response.bodyless;
  }

  /** Opens the connection and sends a request on it. `firstSent`: when it was sent before; null for never. */
  open(route: DestinationPool, which: number, request: Buffer | string, firstSent: number | null): void {
    this.phase = CONNECTING;
    this.since = this.#context.now();
    this.#pending = request;
    this.#firstSent = firstSent;
    this.#lastRequest = null;
    this.#socket = route.spare.pop() ?? new ReusableSocket(route, this.#context.buffer);
    this.#socket.open(this, which);
    this.#listener.onSocketChange(1);
  }

  /** Sends a request on an idle connection. */
  send(request: Buffer | string, at: number): void {
    this.phase = BUSY;
    this.since = at;
    this.#lastRequest = request;
    this.#socket?.socket?.write(request);
  }

  /** The request that a connection was closed before. Errors: throws for one that did not fail so. */
  get lastRequest(): Buffer | string {
    if (this.#lastRequest === null) throw new Error('Bug: only a request on a used connection is sent again');
    return this.#lastRequest;
  }

  /** Whether the request in flight was sent before, on a connection that was closing. */
  get wasResent(): boolean {
    return this.#firstSent !== null;
  }

  /** The body of the latest answer is not looked at any more. */
  releaseBody(): void {
    this.#body?.release();
  }

  /** Bytes handed over that have not left this process. */
  countUnsentBytes(): number {
    return this.#pending?.length ?? this.#socket?.socket?.writableLength ?? 0;
  }

  /** Closes at once; nothing more is told of the request in flight. */
  close(how: CloseMode = 'close'): void {
    if (this.#socket === null) return;
    const wire = this.#socket;
    this.#socket = null;
    // Of a whole answer it is still looked at.
    if (this.phase === BUSY) this.releaseBody();
    this.phase = CLOSED;
    this.#pending = null;
    wire.close(how);
    this.#listener.onSocketChange(-1);
  }

  onConnected(secure: boolean): void {
    const reading = this.#context;
    const at = reading.now();
    reading.observer?.onConnected(this);
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
    // Who keeps it back closes the connection soon.
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
    // Nobody asked: whatever it is, it must not become the next request's answer.
    if (this.phase !== BUSY) {
      if (this.phase === IDLE) this.close();
      return false;
    }
    const outcome = this.parser.feed(buffer, length);
    if (outcome === MORE) return this.parser.endsByClose;
    // A target that has said that it closes needs no farewell, and its port here need not wait for one.
    if (outcome === DONE) this.#complete(this.#bodyless ? 'reset' : 'close');
    else this.#fail({ kind: 'protocol', code: this.parser.fault });
    return false;
  }

  /** `leaves`: how it is closed if the target closes after this answer. */
  #complete(leaves: CloseMode): void {
    const at = this.#context.now();
    this.phase = IDLE;
    if (this.parser.mustClose) this.close(leaves);
    else if (this.#mayRespondEarly && this.countUnsentBytes() > 0) this.close();
    this.#listener.onResponse(this, at);
  }

  onEnd(orderly: boolean): void {
    if (this.phase === IDLE) {
      this.close();
    } else if (this.phase === BUSY && this.parser.finish(orderly) === DONE) {
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
    const unanswered = phase === BUSY && this.#lastRequest !== null && !this.parser.hasBegun;
    this.#listener.onFailure(
      this,
      phase,
      unanswered && CLOSE_CODES.has(failure.code) ? CLOSED_BEFORE_RESPONSE : failure,
    );
  }
}
