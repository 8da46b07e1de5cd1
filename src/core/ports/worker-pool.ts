/** The service's port to those who make its load elsewhere. */
import type { RegisteredWorker } from '../model/worker.ts';

export interface WorkerPool {
  /** Who is there, as of a second ago. */
  list(): readonly RegisteredWorker[];
  /** It takes nothing new from then on, and ends when it has nothing left. Errors: rejects while nobody is reached. */
  drain(workerId: string): Promise<void>;
}
