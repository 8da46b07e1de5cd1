/** The service's port to what makes the load: the engine of this process, or workers elsewhere. */
import type { LoadJob } from '../load/load-job.ts';
import type { AbortReason, LoadProgress, RunReport } from '../load/run-report.ts';

export type OnProgress = (progress: LoadProgress) => void;

/** A host that consents to load, and by what it says so. */
export interface VerifiedHost {
  /** As apps are named. */
  readonly host: string;
  /** Name and content of the file. */
  readonly verificationId: string;
  readonly method: 'http' | 'dns';
}

export interface Runner {
  /**
   * Starts a run.
   *
   * @param hosts of the job, so that whoever makes its load elsewhere can ask them from there
   *
   * Errors: `ended` rejects with a ProblemError when the load cannot be made here at all (limits of this machine), and
   *         with a plain Error for a job that should not have got here.
   */
  start(job: LoadJob, onProgress: OnProgress, hosts?: readonly VerifiedHost[]): ActiveRun;
  /**
   * Takes up a run that an earlier process of the service started, so that it is followed to its end.
   *
   * Shape: null when nobody makes its load any more. To be answered within seconds: the service waits for it before it
   *        serves anybody.
   */
  resume(runId: string, onProgress: OnProgress): Promise<ResumedRun | null>;
  /**
   * Why the load cannot be made now, naming what is needed; null when nothing speaks against it.
   *
   * Shape: to be answered within seconds: runs start one after another, so that the answer still holds at the start.
   */
  check(job: LoadJob): Promise<CapacityShortage | null>;
  /** Stops every run and frees what makes the load. Safe to call twice. */
  close(): Promise<void>;
}

/** Why there is no room for a run. */
export interface CapacityShortage {
  readonly reason: string;
  /** In seconds: there may be room by then. Null: there will be none. */
  readonly retryAfter: number | null;
}

export interface ActiveRun {
  readonly ended: Promise<RunReport>;
  /** What was counted so far, as the report of a run that was lost now; null when nothing is known yet. */
  partialReport(): RunReport | null;
  /** No new request starts after this; what is in flight may finish within the timeout. Safe to call twice. */
  stop(reason: AbortReason): void;
}

export interface ResumedRun extends ActiveRun {
  /** What it was started with; payload rows may be missing. */
  readonly job: LoadJob;
  /** What was told of it last; null when nothing was. */
  readonly lastProgress: LoadProgress | null;
}
