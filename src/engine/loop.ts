/**
 * One worker's part of a run: which client does what, and when. What it sends is in `requests.ts`, what becomes of that in
 * `request-counts.ts`. One event loop, no promises.
 */
import { countedPassTime } from '../core/load/delay.ts';
import type { LoadJob } from '../core/load/job.ts';
import type { WorkTime } from '../core/load/merge.ts';
import { clientsOfWarmup, dueAt, isOpenModel, ON_TIME, retiresAt, TOO_LATE } from '../core/load/pace.ts';
import type { Exchange } from '../core/load/report.ts';
import { clientOf, clientsBelow, type Share } from '../core/load/shard.ts';
import type { Slice, Unstarted } from '../core/load/slice.ts';
import { Client, type ClientEvents } from './client.ts';
import type { Clock } from './clock.ts';
import {
  BUSY,
  CLOSED_BEFORE_ANSWER,
  CONNECTING,
  SECURING,
  type Connection,
  type ConnectionFailure,
  type OpeningPhase,
  type Phase,
  type Reading,
} from './connection.ts';
import type { Draw } from './draws.ts';
import { KeptBody, type BodyRoom } from './kept-body.ts';
import type { Hop } from './rare-request.ts';
import type { CompiledJob } from './request-bytes.ts';
import { RequestCounts, type Judgement } from './request-counts.ts';
import { Requests } from './requests.ts';
import { SecondOfCounts } from './second.ts';
import { TimingWheel } from './timing-wheel.ts';
import { Tracer, type Verdict } from './tracer.ts';

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
/** Open models, while nothing is on its way and nobody rests: at most so long, and never beyond the next client. */
const IDLE_TICK_MS = 10;
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
  readonly #reading: Reading;
  /** Null when nobody looks at single exchanges. */
  readonly #tracer: Tracer | null;
  /** What each pass draws; null for nothing. */
  readonly #passDraws: readonly Draw[] | null;
  #stage: Stage = 'waiting';
  #unstarted: Unstarted = 'stopped';
  /** It has been told that its lease is over. */
  #lapsed = false;
  /** When whatever is in flight is abandoned. */
  #drainEnds = Number.POSITIVE_INFINITY;

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
  readonly #counts: RequestCounts;
  readonly #requests: Requests;

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
    this.#tracer = job.trace ? new Tracer(job, ports) : null;
    this.#reading = {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      now: ports.now,
      isLapsed: ports.isLapsed,
      tap: this.#tracer,
      createBody: () => new KeptBody(ports.bodies, ports.overloaded),
    };
    this.#passDraws = compiled.passDraws.length === 0 ? null : compiled.passDraws;
    this.#second = new SecondOfCounts({
      worker: share.worker,
      targets: compiled.targets.length,
      warmup: job.warmup,
      open: this.#open,
      post: ports.post,
      busy: ports.busy,
    });
    const [second, tracer] = [this.#second, this.#tracer];
    this.#counts = new RequestCounts(job, compiled.targets, second, tracer);
    this.#requests = new Requests(job, compiled, {
      ...{ counts: this.#counts, second, tracer, buffer: this.#reading.buffer },
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
    this.#counts.loadEnds = Math.min(this.#counts.loadEnds, Math.max(0, at));
    for (const client of [...this.#pausing.splice(0), ...this.#held.splice(0)]) this.#endPass(client);
    for (const client of this.#resting.empty()) this.#endRest(client);
    if (waiting) this.#end(0, this.#unstarted);
    else this.#endIfDone(at);
  }

  // --- time

  #keepTicking(): void {
    const period = this.#untilNextTick();
    this.#second.timerDue = this.#ports.now() + period;
    const timer = setTimeout(() => {
      const at = this.#ports.now();
      this.#second.noteLateness(at);
      if (!this.#open) this.#second.recordTickLag(at - this.#second.timerDue, period);
      this.#letGoOn();
      if (this.#open || at >= this.#nextTick) this.#tick(at);
      else this.#wakeResting(at);
      if (this.#stage === 'ended') return;
      if (this.#untilNextTick() !== period) {
        this.#keepTicking();
        return;
      }
      this.#second.timerDue = this.#ports.now() + period;
      timer.refresh();
    }, period);
    this.#timer = timer;
  }

  /** In whole ms. */
  #untilNextTick(): number {
    if (!this.#open) return CLOSED_WATCH_MS;
    if (this.#active.length + this.#resting.size > 0) return OPEN_TICK_MS;
    const { duration } = this.#job;
    const isNext = this.#next < this.#share.clients;
    const due = isNext ? dueAt(this.#job, clientOf(this.#share, this.#next)) : duration;
    const rest = Math.floor(Math.min(due, duration, this.#second.ends) - this.#ports.now());
    return Math.max(OPEN_TICK_MS, Math.min(rest, IDLE_TICK_MS));
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
    this.#counts.countUnstarted({ base, at: 0 }, 1, 'saturated');
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
      if (at - connection.since < this.#job.timeout) continue;
      const { phase } = connection;
      this.#counts.countTimeOut(client, connection, at);
      connection.close();
      this.#afterFailure(client, phase, at);
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
        if (at - busy.since >= this.#job.timeout) this.#counts.countTimeOut(client, busy, at);
        else this.#counts.countAbandoned(client, busy, at);
        client.at++;
        if (overdue === 'saturated') this.#counts.recordMissed(client, at - client.dueAt);
      }
      this.#counts.countUnstarted(client, 1, this.#unstarted);
      client.closeConnections();
    }
    this.#active.length = 0;
    this.#pausing.length = 0;
    this.#held.length = 0;
    this.#countRest(overdue);
    this.#ports.pulse(this.#second.finished, this.#second.failed);
    this.#second.end(at);
    this.#ports.ended({ elapsed: at, loaded: Math.min(at, this.#counts.loadEnds) });
  }

  /** Clients that have not started and never will. */
  #countRest(as: Unstarted | 'saturated'): void {
    const { duration } = this.#job;
    if (as !== 'saturated') {
      const warming = Math.max(0, clientsBelow(this.#share, this.#warmupClients) - this.#next);
      this.#counts.countUnstarted({ base: this.#compiled.targets.length, at: 0 }, warming, as);
      this.#counts.countUnstarted({ base: 0, at: 0 }, this.#share.clients - this.#next - warming, as);
    } else {
      for (; this.#next < this.#share.clients; this.#next++) {
        const number = clientOf(this.#share, this.#next);
        const due = dueAt(this.#job, number);
        if (this.#open) this.#passOver(number, due);
        else this.#missClient(duration - due);
      }
    }
  }

  // --- clients

  #startClient(number: number, due: number, at: number): void {
    const client =
      this.#spare.pop() ??
      new Client(this, this.#reading, {
        destinations: this.#compiled.destinations.length,
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
        if (this.#requests.begin(client, target, at)) return;
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

  #pause(client: Client, at: number): void {
    client.wakesAt = at + PAUSE_MS;
    this.#pausing.push(client);
  }

  /** The client is done, or cut off; what it had not begun is counted. */
  #endPass(client: Client): void {
    this.#counts.countUnstarted(client, 1, this.#unstarted);
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
    let hop: Hop | null = null;
    if (this.#counts.countAnswer(client, connection, at)) {
      if (connection.parser.notable) hop = this.#requests.takeNotable(client, connection);
      const lacks = this.#requests.takeVariables(client, connection);
      // One that leads elsewhere, where the answer is that counts, is a success of its own.
      const judgement = hop === null ? this.#counts.judge(client, connection, lacks) : 'success';
      if (this.#tracer !== null) {
        this.#tracer.onAnswer(connection, at, this.#verdictOf(client, connection, judgement));
      }
    } else connection.close();
    connection.releaseBody();
    if (hop !== null && this.#stage !== 'stopping' && !this.#isLapsed())
      this.#requests.follow(client, hop, at);
    else this.#advance(client, at);
    if (at >= this.#tickDue && this.#stage !== 'ended') this.#tick(at);
  }

  /** For readers. */
  #verdictOf(client: Client, { parser }: Connection, fault: Judgement): Verdict {
    if (fault === 'success' || fault === 'failed') return fault;
    const check = this.#compiled.targets[client.at]?.check ?? null;
    return { fault, came: check?.cameInstead(fault, parser, parser.body) ?? null };
  }

  onFailure(client: Client, phase: Phase, failure: ConnectionFailure): void {
    const at = this.#ports.now();
    if (at >= this.#second.ends) this.#second.cut(at);
    const connection = client.busy;
    if (connection === null) throw new Error('Bug: a request ended twice');
    if (failure === CLOSED_BEFORE_ANSWER && this.#requests.mayBeSentAgain(client)) {
      if (this.#stage !== 'stopping' && !this.#isLapsed()) {
        this.#requests.sendAgain(client, connection, at);
        return;
      }
      this.#counts.countAbandoned(client, connection, at);
      connection.close();
      this.#advance(client, at);
      return;
    }
    const isOfTarget = this.#counts.countFailure(client, connection, failure, at);
    if (!isOfTarget) this.#second.noteHindrance(this.#open ? 0 : PAUSE_MS);
    connection.close();
    this.#afterFailure(client, phase, at);
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

  onOpened(client: Client, phase: OpeningPhase, took: number): void {
    this.#counts.recordOpening(client, phase, took);
  }

  onSockets(change: 1 | -1): void {
    this.#second.changeSockets(change);
  }
}
