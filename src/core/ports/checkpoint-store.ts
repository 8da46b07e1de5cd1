/** Storage for checkpoints, from which a restarted service resumes distributed runs. */

export interface RunCheckpoint {
  /** Number that increases each time the run is split among workers. */
  readonly epoch: number;
  /** State of the run, encoded by the runner. */
  readonly state: Uint8Array;
}

export interface CheckpointStore {
  /**
   * Replaces the previous checkpoint of the run.
   * @throws Errors of the database.
   */
  put(runId: string, checkpoint: RunCheckpoint): void;
  /** Returns the checkpoint of a run; null if none exists or the run has ended. */
  get(runId: string): RunCheckpoint | null;
}
