/** A socket with its listeners. A plain one outlives its connection: it is dialled again for the next. */
import { dial, redial, type Destination, type DialledSocket } from '../egress/dial.ts';
import { EgressError } from '../egress/egress-error.ts';

/** What all connections of a thread to one destination have in common. */
export interface Route {
  readonly destination: Destination;
  /** Latest TLS session, to resume. */
  session: Buffer | null;
  /** Closed, ready to be dialled again. */
  readonly spare: Wire[];
}

/** Whoever uses a wire, until it leaves. */
export interface WireUser {
  /** TCP stands. `secure`: TLS comes next, and `onSecured` after it. */
  onConnected(secure: boolean): void;
  onSecured(): void;
  /** Bytes at the buffer's start, to be used up within the call. */
  onBytes(buffer: Buffer, length: number): void;
  /** The other side will send nothing more. */
  onEnd(): void;
  /** `code`: an error code of the system or of TLS. */
  onError(code: string): void;
  onClosed(): void;
}

export class Wire {
  socket: DialledSocket | null = null;
  readonly #route: Route;
  readonly #buffer: Buffer;
  #user: WireUser | null = null;

  constructor(route: Route, buffer: Buffer) {
    this.#route = route;
    this.#buffer = buffer;
  }

  /** Dials for a user; only for a new wire, or one from the spare ones. */
  open(user: WireUser, which: number): void {
    const { destination, session } = this.#route;
    this.#user = user;
    if (this.socket === null) this.socket = this.#listenTo(dial(destination, which, this.#options(session)));
    else redial(this.socket, destination, which);
  }

  /** Closes the socket; its user hears nothing more of it. */
  leave(): void {
    this.#user = null;
    this.socket?.destroy();
  }

  #options(session: Buffer | null) {
    const buffer = this.#buffer;
    const callback = (length: number): boolean => {
      this.#user?.onBytes(buffer, length);
      return true;
    };
    return { session, onread: { buffer, callback } };
  }

  #listenTo(socket: DialledSocket): DialledSocket {
    // Said with each request, it would be looked up each time.
    socket.setDefaultEncoding('latin1');
    const secure = this.#route.destination.tls !== null;
    socket.on('connect', () => {
      // The check of who answered may have ended it just now.
      if (!socket.destroyed) this.#user?.onConnected(secure);
    });
    if (secure) {
      socket.on('secureConnect', () => this.#user?.onSecured());
      socket.on('session', (session: Buffer) => {
        this.#route.session = session;
      });
    }
    // Stays for good: a socket that was given up may still fail.
    socket.on('error', (error: Error) => this.#user?.onError(codeOf(error)));
    socket.on('end', () => this.#user?.onEnd());
    socket.on('close', (failed: boolean) => {
      this.#user?.onClosed();
      this.#user = null;
      // One that failed, or still holds bytes, is not trusted to be as good as new.
      if (!secure && !failed && socket.writableLength === 0) this.#route.spare.push(this);
    });
    return socket;
  }
}

function codeOf(error: Error): string {
  if (error instanceof EgressError) return error.kind;
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
