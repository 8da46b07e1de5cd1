/** What one worker counts in the current second, and the cut between two seconds. Mutable on purpose: counted per request. */
import { Histogram } from '../core/load/histogram.ts';
import { RESPONDED, TENTH_MS, TENTHS_PER_SECOND, IDLE, WAITING } from '../core/load/outage.ts';
import {
  createConnectionSetup,
  createTally,
  countFinished,
  outcomesOf,
  createUnobservedTenths,
  type ConnectionSetup,
  type Snapshot,
  type Retraction,
  type Tally,
} from '../core/load/snapshot.ts';

/** Timers alone are late by as much. */
const NORMAL_TIMER_LAG_MS = 2;

/** Whose seconds they are, and where they go. */
export interface SnapshotSource {
  readonly thread: number;
  readonly targets: number;
  /** Whole seconds, in ms: see `LoadJob`. */
  readonly warmup: number;
  /** Response and service time differ. */
  readonly open: boolean;
  /** Takes a slice over; its buffers may be transferred. */
  readonly postSnapshot: (snapshot: Snapshot) => void;
  /** The share of the time since it was last asked in which the thread had something to do, 0 to 1. */
  readonly measureBusy: () => number;
}

export class SnapshotRecorder {
  /** Which second of the run it is. */
  second = 0;
  /** In ms from the start of the run: from then on counts belong to the next one. */
  endsAt = 1000;
  /** When the thread's timer should fire; the difference is the generator's own lag. */
  timerDue = 0;
  /** See `Slice`. */
  connectionSetup: ConnectionSetup = createConnectionSetup('record');
  /** Requests that came to an end since the start of the run, and those of them that failed. */
  finished = 0;
  failed = 0;

  readonly #source: SnapshotSource;
  /** Of each target; behind them, as soon as something belongs to the warm-up, as many of that. */
  #tallies: Tally[];
  #lag = Histogram.createRecorder();
  #retractions: Record<number, Retraction> = {};
  #surplus = 0;
  #tenths = createUnobservedTenths();
  #sockets = 0;
  #peakSockets = 0;
  /** Of the finished ones, those to which no answer came. */
  #unanswered = 0;
  /** Both, when they were looked at last. */
  #finishedBefore = 0;
  #unansweredBefore = 0;
  /** This machine's limits stood in the way since then. */
  #hitLocalLimit = false;
  /** See `ThreadSecond`. */
  #maxTickDelay = 0;
  #maxEarlierTickDelay = 0;
  #stalledMs = 0;
  #missingClientMs = 0;
  #neverStarted: Record<number, number> = {};
  /** Since the start of the run, in ms. */
  #totalStalledMs = 0;

  constructor(source: SnapshotSource) {
    this.#source = source;
    this.#tallies = this.#emptyTallies();
  }

  /** @param row a target; of its requests in the warm-up it is so many rows behind as there are targets */
  tally(row: number): Tally {
    return this.#tallies[row] ?? this.#tallyOfWarmup(row);
  }

  #tallyOfWarmup(row: number): Tally {
    const { targets, warmup } = this.#source;
    if (warmup > 0 && this.#tallies.length === targets) this.#tallies.push(...this.#emptyTallies());
    const tally = this.#tallies[row];
    if (tally === undefined) throw new Error('Bug: a request of no target');
    return tally;
  }

  // --- of the thread

  /** Of the timer that fires now; to the second in which it was due it is noted when that is told. */
  recordLateness(at: number): void {
    if (at >= this.endsAt) this.rollOver(at);
    const late = at - this.timerDue;
    if (late > this.#maxTickDelay) this.#maxTickDelay = late;
    if (this.timerDue < this.second * 1000 && late > this.#maxEarlierTickDelay)
      this.#maxEarlierTickDelay = late;
    if (late <= NORMAL_TIMER_LAG_MS) return;
    this.#stalledMs += late;
    this.#totalStalledMs += late;
  }

  /** How late a client of an open model starts, in ms. */
  recordLag(late: number): void {
    this.#lag.record(late * 1000);
  }

  /**
   * In the open models lag is that of the clients; in the closed one only the timer tells how late this thread is. A late
   * tick stands for all those that did not come meanwhile, else a standstill of seconds would be one sample among hundreds.
   */
  recordTickLag(late: number, period: number): void {
    this.#lag.record(late * 1000);
    for (let omitted = late - period; omitted > 0; omitted -= period) this.#lag.record(omitted * 1000);
  }

  /** Of a client of the closed model that starts late: as far as this thread let it wait, not the target or others. */
  addDelayedStart(late: number): void {
    this.#missingClientMs += Math.min(late, this.#totalStalledMs);
  }

  /** This machine's limits stand in the way of a request. `unheld`: for how long its client of the closed model waits. */
  recordLocalLimit(unheld: number): void {
    this.#missingClientMs += unheld;
    this.#hitLocalLimit = true;
  }

  /** Open models: a client that was due then is never started. */
  skipClient(due: number): void {
    const second = Math.floor(due / 1000);
    this.#neverStarted[second] = (this.#neverStarted[second] ?? 0) + 1;
  }

  changeSockets(change: 1 | -1): void {
    this.#sockets += change;
    if (this.#sockets > this.#peakSockets) this.#peakSockets = this.#sockets;
  }

  // --- of requests

  /** A request ended, and no answer to it came. */
  countUnanswered(): void {
    this.finished++;
    this.failed++;
    this.#unanswered++;
  }

  /** What this second's tally holds as less than nothing, where it was counted in an earlier one. */
  retract(second: number, started: number, bytesSent: number): void {
    if (second === this.second || started + bytesSent === 0) return;
    const before = this.#retractions[second] ?? { started: 0, bytesSent: 0 };
    this.#retractions[second] = {
      started: before.started + started,
      bytesSent: before.bytesSent + bytesSent,
    };
  }

  /** Closed model: see `Slice`. */
  addSurplus(share: number): void {
    this.#surplus += share;
  }

  /** Notes what has come of the target since the last look, how many clients wait for it, and how many rest. */
  sampleTarget(at: number, waiting: number, resting: number): void {
    const tenth = Math.floor((at - this.second * 1000) / TENTH_MS);
    const failed = this.#unanswered - this.#unansweredBefore;
    const answered = this.finished - this.#finishedBefore - failed;
    const hindered = this.#hitLocalLimit;
    this.#finishedBefore = this.finished;
    this.#unansweredBefore = this.#unanswered;
    this.#hitLocalLimit = false;
    if (tenth >= TENTHS_PER_SECOND || hindered) return;
    const { states } = this.#tenths;
    const state = answered > 0 ? RESPONDED : waiting > 0 || failed > 0 ? WAITING : IDLE;
    if (states[tenth] !== RESPONDED) states[tenth] = state;
    this.#tenths.waiting[tenth] = waiting;
    this.#tenths.resting[tenth] = resting;
    this.#tenths.failed[tenth] = (this.#tenths.failed[tenth] ?? 0) + failed;
  }

  // --- the cut

  /** Hands the second over and begins the one of this instant. */
  rollOver(at: number): void {
    this.#post(at);
    this.second = Math.floor(at / 1000);
    this.endsAt = (this.second + 1) * 1000;
    this.#tallies = this.#emptyTallies();
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
  }

  /** Hands the last second of the run over. */
  end(at: number): void {
    // An end on the stroke of a second begins no new one.
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

  #post(until: number): void {
    const { thread, targets, postSnapshot, measureBusy } = this.#source;
    const warm = this.#tallies.length > targets;
    // A timer that should have fired by then tells how late it was only in the next second, or never.
    const overdue = this.timerDue < this.endsAt ? until - this.timerDue : 0;
    postSnapshot({
      threadIndex: thread,
      second: this.second,
      until,
      targets: warm ? this.#tallies.slice(0, targets) : this.#tallies,
      warmup: warm ? this.#tallies.slice(targets) : null,
      connections: this.#sockets,
      peakConnections: this.#peakSockets,
      tenths: this.#tenths,
      lag: this.#lag,
      connectionSetup: this.connectionSetup,
      retractions: this.#retractions,
      surplus: this.#surplus,
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
