/** The port of the service towards whoever makes the load. The engine fits it; so may workers elsewhere. */
import type { LoadJob } from '../load/job.ts';
import type { AbortReason, LoadProgress, RunReport } from '../load/report.ts';

export interface Runner {
  /**
   * Starts a run.
   *
   * Errors: `ended` rejects with a ProblemError when the load cannot be made here at all (limits of this machine).
   */
  start(job: LoadJob, onProgress: (progress: LoadProgress) => void): ActiveRun;
  /** Why the load cannot be made here at all, naming the number needed; null when nothing speaks against it. */
  check(job: LoadJob): string | null;
  /** Stops every run and frees the threads. Safe to call twice. */
  close(): Promise<void>;
}

export interface ActiveRun {
  readonly ended: Promise<RunReport>;
  /** No new request starts after this; what is in flight may finish within the timeout. Safe to call twice. */
  stop(reason: AbortReason): void;
}
