/** Socket with its listeners. A plain socket is reused: it is dialed again for the next connection. */
import { codeOf } from '../core/unknown-value.ts';
import { dial, countEncryptedBytes, redial, type Destination, type DialedSocket } from '../egress/dial.ts';
import { EgressError } from '../egress/egress-error.ts';

/** State that all connections of a thread to one destination share. */
export interface DestinationPool {
  readonly destination: Destination;
  /** Latest TLS session, to resume. */
  session: Buffer | null;
  /** Closed sockets that can be dialed again. */
  readonly spare: ReusableSocket[];
}

/** Receiver of a socket's events until the socket is closed. */
export interface SocketListener {
  /** TCP is connected. If `secure` is true, the TLS handshake and `onSecured` follow. */
  onConnected(secure: boolean): void;
  onSecured(): void;
  /**
   * Bytes were received at the start of the buffer; they are consumed within the call. Returns true if it
   * matters how the connection ends.
   */
  onBytes(buffer: Buffer, length: number): boolean;
  /** The peer sends nothing more. `isClean` is false if TLS was not closed properly and this matters. */
  onEnd(isClean: boolean): void;
  /** @param code - Error code of the system or of TLS. */
  onError(code: string): void;
  onClosed(): void;
}

/** Maximum size of a TLS alert with any cipher. */
const MAX_ALERT_BYTES = 96;

/**
 * Mode of closing a socket: an orderly close or, without TLS, a reset. The side that closes first keeps its
 * port in TIME_WAIT; a reset frees it immediately, but the peer loses data that it has not read yet.
 */
export type CloseMode = 'close' | 'reset';

/**
 * bytes ─► does the end matter? ─┬─ no ──► bytes, or the end └─ yes ─► pause ─► in the next turn: bytes, or
 * the end
 *
 * If a reset arrives together with the last bytes, Node.js reports a normal end unless it reads again.
 */
export class ReusableSocket {
  socket: DialedSocket | null = null;
  #paused = false;
  /**
   * TLS only: bytes received below TLS when the socket was last paused; null if it was not paused or the
   * count is unknown.
   */
  #encryptedBytes: number | null = null;
  readonly #pool: DestinationPool;
  readonly #buffer: Buffer;
  #listener: SocketListener | null = null;

  constructor(pool: DestinationPool, buffer: Buffer) {
    this.#pool = pool;
    this.#buffer = buffer;
  }

  /** Opens a connection with a new socket, or with one from the pool. */
  open(listener: SocketListener, addressIndex: number): void {
    const { destination, session } = this.#pool;
    this.#listener = listener;
    if (this.socket === null)
      this.socket = this.#listenTo(dial(destination, addressIndex, this.#dialOptions(session)));
    else redial(this.socket, destination, addressIndex);
  }

  /** Closes the socket; its listener receives no further events. */
  close(mode: CloseMode): void {
    this.#listener = null;
    this.#paused = false;
    this.#encryptedBytes = null;
    if (mode === 'reset' && this.#pool.destination.tls === null) this.socket?.resetAndDestroy();
    else this.socket?.destroy();
  }

  #dialOptions(session: Buffer | null) {
    const buffer = this.#buffer;
    const callback = (length: number): boolean => {
      const endMatters = this.#listener?.onBytes(buffer, length) ?? false;
      if (endMatters) this.#pause();
      return !endMatters;
    };
    return { session, onread: { buffer, callback } };
  }

  #pause(): void {
    if (this.#pool.destination.tls !== null && this.socket !== null) {
      this.#encryptedBytes = countEncryptedBytes(this.socket);
    }
    if (this.#paused) return;
    this.#paused = true;
    setImmediate(resumeReading, this);
  }

  /** Resumes reading if the socket is paused. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.socket?.resume();
  }

  /**
   * Reports whether TLS was closed before the connection (`close_notify`).
   * @see RFC 9112, section 9.8; RFC 8446, section 6.1
   */
  #endedCleanly(): boolean {
    // Without TLS the end is always clean. It also is if it arrived together with bytes: nothing was read
    // after them.
    if (this.#encryptedBytes === null || this.#paused || this.socket === null) return true;
    const encrypted = countEncryptedBytes(this.socket);
    if (encrypted === null) return true;
    const alert = encrypted - this.#encryptedBytes;
    return alert > 0 && alert <= MAX_ALERT_BYTES;
  }

  #listenTo(socket: DialedSocket): DialedSocket {
    // Set once: if it were passed with each request, it would be looked up each time.
    socket.setDefaultEncoding('latin1');
    const secure = this.#pool.destination.tls !== null;
    socket.on('connect', () => {
      // The check of the peer address may have destroyed it just now.
      if (!socket.destroyed) this.#listener?.onConnected(secure);
    });
    if (secure) {
      socket.on('secureConnect', () => this.#listener?.onSecured());
      socket.on('session', (session: Buffer) => {
        this.#pool.session = session;
      });
    }
    // Never removed: a socket that was closed may still fail.
    socket.on('error', (error: Error) => this.#listener?.onError(failureCodeOf(error)));
    socket.on('end', () => this.#listener?.onEnd(this.#endedCleanly()));
    socket.on('close', (failed: boolean) => {
      this.#listener?.onClosed();
      this.#listener = null;
      // A socket that failed or still holds bytes is not reused.
      if (!secure && !failed && socket.writableLength === 0) this.#pool.spare.push(this);
    });
    return socket;
  }
}

function resumeReading(socket: ReusableSocket): void {
  socket.resume();
}

function failureCodeOf(error: Error): string {
  if (error instanceof EgressError) return error.kind;
  return codeOf(error) ?? 'unknown';
}
