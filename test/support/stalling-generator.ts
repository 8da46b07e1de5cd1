/**
 * A simulation of a load generator that sometimes stalls. It returns both the measurements and the true
 * values of a target. Pure, seeded, and in virtual time. It simulates the ticks of the engine, and responses
 * that wait until they are read.
 */
import type { TestType } from '../../src/core/model/load-test.ts';
import { GeneratorDelay } from '../../src/core/load/generator-delay.ts';
import { Histogram, lastReportedAtMost } from '../../src/core/load/histogram.ts';
import { Random } from '../../src/core/random.ts';
import { STALL_FREE_SECOND } from './snapshots.ts';
import {
  addResponses,
  createConnectionSetup,
  createIterationTally,
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
  /** Clients per second in the open models, clients in the closed model. */
  readonly clients: number;
  readonly stalls: readonly GeneratorStall[];
  readonly target: SimulatedTarget;
  readonly seed: number;
}

/**
 * `apart`: requests are served independently of each other. `fixed`: likewise, and each takes the same time. `queue`:
 * one request at a time, so that a burst delays itself. `p95` in ms: 95% of the requests take less without stalls;
 * approximate for a queue.
 */
export interface SimulatedTarget {
  readonly kind: 'apart' | 'fixed' | 'queue';
  readonly p95: number;
}

/** Utilization of a queue in the open models, 0 to 1. */
export const QUEUE_UTILIZATION = 0.6;

/** Returns the mean service time of a queue, in ms. */
export function queueServiceTime({ p95 }: SimulatedTarget): number {
  return (p95 / 3) * (1 - QUEUE_UTILIZATION);
}

export interface StallMeasurement {
  readonly snapshots: readonly Snapshot[];
  /**
   * Times of the same requests without stalls, in ms. Unknown for a queue in the closed model, because it
   * would have received other requests.
   */
  readonly truth: readonly number[];
  readonly passedOver: number;
}

/** As in the engine, in ms. */
const TICK_PERIOD_MS = 1;
const ON_TIME_MS = 3;
const TOO_LATE_MS = 1000;

export function measureRun(run: StallingRun): StallMeasurement {
  return run.testType === 'cycling' ? measureClosed(run) : measureOpen(run);
}

function measureOpen(run: StallingRun): StallMeasurement {
  const recorder = new SnapshotRecorder(run);
  const count = Math.round((run.clients * run.duration) / 1000);
  const truth: number[] = [];
  let [tick, freeAt, trulyFreeAt, passedOver] = [0, 0, 0, 0];
  for (let client = 0; client < count; client++) {
    const due = (client * 1000) / run.clients;
    while ((recorder.ticks[tick] ?? Number.POSITIVE_INFINITY) < due) tick++;
    const at = recorder.ticks[tick] ?? due;
    const serviceTime = recorder.draw();
    if (at - due > TOO_LATE_MS) {
      passedOver++;
      continue;
    }
    const queued = run.target.kind === 'queue';
    freeAt = (queued ? Math.max(at, freeAt) : at) + serviceTime;
    trulyFreeAt = (queued ? Math.max(due, trulyFreeAt) : due) + serviceTime;
    truth.push(trulyFreeAt - due);
    recorder.recordResponse({ from: at - due <= ON_TIME_MS ? at : due, sent: at, due }, freeAt);
  }
  return { snapshots: recorder.snapshots(), truth, passedOver };
}

function measureClosed(run: StallingRun): StallMeasurement {
  const recorder = new SnapshotRecorder(run);
  const truth: number[] = [];
  const sends = Array.from({ length: run.clients }, () => 0);
  const queued = run.target.kind === 'queue';
  let freeAt = 0;
  for (;;) {
    let next = 0;
    for (let client = 1; client < sends.length; client++)
      if ((sends[client] ?? 0) < (sends[next] ?? 0)) next = client;
    const at = sends[next] ?? Number.POSITIVE_INFINITY;
    if (at >= run.duration) break;
    const serviceTime = recorder.draw();
    freeAt = (queued ? Math.max(at, freeAt) : at) + serviceTime;
    if (!queued) truth.push(serviceTime);
    sends[next] = recorder.recordResponse({ from: at, sent: at, due: at }, freeAt);
  }
  return { snapshots: recorder.snapshots(), truth, passedOver: 0 };
}

/** Instants of a request: from when its time is measured, when it was sent, and when it was due. */
interface RequestInstants {
  readonly from: number;
  readonly sent: number;
  readonly due: number;
}

/** Delays of the ticks in one second of a run, in ms. */
interface TickDelays {
  maxTickDelay: number;
  maxEarlierTickDelay: number;
}

/** Ticks of a run, which do not depend on the responses. */
class Ticks {
  /** Instants of the ticks, in ms. */
  readonly at: number[] = [];
  /** Lateness of each tick in ms. */
  readonly late: number[] = [];
  readonly seconds: TickDelays[] = [];

  constructor({ duration, stalls, seed }: StallingRun) {
    const timers = new Random(seed, 1);
    for (let due = 0; due < duration + TOO_LATE_MS;) {
      const at = wakeTime(stalls, due + timers.below(1000) / 1000);
      const late = at - due;
      while (this.seconds.length <= Math.floor(at / 1000))
        this.seconds.push({ maxTickDelay: 0, maxEarlierTickDelay: 0 });
      const second = this.seconds[Math.floor(at / 1000)];
      if (second === undefined) throw new Error('Bug: a tick before the start');
      second.maxTickDelay = Math.max(second.maxTickDelay, late);
      if (Math.floor(due / 1000) < Math.floor(at / 1000)) second.maxEarlierTickDelay = late;
      this.at.push(at);
      this.late.push(late);
      due = at + TICK_PERIOD_MS;
    }
  }
}

/** Ticks by run, because runs with different targets have the same ticks. */
const knownTicks = new Map<string, Ticks>();

function ticksOf(run: StallingRun): Ticks {
  const key = JSON.stringify([run.seed, run.duration, run.stalls]);
  const ticks = knownTicks.get(key) ?? new Ticks(run);
  knownTicks.set(key, ticks);
  return ticks;
}

/** Returns the first instant from `at` on at which the load generator does not stall. */
function wakeTime(stalls: readonly GeneratorStall[], at: number): number {
  let [from, to] = [0, stalls.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((stalls[middle]?.to ?? 0) <= at) from = middle + 1;
    else to = middle;
  }
  const stall = stalls[from];
  return stall !== undefined && stall.from <= at ? stall.to : at;
}

/** Records the snapshots of the thread. */
class SnapshotRecorder {
  readonly ticks: readonly number[];
  /** Lateness of each tick in ms. */
  readonly #late: readonly number[];
  /** Instants of the responses. Arrays of numbers need much less memory than an array of objects. */
  readonly #responses = { sent: new Array<number>(), due: new Array<number>(), read: new Array<number>() };
  readonly #run: StallingRun;
  readonly #random: Random;
  readonly #seconds: (TickDelays & { readonly tally: Tally })[] = [];
  readonly #tickDelays: readonly TickDelays[];

  constructor(run: StallingRun) {
    this.#run = run;
    this.#random = new Random(run.seed);
    const ticks = ticksOf(run);
    this.ticks = ticks.at;
    this.#late = ticks.late;
    this.#tickDelays = ticks.seconds;
    // Creates the seconds until the last tick.
    this.#second(ticks.at.at(-1) ?? 0);
  }

  /** Returns the service time of the next request. */
  draw(): number {
    const { kind, p95 } = this.#run.target;
    if (kind === 'fixed') return p95;
    const fraction = (this.#random.below(2 ** 32) + 0.5) / 2 ** 32;
    if (kind === 'apart')
      return (p95 * Math.exp(0.5 * normalOf(fraction, this.#random))) / Math.exp(0.5 * 1.645);
    return -Math.log(fraction) * queueServiceTime(this.#run.target);
  }

  /** Records a response and returns the time at which it was read. */
  recordResponse(instants: RequestInstants, at: number): number {
    const read = wakeTime(this.#run.stalls, at);
    const { tally } = this.#second(read);
    tally.started++;
    addResponses(tally, 200);
    tally.response.record((read - instants.from) * 1000);
    this.#responses.sent.push(instants.sent);
    this.#responses.due.push(instants.due);
    this.#responses.read.push(read);
    return read;
  }

  /** Records the lower bounds of the response times, in the order in which the thread reads the responses. */
  #recordLowerBounds(): void {
    const delay = new GeneratorDelay();
    const { sent, due, read: reads } = this.#responses;
    const order = Uint32Array.from(reads.keys());
    if (reads.some((read, index) => read < (reads[index - 1] ?? 0)))
      order.sort((a, b) => (reads[a] ?? 0) - (reads[b] ?? 0));
    let tick = 0;
    for (const index of order) {
      const read = reads[index] ?? 0;
      for (; (this.ticks[tick] ?? Number.POSITIVE_INFINITY) <= read; tick++)
        delay.addTick(this.ticks[tick] ?? 0, this.#late[tick] ?? 0);
      const minTime =
        read - (sent[index] ?? 0) - delay.maxReadDelay(read) - delay.maxBurstDelay(due[index] ?? 0);
      if (minTime > 0) this.#second(read).tally.lowerBounds.record(lastReportedAtMost(minTime * 1000));
    }
  }

  snapshots(): readonly Snapshot[] {
    this.#recordLowerBounds();
    return this.#seconds.map(({ tally, ...thread }, second) => ({
      threadIndex: 0,
      second,
      until: (second + 1) * 1000,
      connections: 0,
      peakConnections: 0,
      targets: [tally],
      iterations: [createIterationTally('record')],
      warmup: null,
      tenths: createUnobservedTenths(),
      lag: Histogram.createRecorder(),
      connectionSetup: createConnectionSetup('record'),
      retractions: {},
      surplus: 0,
      pool: null,
      addresses: {},
      thread: { ...STALL_FREE_SECOND, ...thread },
    }));
  }

  #second(at: number) {
    for (let missing = this.#seconds.length; missing <= Math.floor(at / 1000); missing++) {
      const delays = this.#tickDelays[missing] ?? { maxTickDelay: 0, maxEarlierTickDelay: 0 };
      this.#seconds.push({ tally: createTally('record', false), ...delays });
    }
    const found = this.#seconds[Math.floor(at / 1000)];
    if (found === undefined) throw new Error('Bug: a time before the start');
    return found;
  }
}

/** Returns a normally distributed number (Box-Muller method). */
function normalOf(fraction: number, random: Random): number {
  return Math.sqrt(-2 * Math.log(fraction)) * Math.cos(2 * Math.PI * (random.below(2 ** 32) / 2 ** 32));
}
