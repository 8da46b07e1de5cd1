/** The service's port to those who make its load elsewhere. */
import type { PresentWorker } from '../model/worker.ts';

export interface Workforce {
  /** Who is there, as of a second ago. */
  list(): readonly PresentWorker[];
  /** It takes nothing new from then on, and ends when it has nothing left. Errors: rejects while nobody is reached. */
  drain(workerId: string): Promise<void>;
}
