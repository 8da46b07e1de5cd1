/** The service's port to what makes the load: the engine of this process, or workers elsewhere. */
import type { LoadJob } from '../load/job.ts';
import type { AbortReason, LoadProgress, RunReport } from '../load/report.ts';

export type OnProgress = (progress: LoadProgress) => void;

export interface Runner {
  /**
   * Starts a run.
   *
   * Errors: `ended` rejects with a ProblemError when the load cannot be made here at all (limits of this machine), and
   *         with a plain Error for a job that should not have got here.
   */
  start(job: LoadJob, onProgress: OnProgress): ActiveRun;
  /**
   * Takes up a run that an earlier process of the service started, so that it is followed to its end.
   *
   * Shape: null when nobody makes its load any more. To be answered within seconds: the service waits for it before it
   *        serves anybody.
   */
  resume(runId: string, onProgress: OnProgress): Promise<ResumedRun | null>;
  /**
   * Why the load cannot be made now, naming the number needed; null when nothing speaks against it.
   *
   * Shape: to be answered within seconds: runs start one after another, so that the answer still holds at the start.
   */
  check(job: LoadJob): Promise<string | null>;
  /** Stops every run and frees what makes the load. Safe to call twice. */
  close(): Promise<void>;
}

export interface ActiveRun {
  readonly ended: Promise<RunReport>;
  /** What was counted so far, as the report of a run that was lost now; null when nothing is known yet. */
  soFar(): RunReport | null;
  /** No new request starts after this; what is in flight may finish within the timeout. Safe to call twice. */
  stop(reason: AbortReason): void;
}

export interface ResumedRun extends ActiveRun {
  /** What it was started with; payload rows may be missing. */
  readonly job: LoadJob;
  /** What was told of it last; null when nothing was. */
  readonly told: LoadProgress | null;
}
