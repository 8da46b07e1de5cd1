/** Port from the service to the component that sends the requests before and after the load. */
import type { LoadJob, PayloadRows } from '../load/load-job.ts';
import type { PhaseCounts, PhaseFailure, TracedExchange } from '../load/run-report.ts';

export interface PhaseRunner {
  /**
   * Sends the requests of a phase: one iteration for each of its rows, or one iteration if it has no rows.
   *
   * @param job - The phase as a job with one iteration.
   */
  run(job: LoadJob, options: PhaseOptions): Promise<PhaseOutcome>;
}

export interface PhaseOptions {
  /** True if the first failed request ends the phase. */
  readonly endsOnFailure: boolean;
  /** Signal that, when aborted, ends the phase and abandons requests in flight. */
  readonly signal: StopSignal;
}

/** Members of `AbortSignal` that a phase runner uses. */
interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface PhaseOutcome {
  readonly counts: PhaseCounts;
  readonly failure: PhaseFailure | null;
  /** Values of the variables, with one row for each iteration. Any output must mask these values. */
  readonly rows: PayloadRows;
  readonly exchanges: readonly TracedExchange[];
}
