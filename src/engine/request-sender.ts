/** Sends requests, and extracts the cookies and variables that later requests of the iteration need. */
import { isOpenModel } from '../core/model/pace.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import type { AddressUses } from '../core/load/snapshot.ts';
import { isIdempotent } from '../core/model/method.ts';
import { createAddressCounters, takeAddressUses } from './address-counters.ts';
import type { Client } from './client.ts';
import { wallTime } from './clock.ts';
import { CookieAttributeReader, CookieJar } from './cookie-jar.ts';
import type { Connection, Exchange, ExpectedResponse, ReceivedResponse } from './exchange.ts';
import { HeaderCache } from './header-cache.ts';
import { Http1Connection, type ConnectionContext } from './http1-connection.ts';
import { cookieScopeOf, findNextHop, renderHop, renderWithCookies, type Hop } from './dynamic-request.ts';
import type { CompiledJob, CompiledTarget } from './request-compiler.ts';
import type { RequestAccounting } from './request-accounting.ts';
import type { SnapshotRecorder } from './snapshot-recorder.ts';
import type { ExchangeTracer } from './exchange-tracer.ts';
import type { DestinationPool } from './reusable-socket.ts';

export interface RequestSenderContext {
  readonly counts: RequestAccounting;
  readonly recorder: SnapshotRecorder;
  readonly tracer: ExchangeTracer | null;
  readonly connections: ConnectionContext;
}

export class RequestSender {
  readonly #open: boolean;
  readonly #targets: readonly CompiledTarget[];
  readonly #pools: readonly DestinationPool[];
  readonly #expected: readonly ExpectedResponse[];
  readonly #counts: RequestAccounting;
  readonly #recorder: SnapshotRecorder;
  readonly #tracer: ExchangeTracer | null;
  readonly #connections: ConnectionContext;
  readonly #cookieAttributes = new CookieAttributeReader();

  constructor(job: LoadJob, { targets, destinations }: CompiledJob, context: RequestSenderContext) {
    this.#open = isOpenModel(job);
    this.#targets = targets;
    this.#pools = destinations.map((destination) => ({
      destination,
      session: null,
      counters: createAddressCounters(destination),
      spare: [],
    }));
    this.#expected = targets.map(({ headerNames, capturesCookies, headersOnly, parts, check, extractor }) => {
      const bodyless = parts.body === null;
      const buffersBody = job.trace !== null || check?.needsBody === true || extractor?.needsBody === true;
      return {
        headerNames,
        capturesCookies,
        headersOnly,
        bodyless,
        buffersBody,
        closes: !job.keepAlive,
        headerCache: new HeaderCache(context.connections.buffer),
      };
    });
    this.#counts = context.counts;
    this.#recorder = context.recorder;
    this.#tracer = context.tracer;
    this.#connections = context.connections;
  }

  /** Returns the counts by address since the previous call. */
  takeAddressUses(): AddressUses {
    return takeAddressUses(this.#pools.flatMap(({ counters }) => counters));
  }

  /** Returns false if the request cannot be sent. */
  begin(client: Client, target: CompiledTarget, at: number): boolean {
    this.#counts.chooseTally(client, at);
    const tally = this.#counts.tallyOf(client);
    const { jar } = client;
    const request =
      jar === null ? (target.bytes ?? target.render(client)) : renderWithCookies(target, client, jar);
    if (!this.#open) tally.planned++;
    if (request === null) {
      tally.undefinedVariable++;
      this.#tracer?.onUnsent(client.requestIndex, 'undefined_variable');
      return false;
    }
    this.#send(client, target, request, at);
    return true;
  }

  /** Even in the open models, the request after a redirect counts as planned only when sent. */
  follow(client: Client, hop: Hop, at: number): void {
    const target = this.#targetOf(client);
    client.hop = hop;
    client.dueAt = at;
    this.#counts.chooseTally(client, at);
    this.#counts.tallyOf(client).planned++;
    this.#send(client, target, renderHop(target, hop, client.jar), at);
  }

  /** Sends a request again on a new connection. A failure of the new connection is final. */
  resend(client: Client, exchange: Exchange, at: number): void {
    this.#counts.settleBytes(client, exchange);
    const tally = this.#counts.tallyOf(client);
    tally.resent++;
    tally.bytesSent += exchange.resend();
    client.sentIn = this.#recorder.second;
    this.#tracer?.onResent(exchange, at);
  }

  isResendable(client: Client): boolean {
    const method = client.hop?.method ?? this.#targets[client.requestIndex]?.parts.method;
    return method !== undefined && isIdempotent(method);
  }

  #send(client: Client, target: CompiledTarget, request: Buffer | string, at: number): void {
    const tally = this.#counts.tallyOf(client);
    const connection = (client.connections[target.destination] ??= this.createConnection(target.destination));
    tally.started++;
    tally.bytesSent += request.length;
    client.hasSent = true;
    client.minOpeningTime = 0;
    client.startedIn = this.#recorder.second;
    client.sentIn = this.#recorder.second;
    client.exchange = connection.begin(client, request, this.#expectedOf(client), at);
    if (this.#tracer !== null) this.#tracer.onRequest(client, client.exchange, request, at);
  }

  #expectedOf(client: Client): ExpectedResponse {
    const expected = this.#expected[client.requestIndex];
    if (expected === undefined) throw new Error('Bug: the expected response of a request is missing');
    return expected;
  }

  readonly createJar = (): CookieJar => new CookieJar(this.#cookieAttributes);

  createConnection(destination: number): Connection {
    const pool = this.#pools[destination];
    if (pool === undefined) throw new Error('Bug: the destination of a target does not exist');
    return new Http1Connection(this.#connections, pool);
  }

  // --- responses

  /** Stores the cookies of a response. Returns the next request if a redirect is followed; otherwise null. */
  processCookiesAndRedirect(client: Client, response: ReceivedResponse): Hop | null {
    const target = this.#targetOf(client);
    const { status, location, setCookies } = response;
    if (setCookies !== null) {
      const scope = cookieScopeOf(target, client);
      client.jar ??= this.createJar();
      for (const line of setCookies) client.jar.store(line, scope, wallTime);
    }
    return location === null || target.check?.acceptsRedirects === true
      ? null
      : findNextHop(target, client, { status, location });
  }

  /** Returns true if a later request of the iteration still lacks a variable. */
  extractVariables(client: Client, response: ReceivedResponse): boolean {
    const { extractor, variables, requiredVariables } = this.#targetOf(client);
    if (extractor === null) return false;
    if (extractor.needsPick) client.pick = client.random.word();
    const { values } = client;
    for (let index = 0; index < variables.length; index++) {
      const value = extractor.extract(response, index, client.pick);
      const variable = variables[index];
      // If the response lacks the value, the variable retains its value from an earlier response.
      if (value === undefined || variable === undefined) continue;
      values[variable.index] = typeof value === 'string' ? value : value.json;
      if (variable.typeIndex >= 0) values[variable.typeIndex] = typeof value === 'string' ? undefined : '';
    }
    for (const variable of requiredVariables) if (client.values[variable] === undefined) return true;
    return false;
  }

  #targetOf(client: Client): CompiledTarget {
    const target = client.resolvedTarget ?? this.#targets[client.requestIndex];
    if (target === undefined) throw new Error('Bug: the target of a request does not exist');
    return target;
  }
}
