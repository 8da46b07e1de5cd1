/** A socket with its listeners. A plain one outlives its connection: it is dialled again for the next. */
import { dial, countEncryptedBytes, redial, type Destination, type DialedSocket } from '../egress/dial.ts';
import { EgressError } from '../egress/egress-error.ts';

/** What all connections of a thread to one destination have in common. */
export interface DestinationPool {
  readonly destination: Destination;
  /** Latest TLS session, to resume. */
  session: Buffer | null;
  /** Closed, ready to be dialled again. */
  readonly spare: ReusableSocket[];
}

/** Whoever uses a wire, until it leaves. */
export interface SocketListener {
  /** TCP stands. `secure`: TLS comes next, and `onSecured` after it. */
  onConnected(secure: boolean): void;
  onSecured(): void;
  /** Bytes at the buffer's start, to be used up within the call. Returns whether it matters how the connection ends. */
  onBytes(buffer: Buffer, length: number): boolean;
  /** The other side will send nothing more. `orderly`: false where it matters and TLS was not told of it. */
  onEnd(orderly: boolean): void;
  /** `code`: an error code of the system or of TLS. */
  onError(code: string): void;
  onClosed(): void;
}

/** As much as an alert of TLS takes at most, with any cipher. */
const MAX_ALERT_BYTES = 96;

/**
 * How a wire is left: orderly, or, where TLS is not in the way, with a reset. Who closes first keeps his port taken for a
 * while, and a reset gives it back at once; but the other side loses what it has not read yet.
 */
export type CloseMode = 'close' | 'reset';

/**
 *     bytes ─► does it matter how it ends? ─┬─ no ──► bytes, or the end
 *                                           └─ yes ─► pause ─► in the next turn: bytes, or the end
 *
 * Where a reset comes together with the last bytes, Node tells an end, unless it reads once more.
 */
export class ReusableSocket {
  socket: DialedSocket | null = null;
  #paused = false;
  /** Of TLS, bytes on the connection when it was last paused; null where nobody knows, or nobody paused. */
  #encryptedBytes: number | null = null;
  readonly #pool: DestinationPool;
  readonly #buffer: Buffer;
  #listener: SocketListener | null = null;

  constructor(route: DestinationPool, buffer: Buffer) {
    this.#pool = route;
    this.#buffer = buffer;
  }

  /** Dials for a user; only for a new wire, or one from the spare ones. */
  open(user: SocketListener, which: number): void {
    const { destination, session } = this.#pool;
    this.#listener = user;
    if (this.socket === null)
      this.socket = this.#listenTo(dial(destination, which, this.#dialOptions(session)));
    else redial(this.socket, destination, which);
  }

  /** Closes the socket; its user hears nothing more of it. */
  close(how: CloseMode): void {
    this.#listener = null;
    this.#paused = false;
    this.#encryptedBytes = null;
    if (how === 'reset' && this.#pool.destination.tls === null) this.socket?.resetAndDestroy();
    else this.socket?.destroy();
  }

  #dialOptions(session: Buffer | null) {
    const buffer = this.#buffer;
    const callback = (length: number): boolean => {
      const matters = this.#listener?.onBytes(buffer, length) ?? false;
      if (matters) this.#pause();
      return !matters;
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

  /** Reads on, if it was paused. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.socket?.resume();
  }

  /**
   * Whether the end of TLS was told before that of the connection (`close_notify`).
   *
   * Source: RFC 9112, section 9.8; RFC 8446, section 6.1.
   */
  #isOrderly(): boolean {
    // Without TLS it is, and also where it came in one piece with bytes: nothing was read since.
    if (this.#encryptedBytes === null || this.#paused || this.socket === null) return true;
    const encrypted = countEncryptedBytes(this.socket);
    if (encrypted === null) return true;
    const alert = encrypted - this.#encryptedBytes;
    return alert > 0 && alert <= MAX_ALERT_BYTES;
  }

  #listenTo(socket: DialedSocket): DialedSocket {
    // Said with each request, it would be looked up each time.
    socket.setDefaultEncoding('latin1');
    const secure = this.#pool.destination.tls !== null;
    socket.on('connect', () => {
      // The check of who answered may have ended it just now.
      if (!socket.destroyed) this.#listener?.onConnected(secure);
    });
    if (secure) {
      socket.on('secureConnect', () => this.#listener?.onSecured());
      socket.on('session', (session: Buffer) => {
        this.#pool.session = session;
      });
    }
    // Stays for good: a socket that was given up may still fail.
    socket.on('error', (error: Error) => this.#listener?.onError(failureCodeOf(error)));
    socket.on('end', () => this.#listener?.onEnd(this.#isOrderly()));
    socket.on('close', (failed: boolean) => {
      this.#listener?.onClosed();
      this.#listener = null;
      // One that failed, or still holds bytes, is not trusted to be as good as new.
      if (!secure && !failed && socket.writableLength === 0) this.#pool.spare.push(this);
    });
    return socket;
  }
}

function resumeReading(wire: ReusableSocket): void {
  wire.resume();
}

function failureCodeOf(error: Error): string {
  if (error instanceof EgressError) return error.kind;
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
