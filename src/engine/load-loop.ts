/** Load loop of one engine thread. The loop starts clients and decides when each client sends its next request. */
import {
  areSingleRequests,
  countRequests,
  createIterationLookup,
  iterationsOf,
  startLength,
  type Iteration,
} from '../core/model/iteration.ts';
import { maxLoadTime } from '../core/model/peak-load.ts';
import type { LoadJob } from '../core/load/load-job.ts';
import type { ThreadTime } from '../core/load/run-merger.ts';
import {
  clientCount,
  countWarmupClients,
  dueAt,
  isOpenModel,
  ON_TIME_TOLERANCE,
  retiresAt,
  MAX_START_DELAY,
} from '../core/model/pace.ts';
import type { TracedExchange } from '../core/load/run-report.ts';
import { clientNumberOf, clientsBelow, rangeOf, shareOf, type Shard } from '../core/load/shard.ts';
import type { Snapshot, UnstartedReason } from '../core/load/snapshot.ts';
import { Client, type ClientEvents } from './client.ts';
import type { Clock } from './clock.ts';
import { ConnectionPool } from './connection-pool.ts';
import {
  CLOSED_BEFORE_RESPONSE,
  CONNECTING,
  SECURING,
  SENT,
  type Exchange,
  type ExchangeFailure,
  type OpeningPhase,
  type Phase,
  type ReceivedResponse,
} from './exchange.ts';
import type { DrawValues } from './slot-plan.ts';
import { BufferedBody, type BodyBudget } from './buffered-body.ts';
import type { Group } from '../core/model/group.ts';
import type { Hop } from './dynamic-request.ts';
import { IterationAccounting } from './iteration-accounting.ts';
import type { IterationProgram } from './iteration-program.ts';
import { beginLanes, endLanes, type LaneContext } from './parallel-lanes.ts';
import type { CompiledJob, CompiledTarget } from './request-compiler.ts';
import { RequestAccounting, type ResponseOutcome } from './request-accounting.ts';
import { RequestSender } from './request-sender.ts';
import { SnapshotRecorder } from './snapshot-recorder.ts';
import type { ResolveTarget } from './url-resolver.ts';
import { TimingWheel } from './timing-wheel.ts';
import { ExchangeTracer, type TracedOutcome } from './exchange-tracer.ts';

export interface ThreadContext {
  /** Returns the milliseconds since the start of the run; negative before the start. */
  readonly now: Clock;
  /** Receives a snapshot, which does not change afterward. */
  readonly postSnapshot: (snapshot: Snapshot) => void;
  /** Called at each sweep and when the loop ends. */
  readonly updateLiveCounts: (finished: number, failed: number) => void;
  /** Receives the first exchanges, if the job traces them. */
  readonly onExchange: (exchange: TracedExchange) => void;
  /** Maximum number of traced exchanges; the default is `MAX_EXCHANGES`. */
  readonly maxExchanges?: number;
  /** True if the loop runs until its clients have ended or `stop` is called, regardless of the duration of the job. */
  readonly isUnlimited?: true;
  /** Called when a client has ended. The values of the client are still available. */
  readonly onClientEnd?: (client: Client) => void;
  /** Reports whether the lease has expired, so that nothing more may be sent; null if the load needs no lease. */
  readonly isLeaseExpired: (() => boolean) | null;
  /** Called once, when the lease has expired and the loop stops. */
  readonly onLeaseExpired: () => void;
  readonly onEnd: (time: ThreadTime) => void;
  readonly bodyBudget: BodyBudget;
  /** Called when `bodyBudget` is exhausted. */
  readonly onOverload: () => void;
  /** Returns the fraction of time, 0 to 1, for which the thread was busy since the previous call. */
  readonly measureBusy: () => number;
}

const BUFFER_BYTES = 64 * 1024;

/** Last elements of the seeds for random numbers of iterations and clients. */
const ITERATION_STREAM = 0x17e7a7e;
const CLIENT_STREAM = 0xc11e47;

/**
 * Intervals at which the loop checks for due clients. Open models need a short interval, because the clients start at
 * given times; in the closed model, ramps are slow.
 */
const OPEN_TICK_MS = 1;
const CLOSED_TICK_MS = 10;
/** Maximum tick interval of an open model while no client is active or resting. */
const IDLE_TICK_MS = 10;
/**
 * Intervals at which the closed model measures the lag of its thread. The short interval improves the lower bounds of
 * response times; the long interval needs less CPU time.
 */
const CLOSED_LAG_CHECK_MS = { idle: 1, busy: 2 };
/** Number of requests that must end within an interval for the thread to count as busy. */
const MIN_BUSY_REQUESTS = 10;
/**
 * Lateness of the timer above which responses trigger no further requests until the timer fires. Otherwise, libuv may
 * read from thousands of sockets for most of a second before it handles timers and new connections.
 */
const MAX_TURN_MS = 10;
/**
 * Interval at which timeouts are checked and the live counts are updated. A drain is extended by this interval, so
 * that the timeout of the last request expires before the drain ends.
 */
const SWEEP_MS = 50;
/**
 * Maximum time for requests in flight to finish after the lease expires. Together with the sweep interval, must be less
 * than one second.
 */
const EXPIRED_LEASE_DRAIN_MS = 800;
/** Closed model: minimum pause after a failed connection attempt, to avoid a flood of attempts. */
const RECONNECT_PAUSE_MS = 100;

/** Open models: maximum number of client starts per tick, so that responses are read between starts. */
const MAX_OPEN_STARTS = 256;
/** Closed model: maximum number of client starts per tick interval. A late tick may start proportionally more. */
const CLOSED_STARTS_PER_TICK = 100;
/**
 * Closed model: time limit for client starts in one turn of the event loop, and number of starts to which the limit
 * does not apply. Connections that are established meanwhile are detected only after the turn, so a longer turn would
 * increase the connection times.
 */
const MAX_STARTS_MS = 1;
const MIN_STARTS_PER_TURN = 16;
/**
 * Closed model: number of concurrent connection attempts in all threads above which only `MIN_CLOSED_STARTS` clients
 * start per tick and thread. The number is similar to the accept backlog of common servers.
 */
const MAX_CONNECTING = 512;
const MIN_CLOSED_STARTS = 8;

/**
 * Stages of the load loop:
 *
 *     waiting ──start──► running ──┬─ duration over ─► draining ──┬─► ended
 *        └────────── stop ─────────┴─ stop ──────────► stopping ──┘
 *
 * During draining, iterations in progress finish, and only overdue clients of the open models start. During stopping,
 * no new requests are sent.
 */
type Stage = 'waiting' | 'running' | 'draining' | 'stopping' | 'ended';

type ProgramLanes = LaneContext & { readonly program: IterationProgram<Client> };

export class LoadLoop implements ClientEvents {
  readonly #job: LoadJob;
  readonly #compiled: CompiledJob;
  readonly #shard: Shard;
  readonly #context: ThreadContext;
  readonly #open: boolean;
  /** Open models: number of clients, in the whole run, that belong to the warm-up. */
  readonly #warmupClients: number;
  readonly #tracer: ExchangeTracer | null;
  readonly #iterationDraws: readonly DrawValues[] | null;
  /**
   * Returns an iteration by its index in the run or, in a closed model without a fixed number of iterations, in the
   * thread.
   */
  readonly #iterationOf: (number: number) => Iteration;
  /** Program of the groups; null if the job has no groups. */
  readonly #program: IterationProgram<Client> | null;
  /** Context of the lanes; null if the job has no parallel groups. */
  readonly #lanes: ProgramLanes | null;
  #stage: Stage = 'waiting';
  #unstarted: UnstartedReason = 'stopped';
  #hasLeaseExpired = false;
  /** Time from which no new requests are sent, even if an iteration is still in progress. */
  readonly #sendsEnd: number;
  /** Time at which requests in flight are abandoned. */
  #drainEnds = Number.POSITIVE_INFINITY;

  #iterationCount = 0;
  /** Requests that each client sends before its first iteration; null if there are none. */
  readonly #onStart: Iteration | null;
  /** Maximum number of iterations of the thread; Infinity if unlimited. */
  readonly #maxIterations: number;
  /** Index, in the shard, of the next client to start. */
  #nextClient = 0;
  readonly #active: Client[] = [];
  readonly #spareClients: Client[] = [];
  readonly #pausing: Client[] = [];
  /** Clients that wait because of a delay in the test. Resting clients are not active, so sweeps do not visit them. */
  readonly #resting = new TimingWheel<Client>();
  /** Clients that continue in the next turn of the event loop; see `MAX_TURN_MS`. */
  #heldClients: Client[] = [];

  readonly #recorder: SnapshotRecorder;
  readonly #counts: RequestAccounting;
  readonly #iterations: IterationAccounting;
  readonly #sender: RequestSender;
  /** Connections that the clients share; null if each client opens its own. */
  readonly #pool: ConnectionPool | null;

  #timer: NodeJS.Timeout | null = null;
  /** Time from which a response triggers a tick, because timers are delayed while sockets keep the event loop busy. */
  #tickDue = 0;
  #nextTick = 0;
  #lastStarts = 0;
  #sweepDue = 0;
  #finishedAtTick = 0;

  constructor(job: LoadJob, compiled: CompiledJob, shard: Shard, context: ThreadContext) {
    this.#job = job;
    this.#compiled = compiled;
    this.#shard = shard;
    this.#context = context;
    this.#open = isOpenModel(job);
    this.#sendsEnd = context.isUnlimited === true ? Infinity : maxLoadTime(job);
    this.#warmupClients = this.#open ? countWarmupClients(job) : 0;
    this.#tracer = job.trace ? new ExchangeTracer(job, compiled, context) : null;
    this.#iterationDraws = compiled.iterationDraws.length === 0 ? null : compiled.iterationDraws;
    this.#iterationOf = createIterationLookup(job);
    const requests = startLength(job);
    this.#onStart = requests === 0 ? null : { first: 0, end: requests, flow: -1 };
    this.#maxIterations = maxIterationsOf(job, shard);
    this.#recorder = new SnapshotRecorder({
      thread: shard.threadIndex,
      targets: compiled.targets.length,
      iterations: iterationsOf(job),
      singleRequests: areSingleRequests(job),
      warmup: job.warmup,
      open: this.#open,
      sharesConnections: job.connections !== null,
      postSnapshot: context.postSnapshot,
      takeAddressUses: () => this.#sender.takeAddressUses(),
      measureBusy: context.measureBusy,
    });
    const [recorder, tracer] = [this.#recorder, this.#tracer];
    this.#counts = new RequestAccounting(job, compiled.targets, recorder, tracer);
    this.#iterations = new IterationAccounting(recorder);
    this.#program = this.#counts.createProgram(job, compiled.groups);
    this.#sender = new RequestSender(job, compiled, {
      counts: this.#counts,
      recorder,
      tracer,
      connections: {
        buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
        now: context.now,
        isLeaseExpired: context.isLeaseExpired,
        observer: tracer,
        createBody: () => new BufferedBody(context.bodyBudget, context.onOverload),
        onSocketChange: (change) => recorder.changeSockets(change),
      },
    });
    this.#lanes = this.#program?.hasParallel === true ? this.#createLaneContext(this.#program) : null;
    this.#pool =
      job.connections === null
        ? null
        : new ConnectionPool({
            limit: shareOf(shard, job.connections),
            destinations: compiled.destinations.length,
            createConnection: (destination) => this.#sender.createConnection(destination),
            stalls: recorder,
          });
  }

  #createLaneContext(program: IterationProgram<Client>): ProgramLanes {
    const { targets, usesRandom } = this.#compiled;
    return {
      program,
      targets,
      usesRandom,
      performs: program.performs,
      createLane: (owner, position) => this.#createClient({ owner, position }),
      createJar: this.#sender.createJar,
    };
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

  /** Stops sending new requests. Requests in flight that do not finish within `drainMs` are abandoned. */
  stop(unstarted: UnstartedReason, drainMs: number): void {
    if (this.#stage === 'ended') return;
    const at = this.#context.now();
    const waiting = this.#stage === 'waiting';
    // If `stop` is called again, the first reason takes precedence, and the drain can only become shorter.
    if (this.#stage !== 'stopping') this.#unstarted = unstarted;
    this.#stage = 'stopping';
    this.#drainEnds = Math.min(this.#drainEnds, at + drainMs + SWEEP_MS);
    this.#counts.loadEnds = Math.min(this.#counts.loadEnds, Math.max(0, at));
    for (const client of [...this.#pausing.splice(0), ...this.#heldClients.splice(0)])
      this.#endClient(client);
    for (const client of this.#pool?.removeWaiting() ?? []) this.#endClient(client);
    for (const client of this.#resting.removeAll()) this.#endRestingClient(client);
    if (waiting) this.#end(0, this.#unstarted);
    else this.#endIfDone(at);
  }

  // --- time

  #keepTicking(period = this.#nextTickDelay()): void {
    this.#recorder.timerDue = this.#context.now() + period;
    const timer = setTimeout(() => {
      const at = this.#context.now();
      this.#recorder.recordLateness(at);
      if (!this.#open) this.#recorder.recordTickLag(at - this.#recorder.timerDue, period);
      this.#resumeHeld();
      if (this.#pool !== null) this.#serveAllWaiting(this.#pool);
      if (this.#open || at >= this.#nextTick) this.#tick(at);
      else this.#wakeResting(at);
      if (this.#stage === 'ended') return;
      const nextPeriod = this.#nextTickDelay();
      this.#finishedAtTick = this.#recorder.finished;
      if (nextPeriod !== period) {
        this.#keepTicking(nextPeriod);
        return;
      }
      this.#recorder.timerDue = this.#context.now() + period;
      timer.refresh();
    }, period);
    this.#timer = timer;
  }

  #nextTickDelay(): number {
    if (!this.#open) {
      const { finished } = this.#recorder;
      const isBusy = finished - this.#finishedAtTick >= MIN_BUSY_REQUESTS;
      return isBusy ? CLOSED_LAG_CHECK_MS.busy : CLOSED_LAG_CHECK_MS.idle;
    }
    if (this.#active.length + this.#resting.size > 0) return OPEN_TICK_MS;
    const { duration } = this.#job;
    const hasNext = this.#nextClient < this.#shard.clients;
    const due = hasNext ? dueAt(this.#job, clientNumberOf(this.#shard, this.#nextClient)) : duration;
    const untilNext = Math.floor(Math.min(due, duration, this.#recorder.endsAt) - this.#context.now());
    return Math.max(OPEN_TICK_MS, Math.min(untilNext, IDLE_TICK_MS));
  }

  #tick(at: number): void {
    const period = this.#open ? OPEN_TICK_MS : CLOSED_TICK_MS;
    // Schedules the tick half a timer interval early, so that a timer that fires slightly early still
    // triggers the tick.
    this.#nextTick = at + period - CLOSED_LAG_CHECK_MS.idle / 2;
    this.#tickDue = at + period * 2;
    if (at >= this.#recorder.endsAt) this.#recorder.rollOver(at);
    if (!this.#hasLeaseExpired && this.#isLeaseExpired()) {
      this.#hasLeaseExpired = true;
      this.#context.onLeaseExpired();
      this.stop('aborted', EXPIRED_LEASE_DRAIN_MS);
      return;
    }
    if (this.#stage === 'running' && (at >= this.#job.duration || this.#hasPerformedAll())) {
      this.#stage = 'draining';
      this.#drainEnds = Math.min(this.#drainEnds, this.#sendsEnd + SWEEP_MS);
    }
    if (this.#stage === 'running' || this.#stage === 'draining') {
      this.#startDue(at);
      this.#wakePausing(at);
      this.#wakeResting(at);
    }
    if (at >= this.#sweepDue) this.#sweep(at);
    this.#endIfDone(at);
  }

  /**
   * Reports whether the declared number of iterations is complete, or every client of a job with `onStart` or a limited
   * number of iterations has ended.
   */
  #hasPerformedAll(): boolean {
    if (this.#maxIterations === Infinity && this.#onStart === null) return false;
    if (this.#active.length + this.#resting.size > 0) return false;
    return this.#iterationCount === this.#maxIterations || this.#nextClient === this.#shard.clients;
  }

  #hasNoIterationLeft(client: Client): boolean {
    return client.iterationsLeft === 0 || this.#iterationCount === this.#maxIterations;
  }

  #startDue(at: number): void {
    if (this.#nextClient === this.#shard.clients || this.#iterationCount === this.#maxIterations) return;
    let budget = this.#countAllowedStarts(at);
    const timed = this.#open ? Number.NEGATIVE_INFINITY : budget - MIN_STARTS_PER_TURN;
    this.#lastStarts = at;
    while (
      budget > 0 &&
      this.#nextClient < this.#shard.clients &&
      this.#iterationCount < this.#maxIterations
    ) {
      const number = clientNumberOf(this.#shard, this.#nextClient);
      const due = dueAt(this.#job, number);
      // A client that is due exactly at the end of the run, such as the last client of a ramp, would never send a
      // request.
      if (due > at || due >= this.#job.duration || at >= this.#sendsEnd) return;
      if (budget <= timed && this.#context.now() > at + MAX_STARTS_MS) {
        this.#nextTick = at;
        return;
      }
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

  #recordDelayedStart(late: number): void {
    if (late > MAX_START_DELAY) this.#recorder.addDelayedStart(late);
  }

  #skipClient(number: number, due: number): void {
    const tallyBase = this.#tallyBaseOf(number);
    const iteration = this.#iterationOf(number);
    this.#counts.countSaturatedIteration(tallyBase, iteration);
    if (tallyBase === 0) this.#recorder.skipClient(due);
  }

  #tallyBaseOf(number: number): number {
    return number < this.#warmupClients ? this.#compiled.targets.length : 0;
  }

  #countAllowedStarts(at: number): number {
    if (this.#open) return MAX_OPEN_STARTS;
    if (this.#stage !== 'running') return 0;
    const scheduled = CLOSED_STARTS_PER_TICK * Math.max(1, (at - this.#lastStarts) / CLOSED_TICK_MS);
    const capacity = Math.floor(MAX_CONNECTING / this.#shard.stride) - this.#countConnecting();
    return Math.max(MIN_CLOSED_STARTS, Math.min(capacity, Math.round(scheduled)));
  }

  #countConnecting(): number {
    let connecting = 0;
    for (const client of this.#active) {
      const phase = client.exchange?.phase;
      if (phase === CONNECTING || phase === SECURING) connecting++;
    }
    return connecting;
  }

  #resumeHeld(): void {
    const resumed = this.#heldClients;
    if (resumed.length === 0) return;
    this.#heldClients = [];
    // Reads the time for each client, because sending the requests of thousands of clients takes a long time.
    for (const client of resumed) {
      if (this.#stage === 'ended') return;
      this.#proceed(client, this.#context.now());
    }
  }

  #wakePausing(at: number): void {
    // A client that continues may pause again and is then appended to the list.
    let remaining = 0;
    const count = this.#pausing.length;
    for (let index = 0; index < count; index++) {
      const client = this.#pausing[index];
      if (client === undefined) continue;
      if (client.wakesAt > at) this.#pausing[remaining++] = client;
      else this.#proceed(client, at);
    }
    this.#pausing.splice(remaining, count - remaining);
  }

  #wakeResting(at: number): void {
    if (this.#resting.size > 0) this.#resting.advance(at, this.#resumeRested);
  }

  readonly #resumeRested = (client: Client): void => {
    const at = this.#context.now();
    this.#activate(client);
    if (!this.#open && at >= this.#job.duration) {
      this.#endClient(client);
      return;
    }
    client.dueAt = at - client.wakesAt <= ON_TIME_TOLERANCE ? at : client.wakesAt;
    this.#proceed(client, at);
  };

  /** Aborts requests that have timed out, updates the live counts, and samples the number of waiting clients. */
  #sweep(at: number): void {
    this.#sweepDue = at + SWEEP_MS;
    this.#context.updateLiveCounts(this.#recorder.finished, this.#recorder.failed);
    let waiting = 0;
    // Iterates backward, because the last client replaces a client that ends.
    for (let index = this.#active.length - 1; index >= 0; index--) {
      const client = this.#active[index];
      if (client === undefined) continue;
      const { exchange } = client;
      // A pausing client that has sent a request in this iteration counts as waiting, because the client could not
      // reach the target.
      const isWaiting =
        exchange !== null || client.hasSent || client.waitsSince >= 0 || client.openLaneCount > 0;
      if (isWaiting && client.owner === null) waiting++;
      if (exchange === null) continue;
      if (at - exchange.since < this.#job.timeout) continue;
      const { phase } = exchange;
      this.#counts.countTimeout(client, exchange, at);
      exchange.abort();
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
      // In the open models, the load continues until all clients have started or have been skipped.
      else if (!this.#open || this.#nextClient === this.#shard.clients) this.#end(at, 'saturated');
    }
  }

  /**
   * Ends the loop, and accounts for all remaining requests and clients.
   * @param overdue - Outcome of clients that never started: `saturated` if the run reached its duration.
   */
  #end(at: number, overdue: UnstartedReason | 'saturated'): void {
    this.#stage = 'ended';
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (at >= this.#recorder.endsAt) this.#recorder.rollOver(at);
    for (const client of this.#resting.removeAll()) this.#activate(client);
    // Abandoned requests have response times, which must not be used as durations of iterations.
    if (this.#active.length > 0) this.#recorder.measureIterations();
    if (this.#lanes !== null)
      for (const client of this.#active)
        if (client.openLaneCount > 0) this.#abandonLanes(client, at, overdue);
    for (const client of this.#active) {
      const { exchange } = client;
      if (exchange !== null) {
        if (at - exchange.since >= this.#job.timeout) this.#counts.countTimeout(client, exchange, at);
        else this.#counts.countAbandoned(client, exchange, at);
        this.#selectNext(client);
        if (overdue === 'saturated') this.#counts.recordOmitted(client, exchange, at);
      } else if (client.waitsSince >= 0 && overdue === 'saturated') {
        this.#counts.recordOmittedTimes(client, at, this.#minWaitOf(client, at));
      }
      this.#counts.countUnstarted(client, this.#unstarted);
      client.closeConnections();
    }
    this.#pool?.closeIdle();
    this.#active.length = 0;
    this.#pausing.length = 0;
    this.#heldClients.length = 0;
    this.#countUnstartedClients(overdue);
    this.#context.updateLiveCounts(this.#recorder.finished, this.#recorder.failed);
    this.#recorder.end(at);
    this.#context.onEnd({ elapsed: at, loaded: Math.min(at, this.#counts.loadEnds) });
  }

  #countUnstartedClients(outcome: UnstartedReason | 'saturated'): void {
    const { duration } = this.#job;
    if (outcome !== 'saturated') {
      const warmupEnd = Math.max(clientsBelow(this.#shard, this.#warmupClients), this.#nextClient);
      const countUnstarted = (tallyBase: number, from: number, to: number) => {
        const requests = countRequests(this.#job, rangeOf(this.#shard, from, to));
        this.#counts.countUnstartedClients(tallyBase, requests, outcome);
      };
      countUnstarted(this.#compiled.targets.length, this.#nextClient, warmupEnd);
      countUnstarted(0, warmupEnd, this.#shard.clients);
    } else if (this.#iterationCount < this.#maxIterations) {
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
    const client = this.#spareClients.pop() ?? this.#createClient(null);
    client.number = number;
    client.tallyBase = this.#tallyBaseOf(number);
    client.retiresAt = this.#open ? 0 : retiresAt(this.#job, number);
    client.iterationsLeft = this.#job.iterationsPerClient ?? Infinity;
    this.#activate(client);
    client.dueAt = due;
    if (this.#onStart === null) this.#beginIteration(client, at);
    else this.#beginOnStart(client, this.#onStart);
    this.#proceed(client, at);
  }

  #createClient(lane: ConstructorParameters<typeof Client>[2]): Client {
    const size = {
      destinations: this.#compiled.destinations.length,
      values: this.#compiled.slotCount,
      groups: this.#job.groups?.length ?? 0,
      usesRandom: this.#compiled.usesRandom,
      hasLanes: this.#lanes !== null,
    };
    return new Client(this, size, lane);
  }

  #beginOnStart(client: Client, requests: Iteration): void {
    client.isStarting = true;
    client.beginIteration(requests);
    if (this.#compiled.usesRandom) this.#drawRandom(client, client.number, CLIENT_STREAM);
    for (const draw of this.#compiled.clientDraws) draw(client);
    for (const draw of this.#iterationDraws ?? []) draw(client);
    this.#program?.begin(client);
  }

  /** Stores the cookies and variables for the iterations. Returns false if a failed request ends the client. */
  #endOnStart(client: Client): boolean {
    client.isStarting = false;
    client.startValues = client.values.slice();
    client.startJar = client.jar;
    return !client.hasFailedStart;
  }

  #beginIteration(client: Client, at: number): void {
    const count = this.#iterationCount++;
    const number = this.#iterationNumberOf(client, count);
    // In the closed model without a fixed number of iterations, each thread divides its own iterations into flows.
    const isNumbered = this.#open || this.#maxIterations !== Infinity;
    client.beginIteration(this.#iterationOf(isNumbered ? number : count));
    client.iterationsLeft--;
    if (this.#open) this.#iterations.begin(client, client.dueAt, client.tallyBase > 0);
    else this.#iterations.begin(client, at, at < this.#job.warmup);
    if (this.#job.pace !== null) client.paceAt = this.#paceAfter(client, at, this.#job.pace);
    if (this.#compiled.usesRandom) this.#drawRandom(client, number, ITERATION_STREAM);
    if (this.#iterationDraws !== null) for (const draw of this.#iterationDraws) draw(client);
    const { flowDraws } = this.#compiled;
    if (flowDraws !== null) for (const draw of flowDraws[client.iteration.flow] ?? []) draw(client);
    this.#program?.begin(client);
  }

  #selectNext(client: Client): void {
    if (this.#program === null || client.owner !== null) client.requestIndex++;
    else this.#program.advance(client);
  }

  /**
   * Returns the index of an iteration in the run. In the closed model, the numbers alternate between the threads or,
   * with a fixed number of iterations per client, between the clients.
   * @param count - Number of iterations that the thread has already begun.
   */
  #iterationNumberOf(client: Client, count: number): number {
    if (this.#open) return client.number;
    const { iterationsPerClient } = this.#job;
    if (iterationsPerClient === null) return this.#shard.threadIndex + count * this.#shard.stride;
    return client.number + (iterationsPerClient - client.iterationsLeft) * clientCount(this.#job);
  }

  /**
   * Returns the earliest start of the next iteration. If the current iteration began on time, the result is based on
   * its planned start, so that delays do not add up.
   */
  #paceAfter(client: Client, at: number, pace: number): number {
    const isOnTime = client.paceAt > 0 && at - client.paceAt <= ON_TIME_TOLERANCE;
    return (isOnTime ? client.paceAt : at) + pace;
  }

  #drawRandom(client: Client, number: number, stream: number): void {
    client.iterationNumber = number;
    client.random.restart([this.#job.seed, number, stream]);
  }

  /** Reports whether a redirect may be followed or a request may be sent again. */
  #maySend(at: number): boolean {
    return this.#stage !== 'stopping' && at < this.#sendsEnd && !this.#isLeaseExpired();
  }

  #isLeaseExpired(): boolean {
    return this.#context.isLeaseExpired?.() === true;
  }

  /** Sends the client's next request or begins its next iteration. Otherwise, the client pauses, rests or ends. */
  #proceed(client: Client, at: number): void {
    client.wakesAt = 0;
    for (;;) {
      if (this.#stage === 'stopping') {
        this.#endClient(client);
        return;
      }
      const isComplete = client.requestIndex >= client.iteration.end;
      const target = isComplete ? undefined : this.#compiled.targets[client.requestIndex];
      // A client that must not send anything more pauses, because one of the next ticks stops or ends the loop.
      if (at >= this.#sendsEnd || this.#isLeaseExpired()) {
        this.#pause(client, at);
        return;
      }
      if (target !== undefined) {
        if (this.#lanes !== null && client.owner === null) {
          const group = this.#lanes.program.parallelAt(client);
          if (group !== null) {
            if (this.#sendTogether(client, { group, lanes: this.#lanes, at })) continue;
            return;
          }
        }
        const resolved = target.resolve === null ? target : this.#resolve(client, target.resolve);
        if (resolved === null) {
          this.#counts.countInvalidUrl(client, at);
          if (this.#mayContinue(client, at)) continue;
          return;
        }
        const isUnderway =
          this.#pool === null
            ? this.#sender.begin(client, resolved, at)
            : this.#beginOnShared(this.#pool, { client, target: resolved, at });
        if (isUnderway) return;
        this.#selectNext(client);
        continue;
      }
      if (client.owner !== null) {
        this.#endLane(client.owner, client, at);
        return;
      }
      this.#iterations.end(client);
      if (client.isStarting && !this.#endOnStart(client)) {
        this.#endClient(client);
        return;
      }
      if (at >= client.retiresAt || this.#hasNoIterationLeft(client)) {
        this.#endClient(client);
        return;
      }
      if (client.paceAt > at) {
        this.#rest(client, at, client.paceAt - at);
        return;
      }
      const wasIdle = !client.hasSent;
      this.#beginIteration(client, at);
      if (wasIdle) {
        this.#pause(client, at);
        return;
      }
    }
  }

  /** Returns false if the client must first wait for a request or a delay. */
  #sendTogether(
    client: Client,
    { group, lanes, at }: { readonly group: Group; readonly lanes: LaneContext; readonly at: number },
  ): boolean {
    beginLanes(client, group, lanes);
    // Counts the client itself, so that the client does not continue before every request has begun.
    client.openLaneCount++;
    for (const lane of client.openLanes) {
      this.#activate(lane);
      this.#proceed(lane, at);
    }
    if (--client.openLaneCount > 0) return false;
    return this.#endTogether(client, at);
  }

  #endLane(owner: Client, lane: Client, at: number): void {
    this.#deactivate(lane);
    if (--owner.openLaneCount === 0 && this.#endTogether(owner, at)) this.#proceed(owner, at);
  }

  /** Returns false if the client does not continue immediately. */
  #endTogether(client: Client, at: number): boolean {
    const { minDuration, minRested, restsUntil, endsIteration } = endLanes(client, this.#compiled.targets);
    client.minDuration += minDuration;
    this.#endStep(client, endsIteration);
    if (restsUntil <= at || !this.#mayRest(client)) return true;
    client.minDuration += minRested - minDuration;
    this.#rest(client, at, restsUntil - at);
    return false;
  }

  /**
   * Selects the request after an abandoned parallel group. If the load generator was saturated, also records the
   * omitted requests.
   */
  #abandonLanes(client: Client, at: number, overdue: UnstartedReason | 'saturated'): void {
    this.#selectNext(client);
    if (overdue !== 'saturated') return;
    const times = client.openLanes.map((lane) =>
      lane.exchange !== null
        ? this.#counts.minTimeOf(lane, lane.exchange, at)
        : lane.waitsSince >= 0
          ? this.#minWaitOf(lane, at)
          : 0,
    );
    this.#counts.recordOmittedTimes(client, at, Math.max(0, ...times));
  }

  /** Returns the target for the URL in the client's values; null if no request can be sent to that URL. */
  #resolve(client: Client, resolve: ResolveTarget<CompiledTarget>): CompiledTarget | null {
    client.resolvedTarget = resolve(client.values);
    return client.resolvedTarget;
  }

  /**
   * Ends a request that cannot be sent. Returns false if the client waits first, which is always the case in the closed
   * model.
   */
  #mayContinue(client: Client, at: number): boolean {
    if (!this.#open) {
      this.#pauseAfterFailure(client, at);
      return false;
    }
    const delay = this.#endRequest(client, at, true);
    if (delay > 0) this.#rest(client, at, delay);
    return delay === 0;
  }

  /** Begins the next request, or adds the client to the queue. Returns false if the request cannot be sent. */
  #beginOnShared(
    pool: ConnectionPool,
    { client, target, at }: { readonly client: Client; readonly target: CompiledTarget; readonly at: number },
  ): boolean {
    const { destination } = target;
    if (!pool.borrow(client, destination, at)) return true;
    const waited = client.waitsSince < 0 ? 0 : at - client.waitsSince;
    const minWait = waited > 0 ? this.#minWaitOf(client, at) : 0;
    client.waitsSince = -1;
    if (!this.#sender.begin(client, target, at)) {
      pool.giveBack(client, destination);
      return false;
    }
    client.minOpeningTime = minWait;
    if (client.tallyBase === 0) this.#recorder.recordPoolWait(waited);
    return true;
  }

  /** Returns a lower bound of the time for which a client has waited for a shared connection, in ms. */
  #minWaitOf(client: Client, at: number): number {
    if (this.#pool === null) return 0;
    const minWait = this.#pool.minWait(this.#destinationOf(client), at - client.waitsSince);
    return Math.max(0, minWait - this.#recorder.delay.maxReadDelay(at));
  }

  #destinationOf(client: Client): number {
    const target = client.resolvedTarget ?? this.#compiled.targets[client.requestIndex];
    return target?.destination ?? 0;
  }

  /**
   * Continues clients that wait for a connection to a destination, until no connection is available or the turn is too
   * long.
   */
  #serveWaiting(pool: ConnectionPool, destination: number, at: number): void {
    while (at <= this.#recorder.timerDue + MAX_TURN_MS) {
      const client = pool.nextServed(destination);
      if (client === null) return;
      this.#proceed(client, at);
    }
  }

  #serveAllWaiting(pool: ConnectionPool): void {
    for (let destination = 0; destination < this.#compiled.destinations.length; destination++) {
      for (;;) {
        const client = this.#stage === 'ended' ? null : pool.nextServed(destination);
        if (client === null) break;
        this.#proceed(client, this.#context.now());
      }
    }
  }

  #pause(client: Client, at: number): void {
    client.wakesAt = at + RECONNECT_PAUSE_MS;
    this.#pausing.push(client);
  }

  #endClient(client: Client): void {
    this.#counts.countUnstarted(client, this.#unstarted);
    client.exchange = null;
    if (client.owner !== null) {
      this.#endLane(client.owner, client, this.#context.now());
      return;
    }
    client.closeConnections();
    this.#deactivate(client);
    this.#context.onClientEnd?.(client);
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
   * Makes a client wait for `delay` ms with open connections, or ends the client if nothing would follow. In the closed
   * model, a wait within an iteration ends no later than the planned end of the load. A wait after an iteration ends no
   * later than the client retires.
   */
  #rest(client: Client, at: number, delay: number): void {
    const iterationIsOver = client.requestIndex === client.iteration.end;
    const end = this.#open ? Infinity : iterationIsOver ? client.retiresAt : this.#job.duration;
    if (end <= at || (iterationIsOver && this.#hasNoIterationLeft(client))) {
      this.#endClient(client);
      return;
    }
    client.wakesAt = Math.min(at + delay, end);
    this.#deactivate(client);
    this.#resting.add(client);
  }

  /**
   * Returns the delay before the client's next request, in ms. For a lane, returns 0 and stores the delay in the lane.
   */
  #endRequest(client: Client, at: number, failed: boolean): number {
    const target = this.#compiled.targets[client.requestIndex];
    const draw = target?.drawDelay ?? null;
    client.exchange = null;
    client.hop = null;
    client.resolvedTarget = null;
    if (failed) client.hasError = true;
    const endsIteration = failed && target?.endsOnFailure === true;
    if (client.isStarting && endsIteration) client.hasFailedStart = true;
    if (this.#recorder.measuresIterations) client.lastEnd = at;
    if (client.owner !== null) {
      client.requestIndex++;
      client.lastEnd = at;
      client.delay = draw?.() ?? 0;
      client.endsIteration = endsIteration;
      return 0;
    }
    this.#endStep(client, endsIteration);
    if (draw === null || !this.#mayRest(client)) return 0;
    const delay = draw();
    client.minDuration += delay;
    return delay;
  }

  #endStep(client: Client, endsIteration: boolean): void {
    this.#selectNext(client);
    if (client.requestIndex >= client.iteration.end) {
      this.#iterations.end(client);
    } else if (endsIteration) {
      this.#counts.endIteration(client);
      this.#iterations.end(client, true);
    }
  }

  /**
   * Reports whether a client may wait before it continues: false while the loop is stopping and, in an open model,
   * after the last request.
   */
  #mayRest(client: Client): boolean {
    const isOver = client.requestIndex >= client.iteration.end;
    return this.#stage !== 'stopping' && !(this.#open && isOver);
  }

  // --- completed requests

  onResponse(client: Client, exchange: Exchange, at: number): void {
    if (at >= this.#recorder.endsAt) this.#recorder.rollOver(at);
    let hop: Hop | null = null;
    let failed = true;
    // Following a redirect adds a request to the iteration.
    if (exchange.response.hasCookiesOrRedirect) this.#recorder.measureIterations();
    if (this.#counts.countResponse(client, exchange, at)) {
      const { response } = exchange;
      if (response.hasCookiesOrRedirect) hop = this.#sender.processCookiesAndRedirect(client, response);
      const fault = hop === null ? this.#counts.faultOf(client, exchange, at) : null;
      const lacksVariable = this.#sender.extractVariables(client, response);
      const outcome =
        hop === null ? this.#counts.evaluateResponse(client, response, { fault, lacksVariable }) : 'success';
      failed = outcome !== 'success';
      if (this.#tracer !== null) {
        this.#tracer.onResponse(exchange, at, this.#tracedOutcomeOf(client, response, outcome), client.pick);
      }
    } else exchange.abort();
    if (failed) exchange.recordFailure();
    exchange.release();
    if (hop !== null && this.#maySend(at)) this.#sender.follow(client, hop, at);
    else this.#advance(client, at, failed);
    if (at >= this.#tickDue && this.#stage !== 'ended') this.#tick(at);
  }

  #tracedOutcomeOf(client: Client, response: ReceivedResponse, fault: ResponseOutcome): TracedOutcome {
    if (fault === 'success' || fault === 'failed') return fault;
    const check = this.#compiled.targets[client.requestIndex]?.check ?? null;
    return { fault, actual: check?.actualOf(fault, response) ?? null };
  }

  onFailure(client: Client, exchange: Exchange, failure: ExchangeFailure): void {
    const at = this.#context.now();
    if (at >= this.#recorder.endsAt) this.#recorder.rollOver(at);
    if (client.exchange !== exchange) throw new Error('Bug: a request ended twice');
    if (failure === CLOSED_BEFORE_RESPONSE && this.#sender.isResendable(client)) {
      if (this.#maySend(at)) {
        this.#sender.resend(client, exchange, at);
        return;
      }
      this.#counts.countAbandoned(client, exchange, at);
      exchange.abort();
      this.#advance(client, at, false);
      return;
    }
    const { phase } = exchange;
    const isTargetFailure = this.#counts.countFailure(client, exchange, failure, at);
    if (!isTargetFailure) this.#recorder.recordLocalLimit(this.#open ? 0 : RECONNECT_PAUSE_MS);
    exchange.abort();
    this.#afterFailure(client, phase, at);
  }

  #afterFailure(client: Client, phase: Phase, at: number): void {
    if (this.#open || phase === SENT || this.#stage === 'stopping') {
      this.#advance(client, at, true);
      return;
    }
    this.#pauseAfterFailure(client, at);
  }

  /**
   * Closed model: ends a failed request, and waits for the delay of the request, but at least for `RECONNECT_PAUSE_MS`.
   */
  #pauseAfterFailure(client: Client, at: number): void {
    const delay = this.#endRequest(client, at, true);
    if (delay > RECONNECT_PAUSE_MS) this.#rest(client, at, delay);
    else this.#pause(client, at);
  }

  #advance(client: Client, at: number, failed: boolean): void {
    const destination = this.#pool === null ? 0 : this.#destinationOf(client);
    const delay = this.#endRequest(client, at, failed);
    client.dueAt = at;
    if (this.#pool !== null) {
      this.#pool.giveBack(client, destination);
      this.#serveWaiting(this.#pool, destination, at);
    }
    if (delay > 0) {
      this.#rest(client, at, delay);
      return;
    }
    // The timer is due shortly after a turn begins, so a late timer indicates a long turn.
    if (at > this.#recorder.timerDue + MAX_TURN_MS && this.#stage !== 'stopping')
      this.#heldClients.push(client);
    else this.#proceed(client, at);
  }

  onOpened(client: Client, phase: OpeningPhase, elapsed: number): void {
    this.#counts.recordOpening(client, phase, elapsed, this.#context.now());
  }
}

function maxIterationsOf(job: LoadJob, shard: Shard): number {
  const { iterations, iterationsPerClient, maxClients = null } = job;
  if (isOpenModel(job)) return maxClients === clientCount(job) ? shard.clients : Infinity;
  if (iterations !== null) return shareOf(shard, iterations);
  return iterationsPerClient === null ? Infinity : iterationsPerClient * shard.clients;
}
