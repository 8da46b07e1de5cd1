/**
 * A run in virtual time: the loops of the engine and real sockets, but a clock that advances only when all
 * sent bytes have arrived. Minutes take seconds, and nothing is late. `setTimeout` and `performance.now()` of
 * a target in the same process use the same clock.
 */
import { Socket } from 'node:net';
import type { LoadJob } from '../../src/core/load/load-job.ts';
import { RunMerger } from '../../src/core/load/run-merger.ts';
import { isOpenModel } from '../../src/core/model/pace.ts';
import type { AbortReason, RunReport } from '../../src/core/load/run-report.ts';
import { splitIntoShards } from '../../src/core/load/shard.ts';
import { CHECK_INTERVAL, type RequestCounts } from '../../src/core/load/stop-rule.ts';
import { BodyBudget, createBudgetCell } from '../../src/engine/buffered-body.ts';
import { LoadLoop } from '../../src/engine/load-loop.ts';
import { compileJob } from '../../src/engine/request-compiler.ts';
import { expectBalancedLedger } from './test-engine.ts';
import type { RawTarget } from './raw-target.ts';
import { TEST_GENERATOR } from './snapshots.ts';
import { installVirtualTimers } from './virtual-timers.ts';

/** Events of a run, in ms from its start: multiples of 1 in the open models, of 10 in the closed model. */
export interface VirtualRunEvents {
  /** Called at each instant, after all bytes have arrived. */
  readonly watch?: (at: number) => void;
  readonly stop?: { readonly at: number; readonly reason: AbortReason };
  /** Reports whether the lease has expired; called before each request. */
  readonly hasLapsed?: (at: number) => boolean;
  /** Stalls only the process of the engine. */
  readonly stall?: { readonly at: number; readonly lasting: number };
  /** Time for which the process of the engine is busy before each instant, so that its ticks are late. */
  readonly busyFor?: number;
  /** Interval at which sent bytes arrive, in ms, for the first time 10 ms earlier; immediately by default. */
  readonly arrivesEvery?: number;
  /** Maximum bytes of buffered bodies, for all threads together. */
  readonly bodyRoom?: number;
}

/** Time between the replacement of the clock and the start of the run. */
const LEAD_MS = 10;

/**
 * Returns the time of an active run in ms from its start, or converts an instant that its target recorded.
 */
export function virtualTimeOf(instant = performance.now()): number {
  return instant - LEAD_MS;
}

/** Runs a job with one loop per thread, and checks its ledger. */
export async function runInVirtualTime(
  job: LoadJob,
  shop: RawTarget,
  events: VirtualRunEvents = {},
): Promise<RunReport> {
  const timers = installVirtualTimers();
  const socketCalls = countSocketCalls();
  const traffic = new Traffic(shop, socketCalls);
  try {
    const { watch, stop, stall, busyFor = 0, arrivesEvery = 0 } = events;
    const run = new VirtualRun(job, events);
    const step = isOpenModel(job) ? 1 : 10;
    run.start();
    for (let at = -LEAD_MS; !run.over;) {
      timers.advance(step);
      run.skip(at < 0 ? 0 : busyFor);
      at += step;
      if (arrivesEvery > 0 && (at + LEAD_MS) % arrivesEvery !== 0) continue;
      if (traffic.mayBeInTransit()) await traffic.waitUntilIdle();
      if (at % CHECK_INTERVAL === 0) run.evaluate();
      if (at === stop?.at) run.stop(stop.reason);
      if (at === stall?.at) run.skip(stall.lasting);
      watch?.(at);
    }
    await traffic.waitUntilIdle();
    const report = run.report();
    expectBalancedLedger(report);
    return report;
  } finally {
    socketCalls.restore();
    timers.restore();
  }
}

/** If this number of turns of the event loop moves no bytes, none are in transit. */
const IDLE_TURNS = 3;
/** Instants without a call of a socket after which the run waits for bytes only at every `MAX_SKIPPED`th instant. */
const CALM_INSTANTS = 1;
/** So that a run that never ends does not block the event loop. */
const MAX_SKIPPED = 50;

/** Bytes and connections between the engine and the target, and the wait for their arrival. */
class Traffic {
  readonly #shop: RawTarget;
  readonly #calls: SocketCalls;
  #before = -1;
  #calm = 0;

  constructor(shop: RawTarget, calls: SocketCalls) {
    this.#shop = shop;
    this.#calls = calls;
  }

  /** Returns false if no socket has been used for some time, because a turn of the event loop takes a system call. */
  mayBeInTransit(): boolean {
    // A TLS handshake sends bytes without a call of the socket.
    if (this.#shop.isTls || this.#count() !== this.#before) this.#calm = 0;
    else this.#calm++;
    return this.#calm <= CALM_INSTANTS || this.#calm % MAX_SKIPPED === 0;
  }

  async waitUntilIdle(): Promise<void> {
    for (let quiet = 0; quiet < IDLE_TURNS; quiet++) {
      const now = this.#count();
      if (now !== this.#before) quiet = 0;
      this.#before = now;
      await new Promise(setImmediate);
    }
  }

  /** Returns the sum of counts that never decrease, so that it changes with each of them. */
  #count(): number {
    const shop = this.#shop;
    const closed = shop.connections() - shop.open();
    return this.#calls.count() + shop.connections() + closed + shop.bytesIn() + shop.bytesOut();
  }
}

interface SocketCalls {
  count(): number;
  /** Restores the methods. */
  restore(): void;
}

/** Counts the calls that open or close a socket of this process, write to it, or read from it again. */
function countSocketCalls(): SocketCalls {
  let count = 0;
  // The methods of streams are inherited.
  const methods = Socket.prototype as unknown as Record<string, (...values: unknown[]) => unknown>;
  const restores = ['connect', 'write', 'end', 'destroy', 'pause', 'resume'].map((name) => {
    const inherited = !Object.hasOwn(methods, name);
    const original = methods[name];
    if (original === undefined) throw new Error(`Bug: sockets have no method ${name}`);
    methods[name] = function (...values) {
      count++;
      return original.apply(this, values);
    };
    return () => {
      if (inherited) Reflect.deleteProperty(methods, name);
      else methods[name] = original;
    };
  });
  return {
    count: () => count,
    restore: () => {
      for (const restore of restores) restore();
    },
  };
}

/** The loops of a run, controlled as by the main thread of the engine. */
class VirtualRun {
  readonly #job: LoadJob;
  readonly #merger: RunMerger;
  readonly #loops: readonly LoadLoop[];
  readonly #liveCounts: RequestCounts[];
  #skipped = 0;

  constructor(job: LoadJob, { bodyRoom, hasLapsed }: VirtualRunEvents) {
    this.#job = job;
    const shards = splitIntoShards(job, job.threads ?? 1);
    const merger = new RunMerger(job, shards);
    this.#merger = merger;
    const all = createBudgetCell();
    const now = () => virtualTimeOf() + this.#skipped;
    this.#liveCounts = shards.map(() => ({ finished: 0, failed: 0 }));
    this.#loops = shards.map((shard) => {
      const compiled = compileJob(job, { worker: shard.threadIndex, workers: shard.stride });
      return new LoadLoop(job, compiled, shard, {
        now,
        isLeaseExpired: hasLapsed === undefined ? null : () => hasLapsed(now()),
        onLeaseExpired: () => {
          merger.abort('partial');
        },
        postSnapshot: (snapshot) => merger.add(snapshot),
        updateLiveCounts: (finished, failed) => {
          this.#liveCounts[shard.threadIndex] = { finished, failed };
        },
        onExchange: (exchange) => merger.addExchange(exchange),
        onEnd: (time) => merger.close(shard.threadIndex, time),
        measureBusy: () => 0,
        bodyBudget: new BodyBudget({ all, own: createBudgetCell() }, bodyRoom),
        onOverload: () => {
          merger.markOverloaded();
          this.stop('partial');
        },
      });
    });
  }

  get over(): boolean {
    return this.#merger.isOver();
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  stop(reason: AbortReason): void {
    const unstarted = this.#merger.abort(reason);
    for (const loop of this.#loops) loop.stop(unstarted, this.#job.timeout);
  }

  evaluate(): void {
    const soFar = { finished: 0, failed: 0 };
    for (const { finished, failed } of this.#liveCounts) {
      soFar.finished += finished;
      soFar.failed += failed;
    }
    if (this.#merger.reachesErrorThreshold(soFar)) this.stop('error_threshold');
  }

  skip(ms: number): void {
    this.#skipped += ms;
  }

  report(): RunReport {
    return this.#merger.report(TEST_GENERATOR);
  }
}
