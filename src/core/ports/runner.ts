/** Port from the service to the load generator, either the engine in this process or a set of remote workers. */
import type { JobConnection, LoadJob, PayloadRows } from '../load/load-job.ts';
import type { AbortReason, LoadProgress, RunReport } from '../load/run-report.ts';

export type OnProgress = (progress: LoadProgress) => void;

/** A verified host with its verification data. */
export interface VerifiedHost {
  /** Host in the form of `DeclaredApp.host`. */
  readonly host: string;
  /** Verification ID, which is both the name and the content of the verification file. */
  readonly verificationId: string;
  readonly method: 'http' | 'dns';
  /** Connection settings; null for the defaults. */
  readonly connection: JobConnection | null;
}

export interface Runner {
  /**
   * Starts to generate the load of a job.
   * @param hosts - Hosts of the job, which remote workers verify again.
   * @remarks `ended` rejects with a ProblemError if this load generator cannot generate the load, and with a plain
   * Error for an invalid job.
   */
  start(job: LoadJob, onProgress: OnProgress, hosts?: readonly VerifiedHost[]): ActiveLoad;
  /**
   * Resumes and observes a run that an earlier process of the service started.
   *
   * @returns null if no worker generates the load of the run anymore. Must resolve within seconds, because the service
   * does not accept requests until then.
   */
  resume(runId: string, onProgress: OnProgress): Promise<ResumedRun | null>;
  /**
   * Returns the reason why the load cannot be generated now; null if the load can be generated.
   *
   * @throws ProblemError if the load generator is unavailable.
   * @remarks Must settle within seconds. Runs start one after another, so the result stays valid until the run starts.
   */
  check(job: LoadJob): Promise<CapacityShortage | null>;
  /** Stops all runs and releases the resources of the load generator. */
  close(): Promise<void>;
}

export interface CapacityShortage {
  readonly reason: string;
  /** Seconds after which capacity may be available; null if it never will be. */
  readonly retryAfter: number | null;
}

export interface ActiveRun {
  readonly ended: Promise<RunReport>;
  /** Returns a report on the run so far; null if there are no counts yet. */
  partialReport(): RunReport | null;
  /** Stops sending new requests. Requests in flight can finish within their timeout. */
  stop(reason: AbortReason): void;
}

export interface ActiveLoad extends ActiveRun {
  /** Replaces the last list of `iterationRows` for later iterations. Names and number of rows must not change. */
  replaceRows(rows: PayloadRows): void;
  /** Encrypts data and stores it with the run, for a process that resumes the run. Replaces data from earlier calls. */
  keep(data: string): void;
}

export interface ResumedRun extends ActiveLoad {
  /** The job with which the run was started. Its payload rows may be missing. */
  readonly job: LoadJob;
  readonly lastProgress: LoadProgress | null;
  /** Data that `keep` stored; null if there is none. */
  readonly kept: string | null;
}
