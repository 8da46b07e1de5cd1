/**
 * Connections that all clients of a thread share. A client borrows a connection for each request. If all
 * connections are in use, clients wait in order of arrival.
 */
import type { Client } from './client.ts';
import type { Connection } from './exchange.ts';

interface DestinationConnections {
  readonly idle: Connection[];
  /** Number of connections, idle or in use; at most the limit. */
  size: number;
  /** The clients before index `head` have already been served. */
  waiting: Client[];
  head: number;
  /** Total stall time, in ms, before the tick in which a client last borrowed a connection without waiting. */
  stalledBefore: number;
}

/**
 * Number of served clients above which `waiting` is trimmed, provided that served clients outnumber waiting clients.
 */
const MAX_LEFT = 1024;

export interface ConnectionPoolSource {
  /** Maximum number of connections of this thread to each destination, at least 1. */
  readonly limit: number;
  readonly destinations: number;
  readonly createConnection: (destination: number) => Connection;
  /** Total stall times of the thread since the start, in ms: up to now, and up to the start of its latest tick. */
  readonly stalls: { readonly totalStalledMs: number; readonly stalledBeforeTick: number };
}

export class ConnectionPool {
  readonly #source: ConnectionPoolSource;
  readonly #destinations: readonly DestinationConnections[];

  constructor(source: ConnectionPoolSource) {
    this.#source = source;
    this.#destinations = Array.from({ length: source.destinations }, () => ({
      idle: [],
      size: 0,
      waiting: [],
      head: 0,
      stalledBefore: 0,
    }));
  }

  /** Lends a connection to a client. Returns false if the client must wait; the client is then in the queue. */
  borrow(client: Client, destination: number, at: number): boolean {
    const state = this.#stateOf(destination);
    const connection = state.idle.pop() ?? this.#create(state, destination);
    if (connection === null) {
      client.waitsSince = at;
      state.waiting.push(client);
      return false;
    }
    if (client.waitsSince < 0) state.stalledBefore = this.#source.stalls.stalledBeforeTick;
    client.connections[destination] = connection;
    return true;
  }

  giveBack(client: Client, destination: number): void {
    const connection = client.connections[destination] ?? null;
    if (connection === null) return;
    client.connections[destination] = null;
    this.#stateOf(destination).idle.push(connection);
  }

  /** Removes and returns the client that has waited longest; null if no client waits or no connection is available. */
  nextServed(destination: number): Client | null {
    const state = this.#stateOf(destination);
    if (state.head === state.waiting.length || (state.idle.length === 0 && state.size === this.#source.limit))
      return null;
    const client = state.waiting[state.head++];
    if (client === undefined) throw new Error('Bug: a client is missing in the queue of a connection pool');
    if (state.head === state.waiting.length) clear(state);
    else if (state.head > MAX_LEFT && state.head * 2 > state.waiting.length) {
      state.waiting = state.waiting.slice(state.head);
      state.head = 0;
    }
    return client;
  }

  /**
   * Returns a lower bound of the time, in ms, that a client would have waited without stalls of this thread. A stall of
   * this thread delays all clients in the queue, including those that joined after the stall.
   * @param waited - Time that the client actually waited, in ms.
   */
  minWait(destination: number, waited: number): number {
    return waited - (this.#source.stalls.totalStalledMs - this.#stateOf(destination).stalledBefore);
  }

  removeWaiting(): readonly Client[] {
    return this.#destinations.flatMap((state) => {
      const clients = state.waiting.slice(state.head);
      clear(state);
      for (const client of clients) client.waitsSince = -1;
      return clients;
    });
  }

  closeIdle(): void {
    for (const { idle } of this.#destinations) for (const connection of idle) connection.close();
  }

  #create(state: DestinationConnections, destination: number): Connection | null {
    if (state.size === this.#source.limit) return null;
    state.size++;
    return this.#source.createConnection(destination);
  }

  #stateOf(destination: number): DestinationConnections {
    const state = this.#destinations[destination];
    if (state === undefined) throw new Error('Bug: the destination of a request does not exist');
    return state;
  }
}

function clear(state: DestinationConnections): void {
  state.waiting.length = 0;
  state.head = 0;
}
