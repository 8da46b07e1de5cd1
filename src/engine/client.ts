/** One client: where it is in its pass, what it has learned, and its connections. */
import {
  Connection,
  type ConnectionFailure,
  type ConnectionUser,
  type OpeningPhase,
  type Phase,
  type Reading,
} from './connection.ts';
import type { CookieJar } from './cookies.ts';
import type { Hop } from './rare-request.ts';

/** What a client passes on. */
export interface ClientEvents {
  onAnswer(client: Client, connection: Connection, at: number): void;
  onFailure(client: Client, phase: Phase, failure: ConnectionFailure): void;
  /** A step of making a connection is done, after so many ms. */
  onOpened(client: Client, phase: OpeningPhase, took: number): void;
  onSockets(change: 1 | -1): void;
}

export class Client implements ConnectionUser {
  /** Place among the active clients; −1 while it is none. */
  slot = -1;
  /** In the whole run. */
  number = 0;
  /** The instant after which it begins no further pass. */
  retiresAt = 0;
  /** Before the rows of its tallies: see `SecondOfCounts.tally`. */
  base = 0;
  /** The request of the pass that is in flight or comes next. */
  at = 0;
  /** From when the response time of that request counts. */
  dueAt = 0;
  /** Whether anything of this pass was sent. */
  sent = false;
  /** The second of the run in which the request in flight was counted, and that in which its bytes were: later if sent again. */
  startedIn = 0;
  sentIn = 0;
  /** When a pausing client goes on; 0 while it does not pause. */
  wakesAt = 0;
  /** Where the request in flight is; null when none is. */
  busy: Connection | null = null;
  readonly values: (string | undefined)[];
  /** Null until an answer of the pass sets a cookie. */
  jar: CookieJar | null = null;
  /** The redirect that the request in flight follows; null for the test's own requests. */
  hop: Hop | null = null;
  /** By destination; made when first needed, then kept. */
  readonly #connections: (Connection | null)[];
  readonly #events: ClientEvents;
  readonly #reading: Reading;

  constructor(
    events: ClientEvents,
    reading: Reading,
    size: { readonly destinations: number; readonly values: number },
  ) {
    this.#events = events;
    this.#reading = reading;
    this.#connections = Array.from({ length: size.destinations }, () => null);
    this.values = Array.from({ length: size.values }, () => undefined);
  }

  beginPass(): void {
    this.at = 0;
    this.sent = false;
    this.jar = null;
    for (let index = 0; index < this.values.length; index++) this.values[index] = undefined;
  }

  connectionTo(destination: number): Connection {
    const known = this.#connections[destination];
    if (known !== null && known !== undefined) return known;
    const connection = new Connection(this.#reading, this);
    this.#connections[destination] = connection;
    return connection;
  }

  closeConnections(): void {
    for (const connection of this.#connections) connection?.close();
  }

  onAnswer(connection: Connection, at: number): void {
    this.#events.onAnswer(this, connection, at);
  }

  onFailure(_connection: Connection, phase: Phase, failure: ConnectionFailure): void {
    this.#events.onFailure(this, phase, failure);
  }

  onOpened(_connection: Connection, phase: OpeningPhase, took: number): void {
    this.#events.onOpened(this, phase, took);
  }

  onSockets(change: 1 | -1): void {
    this.#events.onSockets(change);
  }
}
