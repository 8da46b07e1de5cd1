/**
 * A generator whose machine makes it stand still now and then, on paper: what it would measure of a target, and what was
 * true. Pure, seeded, in virtual time; it knows the engine's ticks, and that answers wait until somebody reads them.
 */
import type { TestType } from '../../src/core/model/load-test.ts';
import { Histogram } from '../../src/core/load/histogram.ts';
import { Random } from '../../src/core/load/random.ts';
import { STALL_FREE_SECOND } from './snapshots.ts';
import {
  createConnectionSetup,
  createTally,
  createUnobservedTenths,
  type Snapshot,
  type Tally,
} from '../../src/core/load/snapshot.ts';

/** In ms from the start of the run, in order. */
export interface GeneratorStall {
  readonly from: number;
  readonly to: number;
}

export interface StallingRun {
  readonly testType: TestType;
  readonly duration: number;
  /** Clients each second in the open models, clients in the closed one. */
  readonly clients: number;
  readonly stalls: readonly GeneratorStall[];
  readonly target: SimulatedTarget;
  readonly seed: number;
}

/**
 * `apart`: each request takes its own time. `queue`: one after the other, so that a burst waits for itself.
 * Units: in ms, 95 % of the requests take less where nothing stands still; of a queue about that.
 */
export interface SimulatedTarget {
  readonly kind: 'apart' | 'queue';
  readonly p95: number;
}

/** How busy a queue is in the open models, 0 to 1. */
export const QUEUE_UTILIZATION = 0.6;

/** What a request takes of a queue's time, in ms, on the average. */
export function queueServiceTime({ p95 }: SimulatedTarget): number {
  return (p95 / 3) * (1 - QUEUE_UTILIZATION);
}

export interface StallMeasurement {
  readonly snapshots: readonly Snapshot[];
  /**
   * In ms: what the same requests would have taken if nothing had stood still. Of a queue in the closed model it is not
   * known: other requests would have been made.
   */
  readonly truth: readonly number[];
  readonly passedOver: number;
}

/** As the engine has them, in ms. */
const TICK_PERIOD_MS = { open: 1, closed: 2 };
const ON_TIME_MS = 3;
const TOO_LATE_MS = 1000;

export function measureRun(run: StallingRun): StallMeasurement {
  return run.testType === 'cycling' ? measureClosed(run) : measureOpen(run);
}

function measureOpen(run: StallingRun): StallMeasurement {
  const book = new SnapshotRecorder(run);
  const count = Math.round((run.clients * run.duration) / 1000);
  const truth: number[] = [];
  let [tick, free, trulyFree, passedOver] = [0, 0, 0, 0];
  for (let client = 0; client < count; client++) {
    const due = (client * 1000) / run.clients;
    while ((book.ticks[tick] ?? Number.POSITIVE_INFINITY) < due) tick++;
    const at = book.ticks[tick] ?? due;
    const takes = book.draw();
    if (at - due > TOO_LATE_MS) {
      passedOver++;
      continue;
    }
    const queued = run.target.kind === 'queue';
    free = (queued ? Math.max(at, free) : at) + takes;
    trulyFree = (queued ? Math.max(due, trulyFree) : due) + takes;
    truth.push(trulyFree - due);
    book.answered(at - due <= ON_TIME_MS ? at : due, free);
  }
  return { snapshots: book.snapshots(), truth, passedOver };
}

function measureClosed(run: StallingRun): StallMeasurement {
  const book = new SnapshotRecorder(run);
  const truth: number[] = [];
  const sends = Array.from({ length: run.clients }, () => 0);
  let free = 0;
  for (;;) {
    const at = Math.min(...sends);
    if (at >= run.duration) break;
    const takes = book.draw();
    const queued = run.target.kind === 'queue';
    free = (queued ? Math.max(at, free) : at) + takes;
    if (!queued) truth.push(takes);
    sends[sends.indexOf(at)] = book.answered(at, free);
  }
  return { snapshots: book.snapshots(), truth, passedOver: 0 };
}

/** What the thread notes, second by second. */
class SnapshotRecorder {
  readonly ticks: number[] = [];
  readonly #run: StallingRun;
  readonly #random: Random;
  readonly #seconds: {
    tally: Tally;
    maxTickDelay: number;
    maxEarlierTickDelay: number;
    stalledMs: number;
  }[] = [];

  constructor(run: StallingRun) {
    this.#run = run;
    this.#random = new Random(run.seed);
    const timers = new Random(run.seed, 1);
    const period = run.testType === 'cycling' ? TICK_PERIOD_MS.closed : TICK_PERIOD_MS.open;
    for (let due = 0; due < run.duration + TOO_LATE_MS;) {
      const at = this.#awake(due + timers.below(1000) / 1000);
      const second = this.#second(at);
      const late = at - due;
      second.maxTickDelay = Math.max(second.maxTickDelay, late);
      if (Math.floor(due / 1000) < Math.floor(at / 1000)) second.maxEarlierTickDelay = late;
      this.ticks.push(at);
      due = at + period;
    }
  }

  /** What the next request takes of the target's time. */
  draw(): number {
    const { kind, p95 } = this.#run.target;
    const share = (this.#random.below(2 ** 32) + 0.5) / 2 ** 32;
    if (kind === 'apart')
      return (p95 * Math.exp(0.5 * normalOf(share, this.#random))) / Math.exp(0.5 * 1.645);
    return -Math.log(share) * queueServiceTime(this.#run.target);
  }

  /** Notes an answer; gives when it was read. */
  answered(since: number, at: number): number {
    const read = this.#awake(at);
    const { tally } = this.#second(read);
    tally.started++;
    tally.statuses[200] = (tally.statuses[200] ?? 0) + 1;
    tally.response.record((read - since) * 1000);
    return read;
  }

  snapshots(): readonly Snapshot[] {
    return this.#seconds.map(({ tally, ...thread }, second) => ({
      ...{ threadIndex: 0, second, until: (second + 1) * 1000, connections: 0, peakConnections: 0 },
      ...{
        targets: [tally],
        warmup: null,
        tenths: createUnobservedTenths(),
        lag: Histogram.createRecorder(),
        connectionSetup: createConnectionSetup('record'),
        retractions: {},
        surplus: 0,
        thread: { ...STALL_FREE_SECOND, ...thread },
      },
    }));
  }

  #awake(at: number): number {
    const { stalls } = this.#run;
    let [from, to] = [0, stalls.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((stalls[middle]?.to ?? 0) <= at) from = middle + 1;
      else to = middle;
    }
    const stall = stalls[from];
    return stall !== undefined && stall.from <= at ? stall.to : at;
  }

  #second(at: number) {
    for (let missing = this.#seconds.length; missing <= Math.floor(at / 1000); missing++) {
      this.#seconds.push({
        tally: createTally('record', false),
        maxTickDelay: 0,
        maxEarlierTickDelay: 0,
        stalledMs: 0,
      });
    }
    const found = this.#seconds[Math.floor(at / 1000)];
    if (found === undefined) throw new Error('Bug: before the start');
    return found;
  }
}

/** Source: the method of Box and Muller. */
function normalOf(share: number, random: Random): number {
  return Math.sqrt(-2 * Math.log(share)) * Math.cos(2 * Math.PI * (random.below(2 ** 32) / 2 ** 32));
}
