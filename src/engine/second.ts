/** What one worker counts in the current second, and the cut between two seconds. Mutable on purpose: counted per request. */
import { Histogram } from '../core/load/histogram.ts';
import { ANSWERED, TENTH_MS, TENTHS, UNASKED, WAITING } from '../core/load/outage.ts';
import {
  createOpening,
  createTally,
  finishedOf,
  outcomesOf,
  unseenTenths,
  type Opening,
  type Slice,
  type TakenBack,
  type Tally,
} from '../core/load/slice.ts';

/** Timers alone are late by as much. */
const USUALLY_LATE_MS = 2;

/** Whose seconds they are, and where they go. */
export interface SecondSource {
  readonly worker: number;
  readonly targets: number;
  /** Whole seconds, in ms: see `LoadJob`. */
  readonly warmup: number;
  /** Response and service time differ. */
  readonly open: boolean;
  /** Takes a slice over; its buffers may be transferred. */
  readonly post: (slice: Slice) => void;
  /** The share of the time since it was last asked in which the thread had something to do, 0 to 1. */
  readonly busy: () => number;
}

export class SecondOfCounts {
  /** Which second of the run it is. */
  number = 0;
  /** In ms from the start of the run: from then on counts belong to the next one. */
  ends = 1000;
  /** When the thread's timer should fire; the difference is the generator's own lag. */
  timerDue = 0;
  /** See `Slice`. */
  opening: Opening = createOpening('record');
  /** Requests that came to an end since the start of the run, and those of them that failed. */
  finished = 0;
  failed = 0;

  readonly #source: SecondSource;
  /** Of each target; behind them, as soon as something belongs to the warm-up, as many of that. */
  #tallies: Tally[];
  #lag = Histogram.createRecorder();
  #takenBack: Record<number, TakenBack> = {};
  #surplus = 0;
  #tenths = unseenTenths();
  #sockets = 0;
  #peakSockets = 0;
  /** Of the finished ones, those to which no answer came. */
  #unanswered = 0;
  /** Both, when they were looked at last. */
  #finishedBefore = 0;
  #unansweredBefore = 0;
  /** This machine's limits stood in the way since then. */
  #hindered = false;
  /** See `ThreadSecond`. */
  #late = 0;
  #lateBefore = 0;
  #stoodStill = 0;
  #unheld = 0;
  #passedOver: Record<number, number> = {};
  /** Since the start of the run, in ms. */
  #stoodStillInAll = 0;

  constructor(source: SecondSource) {
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
  noteLateness(at: number): void {
    if (at >= this.ends) this.cut(at);
    const late = at - this.timerDue;
    if (late > this.#late) this.#late = late;
    if (this.timerDue < this.number * 1000 && late > this.#lateBefore) this.#lateBefore = late;
    if (late <= USUALLY_LATE_MS) return;
    this.#stoodStill += late;
    this.#stoodStillInAll += late;
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
    for (let missed = late - period; missed > 0; missed -= period) this.#lag.record(missed * 1000);
  }

  /** Of a client of the closed model that starts late: as far as this thread let it wait, not the target or others. */
  addUnheldStart(late: number): void {
    this.#unheld += Math.min(late, this.#stoodStillInAll);
  }

  /** This machine's limits stand in the way of a request. `unheld`: for how long its client of the closed model waits. */
  noteHindrance(unheld: number): void {
    this.#unheld += unheld;
    this.#hindered = true;
  }

  /** Open models: a client that was due then is never started. */
  passOver(due: number): void {
    const second = Math.floor(due / 1000);
    this.#passedOver[second] = (this.#passedOver[second] ?? 0) + 1;
  }

  changeSockets(change: 1 | -1): void {
    this.#sockets += change;
    if (this.#sockets > this.#peakSockets) this.#peakSockets = this.#sockets;
  }

  // --- of requests

  /** A request ended, and no answer to it came. */
  endUnanswered(): void {
    this.finished++;
    this.failed++;
    this.#unanswered++;
  }

  /** What this second's tally holds as less than nothing, where it was counted in an earlier one. */
  takeBack(second: number, started: number, bytesSent: number): void {
    if (second === this.number || started + bytesSent === 0) return;
    const before = this.#takenBack[second] ?? { started: 0, bytesSent: 0 };
    this.#takenBack[second] = { started: before.started + started, bytesSent: before.bytesSent + bytesSent };
  }

  /** Closed model: see `Slice`. */
  addSurplus(share: number): void {
    this.#surplus += share;
  }

  /** Notes what has come of the target since the last look, how many clients wait for it, and how many rest. */
  look(at: number, waiting: number, resting: number): void {
    const tenth = Math.floor((at - this.number * 1000) / TENTH_MS);
    const failed = this.#unanswered - this.#unansweredBefore;
    const answered = this.finished - this.#finishedBefore - failed;
    const hindered = this.#hindered;
    this.#finishedBefore = this.finished;
    this.#unansweredBefore = this.#unanswered;
    this.#hindered = false;
    if (tenth >= TENTHS || hindered) return;
    const { states } = this.#tenths;
    const state = answered > 0 ? ANSWERED : waiting > 0 || failed > 0 ? WAITING : UNASKED;
    if (states[tenth] !== ANSWERED) states[tenth] = state;
    this.#tenths.waiting[tenth] = waiting;
    this.#tenths.resting[tenth] = resting;
    this.#tenths.failed[tenth] = (this.#tenths.failed[tenth] ?? 0) + failed;
  }

  // --- the cut

  /** Hands the second over and begins the one of this instant. */
  cut(at: number): void {
    this.#post(at);
    this.number = Math.floor(at / 1000);
    this.ends = (this.number + 1) * 1000;
    this.#tallies = this.#emptyTallies();
    this.#tenths = unseenTenths();
    this.#lag = Histogram.createRecorder();
    this.opening = createOpening('record');
    this.#takenBack = {};
    this.#surplus = 0;
    this.#peakSockets = this.#sockets;
    this.#late = 0;
    this.#lateBefore = 0;
    this.#stoodStill = 0;
    this.#unheld = 0;
    this.#passedOver = {};
  }

  /** Hands the last second of the run over. */
  end(at: number): void {
    // An end on the stroke of a second begins no new one.
    if (this.number > 0 && this.#nothingCounted()) this.number--;
    this.#post(at);
  }

  #nothingCounted(): boolean {
    return this.#tallies.every(
      (tally) => finishedOf(outcomesOf(tally)) + tally.started + tally.abandoned === 0,
    );
  }

  #emptyTallies(): Tally[] {
    const { targets, open } = this.#source;
    return Array.from({ length: targets }, () => createTally('record', open));
  }

  #post(until: number): void {
    const { worker, targets, post, busy } = this.#source;
    const warm = this.#tallies.length > targets;
    // A timer that should have fired by then tells how late it was only in the next second, or never.
    const overdue = this.timerDue < this.ends ? until - this.timerDue : 0;
    post({
      worker,
      second: this.number,
      until,
      targets: warm ? this.#tallies.slice(0, targets) : this.#tallies,
      warmup: warm ? this.#tallies.slice(targets) : null,
      connections: this.#sockets,
      peakConnections: this.#peakSockets,
      tenths: this.#tenths,
      lag: this.#lag,
      opening: this.opening,
      takenBack: this.#takenBack,
      surplus: this.#surplus,
      thread: {
        late: Math.max(this.#late, overdue),
        lateBefore: this.#lateBefore,
        stoodStill: this.#stoodStill,
        busy: busy(),
        passedOver: this.#passedOver,
        unheld: this.#unheld,
      },
    });
  }
}
