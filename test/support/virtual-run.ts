/**
 * A run in virtual time: the loops of the engine and real sockets, but a clock that advances only when all
 * sent bytes have arrived. Minutes take seconds, and nothing is late. `setTimeout` and `performance.now()` of
 * a target in the same process use the same clock.
 */
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
      await waitUntilIdle(shop);
      if (at % CHECK_INTERVAL === 0) run.evaluate();
      if (at === stop?.at) run.stop(stop.reason);
      if (at === stall?.at) run.skip(stall.lasting);
      watch?.(at);
    }
    await waitUntilIdle(shop);
    const report = run.report();
    expectBalancedLedger(report);
    return report;
  } finally {
    timers.restore();
  }
}

/** If this number of turns of the event loop moves no bytes, none are in transit. */
const IDLE_TURNS = 3;

async function waitUntilIdle(shop: RawTarget): Promise<void> {
  let before = -1;
  for (let quiet = 0; quiet < IDLE_TURNS; quiet++) {
    const closed = shop.connections() - shop.open();
    // None of these counts decreases, so their sum changes with each of them.
    const now = shop.connections() + closed + shop.bytesIn() + shop.bytesOut();
    if (now !== before) quiet = 0;
    before = now;
    await new Promise(setImmediate);
  }
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
        onExchange: () => undefined,
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
