/** Port of the service to observers of its runs, such as exporters of metrics. */
import type { AbortReason, RunProgress, RunReport } from '../load/run-report.ts';

export interface ObservedRun {
  /** Id of the result. */
  readonly id: string;
  readonly testId: string;
  /** Time of day in ms since 1970. */
  readonly startedAt: number;
}

/** Requests by outcome, including the warm-up. */
export type RequestCounts = Pick<RunProgress, 'success' | 'error' | 'timeoutError' | 'networkError'>;

export interface RunSecond {
  /** Requests since the previous call for this run in this process. */
  readonly counts: RequestCounts;
  /** Latest progress; null before the first report of the load generator. */
  readonly progress: RunProgress | null;
}

/** A run that will not report its end; its last checkpoint becomes its result. */
export interface LostRun {
  readonly lost: true;
  readonly abortReason: AbortReason;
}

/** The functions must not throw. */
export interface RunObserver {
  /**
   * Called when a run starts or is resumed, about once per second while it is active, and with its last
   * requests before `ended`.
   */
  second(run: ObservedRun, second: RunSecond): void;
  /**
   * The run has ended. Called once per run and process, also without `second` if the run ended before it
   * sent load.
   */
  ended(run: ObservedRun, report: RunReport | LostRun): void;
}
