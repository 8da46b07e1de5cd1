/** One client: where it is in its pass, what it has learned, and its connections. */
import {
  Connection,
  type ConnectionFailure,
  type ConnectionListener,
  type OpeningPhase,
  type Phase,
  type ConnectionContext,
} from './connection.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { Hop } from './dynamic-request.ts';

/** What a client passes on. */
export interface ClientEvents {
  onResponse(client: Client, connection: Connection, at: number): void;
  onFailure(client: Client, phase: Phase, failure: ConnectionFailure): void;
  /** A step of making a connection is done, after so many ms. */
  onOpened(client: Client, phase: OpeningPhase, took: number): void;
  onSocketChange(change: 1 | -1): void;
}

export class Client implements ConnectionListener {
  /** Place among the active clients; −1 while it is none. */
  activeIndex = -1;
  /** In the whole run. */
  number = 0;
  /** The instant after which it begins no further pass. */
  retiresAt = 0;
  /** Before the rows of its tallies: see `SnapshotRecorder.tally`. */
  tallyBase = 0;
  /** The request of the pass that is in flight or comes next. */
  requestIndex = 0;
  /** From when the response time of that request counts. */
  dueAt = 0;
  /** Whether anything of this pass was sent. */
  hasSent = false;
  /** The second of the run in which the request in flight was counted, and that in which its bytes were: later if sent again. */
  startedIn = 0;
  sentIn = 0;
  /** When a pausing client goes on; 0 while it does not pause. */
  wakesAt = 0;
  /** Where the request in flight is; null when none is. */
  activeConnection: Connection | null = null;
  readonly values: (string | undefined)[];
  /** Null until an answer of the pass sets a cookie. */
  jar: CookieJar | null = null;
  /** The redirect that the request in flight follows; null for the test's own requests. */
  hop: Hop | null = null;
  /** By destination; made when first needed, then kept. */
  readonly #connections: (Connection | null)[];
  readonly #events: ClientEvents;
  readonly #context: ConnectionContext;

  constructor(
    events: ClientEvents,
    reading: ConnectionContext,
    size: { readonly destinations: number; readonly values: number },
  ) {
    this.#events = events;
    this.#context = reading;
    this.#connections = Array.from({ length: size.destinations }, () => null);
    this.values = Array.from({ length: size.values }, () => undefined);
  }

  beginIteration(): void {
    this.requestIndex = 0;
    this.hasSent = false;
    this.jar = null;
    for (let index = 0; index < this.values.length; index++) this.values[index] = undefined;
  }

  connectionTo(destination: number): Connection {
    const known = this.#connections[destination];
    if (known !== null && known !== undefined) return known;
    const connection = new Connection(this.#context, this);
    this.#connections[destination] = connection;
    return connection;
  }

  closeConnections(): void {
    for (const connection of this.#connections) connection?.close();
  }

  onResponse(connection: Connection, at: number): void {
    this.#events.onResponse(this, connection, at);
  }

  onFailure(_connection: Connection, phase: Phase, failure: ConnectionFailure): void {
    this.#events.onFailure(this, phase, failure);
  }

  onOpened(_connection: Connection, phase: OpeningPhase, took: number): void {
    this.#events.onOpened(this, phase, took);
  }

  onSocketChange(change: 1 | -1): void {
    this.#events.onSocketChange(change);
  }
}
