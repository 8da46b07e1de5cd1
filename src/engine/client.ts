/** Client (virtual user) with its progress in the iteration, its variables and its connections. */
import { Random } from '../core/random.ts';
import type { Iteration } from '../core/model/iteration.ts';
import type { Connection, Exchange, ExchangeFailure, ExchangeListener, OpeningPhase } from './exchange.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { Hop } from './dynamic-request.ts';
import type { IterationPosition, ListItem } from './iteration-program.ts';
import type { CompiledTarget } from './request-compiler.ts';
import type { DrawingIteration } from './slot-plan.ts';

/** Receiver of the exchange events of all clients of a thread; see `ExchangeListener`. */
export interface ClientEvents {
  onOpened(client: Client, phase: OpeningPhase, elapsed: number): void;
  onResponse(client: Client, exchange: Exchange, at: number): void;
  onFailure(client: Client, exchange: Exchange, failure: ExchangeFailure): void;
}

const NO_REQUESTS: Iteration = { first: 0, end: 0, flow: 0 };

/** To save memory, clients share the following values unless they need separate ones. */
const NO_ITEMS: (readonly ListItem[])[] = [];

const NO_LANES: Client[] = [];

const NO_RANDOM = new Random(0);

/** Values of `iterationState`. `WARMING_UP` marks an iteration that began during the warm-up. */
export const NO_ITERATION = 0;
export const UNDERWAY = 1;
export const WARMING_UP = 2;

export class Client implements ExchangeListener, DrawingIteration, IterationPosition {
  /** Index in the list of active clients; −1 if the client is not in the list. */
  activeIndex = -1;
  /** Number of the client within the whole run. */
  number = 0;
  /** Time from which the client begins no further iteration. */
  retiresAt = 0;
  iterationsLeft = Infinity;
  /** Time before which the client begins no further iteration; 0 if no such time is set. */
  paceAt = 0;
  /** Offset of the client's rows in the tallies; see `SnapshotRecorder.tally`. */
  tallyBase = 0;
  iterationNumber = 0;
  readonly random: Random;
  /** Random number that determined the list items chosen from the latest response. */
  pick = 0;
  iteration: Iteration = NO_REQUESTS;
  /** Index of the current or next request; `iteration.end` if the iteration is complete. */
  requestIndex = 0;
  readonly repetitionsLeft: number[];
  readonly items: (readonly ListItem[])[];
  /** Target of the current request if its URL is the value of a variable; null for any other request. */
  resolvedTarget: CompiledTarget | null = null;
  /** True while the client performs its requests before the first iteration. */
  isStarting = false;
  /** True if a request with `endsOnFailure` has failed before the first iteration, so the client must end. */
  hasFailedStart = false;
  /** Initial values and cookies of each iteration, from the requests before the first iteration; null if not set. */
  startValues: readonly (string | undefined)[] | null = null;
  startJar: CookieJar | null = null;
  iterationState: typeof NO_ITERATION | typeof UNDERWAY | typeof WARMING_UP = NO_ITERATION;
  /** Start of the measured duration of the iteration. */
  iterationSince = 0;
  /** Lower bound of the elapsed part of the measured duration, in ms; see `IterationTally.lowerBounds`. */
  minDuration = 0;
  /** Time at which the latest request of the iteration ended; −1 if none has ended. */
  lastEnd = -1;
  hasError = false;
  /** True if a request of the iteration ended without a response time. */
  lacksResponse = false;
  /** Start of the measured response time of the current request. */
  dueAt = 0;
  /** Lower bound of the time, in ms, that the client spent waiting for a shared connection or opening a connection. */
  minOpeningTime = 0;
  hasSent = false;
  /**
   * Seconds of the run in which the request in flight and its bytes were counted. The seconds can differ after a
   * resend.
   */
  startedIn = 0;
  sentIn = 0;
  /** Time at which a pausing client resumes; 0 if it is not pausing. */
  wakesAt = 0;
  /** Time since which the client has been waiting for a shared connection; −1 if it is not waiting. */
  waitsSince = -1;
  exchange: Exchange | null = null;
  readonly values: (string | undefined)[];
  /** Cookies of the iteration; null if none has been set. */
  jar: CookieJar | null = null;
  /** Redirect that the request in flight follows; null for requests of the test itself. */
  hop: Hop | null = null;
  /** Connections by destination, created on first use. Includes a shared connection only while the client uses it. */
  readonly connections: (Connection | null)[];
  /** Client whose parallel requests this lane sends; null if this client is not a lane. */
  readonly owner: Client | null;
  /** Lanes by position in a parallel group. The first lane uses the connections of the client. */
  readonly lanes: Client[];
  /** Lanes of the current parallel group, and the number of those that have not ended. */
  openLanes: Client[] = NO_LANES;
  openLaneCount = 0;
  /** For a lane: delay after its request, in ms, and whether the failure of the request ends the iteration. */
  delay = 0;
  endsIteration = false;
  readonly #events: ClientEvents;

  constructor(
    events: ClientEvents,
    size: {
      readonly destinations: number;
      readonly values: number;
      readonly groups: number;
      readonly usesRandom: boolean;
      readonly hasLanes: boolean;
    },
    lane: { readonly owner: Client; readonly position: number } | null = null,
  ) {
    this.#events = events;
    this.owner = lane?.owner ?? null;
    this.lanes = size.hasLanes ? [] : NO_LANES;
    this.random = size.usesRandom ? new Random(0) : NO_RANDOM;
    this.connections =
      lane?.position === 0 ? lane.owner.connections : Array.from({ length: size.destinations }, () => null);
    this.repetitionsLeft = Array.from({ length: size.groups }, () => 0);
    this.items = size.groups === 0 ? NO_ITEMS : [];
    this.values = Array.from({ length: size.values }, () => undefined);
  }

  beginIteration(iteration: Iteration): void {
    this.iteration = iteration;
    this.requestIndex = iteration.first;
    this.hasSent = false;
    const { startValues, startJar } = this;
    this.jar = startJar === null ? null : startJar.copy();
    for (let index = 0; index < this.values.length; index++) this.values[index] = startValues?.[index];
  }

  beginLane(owner: Client, request: number): void {
    this.iteration = { first: request, end: request + 1, flow: owner.iteration.flow };
    this.requestIndex = request;
    this.number = owner.number;
    this.iterationNumber = owner.iterationNumber;
    this.tallyBase = owner.tallyBase;
    this.dueAt = owner.dueAt;
    this.jar = owner.jar;
    for (let index = 0; index < this.values.length; index++) this.values[index] = owner.values[index];
    this.hasSent = false;
    this.hasError = false;
    this.lacksResponse = false;
    this.minDuration = 0;
    this.lastEnd = -1;
    this.delay = 0;
    this.endsIteration = false;
  }

  closeConnections(): void {
    for (const connection of this.connections) connection?.close();
    for (const lane of this.lanes) lane.closeConnections();
  }

  onOpened(phase: OpeningPhase, elapsed: number): void {
    this.#events.onOpened(this, phase, elapsed);
  }

  onResponse(exchange: Exchange, at: number): void {
    this.#events.onResponse(this, exchange, at);
  }

  onFailure(exchange: Exchange, failure: ExchangeFailure): void {
    this.#events.onFailure(this, exchange, failure);
  }
}
