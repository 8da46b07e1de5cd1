/** Port from the service to its remote workers. */
import type { RegisteredWorker } from '../model/worker.ts';

export interface WorkerPool {
  /**
   * Lists the connected workers, as of the last second, and the workers that were lost in the last hour.
   * @throws ProblemError if Redis has not responded for several seconds.
   */
  list(): readonly RegisteredWorker[];
  /**
   * Drains a worker: it accepts no new runs and exits after its current runs.
   * @throws ProblemError if Redis cannot be reached.
   */
  drain(workerId: string): Promise<void>;
}
