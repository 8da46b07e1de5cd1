/** A worker pool without workers. */
import type { RegisteredWorker } from '../../src/core/model/worker.ts';
import type { WorkerPool } from '../../src/core/ports/worker-pool.ts';

export const EAST_WORKER: RegisteredWorker = {
  id: '0123456789abcdef',
  name: 'east-1',
  version: '1.2.3',
  protocol: 1,
  compatible: true,
  connectedAt: Date.parse('2026-11-22T10:00:00Z'),
  state: 'busy',
  runId: 'f'.repeat(32),
  threads: 4,
  connections: 28_000,
  families: [4, 6],
  clock: { offsetMs: -12.5, uncertaintyMs: 0.4 },
  load: 0.25,
};

/**
 * Creates a pool.
 * @param drained - receives the ids of drained workers
 */
export function createWorkerPool(present: readonly RegisteredWorker[], drained: string[] = []): WorkerPool {
  return {
    list: () => present,
    drain: (id) => {
      drained.push(id);
      return Promise.resolve();
    },
  };
}
