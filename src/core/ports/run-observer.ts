/** Port from the service to observers of its runs, such as metrics exporters. */
import type { AbortReason, RunProgress, RunReport } from '../load/run-report.ts';
import type { Outcomes } from '../load/snapshot.ts';

export interface ObservedRun {
  readonly id: string;
  readonly testId: string;
  /** Start time in milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface RunSecond {
  /** Numbers of requests since the previous call for this run in this process, including the warm-up. */
  readonly counts: Outcomes;
  /** Latest progress; null before the first report of the load generator. */
  readonly progress: RunProgress | null;
}

/** A run without a report of the load generator. The last checkpoint of the run becomes its result. */
export interface LostRun {
  readonly lost: true;
  readonly abortReason: AbortReason;
}

/** The functions of an observer must not throw. */
export interface RunObserver {
  /**
   * Called when a run starts or is resumed, about once per second while it is active, and with its last requests
   * before `ended` is called.
   */
  second(run: ObservedRun, second: RunSecond): void;
  /**
   * Called once per run and process when the run has ended. `second` is not called for a run that ended before it sent
   * any load.
   */
  ended(run: ObservedRun, report: RunReport | LostRun): void;
}
