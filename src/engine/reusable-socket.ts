/** Socket with permanent listeners. A socket without TLS can be reused for a later connection. */
import type { AddressCounter } from './address-counters.ts';
import { codeOf } from '../core/unknown-value.ts';
import {
  dial,
  countEncryptedBytes,
  negotiatedProtocols,
  redial,
  type Destination,
  type DialedSocket,
} from '../egress/dial.ts';
import { EgressError } from '../egress/egress-error.ts';

/** State that all connections of a thread to one destination share. */
export interface DestinationPool {
  readonly destination: Destination;
  /** Latest TLS session, which the next connection offers to resume; null before the first session. */
  session: Buffer | null;
  /** Counters of the addresses of the destination, in the same order. */
  readonly counters: readonly AddressCounter[];
  /** Closed sockets that can be connected again. */
  readonly spare: ReusableSocket[];
}

/** Receives a socket's events until the socket is closed. */
export interface SocketListener {
  /** Called when the TCP connection is established. If `secure` is true, the TLS handshake and `onSecured` follow. */
  onConnected(secure: boolean): void;
  /**
   * @param version - TLS version, such as `TLSv1.3`.
   * @param alpn - Protocol that ALPN selected; null if none.
   */
  onSecured(version: string | null, alpn: string | null): void;
  /**
   * Receives bytes, which must be consumed within the call. Returns true if the outcome depends on how the connection
   * ends.
   */
  onBytes(buffer: Buffer, length: number): boolean;
  /**
   * Called when the peer has closed its side of the connection. `isClean` is false if TLS is known not to have been
   * closed properly.
   */
  onEnd(isClean: boolean): void;
  /** @param code - Error code of the operating system or of TLS. */
  onError(code: string): void;
  onClosed(): void;
}

/** Maximum size of an encrypted TLS alert with any cipher, in bytes. */
const MAX_ALERT_BYTES = 96;

/**
 * Ways to close a socket: an orderly close or, without TLS, a reset. In an orderly close, the port of the
 * side that closes first enters TIME_WAIT. A reset frees the port immediately, but the peer loses data that
 * it has not yet read.
 */
export type CloseMode = 'close' | 'reset';

/**
 * Received bytes are processed as follows:
 *
 *     bytes ─► does the end matter? ─┬─ no ──► bytes, or the end
 *                                    └─ yes ─► pause ─► in the next turn: bytes, or the end
 *
 * The pause is needed because Node.js reports a normal end if a reset arrives together with the last bytes, unless the
 * socket is read again.
 */
export class ReusableSocket {
  socket: DialedSocket | null = null;
  #paused = false;
  /**
   * Number of encrypted bytes received when the socket was last paused; null without TLS, before a pause, or if
   * unknown.
   */
  #encryptedBytes: number | null = null;
  readonly #pool: DestinationPool;
  readonly #buffer: Buffer;
  #listener: SocketListener | null = null;

  constructor(pool: DestinationPool, buffer: Buffer) {
    this.#pool = pool;
    this.#buffer = buffer;
  }

  open(listener: SocketListener, addressIndex: number): void {
    const { destination, session } = this.#pool;
    this.#listener = listener;
    if (this.socket === null)
      this.socket = this.#listenTo(dial(destination, addressIndex, this.#dialOptions(session)));
    else redial(this.socket, destination, addressIndex);
  }

  /** The listener receives no further events. */
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

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.socket?.resume();
  }

  /**
   * Reports whether the peer closed TLS (`close_notify`) before the connection. Returns true without TLS or if unknown.
   * @see RFC 9112, section 9.8; RFC 8446, section 6.1
   */
  #endedCleanly(): boolean {
    // If the close arrives together with the last bytes, no later read can detect `close_notify`.
    if (this.#encryptedBytes === null || this.#paused || this.socket === null) return true;
    const encrypted = countEncryptedBytes(this.socket);
    if (encrypted === null) return true;
    const alert = encrypted - this.#encryptedBytes;
    return alert > 0 && alert <= MAX_ALERT_BYTES;
  }

  #listenTo(socket: DialedSocket): DialedSocket {
    // Sets the encoding once, because passing it with each request would require a lookup each time.
    socket.setDefaultEncoding('latin1');
    const secure = this.#pool.destination.tls !== null;
    socket.on('connect', () => {
      // The check of the peer address may have destroyed the socket.
      if (!socket.destroyed) this.#listener?.onConnected(secure);
    });
    if (secure) {
      socket.on('secureConnect', () => {
        const { version, alpn } = negotiatedProtocols(socket);
        this.#listener?.onSecured(version, alpn);
      });
      socket.on('session', (session: Buffer) => {
        this.#pool.session = session;
      });
    }
    // This listener is never removed, because a closed socket may still fail.
    socket.on('error', (error: Error) => this.#listener?.onError(failureCodeOf(error)));
    socket.on('end', () => this.#listener?.onEnd(this.#endedCleanly()));
    socket.on('close', (failed: boolean) => {
      this.#listener?.onClosed();
      this.#listener = null;
      // Does not reuse a socket that has failed or contains unsent bytes.
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
