/** Records one engine thread's counts in the current second and posts a snapshot at the end of each second. */
import { GeneratorDelay, NORMAL_TICK_DELAY_MS } from '../core/load/generator-delay.ts';
import { Histogram } from '../core/load/histogram.ts';
import type { Iteration } from '../core/model/iteration.ts';
import { RESPONDED, TENTH_MS, TENTHS_PER_SECOND, IDLE, WAITING } from '../core/load/outage.ts';
import {
  createConnectionSetup,
  createIterationTally,
  createTally,
  countFinished,
  outcomesOf,
  createUnobservedTenths,
  type AddressUses,
  type ConnectionSetup,
  type IterationTally,
  type Snapshot,
  type Retraction,
  type Tally,
} from '../core/load/snapshot.ts';

export interface SnapshotSource {
  readonly thread: number;
  readonly targets: number;
  /** Warm-up in ms; a multiple of 1000. */
  readonly warmup: number;
  /** The distinct iterations of the job, one per flow. */
  readonly iterations: readonly Iteration[];
  /** True if each iteration is one request, apart from redirects. */
  readonly singleRequests: boolean;
  /** True for the open models, in which response time and service time differ. */
  readonly open: boolean;
  readonly sharesConnections: boolean;
  readonly postSnapshot: (snapshot: Snapshot) => void;
  readonly takeAddressUses: () => AddressUses;
  readonly measureBusy: () => number;
}

export class SnapshotRecorder {
  second = 0;
  /** End of the current second, in ms from the start of the run. */
  endsAt = 1000;
  /** Time at which the thread's timer should fire. The lateness of the timer is the lag of the load generator. */
  timerDue = 0;
  connectionSetup: ConnectionSetup = createConnectionSetup('record');
  /** Number of requests that have ended since the start of the run, and number of those that failed. */
  finished = 0;
  failed = 0;
  /** Delays that this thread may have added to the times of requests. */
  readonly delay = new GeneratorDelay();

  /** False while each iteration is one request, because the duration of an iteration then equals the response time. */
  measuresIterations: boolean;

  readonly #source: SnapshotSource;
  /** One tally per target, followed by one per target for the warm-up. */
  #tallies: Tally[];
  #iterations: IterationTally[];
  #lag = Histogram.createRecorder();
  #retractions: Record<number, Retraction> = {};
  #surplus = 0;
  #tenths = createUnobservedTenths();
  #sockets = 0;
  #peakSockets = 0;
  /** Number of finished requests without a response. */
  #unanswered = 0;
  #finishedBefore = 0;
  #unansweredBefore = 0;
  /** True if a limit of the load generator was reached since the previous sample. */
  #hitLocalLimit = false;
  /** Delays of this second, as in `ThreadSecond`. */
  #maxTickDelay = 0;
  #maxEarlierTickDelay = 0;
  #stalledMs = 0;
  #missingClientMs = 0;
  #neverStarted: Record<number, number> = {};
  /** Total stall time since the start of the run, in ms. */
  totalStalledMs = 0;
  /** Total stall time before the latest tick, in ms. */
  stalledBeforeTick = 0;
  /** Use of shared connections in this second, as in `PoolUse`. */
  #opened = 0;
  #pooledRequests = 0;
  #poolWaits = Histogram.createRecorder();

  constructor(source: SnapshotSource) {
    this.#source = source;
    this.measuresIterations = !source.singleRequests;
    this.#tallies = this.#emptyTallies();
    this.#iterations = this.#emptyIterations();
  }

  // --- iterations

  iterations(flow: number): IterationTally {
    const tally = this.#iterations[flow];
    if (tally === undefined) throw new Error('Bug: the flow of an iteration does not exist');
    return tally;
  }

  /**
   * Records durations of iterations from now on. For iterations that have already ended in this second, uses the
   * response times.
   */
  measureIterations(): void {
    if (this.measuresIterations) return;
    this.measuresIterations = true;
    this.#iterations = this.#iterationsByResponses();
  }

  #iterationsByResponses(): IterationTally[] {
    return this.#iterations.map((tally, flow) => {
      const request = this.#tallies[this.#source.iterations[flow]?.first ?? 0];
      if (request === undefined) throw new Error('Bug: a flow has no request');
      const { durations, lowerBounds } = createIterationTally('record');
      durations.add(request.response);
      lowerBounds.add(request.lowerBounds);
      return { ...tally, durations, lowerBounds };
    });
  }

  // --- requests by target

  /**
   * Returns the tally of a target in the current second.
   * @param row - Index of the target. For requests of the warm-up, the number of targets is added.
   */
  tally(row: number): Tally {
    return this.#tallies[row] ?? this.#tallyOfWarmup(row);
  }

  #tallyOfWarmup(row: number): Tally {
    const { targets, warmup } = this.#source;
    if (warmup > 0 && this.#tallies.length === targets) this.#tallies.push(...this.#emptyTallies());
    const tally = this.#tallies[row];
    if (tally === undefined) throw new Error('Bug: the target of a request does not exist');
    return tally;
  }

  // --- thread

  /** Records the lateness of the timer, also as a separate maximum if the timer was due in an earlier second. */
  recordLateness(at: number): void {
    if (at >= this.endsAt) this.rollOver(at);
    const lag = at - this.timerDue;
    this.delay.addTick(at, lag);
    this.stalledBeforeTick = this.totalStalledMs;
    if (lag > this.#maxTickDelay) this.#maxTickDelay = lag;
    if (this.timerDue < this.second * 1000 && lag > this.#maxEarlierTickDelay)
      this.#maxEarlierTickDelay = lag;
    if (lag <= NORMAL_TICK_DELAY_MS) return;
    this.#stalledMs += lag;
    this.totalStalledMs += lag;
  }

  /** Records the delay of a client start in an open model, in ms. */
  recordLag(late: number): void {
    this.#lag.record(late * 1000);
  }

  /**
   * Closed model: records the lag of a tick. Records another lag for each omitted tick, because a long stall would
   * otherwise be a single sample among hundreds.
   */
  recordTickLag(late: number, period: number): void {
    this.#lag.record(late * 1000);
    for (let omitted = late - period; omitted > 0; omitted -= period) this.#lag.record(omitted * 1000);
  }

  /**
   * Closed model: records a client's start delay, up to the total stall time of this thread. The target or the limit of
   * connection attempts caused any longer delay.
   */
  addDelayedStart(late: number): void {
    this.#missingClientMs += Math.min(late, this.totalStalledMs);
  }

  /**
   * Records that a limit of the load generator was reached.
   * @param unusedMs - Time for which a client of the closed model pauses as a result, in ms; 0 in the open models.
   */
  recordLocalLimit(unusedMs: number): void {
    this.#missingClientMs += unusedMs;
    this.#hitLocalLimit = true;
  }

  /** Open models: counts a client that was due at `due`, in ms from the start of the run, and will never start. */
  skipClient(due: number): void {
    const second = Math.floor(due / 1000);
    this.#neverStarted[second] = (this.#neverStarted[second] ?? 0) + 1;
  }

  changeSockets(change: 1 | -1): void {
    this.#sockets += change;
    if (change > 0) this.#opened++;
    if (this.#sockets > this.#peakSockets) this.#peakSockets = this.#sockets;
  }

  /** Counts a request on a shared connection, and the time in ms for which its client waited for the connection. */
  recordPoolWait(waited: number): void {
    this.#pooledRequests++;
    if (waited > 0) this.#poolWaits.record(waited * 1000);
  }

  // --- requests

  countWithoutResponse(): void {
    this.finished++;
    this.failed++;
    this.#unanswered++;
  }

  /**
   * Withdraws counts of an earlier second. The caller must subtract the counts from the tally of the current second.
   */
  retract(second: number, started: number, bytesSent: number): void {
    if (second === this.second || started + bytesSent === 0) return;
    const previous = this.#retractions[second] ?? { started: 0, bytesSent: 0 };
    this.#retractions[second] = {
      started: previous.started + started,
      bytesSent: previous.bytesSent + bytesSent,
    };
  }

  /** Closed model: adds to the surplus; see `Snapshot.surplus`. */
  addSurplus(fraction: number): void {
    this.#surplus += fraction;
  }

  /** Records the responses and failures since the previous sample, and the numbers of waiting and resting clients. */
  sampleTarget(at: number, waiting: number, resting: number): void {
    const tenth = Math.floor((at - this.second * 1000) / TENTH_MS);
    const failed = this.#unanswered - this.#unansweredBefore;
    const responded = this.finished - this.#finishedBefore - failed;
    const hitLocalLimit = this.#hitLocalLimit;
    this.#finishedBefore = this.finished;
    this.#unansweredBefore = this.#unanswered;
    this.#hitLocalLimit = false;
    if (tenth >= TENTHS_PER_SECOND || hitLocalLimit) return;
    const { states } = this.#tenths;
    const state = responded > 0 ? RESPONDED : waiting > 0 || failed > 0 ? WAITING : IDLE;
    if (states[tenth] !== RESPONDED) states[tenth] = state;
    this.#tenths.waiting[tenth] = waiting;
    this.#tenths.resting[tenth] = resting;
    this.#tenths.failed[tenth] = (this.#tenths.failed[tenth] ?? 0) + failed;
  }

  // --- rollover

  /** Posts the snapshot of the current second and begins the second that contains the given instant. */
  rollOver(at: number): void {
    this.#post(at);
    this.second = Math.floor(at / 1000);
    this.endsAt = (this.second + 1) * 1000;
    this.#tallies = this.#emptyTallies();
    this.#iterations = this.#emptyIterations();
    this.#tenths = createUnobservedTenths();
    this.#lag = Histogram.createRecorder();
    this.connectionSetup = createConnectionSetup('record');
    this.#retractions = {};
    this.#surplus = 0;
    this.#peakSockets = this.#sockets;
    this.#maxTickDelay = 0;
    this.#maxEarlierTickDelay = 0;
    this.#stalledMs = 0;
    this.#missingClientMs = 0;
    this.#neverStarted = {};
    this.#opened = 0;
    this.#pooledRequests = 0;
    this.#poolWaits = Histogram.createRecorder();
  }

  end(at: number): void {
    // A run that ends exactly at the end of a second does not begin a new second.
    if (this.second > 0 && this.#isEmpty()) this.second--;
    this.#post(at);
  }

  #isEmpty(): boolean {
    return this.#tallies.every(
      (tally) => countFinished(outcomesOf(tally)) + tally.started + tally.abandoned === 0,
    );
  }

  #emptyTallies(): Tally[] {
    const { targets, open } = this.#source;
    return Array.from({ length: targets }, () => createTally('record', open));
  }

  #emptyIterations(): IterationTally[] {
    return this.#source.iterations.map(() => createIterationTally('record'));
  }

  #post(until: number): void {
    const { thread, targets, sharesConnections, postSnapshot, takeAddressUses, measureBusy } = this.#source;
    const hasWarmup = this.#tallies.length > targets;
    // Includes the lag of an overdue timer, which would otherwise be recorded only in the next second, or never.
    const overdue = this.timerDue < this.endsAt ? until - this.timerDue : 0;
    postSnapshot({
      threadIndex: thread,
      second: this.second,
      until,
      targets: hasWarmup ? this.#tallies.slice(0, targets) : this.#tallies,
      warmup: hasWarmup ? this.#tallies.slice(targets) : null,
      iterations: this.measuresIterations ? this.#iterations : this.#iterationsByResponses(),
      connections: this.#sockets,
      peakConnections: this.#peakSockets,
      tenths: this.#tenths,
      lag: this.#lag,
      connectionSetup: this.connectionSetup,
      retractions: this.#retractions,
      surplus: this.#surplus,
      pool: sharesConnections
        ? { opened: this.#opened, requests: this.#pooledRequests, waits: this.#poolWaits }
        : null,
      addresses: takeAddressUses(),
      thread: {
        maxTickDelay: Math.max(this.#maxTickDelay, overdue),
        maxEarlierTickDelay: this.#maxEarlierTickDelay,
        stalledMs: this.#stalledMs,
        busy: measureBusy(),
        neverStarted: this.#neverStarted,
        missingClientMs: this.#missingClientMs,
      },
    });
  }
}
