/**
 * A run in virtual time: the engine's own loops and real sockets, but a clock that moves only when all bytes that are
 * on their way have arrived. Minutes take seconds, and nothing is ever late. For a target in the same process,
 * `setTimeout` and `performance.now()` keep to the same clock.
 */
import type { LoadJob } from '../../src/core/load/job.ts';
import { RunMerger } from '../../src/core/load/merge.ts';
import { isOpenModel } from '../../src/core/load/pace.ts';
import type { AbortReason, RunReport } from '../../src/core/load/report.ts';
import { shard } from '../../src/core/load/shard.ts';
import { JUDGED_EVERY, type RequestsSoFar } from '../../src/core/load/stop-rule.ts';
import { BodyRoom, createRoomCell } from '../../src/engine/kept-body.ts';
import { LoadLoop } from '../../src/engine/loop.ts';
import { compileJob } from '../../src/engine/request-bytes.ts';
import { expectClosedLedger } from './engine.ts';
import type { RawTarget } from './raw-target.ts';
import { NOBODY } from './slices.ts';
import { takeOverTimers } from './virtual-timers.ts';

/** What happens on the way, in ms from the start of the run: whole ones in the open models, tens in the closed one. */
export interface Meanwhile {
  /** Told of each instant, once all is quiet. */
  readonly watch?: (at: number) => void;
  readonly stop?: { readonly at: number; readonly reason: AbortReason };
  /** Whether the lease is over, asked before each request. */
  readonly isLapsed?: (at: number) => boolean;
  /** The engine's process stands still for so long, and nobody else. */
  readonly standstill?: { readonly at: number; readonly lasting: number };
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
export function virtualTime(instant = performance.now()): number {
  return instant - LEAD_MS;
}

/** Runs a job on as many loops as it has threads; its ledger has to close. */
export async function runInVirtualTime(
  job: LoadJob,
  shop: RawTarget,
  meanwhile: Meanwhile = {},
): Promise<RunReport> {
  const timers = takeOverTimers();
  try {
    const { watch, stop, standstill, busyFor = 0, arrivesEvery = 0 } = meanwhile;
    const run = new VirtualRun(job, meanwhile);
    const step = isOpenModel(job) ? 1 : 10;
    run.start();
    for (let at = -LEAD_MS; !run.over;) {
      timers.advance(step);
      run.skip(at < 0 ? 0 : busyFor);
      at += step;
      if (arrivesEvery > 0 && (at + LEAD_MS) % arrivesEvery !== 0) continue;
      await settled(shop);
      if (at % JUDGED_EVERY === 0) run.judge();
      if (at === stop?.at) run.stop(stop.reason);
      if (at === standstill?.at) run.skip(standstill.lasting);
      watch?.(at);
    }
    await settled(shop);
    const report = run.report();
    expectClosedLedger(report);
    return report;
  } finally {
    timers.restore();
  }
}

/** When so many turns of the event loop have moved nothing, nothing is on its way. */
const QUIET_TURNS = 3;

async function settled(shop: RawTarget): Promise<void> {
  let before = '';
  for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
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
  readonly #pulses: RequestsSoFar[];
  #skipped = 0;

  constructor(job: LoadJob, { bodyRoom, isLapsed }: Meanwhile) {
    this.#job = job;
    const shares = shard(job, job.threads ?? 1);
    const merger = new RunMerger(job, shares);
    this.#merger = merger;
    const all = createRoomCell();
    const now = () => virtualTime() + this.#skipped;
    this.#pulses = shares.map(() => ({ finished: 0, failed: 0 }));
    this.#loops = shares.map((share) => {
      const compiled = compileJob(job, { worker: share.worker, workers: share.stride });
      return new LoadLoop(job, compiled, share, {
        now,
        isLapsed: isLapsed === undefined ? null : () => isLapsed(now()),
        lapsed: () => {
          merger.abort('partial');
        },
        post: (slice) => {
          merger.add(slice);
        },
        pulse: (finished, failed) => {
          this.#pulses[share.worker] = { finished, failed };
        },
        exchanged: () => undefined,
        ended: (time) => {
          merger.close(share.worker, time);
        },
        busy: () => 0,
        bodies: new BodyRoom({ all, own: createRoomCell() }, bodyRoom),
        overloaded: () => {
          merger.overload();
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

  judge(): void {
    const soFar = { finished: 0, failed: 0 };
    for (const { finished, failed } of this.#pulses) {
      soFar.finished += finished;
      soFar.failed += failed;
    }
    if (this.#merger.endsByErrors(soFar)) this.stop('error_threshold');
  }

  skip(lasting: number): void {
    this.#skipped += lasting;
  }

  report(): RunReport {
    return this.#merger.report(NOBODY);
  }
}
