/**
 * A run in virtual time: the engine's own loops and real sockets, but a clock that moves only when all bytes that are
 * on their way have arrived. Minutes take seconds, and nothing is ever late. For a target in the same process,
 * `setTimeout` and `performance.now()` keep to the same clock.
 */
import type { LoadJob } from '../../src/core/load/load-job.ts';
import { RunMerger } from '../../src/core/load/run-merger.ts';
import { isOpenModel } from '../../src/core/load/pace.ts';
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

/** What happens on the way, in ms from the start of the run: whole ones in the open models, tens in the closed one. */
export interface VirtualRunEvents {
  /** Told of each instant, once all is quiet. */
  readonly watch?: (at: number) => void;
  readonly stop?: { readonly at: number; readonly reason: AbortReason };
  /** Whether the lease is over, asked before each request. */
  readonly hasLapsed?: (at: number) => boolean;
  /** The engine's process stands still for so long, and nobody else. */
  readonly stall?: { readonly at: number; readonly lasting: number };
  /** The engine's process does something else for so long before each instant, so that its ticks are late. */
  readonly busyFor?: number;
  /** What is on its way arrives only once in so many ms, for the first time 10 ms sooner; by default at once. */
  readonly arrivesEvery?: number;
  /** Bytes that the bodies that are looked at may take at once, of all threads together. */
  readonly bodyRoom?: number;
}

/** Between the moment when the clock is taken over and the start of the run. */
const LEAD_MS = 10;

/** The time of a run that goes on, in ms from its start; also of an instant that its target has noted. */
export function virtualTimeOf(instant = performance.now()): number {
  return instant - LEAD_MS;
}

/** Runs a job on as many loops as it has threads; its ledger has to close. */
export async function runInVirtualTime(
  job: LoadJob,
  shop: RawTarget,
  meanwhile: VirtualRunEvents = {},
): Promise<RunReport> {
  const timers = installVirtualTimers();
  try {
    const { watch, stop, stall, busyFor = 0, arrivesEvery = 0 } = meanwhile;
    const run = new VirtualRun(job, meanwhile);
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

/** When so many turns of the event loop have moved nothing, nothing is on its way. */
const IDLE_TURNS = 3;

async function waitUntilIdle(shop: RawTarget): Promise<void> {
  let before = '';
  for (let quiet = 0; quiet < IDLE_TURNS; quiet++) {
    const now = `${shop.connections()} ${shop.open()} ${shop.bytesIn()} ${shop.bytesOut()}`;
    if (now !== before) quiet = 0;
    before = now;
    await new Promise(setImmediate);
  }
}

/** The loops of a run, driven as the engine's main thread does it. */
class VirtualRun {
  readonly #job: LoadJob;
  readonly #merger: RunMerger;
  readonly #loops: readonly LoadLoop[];
  readonly #pulses: RequestCounts[];
  #skipped = 0;

  constructor(job: LoadJob, { bodyRoom, hasLapsed }: VirtualRunEvents) {
    this.#job = job;
    const shards = splitIntoShards(job, job.threads ?? 1);
    const merger = new RunMerger(job, shards);
    this.#merger = merger;
    const all = createBudgetCell();
    const now = () => virtualTimeOf() + this.#skipped;
    this.#pulses = shards.map(() => ({ finished: 0, failed: 0 }));
    this.#loops = shards.map((shard) => {
      const compiled = compileJob(job, { worker: shard.threadIndex, workers: shard.stride });
      return new LoadLoop(job, compiled, shard, {
        now,
        isLeaseExpired: hasLapsed === undefined ? null : () => hasLapsed(now()),
        onLeaseExpired: () => {
          merger.abort('partial');
        },
        postSnapshot: (snapshot) => {
          merger.add(snapshot);
        },
        updateLiveCounts: (finished, failed) => {
          this.#pulses[shard.threadIndex] = { finished, failed };
        },
        onExchange: () => undefined,
        onEnd: (time) => {
          merger.close(shard.threadIndex, time);
        },
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
    for (const { finished, failed } of this.#pulses) {
      soFar.finished += finished;
      soFar.failed += failed;
    }
    if (this.#merger.reachesErrorThreshold(soFar)) this.stop('error_threshold');
  }

  skip(lasting: number): void {
    this.#skipped += lasting;
  }

  report(): RunReport {
    return this.#merger.report(TEST_GENERATOR);
  }
}
