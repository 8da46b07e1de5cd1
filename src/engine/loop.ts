/** One worker's part of a run: due clients to requests, ends of requests to counts. One event loop, no promises. */
import { toldAsNoLess } from '../core/load/histogram.ts';
import { countedPassTime } from '../core/load/delay.ts';
import type { LoadJob } from '../core/load/job.ts';
import type { WorkTime } from '../core/load/merge.ts';
import { clientsOfWarmup, dueAt, isOpenModel, ON_TIME, retiresAt, TOO_LATE } from '../core/load/pace.ts';
import type { Exchange } from '../core/load/report.ts';
import { isIdempotent } from '../core/model/method.ts';
import type { UnexpectedFault } from '../core/load/unexpected.ts';
import { clientOf, clientsBelow, type Share } from '../core/load/shard.ts';
import { countUp, type Slice, type Tally, type Unstarted } from '../core/load/slice.ts';
import { Client, type ClientEvents } from './client.ts';
import { wallTime, type Clock } from './clock.ts';
import {
  BUSY,
  CLOSED_BEFORE_ANSWER,
  CONNECTING,
  IDLE,
  SECURING,
  type Connection,
  type ConnectionFailure,
  type ExpectedAnswer,
  type OpeningPhase,
  type Phase,
  type Reading,
} from './connection.ts';
import { AttributeReader, CookieJar } from './cookies.ts';
import type { Draw } from './draws.ts';
import { KeptBody, type BodyRoom } from './kept-body.ts';
import { KnownHead } from './known-head.ts';
import { cookiePlaceOf, nextHop, renderHop, renderWithCookies, type Hop } from './rare-request.ts';
import type { CompiledJob, CompiledTarget } from './request-bytes.ts';
import { SecondOfCounts } from './second.ts';
import { TimingWheel } from './timing-wheel.ts';
import { Tracer, type Verdict } from './tracer.ts';
import type { Route } from './wire.ts';

/** What the loop needs from its thread. */
export interface LoopPorts {
  /** Milliseconds since the start of the run; negative before it. */
  readonly now: Clock;
  /** Takes a slice over; its buffers may be transferred. */
  readonly post: (slice: Slice) => void;
  /** Told every sweep. */
  readonly pulse: (finished: number, failed: number) => void;
  /** Told of the first exchanges, if the job wants them kept. */
  readonly exchanged: (exchange: Exchange) => void;
  /** Whether the lease is over, so that nothing more may be sent; null: the load needs none. */
  readonly isLapsed: (() => boolean) | null;
  /** The loop ends for that. Told once. */
  readonly lapsed: () => void;
  readonly ended: (time: WorkTime) => void;
  /** Where bodies that are looked at have room. */
  readonly bodies: BodyRoom;
  /** That room is used up. */
  readonly overloaded: () => void;
  /** The share of the time since it was last asked in which the thread had something to do, 0 to 1. */
  readonly busy: () => number;
}

const BUFFER_BYTES = 64 * 1024;

/** How often due clients are looked for; open models come by the clock, ramps are slow. */
const OPEN_TICK_MS = 1;
const CLOSED_TICK_MS = 10;
/** How often the closed model looks whether its thread was kept waiting: what is shorter is not seen. */
const CLOSED_WATCH_MS = 2;
/**
 * A turn of the event loop that has read answers for longer than this sends nothing more: with over a thousand sockets
 * that answer at once, libuv reads on for most of a second before it looks at timers and new connections.
 */
const LONG_TURN_MS = 10;
/** Deadlines, the pulse. A drain lasts so much longer, so that the last request meets its own deadline first. */
const SWEEP_MS = 50;
/** How long what is in flight when a lease is over may take: it is closed within a second of that. */
const LAPSED_DRAIN_MS = 800;
/** After a connection could not be made, so that a refused port is not hammered; closed model only. */
const PAUSE_MS = 100;

/** Clients started per tick at most, so that answers are read in between. */
const OPEN_STARTS = 256;
/** Closed model: so many begin in the time of a tick, and in a late one as many as would have until then. */
const CLOSED_STARTS = 100;
/** With this many connections still being made by all threads, as many as servers let wait, only a few more begin per tick. */
const MANY_CONNECTING = 512;
const CLOSED_STARTS_WHILE_MANY = 8;

/** Errors that are this machine's: its descriptors, ports or memory ran out. */
const OWN_LIMITS: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'EADDRINUSE',
  'EAGAIN',
  'ENOBUFS',
  'ENOMEM',
]);

const TIMEOUT_WORDS: Partial<Readonly<Record<Phase, string>>> = {
  [CONNECTING]: 'timeout_connect',
  [SECURING]: 'timeout_tls',
};

/**
 *     waiting ──start──► running ──┬─ duration over ─► draining ──┬─► ended
 *        └────────── stop ─────────┴─ stop ──────────► stopping ──┘
 *
 * Draining begins no pass but ends those that run; stopping begins no request.
 */
type Stage = 'waiting' | 'running' | 'draining' | 'stopping' | 'ended';

export class LoadLoop implements ClientEvents {
  readonly #job: LoadJob;
  readonly #compiled: CompiledJob;
  readonly #share: Share;
  readonly #ports: LoopPorts;
  readonly #open: boolean;
  /** Open models: clients of the whole run that belong to the warm-up, the first ones. */
  readonly #warmupClients: number;
  readonly #routes: readonly Route[];
  readonly #reading: Reading;
  /** Of each target. */
  readonly #expected: readonly ExpectedAnswer[];
  /** Null when nobody looks at single exchanges. */
  readonly #tracer: Tracer | null;
  /** What each pass draws; null for nothing. */
  readonly #passDraws: readonly Draw[] | null;
  /** What a request that is timed out is recorded with at least, in µs. */
  readonly #leastGivenUp: number;
  readonly #cookieAttributes = new AttributeReader();
  #stage: Stage = 'waiting';
  #unstarted: Unstarted = 'stopped';
  /** It has been told that its lease is over. */
  #lapsed = false;
  /** When whatever is in flight is abandoned. */
  #drainEnds = Number.POSITIVE_INFINITY;
  /** When no more load is made. */
  #loadEnds: number;

  /** Clients of the share that have started, been passed over, or were given up. */
  #next = 0;
  readonly #active: Client[] = [];
  readonly #spare: Client[] = [];
  readonly #pausing: Client[] = [];
  /** Who wait because the test says so. They are not among the active ones: nobody looks at them meanwhile. */
  readonly #resting = new TimingWheel<Client>();
  /** Who go on in the next turn, see `LONG_TURN_MS`. */
  #held: Client[] = [];

  readonly #second: SecondOfCounts;

  #timer: NodeJS.Timeout | null = null;
  /** Ticks are also made from answers: timers starve while sockets keep the loop busy. */
  #tickDue = 0;
  #nextTick = 0;
  /** When clients were last started. */
  #lastStarts = 0;
  #sweepDue = 0;

  constructor(job: LoadJob, compiled: CompiledJob, share: Share, ports: LoopPorts) {
    this.#job = job;
    this.#compiled = compiled;
    this.#share = share;
    this.#ports = ports;
    this.#open = isOpenModel(job);
    this.#warmupClients = this.#open ? clientsOfWarmup(job) : 0;
    this.#loadEnds = job.duration;
    this.#routes = compiled.destinations.map((destination) => ({ destination, session: null, spare: [] }));
    this.#tracer = job.trace ? new Tracer(job, ports) : null;
    this.#reading = {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      now: ports.now,
      isLapsed: ports.isLapsed,
      tap: this.#tracer,
      createBody: () => new KeptBody(ports.bodies, ports.overloaded),
    };
    const { buffer } = this.#reading;
    this.#expected = compiled.targets.map(({ wanted, setsCookies, headOnly, parts, check, taker }) => {
      const bodyless = parts.body === null;
      const keepsBody = check?.looksAtBody === true || taker?.looksAtBody === true;
      return { wanted, setsCookies, headOnly, bodyless, keepsBody, known: new KnownHead(buffer) };
    });
    this.#leastGivenUp = toldAsNoLess(job.timeout * 1000);
    this.#passDraws = compiled.passDraws.length === 0 ? null : compiled.passDraws;
    this.#second = new SecondOfCounts({
      worker: share.worker,
      targets: compiled.targets.length,
      warmup: job.warmup,
      open: this.#open,
      post: ports.post,
      busy: ports.busy,
    });
  }

  start(): void {
    if (this.#stage !== 'waiting') return;
    this.#stage = 'running';
    const delay = Math.max(0, Math.ceil(-this.#ports.now()));
    this.#timer = setTimeout(() => {
      const at = this.#ports.now();
      this.#second.noteLateness(at);
      this.#tick(at);
      if (this.#stage !== 'ended') this.#keepTicking();
    }, delay);
  }

  /** No request begins after this; those in flight may take so long to finish. */
  stop(unstarted: Unstarted, drainMs: number): void {
    if (this.#stage === 'ended') return;
    const at = this.#ports.now();
    const waiting = this.#stage === 'waiting';
    // The first reason stands; a later stop may only make the end come sooner.
    if (this.#stage !== 'stopping') this.#unstarted = unstarted;
    this.#stage = 'stopping';
    this.#drainEnds = Math.min(this.#drainEnds, at + drainMs + SWEEP_MS);
    this.#loadEnds = Math.min(this.#loadEnds, Math.max(0, at));
    for (const client of [...this.#pausing.splice(0), ...this.#held.splice(0)]) this.#endPass(client);
    for (const client of this.#resting.empty()) this.#endRest(client);
    if (waiting) this.#end(0, this.#unstarted);
    else this.#endIfDone(at);
  }

  // --- time

  #keepTicking(): void {
    const period = this.#open ? OPEN_TICK_MS : CLOSED_WATCH_MS;
    this.#second.timerDue = this.#ports.now() + period;
    const timer = setTimeout(() => {
      const at = this.#ports.now();
      this.#second.noteLateness(at);
      if (!this.#open) this.#second.recordTickLag(at - this.#second.timerDue, period);
      this.#letGoOn();
      if (this.#open || at >= this.#nextTick) this.#tick(at);
      else this.#wakeResting(at);
      if (this.#stage === 'ended') return;
      this.#second.timerDue = this.#ports.now() + period;
      timer.refresh();
    }, period);
    this.#timer = timer;
  }

  #tick(at: number): void {
    const period = this.#open ? OPEN_TICK_MS : CLOSED_TICK_MS;
    // Half a timer's period early, so that one that fires a little early does not wait for the next.
    this.#nextTick = at + period - CLOSED_WATCH_MS / 2;
    this.#tickDue = at + period * 2;
    if (at >= this.#second.ends) this.#second.cut(at);
    if (!this.#lapsed && this.#isLapsed()) {
      this.#lapsed = true;
      this.#ports.lapsed();
      this.stop('aborted', LAPSED_DRAIN_MS);
      return;
    }
    if (this.#stage === 'running' && at >= this.#job.duration) {
      this.#stage = 'draining';
      this.#drainEnds = Math.min(this.#drainEnds, this.#job.duration + this.#longestDrain());
    }
    if (this.#stage === 'running' || this.#stage === 'draining') {
      this.#startDue(at);
      this.#wake(at);
      this.#wakeResting(at);
    }
    if (at >= this.#sweepDue) this.#sweep(at);
    this.#endIfDone(at);
  }

  /** Passes that rest on their way still have all of it before them. */
  #longestDrain(): number {
    const { targets, timeout } = this.#job;
    if (!this.#open) return timeout + SWEEP_MS;
    // Each time-out is noticed so much later.
    return countedPassTime(targets, timeout) + targets.length * SWEEP_MS;
  }

  #startDue(at: number): void {
    if (this.#next === this.#share.clients) return;
    let budget = this.#startsAllowed(at);
    this.#lastStarts = at;
    while (budget > 0 && this.#next < this.#share.clients) {
      const number = clientOf(this.#share, this.#next);
      const due = dueAt(this.#job, number);
      // One that would come at the very end, as the last of a ramp does, would never get to work.
      if (due > at || due >= this.#job.duration) return;
      this.#next++;
      const late = at - due;
      if (this.#open && late > TOO_LATE) {
        this.#passOver(number, due);
        continue;
      }
      budget--;
      if (!this.#open) this.#missClient(late);
      else if (number >= this.#warmupClients) this.#second.recordLag(late);
      this.#startClient(number, this.#open && late <= ON_TIME ? at : due, at);
    }
  }

  /** Of the closed model: as far as it was this thread that let it wait, and not the target or the pace of connecting. */
  #missClient(late: number): void {
    if (late > TOO_LATE) this.#second.addUnheldStart(late);
  }

  #passOver(number: number, due: number): void {
    const base = this.#baseOf(number);
    this.#countUnstarted({ base, at: 0 }, 1, 'saturated');
    if (base === 0) this.#second.passOver(due);
  }

  /** Before the rows of a client's tallies: see `SecondOfCounts.tally`. */
  #baseOf(number: number): number {
    return number < this.#warmupClients ? this.#compiled.targets.length : 0;
  }

  #startsAllowed(at: number): number {
    if (this.#open) return OPEN_STARTS;
    if (this.#stage !== 'running') return 0;
    const inTime = CLOSED_STARTS * Math.max(1, (at - this.#lastStarts) / CLOSED_TICK_MS);
    const room = Math.floor(MANY_CONNECTING / this.#share.stride) - this.#connecting();
    return Math.max(CLOSED_STARTS_WHILE_MANY, Math.min(room, Math.round(inTime)));
  }

  #connecting(): number {
    let connecting = 0;
    for (const client of this.#active) {
      const phase = client.busy?.phase;
      if (phase === CONNECTING || phase === SECURING) connecting++;
    }
    return connecting;
  }

  /** Those whose turn of the event loop was too long. */
  #letGoOn(): void {
    const held = this.#held;
    if (held.length === 0) return;
    this.#held = [];
    // Sending to thousands takes a while.
    for (const client of held) {
      if (this.#stage === 'ended') return;
      this.#goOn(client, this.#ports.now());
    }
  }

  #wake(at: number): void {
    // Those that go on may come back to the end of the list at once, but never due.
    let kept = 0;
    const count = this.#pausing.length;
    for (let index = 0; index < count; index++) {
      const client = this.#pausing[index];
      if (client === undefined) continue;
      if (client.wakesAt > at) this.#pausing[kept++] = client;
      else this.#goOn(client, at);
    }
    this.#pausing.splice(kept, count - kept);
  }

  #wakeResting(at: number): void {
    if (this.#resting.size > 0) this.#resting.advance(at, this.#goOnRested);
  }

  readonly #goOnRested = (client: Client): void => {
    // Sending to thousands takes a while.
    const at = this.#ports.now();
    this.#join(client);
    if (!this.#open && at >= this.#job.duration) {
      this.#endPass(client);
      return;
    }
    client.dueAt = at - client.wakesAt <= ON_TIME ? at : client.wakesAt;
    this.#goOn(client, at);
  };

  /** Ends requests whose time is over. */
  #sweep(at: number): void {
    this.#sweepDue = at + SWEEP_MS;
    this.#ports.pulse(this.#second.finished, this.#second.failed);
    let waiting = 0;
    // Backwards: a client that ends is replaced by the last one.
    for (let index = this.#active.length - 1; index >= 0; index--) {
      const client = this.#active[index];
      if (client === undefined) continue;
      const connection = client.busy;
      // One that pauses and has sent something could not reach the target.
      if (connection !== null || client.sent) waiting++;
      if (connection === null) continue;
      if (at - connection.since >= this.#job.timeout) this.#timeOut(client, connection, at);
    }
    this.#second.look(at, waiting, this.#resting.size);
  }

  #endIfDone(at: number): void {
    if (this.#stage !== 'draining' && this.#stage !== 'stopping') return;
    if (at >= this.#drainEnds) {
      this.#end(at, this.#stage === 'draining' ? 'saturated' : this.#unstarted);
    } else if (this.#active.length + this.#resting.size === 0) {
      if (this.#stage === 'stopping') this.#end(at, this.#unstarted);
      // In the open models the rest still starts, or becomes too late.
      else if (!this.#open || this.#next === this.#share.clients) this.#end(at, 'saturated');
    }
  }

  /** `overdue`: how clients that never started are counted; `saturated` where the run was over by itself. */
  #end(at: number, overdue: Unstarted | 'saturated'): void {
    this.#stage = 'ended';
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (at >= this.#second.ends) this.#second.cut(at);
    for (const client of this.#resting.empty()) this.#join(client);
    for (const client of this.#active) {
      const { busy } = client;
      if (busy !== null) {
        const tally = this.#tallyOf(client);
        if (at - busy.since >= this.#job.timeout) {
          this.#countTimeOut(client, busy, at);
        } else {
          this.#countAbandoned(client, busy, at);
        }
        this.#settleBytes(client, busy, tally);
        client.at++;
        if (overdue === 'saturated') this.#recordMissed(client, at - client.dueAt);
      }
      this.#countUnstarted(client, 1, this.#unstarted);
      client.closeConnections();
    }
    this.#active.length = 0;
    this.#pausing.length = 0;
    this.#held.length = 0;
    this.#countRest(overdue);
    this.#ports.pulse(this.#second.finished, this.#second.failed);
    this.#second.end(at);
    this.#ports.ended({ elapsed: at, loaded: Math.min(at, this.#loadEnds) });
  }

  /** What comes behind a request that is cut off would have been sent: it has waited as long. */
  #recordMissed(client: Client, waited: number): void {
    if (!this.#open) return;
    for (let index = client.at; index < this.#compiled.targets.length; index++) {
      const tally = this.#second.tally(client.base + index);
      tally.response.record(waited * 1000);
      tally.service?.record(waited * 1000);
    }
  }

  /** Clients that have not started and never will. */
  #countRest(as: Unstarted | 'saturated'): void {
    const { duration } = this.#job;
    if (as !== 'saturated') {
      const warming = Math.max(0, clientsBelow(this.#share, this.#warmupClients) - this.#next);
      this.#countUnstarted({ base: this.#compiled.targets.length, at: 0 }, warming, as);
      this.#countUnstarted({ base: 0, at: 0 }, this.#share.clients - this.#next - warming, as);
    } else {
      for (; this.#next < this.#share.clients; this.#next++) {
        const number = clientOf(this.#share, this.#next);
        const due = dueAt(this.#job, number);
        if (this.#open) this.#passOver(number, due);
        else this.#missClient(duration - due);
      }
    }
  }

  /** In the open models the rest of a pass was planned from the start; in the closed one it never was. */
  #countUnstarted(
    { base, at }: Pick<Client, 'base' | 'at'>,
    clients: number,
    as: Unstarted | 'saturated',
  ): void {
    if (!this.#open || clients <= 0) return;
    for (let index = at; index < this.#compiled.targets.length; index++)
      this.#second.tally(base + index)[as] += clients;
  }

  #tallyOf(client: Client): Tally {
    return this.#second.tally(client.base + client.at);
  }

  // --- clients

  #startClient(number: number, due: number, at: number): void {
    const client =
      this.#spare.pop() ??
      new Client(this, this.#reading, {
        destinations: this.#routes.length,
        values: this.#compiled.values,
      });
    client.number = number;
    client.base = this.#baseOf(number);
    client.retiresAt = this.#open ? 0 : retiresAt(this.#job, number);
    this.#join(client);
    this.#beginPass(client);
    client.dueAt = due;
    this.#goOn(client, at);
  }

  #beginPass(client: Client): void {
    client.beginPass();
    if (this.#passDraws !== null) for (const draw of this.#passDraws) draw(client.values);
  }

  #isLapsed(): boolean {
    return this.#ports.isLapsed?.() === true;
  }

  /** Sends the client's next request, or begins its next pass, or lets it go. */
  #goOn(client: Client, at: number): void {
    client.wakesAt = 0;
    for (;;) {
      if (this.#stage === 'stopping') {
        this.#endPass(client);
        return;
      }
      const target = this.#compiled.targets[client.at];
      // The next tick ends all.
      if (this.#isLapsed()) {
        this.#pause(client, at);
        return;
      }
      if (target !== undefined) {
        if (this.#request(client, target, at)) return;
        client.at++;
        continue;
      }
      if (at >= client.retiresAt) {
        this.#endPass(client);
        return;
      }
      const idle = !client.sent;
      this.#beginPass(client);
      if (idle) {
        this.#pause(client, at);
        return;
      }
    }
  }

  /** Begins the client's next request; false when it cannot be sent. */
  #request(client: Client, target: CompiledTarget, at: number): boolean {
    this.#chooseBooks(client, at);
    const tally = this.#tallyOf(client);
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

  /** Closed model: a request belongs to the warm-up by when it begins. In the open ones a pass does. */
  #chooseBooks(client: Client, at: number): void {
    if (!this.#open) client.base = at < this.#job.warmup ? this.#compiled.targets.length : 0;
  }

  /** Follows a redirect; in every model such a request is planned when it starts. */
  #follow(client: Client, hop: Hop, at: number): void {
    const target = this.#compiled.targets[client.at];
    if (target === undefined) throw new Error('Bug: a redirect of no target');
    client.hop = hop;
    client.dueAt = at;
    this.#chooseBooks(client, at);
    this.#tallyOf(client).planned++;
    this.#send(client, target, renderHop(target, hop, client.jar), at);
  }

  #send(client: Client, target: CompiledTarget, request: Buffer | string, at: number): void {
    const tally = this.#tallyOf(client);
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
    connection.received = 0;
    const rare = client.jar !== null || client.hop !== null;
    connection.expect(this.#expectedOf(client.at), target.mayOutrun || rare);
  }

  /**
   * Sends a request once more, on a new connection: the used one was closed before any byte of an answer. What fails
   * there is a failure.
   *
   * Source: RFC 9112, section 9.3.1.
   */
  #sendAgain(client: Client, connection: Connection, at: number): void {
    const target = this.#compiled.targets[client.at];
    if (target === undefined) throw new Error('Bug: a request of no target');
    const tally = this.#tallyOf(client);
    const { repeatable, since } = connection;
    this.#settleBytes(client, connection, tally);
    connection.close();
    tally.resent++;
    tally.bytesSent += repeatable.length;
    client.sentIn = this.#second.number;
    this.#expectAnswer(client, target, connection);
    this.#tracer?.onResent(connection, at);
    connection.open(this.#routeOf(target), client.number, repeatable, since);
  }

  #mayBeSentAgain(client: Client): boolean {
    const method = client.hop?.method ?? this.#compiled.targets[client.at]?.parts.method;
    return method !== undefined && isIdempotent(method);
  }

  #routeOf(target: CompiledTarget): Route {
    const route = this.#routes[target.destination];
    if (route === undefined) throw new Error('Bug: a target without a destination');
    return route;
  }

  #pause(client: Client, at: number): void {
    client.wakesAt = at + PAUSE_MS;
    this.#pausing.push(client);
  }

  /** The client is done, or cut off; what it had not begun is counted. */
  #endPass(client: Client): void {
    this.#countUnstarted(client, 1, this.#unstarted);
    client.closeConnections();
    client.busy = null;
    this.#leave(client);
    if (this.#open) this.#spare.push(client);
  }

  #endRest(client: Client): void {
    this.#join(client);
    this.#endPass(client);
  }

  #join(client: Client): void {
    client.slot = this.#active.length;
    this.#active.push(client);
  }

  #leave(client: Client): void {
    const last = this.#active.pop();
    if (last !== undefined && last !== client) {
      this.#active[client.slot] = last;
      last.slot = client.slot;
    }
    client.slot = -1;
  }

  /**
   * The client waits because the test says so, for so many ms; it keeps its connections. In the closed model nobody waits
   * beyond the end of its time.
   */
  #rest(client: Client, at: number, delay: number): void {
    const passIsOver = client.at === this.#compiled.targets.length;
    const end = this.#open ? Infinity : passIsOver ? client.retiresAt : this.#job.duration;
    if (end <= at) {
      this.#endPass(client);
      return;
    }
    client.wakesAt = Math.min(at + delay, end);
    this.#leave(client);
    this.#resting.add(client);
  }

  /** How long the test has the client wait behind the request that has ended, in ms. */
  #delayBehind(client: Client): number {
    const draw = this.#compiled.targets[client.at]?.delay ?? null;
    if (draw === null || this.#stage === 'stopping') return 0;
    return this.#open && client.at === this.#compiled.targets.length - 1 ? 0 : draw();
  }

  // --- ends of requests

  onAnswer(client: Client, connection: Connection, at: number): void {
    if (at >= this.#second.ends) this.#second.cut(at);
    const tally = this.#tallyOf(client);
    const took = at - connection.since;
    let hop: Hop | null = null;
    this.#second.finished++;
    if (at > this.#loadEnds || client.base > 0) this.#noteSurplus(client, connection.since, at);
    tally.bytesReceived += connection.received;
    if (took > this.#job.timeout) {
      // It came, but too late, and only this thread's own delay let it.
      tally.timeoutResponse++;
      this.#second.failed++;
      this.#recordUnanswered(client, connection, at, this.#leastGivenUp);
      this.#tracer?.onFailure(connection, 'timeout', at);
      connection.close();
    } else {
      const { status } = connection.parser;
      tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
      tally.response.record((this.#open ? at - client.dueAt : took) * 1000);
      tally.service?.record(took * 1000);
      if (connection.parser.notable) hop = this.#takeNotable(client, connection);
      const lacks = this.#takeVariables(client, connection);
      // One that leads elsewhere, where the answer is that counts, is a success of its own.
      const verdict = hop === null ? this.#judge(client, connection, lacks) : 'success';
      if (this.#tracer !== null)
        this.#tracer.onAnswer(connection, at, this.#told(client, connection, verdict));
    }
    connection.releaseBody();
    if (hop !== null && this.#stage !== 'stopping' && !this.#isLapsed()) this.#follow(client, hop, at);
    else this.#advance(client, at);
    if (at >= this.#tickDue && this.#stage !== 'ended') this.#tick(at);
  }

  /** Counts what is wrong with a final answer, if anything is. `lacks`: a variable that is used later. */
  #judge(client: Client, { parser }: Connection, lacks: boolean): UnexpectedFault | 'success' | 'failed' {
    const { status } = parser;
    const check = this.#compiled.targets[client.at]?.check ?? null;
    if (check === null && status >= 400) {
      this.#second.failed++;
      return 'failed';
    }
    const tally = this.#tallyOf(client);
    if (check !== null && status >= 400) countUp(tally.judged, String(status));
    const fault = check?.faultOf(parser, parser.body) ?? (lacks ? 'variable' : null);
    if (fault === null) return 'success';
    countUp(tally.unexpected, fault);
    this.#second.failed++;
    return fault;
  }

  #told(client: Client, { parser }: Connection, fault: UnexpectedFault | 'success' | 'failed'): Verdict {
    if (fault === 'success' || fault === 'failed') return fault;
    const check = this.#compiled.targets[client.at]?.check ?? null;
    return { fault, came: check?.cameInstead(fault, parser, parser.body) ?? null };
  }

  onFailure(client: Client, phase: Phase, failure: ConnectionFailure): void {
    const at = this.#ports.now();
    if (at >= this.#second.ends) this.#second.cut(at);
    const tally = this.#tallyOf(client);
    if (failure === CLOSED_BEFORE_ANSWER && client.busy !== null && this.#mayBeSentAgain(client)) {
      if (this.#stage !== 'stopping' && !this.#isLapsed()) {
        this.#sendAgain(client, client.busy, at);
        return;
      }
      this.#countAbandoned(client, client.busy, at);
      this.#giveUp(client, tally);
      this.#advance(client, at);
      return;
    }
    if (client.busy !== null) this.#tracer?.onFailure(client.busy, failure.code, at);
    if (phase === CONNECTING && OWN_LIMITS.has(failure.code)) {
      // Never got as far as the target: it is taken back.
      tally.started--;
      tally.noSocket++;
      if (client.busy?.sentBefore === true) tally.resent--;
      this.#second.takeBack(client.startedIn, 1, 0);
      this.#second.noteHindrance(this.#open ? 0 : PAUSE_MS);
    } else {
      if (phase === CONNECTING && failure.code === 'ETIMEDOUT') {
        tally.timeoutConnect++;
        if (client.busy !== null) this.#recordUnanswered(client, client.busy, at);
      } else {
        countUp(tally[failure.kind], failure.code);
      }
      this.#noteSurplus(client, client.busy?.since ?? at, at);
      this.#second.endUnanswered();
    }
    this.#giveUp(client, tally);
    this.#afterFailure(client, phase, at);
  }

  #timeOut(client: Client, connection: Connection, at: number): void {
    const { phase } = connection;
    this.#countTimeOut(client, connection, at);
    this.#giveUp(client, this.#tallyOf(client));
    this.#afterFailure(client, phase, at);
  }

  #countTimeOut(client: Client, connection: Connection, at: number): void {
    const { phase } = connection;
    const tally = this.#tallyOf(client);
    this.#tracer?.onFailure(connection, TIMEOUT_WORDS[phase] ?? 'timeout', at);
    if (phase === CONNECTING) tally.timeoutConnect++;
    else if (phase === SECURING) tally.timeoutTls++;
    else tally.timeoutResponse++;
    this.#recordUnanswered(client, connection, at, this.#leastGivenUp);
    this.#noteSurplus(client, connection.since, at);
    this.#second.endUnanswered();
  }

  #countAbandoned(client: Client, connection: Connection, at: number): void {
    this.#tallyOf(client).abandoned++;
    this.#recordUnanswered(client, connection, at);
    this.#tracer?.onFailure(connection, 'abandoned', at);
  }

  /** Records how long a request has taken that is given up. `least`: in µs. */
  #recordUnanswered(client: Client, { since }: Connection, at: number, least = 0): void {
    const tally = this.#tallyOf(client);
    const from = this.#open ? client.dueAt : since;
    tally.response.record(Math.max(least, (at - from) * 1000));
    tally.service?.record(Math.max(least, (at - since) * 1000));
  }

  #giveUp(client: Client, tally: Tally): void {
    if (client.busy === null) throw new Error('Bug: a request ended twice');
    this.#settleBytes(client, client.busy, tally);
    client.busy.close();
  }

  #settleBytes(client: Client, connection: Connection, tally: Tally): void {
    const unsent = connection.unsent();
    tally.bytesReceived += connection.received;
    tally.bytesSent -= unsent;
    this.#second.takeBack(client.sentIn, 0, unsent);
  }

  /** Of a request that ends: what of its time lay where its own part of the run was over. */
  #noteSurplus(client: Client, since: number, at: number): void {
    if (this.#open) return;
    const end = this.#loadEnds;
    const { warmup } = this.#job;
    if (client.base === 0) {
      if (at > end) this.#second.addSurplus(since >= end ? 1 : (at - end) / (at - since));
    } else {
      const within = Math.min(at, end) - Math.max(since, warmup);
      if (within > 0) this.#second.addSurplus(-within / (at - since));
    }
  }

  #afterFailure(client: Client, phase: Phase, at: number): void {
    if (this.#open || phase === BUSY || this.#stage === 'stopping') {
      this.#advance(client, at);
      return;
    }
    const delay = this.#delayBehind(client);
    client.busy = null;
    client.hop = null;
    client.at++;
    if (delay > PAUSE_MS) this.#rest(client, at, delay);
    else this.#pause(client, at);
  }

  #advance(client: Client, at: number): void {
    const delay = this.#delayBehind(client);
    client.busy = null;
    client.hop = null;
    client.at++;
    client.dueAt = at;
    if (delay > 0) {
      this.#rest(client, at, delay);
      return;
    }
    // The timer is due a little after the turn begins.
    if (at > this.#second.timerDue + LONG_TURN_MS && this.#stage !== 'stopping') this.#held.push(client);
    else this.#goOn(client, at);
  }

  /** Takes the cookies of an answer; returns where it leads, if it is a redirect to be followed. */
  #takeNotable(client: Client, connection: Connection): Hop | null {
    const target = this.#compiled.targets[client.at];
    if (target === undefined) throw new Error('Bug: an answer to no target');
    const { status, location, setCookies } = connection.parser;
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
  #takeVariables(client: Client, connection: Connection): boolean {
    const target = this.#compiled.targets[client.at];
    if (target === undefined || target.taker === null) return false;
    const { variables, needed } = target;
    const taken = target.taker.take(connection.parser);
    for (let index = 0; index < variables.length; index++) {
      const value = taken[index];
      const variable = variables[index];
      // An answer without the header leaves what an earlier one gave.
      if (value !== undefined && variable !== undefined) client.values[variable] = value;
    }
    for (const variable of needed) if (client.values[variable] === undefined) return true;
    return false;
  }

  /** Of the connections of requests that belong to the warm-up nothing is told. */
  onOpened(client: Client, phase: OpeningPhase, took: number): void {
    if (client.base > 0) return;
    const { connect, tls } = this.#second.opening;
    (phase === CONNECTING ? connect : tls).record(took * 1000);
  }

  onSockets(change: 1 | -1): void {
    this.#second.changeSockets(change);
  }

  #expectedOf(target: number): ExpectedAnswer {
    const expected = this.#expected[target];
    if (expected === undefined) throw new Error('Bug: an answer to no target');
    return expected;
  }
}
