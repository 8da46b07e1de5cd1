/**
 * One worker's part of a run: which client does what, and when. What it sends is in `requests.ts`, what becomes of that in
 * `request-counts.ts`. One event loop, no promises.
 */
import { countedIterationTime } from '../core/load/delay.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import type { ThreadTime } from '../core/load/run-merger.ts';
import {
  countWarmupClients,
  dueAt,
  isOpenModel,
  ON_TIME_TOLERANCE,
  retiresAt,
  MAX_START_DELAY,
} from '../core/load/pace.ts';
import type { Exchange } from '../core/load/run-report.ts';
import { clientNumberOf, clientsBelow, type Shard } from '../core/load/shard.ts';
import type { Snapshot, UnstartedReason } from '../core/load/snapshot.ts';
import { Client, type ClientEvents } from './client.ts';
import type { Clock } from './clock.ts';
import {
  BUSY,
  CLOSED_BEFORE_RESPONSE,
  CONNECTING,
  SECURING,
  type Connection,
  type ConnectionFailure,
  type OpeningPhase,
  type Phase,
  type ConnectionContext,
} from './connection.ts';
import type { DrawValues } from './slot-plan.ts';
import { BufferedBody, type BodyBudget } from './buffered-body.ts';
import type { Hop } from './dynamic-request.ts';
import type { CompiledJob } from './request-compiler.ts';
import { RequestAccounting, type ResponseOutcome } from './request-accounting.ts';
import { RequestSender } from './request-sender.ts';
import { SnapshotRecorder } from './snapshot-recorder.ts';
import { TimingWheel } from './timing-wheel.ts';
import { ExchangeTracer, type TracedOutcome } from './exchange-tracer.ts';

/** What the loop needs from its thread. */
export interface ThreadContext {
  /** Milliseconds since the start of the run; negative before it. */
  readonly now: Clock;
  /** Takes a slice over; its buffers may be transferred. */
  readonly postSnapshot: (snapshot: Snapshot) => void;
  /** Told every sweep. */
  readonly updateLiveCounts: (finished: number, failed: number) => void;
  /** Told of the first exchanges, if the job wants them kept. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Whether the lease is over, so that nothing more may be sent; null: the load needs none. */
  readonly isLeaseExpired: (() => boolean) | null;
  /** The loop ends for that. Told once. */
  readonly onLeaseExpired: () => void;
  readonly onEnd: (time: ThreadTime) => void;
  /** Where bodies that are looked at have room. */
  readonly bodyBudget: BodyBudget;
  /** That room is used up. */
  readonly onOverload: () => void;
  /** The share of the time since it was last asked in which the thread had something to do, 0 to 1. */
  readonly measureBusy: () => number;
}

const BUFFER_BYTES = 64 * 1024;

/** How often due clients are looked for; open models come by the clock, ramps are slow. */
const OPEN_TICK_MS = 1;
const CLOSED_TICK_MS = 10;
/** Open models, while nothing is on its way and nobody rests: at most so long, and never beyond the next client. */
const IDLE_TICK_MS = 10;
/** How often the closed model looks whether its thread was kept waiting: what is shorter is not seen. */
const CLOSED_LAG_CHECK_MS = 2;
/**
 * A turn of the event loop that has read answers for longer than this sends nothing more: with over a thousand sockets
 * that answer at once, libuv reads on for most of a second before it looks at timers and new connections.
 */
const MAX_TURN_MS = 10;
/** Deadlines, the pulse. A drain lasts so much longer, so that the last request meets its own deadline first. */
const SWEEP_MS = 50;
/** How long what is in flight when a lease is over may take: it is closed within a second of that. */
const EXPIRED_LEASE_DRAIN_MS = 800;
/** After a connection could not be made, so that a refused port is not hammered; closed model only. */
const RECONNECT_PAUSE_MS = 100;

/** Clients started per tick at most, so that answers are read in between. */
const MAX_OPEN_STARTS = 256;
/** Closed model: so many begin in the time of a tick, and in a late one as many as would have until then. */
const CLOSED_STARTS_PER_TICK = 100;
/** With this many connections still being made by all threads, as many as servers let wait, only a few more begin per tick. */
const MAX_CONNECTING = 512;
const MIN_CLOSED_STARTS = 8;

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
  readonly #shard: Shard;
  readonly #context: ThreadContext;
  readonly #open: boolean;
  /** Open models: clients of the whole run that belong to the warm-up, the first ones. */
  readonly #warmupClients: number;
  readonly #connectionContext: ConnectionContext;
  /** Null when nobody looks at single exchanges. */
  readonly #tracer: ExchangeTracer | null;
  /** What each pass draws; null for nothing. */
  readonly #iterationDraws: readonly DrawValues[] | null;
  #stage: Stage = 'waiting';
  #unstarted: UnstartedReason = 'stopped';
  /** It has been told that its lease is over. */
  #hasLeaseExpired = false;
  /** When whatever is in flight is abandoned. */
  #drainEnds = Number.POSITIVE_INFINITY;

  /** Clients of the share that have started, been passed over, or were given up. */
  #nextClient = 0;
  readonly #active: Client[] = [];
  readonly #spareClients: Client[] = [];
  readonly #pausing: Client[] = [];
  /** Who wait because the test says so. They are not among the active ones: nobody looks at them meanwhile. */
  readonly #resting = new TimingWheel<Client>();
  /** Who go on in the next turn, see `MAX_TURN_MS`. */
  #heldClients: Client[] = [];

  readonly #recorder: SnapshotRecorder;
  readonly #counts: RequestAccounting;
  readonly #sender: RequestSender;

  #timer: NodeJS.Timeout | null = null;
  /** Ticks are also made from answers: timers starve while sockets keep the loop busy. */
  #tickDue = 0;
  #nextTick = 0;
  /** When clients were last started. */
  #lastStarts = 0;
  #sweepDue = 0;

  constructor(job: LoadJob, compiled: CompiledJob, shard: Shard, ports: ThreadContext) {
    this.#job = job;
    this.#compiled = compiled;
    this.#shard = shard;
    this.#context = ports;
    this.#open = isOpenModel(job);
    this.#warmupClients = this.#open ? countWarmupClients(job) : 0;
    this.#tracer = job.trace ? new ExchangeTracer(job, ports) : null;
    this.#connectionContext = {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      now: ports.now,
      isLeaseExpired: ports.isLeaseExpired,
      observer: this.#tracer,
      createBody: () => new BufferedBody(ports.bodyBudget, ports.onOverload),
    };
    this.#iterationDraws = compiled.iterationDraws.length === 0 ? null : compiled.iterationDraws;
    this.#recorder = new SnapshotRecorder({
      thread: shard.threadIndex,
      targets: compiled.targets.length,
      warmup: job.warmup,
      open: this.#open,
      postSnapshot: ports.postSnapshot,
      measureBusy: ports.measureBusy,
    });
    const [recorder, tracer] = [this.#recorder, this.#tracer];
    this.#counts = new RequestAccounting(job, compiled.targets, recorder, tracer);
    this.#sender = new RequestSender(job, compiled, {
      ...{ counts: this.#counts, recorder, tracer, buffer: this.#connectionContext.buffer },
    });
  }

  start(): void {
    if (this.#stage !== 'waiting') return;
    this.#stage = 'running';
    const delay = Math.max(0, Math.ceil(-this.#context.now()));
    this.#timer = setTimeout(() => {
      const at = this.#context.now();
      this.#recorder.recordLateness(at);
      this.#tick(at);
      if (this.#stage !== 'ended') this.#keepTicking();
    }, delay);
  }

  /** No request begins after this; those in flight may take so long to finish. */
  stop(unstarted: UnstartedReason, drainMs: number): void {
    if (this.#stage === 'ended') return;
    const at = this.#context.now();
    const waiting = this.#stage === 'waiting';
    // The first reason stands; a later stop may only make the end come sooner.
    if (this.#stage !== 'stopping') this.#unstarted = unstarted;
    this.#stage = 'stopping';
    this.#drainEnds = Math.min(this.#drainEnds, at + drainMs + SWEEP_MS);
    this.#counts.loadEnds = Math.min(this.#counts.loadEnds, Math.max(0, at));
    for (const client of [...this.#pausing.splice(0), ...this.#heldClients.splice(0)])
      this.#endClient(client);
    for (const client of this.#resting.removeAll()) this.#endRestingClient(client);
    if (waiting) this.#end(0, this.#unstarted);
    else this.#endIfDone(at);
  }

  // --- time

  #keepTicking(): void {
    const period = this.#nextTickDelay();
    this.#recorder.timerDue = this.#context.now() + period;
    const timer = setTimeout(() => {
      const at = this.#context.now();
      this.#recorder.recordLateness(at);
      if (!this.#open) this.#recorder.recordTickLag(at - this.#recorder.timerDue, period);
      this.#resumeHeld();
      if (this.#open || at >= this.#nextTick) this.#tick(at);
      else this.#wakeResting(at);
      if (this.#stage === 'ended') return;
      if (this.#nextTickDelay() !== period) {
        this.#keepTicking();
        return;
      }
      this.#recorder.timerDue = this.#context.now() + period;
      timer.refresh();
    }, period);
    this.#timer = timer;
  }

  /** In whole ms. */
  #nextTickDelay(): number {
    if (!this.#open) return CLOSED_LAG_CHECK_MS;
    if (this.#active.length + this.#resting.size > 0) return OPEN_TICK_MS;
    const { duration } = this.#job;
    const isNext = this.#nextClient < this.#shard.clients;
    const due = isNext ? dueAt(this.#job, clientNumberOf(this.#shard, this.#nextClient)) : duration;
    const rest = Math.floor(Math.min(due, duration, this.#recorder.endsAt) - this.#context.now());
    return Math.max(OPEN_TICK_MS, Math.min(rest, IDLE_TICK_MS));
  }

  #tick(at: number): void {
    const period = this.#open ? OPEN_TICK_MS : CLOSED_TICK_MS;
    // Half a timer's period early, so that one that fires a little early does not wait for the next.
    this.#nextTick = at + period - CLOSED_LAG_CHECK_MS / 2;
    this.#tickDue = at + period * 2;
    if (at >= this.#recorder.endsAt) this.#recorder.rollOver(at);
    if (!this.#hasLeaseExpired && this.#isLeaseExpired()) {
      this.#hasLeaseExpired = true;
      this.#context.onLeaseExpired();
      this.stop('aborted', EXPIRED_LEASE_DRAIN_MS);
      return;
    }
    if (this.#stage === 'running' && at >= this.#job.duration) {
      this.#stage = 'draining';
      this.#drainEnds = Math.min(this.#drainEnds, this.#job.duration + this.#maxDrainMs());
    }
    if (this.#stage === 'running' || this.#stage === 'draining') {
      this.#startDue(at);
      this.#wakePausing(at);
      this.#wakeResting(at);
    }
    if (at >= this.#sweepDue) this.#sweep(at);
    this.#endIfDone(at);
  }

  /** Passes that rest on their way still have all of it before them. */
  #maxDrainMs(): number {
    const { targets, timeout } = this.#job;
    if (!this.#open) return timeout + SWEEP_MS;
    // Each time-out is noticed so much later.
    return countedIterationTime(targets, timeout) + targets.length * SWEEP_MS;
  }

  #startDue(at: number): void {
    if (this.#nextClient === this.#shard.clients) return;
    let budget = this.#countAllowedStarts(at);
    this.#lastStarts = at;
    while (budget > 0 && this.#nextClient < this.#shard.clients) {
      const number = clientNumberOf(this.#shard, this.#nextClient);
      const due = dueAt(this.#job, number);
      // One that would come at the very end, as the last of a ramp does, would never get to work.
      if (due > at || due >= this.#job.duration) return;
      this.#nextClient++;
      const late = at - due;
      if (this.#open && late > MAX_START_DELAY) {
        this.#skipClient(number, due);
        continue;
      }
      budget--;
      if (!this.#open) this.#recordDelayedStart(late);
      else if (number >= this.#warmupClients) this.#recorder.recordLag(late);
      this.#startClient(number, this.#open && late <= ON_TIME_TOLERANCE ? at : due, at);
    }
  }

  /** Of the closed model: as far as it was this thread that let it wait, and not the target or the pace of connecting. */
  #recordDelayedStart(late: number): void {
    if (late > MAX_START_DELAY) this.#recorder.addDelayedStart(late);
  }

  #skipClient(number: number, due: number): void {
    const tallyBase = this.#tallyBaseOf(number);
    this.#counts.countUnstarted({ tallyBase, requestIndex: 0 }, 1, 'saturated');
    if (tallyBase === 0) this.#recorder.skipClient(due);
  }

  /** Before the rows of a client's tallies: see `SnapshotRecorder.tally`. */
  #tallyBaseOf(number: number): number {
    return number < this.#warmupClients ? this.#compiled.targets.length : 0;
  }

  #countAllowedStarts(at: number): number {
    if (this.#open) return MAX_OPEN_STARTS;
    if (this.#stage !== 'running') return 0;
    const inTime = CLOSED_STARTS_PER_TICK * Math.max(1, (at - this.#lastStarts) / CLOSED_TICK_MS);
    const room = Math.floor(MAX_CONNECTING / this.#shard.stride) - this.#countConnecting();
    return Math.max(MIN_CLOSED_STARTS, Math.min(room, Math.round(inTime)));
  }

  #countConnecting(): number {
    let connecting = 0;
    for (const client of this.#active) {
      const phase = client.activeConnection?.phase;
      if (phase === CONNECTING || phase === SECURING) connecting++;
    }
    return connecting;
  }

  /** Those whose turn of the event loop was too long. */
  #resumeHeld(): void {
    const held = this.#heldClients;
    if (held.length === 0) return;
    this.#heldClients = [];
    // Sending to thousands takes a while.
    for (const client of held) {
      if (this.#stage === 'ended') return;
      this.#proceed(client, this.#context.now());
    }
  }

  #wakePausing(at: number): void {
    // Those that go on may come back to the end of the list at once, but never due.
    let kept = 0;
    const count = this.#pausing.length;
    for (let index = 0; index < count; index++) {
      const client = this.#pausing[index];
      if (client === undefined) continue;
      if (client.wakesAt > at) this.#pausing[kept++] = client;
      else this.#proceed(client, at);
    }
    this.#pausing.splice(kept, count - kept);
  }

  #wakeResting(at: number): void {
    if (this.#resting.size > 0) this.#resting.advance(at, this.#resumeRested);
  }

  readonly #resumeRested = (client: Client): void => {
    // Sending to thousands takes a while.
    const at = this.#context.now();
    this.#activate(client);
    if (!this.#open && at >= this.#job.duration) {
      this.#endClient(client);
      return;
    }
    client.dueAt = at - client.wakesAt <= ON_TIME_TOLERANCE ? at : client.wakesAt;
    this.#proceed(client, at);
  };

  /** Ends requests whose time is over. */
  #sweep(at: number): void {
    this.#sweepDue = at + SWEEP_MS;
    this.#context.updateLiveCounts(this.#recorder.finished, this.#recorder.failed);
    let waiting = 0;
    // Backwards: a client that ends is replaced by the last one.
    for (let index = this.#active.length - 1; index >= 0; index--) {
      const client = this.#active[index];
      if (client === undefined) continue;
      const connection = client.activeConnection;
      // One that pauses and has sent something could not reach the target.
      if (connection !== null || client.hasSent) waiting++;
      if (connection === null) continue;
      if (at - connection.since < this.#job.timeout) continue;
      const { phase } = connection;
      this.#counts.countTimeout(client, connection, at);
      connection.close();
      this.#afterFailure(client, phase, at);
    }
    this.#recorder.sampleTarget(at, waiting, this.#resting.size);
  }

  #endIfDone(at: number): void {
    if (this.#stage !== 'draining' && this.#stage !== 'stopping') return;
    if (at >= this.#drainEnds) {
      this.#end(at, this.#stage === 'draining' ? 'saturated' : this.#unstarted);
    } else if (this.#active.length + this.#resting.size === 0) {
      if (this.#stage === 'stopping') this.#end(at, this.#unstarted);
      // In the open models the rest still starts, or becomes too late.
      else if (!this.#open || this.#nextClient === this.#shard.clients) this.#end(at, 'saturated');
    }
  }

  /** `overdue`: how clients that never started are counted; `saturated` where the run was over by itself. */
  #end(at: number, overdue: UnstartedReason | 'saturated'): void {
    this.#stage = 'ended';
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (at >= this.#recorder.endsAt) this.#recorder.rollOver(at);
    for (const client of this.#resting.removeAll()) this.#activate(client);
    for (const client of this.#active) {
      const { activeConnection } = client;
      if (activeConnection !== null) {
        if (at - activeConnection.since >= this.#job.timeout)
          this.#counts.countTimeout(client, activeConnection, at);
        else this.#counts.countAbandoned(client, activeConnection, at);
        client.requestIndex++;
        if (overdue === 'saturated') this.#counts.recordOmitted(client, at - client.dueAt);
      }
      this.#counts.countUnstarted(client, 1, this.#unstarted);
      client.closeConnections();
    }
    this.#active.length = 0;
    this.#pausing.length = 0;
    this.#heldClients.length = 0;
    this.#countUnstartedClients(overdue);
    this.#context.updateLiveCounts(this.#recorder.finished, this.#recorder.failed);
    this.#recorder.end(at);
    this.#context.onEnd({ elapsed: at, loaded: Math.min(at, this.#counts.loadEnds) });
  }

  /** Clients that have not started and never will. */
  #countUnstartedClients(as: UnstartedReason | 'saturated'): void {
    const { duration } = this.#job;
    if (as !== 'saturated') {
      const warming = Math.max(0, clientsBelow(this.#shard, this.#warmupClients) - this.#nextClient);
      this.#counts.countUnstarted({ tallyBase: this.#compiled.targets.length, requestIndex: 0 }, warming, as);
      this.#counts.countUnstarted(
        { tallyBase: 0, requestIndex: 0 },
        this.#shard.clients - this.#nextClient - warming,
        as,
      );
    } else {
      for (; this.#nextClient < this.#shard.clients; this.#nextClient++) {
        const number = clientNumberOf(this.#shard, this.#nextClient);
        const due = dueAt(this.#job, number);
        if (this.#open) this.#skipClient(number, due);
        else this.#recordDelayedStart(duration - due);
      }
    }
  }

  // --- clients

  #startClient(number: number, due: number, at: number): void {
    const client =
      this.#spareClients.pop() ??
      new Client(this, this.#connectionContext, {
        destinations: this.#compiled.destinations.length,
        values: this.#compiled.slotCount,
      });
    client.number = number;
    client.tallyBase = this.#tallyBaseOf(number);
    client.retiresAt = this.#open ? 0 : retiresAt(this.#job, number);
    this.#activate(client);
    this.#beginIteration(client);
    client.dueAt = due;
    this.#proceed(client, at);
  }

  #beginIteration(client: Client): void {
    client.beginIteration();
    if (this.#iterationDraws !== null) for (const draw of this.#iterationDraws) draw(client.values);
  }

  #isLeaseExpired(): boolean {
    return this.#context.isLeaseExpired?.() === true;
  }

  /** Sends the client's next request, or begins its next pass, or lets it go. */
  #proceed(client: Client, at: number): void {
    client.wakesAt = 0;
    for (;;) {
      if (this.#stage === 'stopping') {
        this.#endClient(client);
        return;
      }
      const target = this.#compiled.targets[client.requestIndex];
      // The next tick ends all.
      if (this.#isLeaseExpired()) {
        this.#pause(client, at);
        return;
      }
      if (target !== undefined) {
        if (this.#sender.begin(client, target, at)) return;
        client.requestIndex++;
        continue;
      }
      if (at >= client.retiresAt) {
        this.#endClient(client);
        return;
      }
      const idle = !client.hasSent;
      this.#beginIteration(client);
      if (idle) {
        this.#pause(client, at);
        return;
      }
    }
  }

  #pause(client: Client, at: number): void {
    client.wakesAt = at + RECONNECT_PAUSE_MS;
    this.#pausing.push(client);
  }

  /** The client is done, or cut off; what it had not begun is counted. */
  #endClient(client: Client): void {
    this.#counts.countUnstarted(client, 1, this.#unstarted);
    client.closeConnections();
    client.activeConnection = null;
    this.#deactivate(client);
    if (this.#open) this.#spareClients.push(client);
  }

  #endRestingClient(client: Client): void {
    this.#activate(client);
    this.#endClient(client);
  }

  #activate(client: Client): void {
    client.activeIndex = this.#active.length;
    this.#active.push(client);
  }

  #deactivate(client: Client): void {
    const last = this.#active.pop();
    if (last !== undefined && last !== client) {
      this.#active[client.activeIndex] = last;
      last.activeIndex = client.activeIndex;
    }
    client.activeIndex = -1;
  }

  /**
   * The client waits because the test says so, for so many ms; it keeps its connections. In the closed model nobody waits
   * beyond the end of its time.
   */
  #rest(client: Client, at: number, delay: number): void {
    const passIsOver = client.requestIndex === this.#compiled.targets.length;
    const end = this.#open ? Infinity : passIsOver ? client.retiresAt : this.#job.duration;
    if (end <= at) {
      this.#endClient(client);
      return;
    }
    client.wakesAt = Math.min(at + delay, end);
    this.#deactivate(client);
    this.#resting.add(client);
  }

  /** How long the test has the client wait behind the request that has ended, in ms. */
  #delayAfter(client: Client): number {
    const draw = this.#compiled.targets[client.requestIndex]?.drawDelay ?? null;
    if (draw === null || this.#stage === 'stopping') return 0;
    return this.#open && client.requestIndex === this.#compiled.targets.length - 1 ? 0 : draw();
  }

  // --- ends of requests

  onResponse(client: Client, connection: Connection, at: number): void {
    if (at >= this.#recorder.endsAt) this.#recorder.rollOver(at);
    let hop: Hop | null = null;
    if (this.#counts.countResponse(client, connection, at)) {
      if (connection.parser.hasCookiesOrRedirect)
        hop = this.#sender.processCookiesAndRedirect(client, connection);
      const lacks = this.#sender.extractVariables(client, connection);
      // One that leads elsewhere, where the answer is that counts, is a success of its own.
      const verdict = hop === null ? this.#counts.evaluateResponse(client, connection, lacks) : 'success';
      if (this.#tracer !== null) {
        this.#tracer.onResponse(connection, at, this.#tracedOutcomeOf(client, connection, verdict));
      }
    } else connection.close();
    connection.releaseBody();
    if (hop !== null && this.#stage !== 'stopping' && !this.#isLeaseExpired())
      this.#sender.follow(client, hop, at);
    else this.#advance(client, at);
    if (at >= this.#tickDue && this.#stage !== 'ended') this.#tick(at);
  }

  /** For readers. */
  #tracedOutcomeOf(client: Client, { parser }: Connection, fault: ResponseOutcome): TracedOutcome {
    if (fault === 'success' || fault === 'failed') return fault;
    const check = this.#compiled.targets[client.requestIndex]?.check ?? null;
    return { fault, actual: check?.actualOf(fault, parser, parser.body) ?? null };
  }

  onFailure(client: Client, phase: Phase, failure: ConnectionFailure): void {
    const at = this.#context.now();
    if (at >= this.#recorder.endsAt) this.#recorder.rollOver(at);
    const connection = client.activeConnection;
    if (connection === null) throw new Error('Bug: a request ended twice');
    if (failure === CLOSED_BEFORE_RESPONSE && this.#sender.isResendable(client)) {
      if (this.#stage !== 'stopping' && !this.#isLeaseExpired()) {
        this.#sender.resend(client, connection, at);
        return;
      }
      this.#counts.countAbandoned(client, connection, at);
      connection.close();
      this.#advance(client, at);
      return;
    }
    const isOfTarget = this.#counts.countFailure(client, connection, failure, at);
    if (!isOfTarget) this.#recorder.recordLocalLimit(this.#open ? 0 : RECONNECT_PAUSE_MS);
    connection.close();
    this.#afterFailure(client, phase, at);
  }

  #afterFailure(client: Client, phase: Phase, at: number): void {
    if (this.#open || phase === BUSY || this.#stage === 'stopping') {
      this.#advance(client, at);
      return;
    }
    const delay = this.#delayAfter(client);
    client.activeConnection = null;
    client.hop = null;
    client.requestIndex++;
    if (delay > RECONNECT_PAUSE_MS) this.#rest(client, at, delay);
    else this.#pause(client, at);
  }

  #advance(client: Client, at: number): void {
    const delay = this.#delayAfter(client);
    client.activeConnection = null;
    client.hop = null;
    client.requestIndex++;
    client.dueAt = at;
    if (delay > 0) {
      this.#rest(client, at, delay);
      return;
    }
    // The timer is due a little after the turn begins.
    if (at > this.#recorder.timerDue + MAX_TURN_MS && this.#stage !== 'stopping')
      this.#heldClients.push(client);
    else this.#proceed(client, at);
  }

  onOpened(client: Client, phase: OpeningPhase, took: number): void {
    this.#counts.recordOpening(client, phase, took);
  }

  onSocketChange(change: 1 | -1): void {
    this.#recorder.changeSockets(change);
  }
}
