/** Where a runner whose load is made elsewhere keeps what it must know after a restart: beside the results. */

/** What is kept of one run that goes on. */
export interface RunCheckpoint {
  /** Grows with each split of the run over workers. */
  readonly epoch: number;
  /** As the runner writes it. */
  readonly state: Uint8Array;
}

export interface CheckpointStore {
  /** In place of what was kept before. Errors: those of the database. */
  put(runId: string, kept: RunCheckpoint): void;
  /** Null: nothing is kept, or the run has ended. */
  get(runId: string): RunCheckpoint | null;
}
