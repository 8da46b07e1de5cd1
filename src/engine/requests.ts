/** Sends the requests of clients, and takes from answers what later requests of the pass need. */
import { isOpenModel } from '../core/load/pace.ts';
import type { LoadJob } from '../core/load/job.ts';
import { isIdempotent } from '../core/model/method.ts';
import type { Client } from './client.ts';
import { wallTime } from './clock.ts';
import { IDLE, type Connection, type ExpectedAnswer } from './connection.ts';
import { AttributeReader, CookieJar } from './cookies.ts';
import { KnownHead } from './known-head.ts';
import { cookiePlaceOf, nextHop, renderHop, renderWithCookies, type Hop } from './rare-request.ts';
import type { CompiledJob, CompiledTarget } from './request-bytes.ts';
import type { RequestCounts } from './request-counts.ts';
import type { SecondOfCounts } from './second.ts';
import type { Tracer } from './tracer.ts';
import type { Route } from './wire.ts';

/** Of the thread that sends. */
export interface Around {
  readonly counts: RequestCounts;
  readonly second: SecondOfCounts;
  /** Null when nobody looks at single exchanges. */
  readonly tracer: Tracer | null;
  /** Where answers are read. */
  readonly buffer: Buffer;
}

export class Requests {
  readonly #open: boolean;
  readonly #targets: readonly CompiledTarget[];
  readonly #routes: readonly Route[];
  /** Of each target. */
  readonly #expected: readonly ExpectedAnswer[];
  readonly #counts: RequestCounts;
  readonly #second: SecondOfCounts;
  readonly #tracer: Tracer | null;
  readonly #cookieAttributes = new AttributeReader();

  constructor(job: LoadJob, { targets, destinations }: CompiledJob, around: Around) {
    this.#open = isOpenModel(job);
    this.#targets = targets;
    this.#routes = destinations.map((destination) => ({ destination, session: null, spare: [] }));
    this.#expected = targets.map(({ wanted, setsCookies, headOnly, parts, check, taker }) => {
      const bodyless = parts.body === null;
      const keepsBody = check?.looksAtBody === true || taker?.looksAtBody === true;
      return { wanted, setsCookies, headOnly, bodyless, keepsBody, known: new KnownHead(around.buffer) };
    });
    this.#counts = around.counts;
    this.#second = around.second;
    this.#tracer = around.tracer;
  }

  /** Begins the client's next request; false when it cannot be sent. */
  begin(client: Client, target: CompiledTarget, at: number): boolean {
    this.#counts.chooseTally(client, at);
    const tally = this.#counts.tallyOf(client);
    const { jar } = client;
    const request =
      jar === null
        ? (target.bytes ?? target.render(client.values))
        : renderWithCookies(target, client.values, jar);
    if (!this.#open) tally.planned++;
    if (request === null) {
      tally.undefinedVariable++;
      this.#tracer?.onUnsent(client.at);
      return false;
    }
    this.#send(client, target, request, at);
    return true;
  }

  /** Follows a redirect; in every model such a request is planned when it starts. */
  follow(client: Client, hop: Hop, at: number): void {
    const target = this.#targetOf(client);
    client.hop = hop;
    client.dueAt = at;
    this.#counts.chooseTally(client, at);
    this.#counts.tallyOf(client).planned++;
    this.#send(client, target, renderHop(target, hop, client.jar), at);
  }

  /**
   * Sends a request once more, on a new connection: the used one was closed before any byte of an answer. What fails
   * there is a failure.
   *
   * Source: RFC 9112, section 9.3.1.
   */
  sendAgain(client: Client, connection: Connection, at: number): void {
    const target = this.#targetOf(client);
    const { repeatable, since } = connection;
    this.#counts.settleBytes(client, connection);
    connection.close();
    const tally = this.#counts.tallyOf(client);
    tally.resent++;
    tally.bytesSent += repeatable.length;
    client.sentIn = this.#second.number;
    this.#expectAnswer(client, target, connection);
    this.#tracer?.onResent(connection, at);
    connection.open(this.#routeOf(target), client.number, repeatable, since);
  }

  mayBeSentAgain(client: Client): boolean {
    const method = client.hop?.method ?? this.#targets[client.at]?.parts.method;
    return method !== undefined && isIdempotent(method);
  }

  #send(client: Client, target: CompiledTarget, request: Buffer | string, at: number): void {
    const tally = this.#counts.tallyOf(client);
    const connection = client.connectionTo(target.destination);
    tally.started++;
    tally.bytesSent += request.length;
    client.sent = true;
    client.startedIn = this.#second.number;
    client.sentIn = this.#second.number;
    client.busy = connection;
    this.#expectAnswer(client, target, connection);
    if (this.#tracer !== null) this.#tracer.onRequest(client, connection, request, at);
    if (connection.phase === IDLE) connection.send(request, at);
    else connection.open(this.#routeOf(target), client.number, request, null);
  }

  #expectAnswer(client: Client, target: CompiledTarget, connection: Connection): void {
    const expected = this.#expected[client.at];
    if (expected === undefined) throw new Error('Bug: an answer to no target');
    connection.received = 0;
    const rare = client.jar !== null || client.hop !== null;
    connection.expect(expected, target.mayOutrun || rare);
  }

  // --- answers

  /** Takes the cookies of an answer; returns where it leads, if it is a redirect to be followed. */
  takeNotable(client: Client, { parser }: Connection): Hop | null {
    const target = this.#targetOf(client);
    const { status, location, setCookies } = parser;
    if (setCookies !== null) {
      const place = cookiePlaceOf(target, client);
      client.jar ??= new CookieJar(this.#cookieAttributes);
      for (const line of setCookies) client.jar.take(line, place, wallTime);
    }
    return location === null || target.check?.takesRedirects === true
      ? null
      : nextHop(target, client, { status, location });
  }

  /** Takes what an answer gives; whether a later request of the pass now lacks something of it. */
  takeVariables(client: Client, { parser }: Connection): boolean {
    const { taker, variables, needed } = this.#targetOf(client);
    if (taker === null) return false;
    for (let index = 0; index < variables.length; index++) {
      const value = taker.take(parser, index);
      const variable = variables[index];
      // An answer without the header leaves what an earlier one gave.
      if (value !== undefined && variable !== undefined) client.values[variable] = value;
    }
    for (const variable of needed) if (client.values[variable] === undefined) return true;
    return false;
  }

  #targetOf(client: Client): CompiledTarget {
    const target = this.#targets[client.at];
    if (target === undefined) throw new Error('Bug: a request of no target');
    return target;
  }

  #routeOf(target: CompiledTarget): Route {
    const route = this.#routes[target.destination];
    if (route === undefined) throw new Error('Bug: a target without a destination');
    return route;
  }
}
