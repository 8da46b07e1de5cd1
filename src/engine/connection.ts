/** One socket, one exchange at a time. Knows nothing of paces and counts. */
import type { Clock } from './clock.ts';
import type { KnownHead } from './known-head.ts';
import type { KeptBody } from './kept-body.ts';
import { DONE, MORE, ResponseParser } from './response-parser.ts';
import { Wire, type Route, type WireEnd, type WireUser } from './wire.ts';

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
export interface ConnectionUser {
  /** The answer is complete; `connection.parser` holds it until the next request. */
  onAnswer(connection: Connection, at: number): void;
  /** There will be no answer. `phase`: how far it came. */
  onFailure(connection: Connection, phase: Phase, failure: ConnectionFailure): void;
  /** A step is done. `took`: in ms, until TCP stood, and from then on until the handshake of TLS was done. */
  onOpened(connection: Connection, phase: OpeningPhase, took: number): void;
  /** The socket is open or gone. */
  onSockets(change: 1 | -1): void;
}

export interface ConnectionFailure {
  readonly kind: 'network' | 'protocol';
  /** An error code of the system or of TLS, or the fault of the parser. */
  readonly code: string;
}

/** What a thread lends to its connections. */
export interface Reading {
  /** Shared by all sockets: the bytes are used up within the callback. */
  readonly buffer: Buffer;
  readonly now: Clock;
  /** Whether nothing more may be sent; null where that never comes. */
  readonly isLapsed: (() => boolean) | null;
  /** Sees what connections do; null when nobody looks. */
  readonly tap: ConnectionTap | null;
  /** For a connection whose answers are looked at. */
  readonly createBody: () => KeptBody;
}

/** What an answer is read for: see `ResponseParser.begin`. */
export interface ExpectedAnswer {
  readonly wanted: readonly Buffer[];
  readonly setsCookies: boolean;
  readonly headOnly: boolean;
  /** The request has no body: once the answer is there, none of it can be on its way. */
  readonly bodyless: boolean;
  readonly known: KnownHead | null;
  /** The body of the answer is looked at. */
  readonly keepsBody: boolean;
}

/** Whoever watches connections. */
export interface ConnectionTap {
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
export const CLOSED_BEFORE_ANSWER: ConnectionFailure = { kind: 'network', code: 'closed_before_answer' };

/** How the system tells that the other side has closed. */
const CLOSING: ReadonlySet<string> = new Set(['closed', 'ECONNRESET', 'EPIPE']);

export class Connection implements WireUser {
  phase: Phase = CLOSED;
  /** When this phase began; while busy, when the request was sent, for the first time if it was sent again. */
  since = 0;
  /** Application bytes since this was last set to 0. */
  received = 0;
  readonly parser = new ResponseParser();
  readonly #reading: Reading;
  readonly #user: ConnectionUser;
  #wire: Wire | null = null;
  /** Sent as soon as the connection stands. */
  #pending: Buffer | string | null = null;
  /** When that was sent before, on a connection that was closing; null for what was not. */
  #firstSent: number | null = null;
  /** What was sent last on this connection, if it was not the first. */
  #repeatable: Buffer | string | null = null;
  /** The socket may hold back a part of the request when the answer comes. */
  /** Made when first needed. */
  #body: KeptBody | null = null;
  #mayOutrun = false;
  #bodyless = false;

  constructor(reading: Reading, user: ConnectionUser) {
    this.#reading = reading;
    this.#user = user;
  }

  /** Says what the next request's answer is read for. */
  expect(answer: ExpectedAnswer, mayOutrun: boolean): void {
    this.parser.begin(answer.wanted, answer.setsCookies, answer.known, answer.headOnly);
    this.releaseBody();
    if (answer.keepsBody) this.parser.body = this.#body ??= this.#reading.createBody();
    this.#mayOutrun = mayOutrun;
    this.#bodyless = answer.bodyless;
  }

  /** Opens the connection and sends a request on it. `firstSent`: when it was sent before; null for never. */
  open(route: Route, which: number, request: Buffer | string, firstSent: number | null): void {
    this.phase = CONNECTING;
    this.since = this.#reading.now();
    this.#pending = request;
    this.#firstSent = firstSent;
    this.#repeatable = null;
    this.#wire = route.spare.pop() ?? new Wire(route, this.#reading.buffer);
    this.#wire.open(this, which);
    this.#user.onSockets(1);
  }

  /** Sends a request on an idle connection. */
  send(request: Buffer | string, at: number): void {
    this.phase = BUSY;
    this.since = at;
    this.#repeatable = request;
    this.#wire?.socket?.write(request);
  }

  /** The request that a connection was closed before. Errors: throws for one that did not fail so. */
  get repeatable(): Buffer | string {
    if (this.#repeatable === null) throw new Error('Bug: only a request on a used connection is sent again');
    return this.#repeatable;
  }

  /** Whether the request in flight was sent before, on a connection that was closing. */
  get sentBefore(): boolean {
    return this.#firstSent !== null;
  }

  /** The body of the latest answer is not looked at any more. */
  releaseBody(): void {
    this.#body?.release();
  }

  /** Bytes handed over that have not left this process. */
  unsent(): number {
    return this.#pending?.length ?? this.#wire?.socket?.writableLength ?? 0;
  }

  /** Closes at once; nothing more is told of the request in flight. */
  close(how: WireEnd = 'close'): void {
    if (this.#wire === null) return;
    const wire = this.#wire;
    this.#wire = null;
    // Of a whole answer it is still looked at.
    if (this.phase === BUSY) this.releaseBody();
    this.phase = CLOSED;
    this.#pending = null;
    wire.leave(how);
    this.#user.onSockets(-1);
  }

  onConnected(secure: boolean): void {
    const reading = this.#reading;
    const at = reading.now();
    reading.tap?.onConnected(this);
    this.#user.onOpened(this, CONNECTING, at - this.since);
    if (secure) {
      this.phase = SECURING;
      this.since = at;
    } else {
      this.#sendPending(at);
    }
  }

  onSecured(): void {
    const at = this.#reading.now();
    this.#user.onOpened(this, SECURING, at - this.since);
    this.#sendPending(at);
  }

  #sendPending(at: number): void {
    // Who keeps it back closes the connection soon.
    if (this.#pending === null || this.#reading.isLapsed?.() === true) return;
    const request = this.#pending;
    this.#pending = null;
    this.phase = BUSY;
    this.#reading.tap?.onSent(this, at);
    this.since = this.#firstSent ?? at;
    this.#wire?.socket?.write(request);
  }

  onBytes(buffer: Buffer, length: number): boolean {
    this.#reading.tap?.onBytes(this, buffer, length);
    this.received += length;
    // Nobody asked: whatever it is, it must not become the next request's answer.
    if (this.phase !== BUSY) {
      if (this.phase === IDLE) this.close();
      return false;
    }
    const outcome = this.parser.feed(buffer, length);
    if (outcome === MORE) return this.parser.endsByClose;
    // A target that has said that it closes needs no farewell, and its port here need not wait for one.
    if (outcome === DONE) this.#answered(this.#bodyless ? 'reset' : 'close');
    else this.#failed({ kind: 'protocol', code: this.parser.fault });
    return false;
  }

  /** `leaves`: how it is closed if the target closes after this answer. */
  #answered(leaves: WireEnd): void {
    const at = this.#reading.now();
    this.phase = IDLE;
    if (this.parser.close) this.close(leaves);
    else if (this.#mayOutrun && this.unsent() > 0) this.close();
    this.#user.onAnswer(this, at);
  }

  onEnd(orderly: boolean): void {
    if (this.phase === IDLE) {
      this.close();
    } else if (this.phase === BUSY && this.parser.finish(orderly) === DONE) {
      this.#answered('close');
    } else {
      this.#failed(this.parser.begun ? { kind: 'protocol', code: this.parser.fault } : CLOSED_EARLY);
    }
  }

  onError(code: string): void {
    this.#failed({ kind: 'network', code });
  }

  onClosed(): void {
    this.#failed(CLOSED_EARLY);
  }

  #failed(failure: ConnectionFailure): void {
    const { phase } = this;
    if (phase === IDLE) {
      this.close();
      return;
    }
    const unanswered = phase === BUSY && this.#repeatable !== null && !this.parser.begun;
    this.#user.onFailure(
      this,
      phase,
      unanswered && CLOSING.has(failure.code) ? CLOSED_BEFORE_ANSWER : failure,
    );
  }
}
