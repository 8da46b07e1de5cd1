/** Workers that a service has elsewhere, without any. */
import type { PresentWorker } from '../../src/core/model/worker.ts';
import type { Workforce } from '../../src/core/ports/workforce.ts';

export const EAST: PresentWorker = {
  ...{ id: '0123456789abcdef', name: 'east-1', version: '1.2.3', protocol: 1, usable: true },
  ...{ since: Date.parse('2026-11-22T10:00:00Z'), state: 'busy', runId: 'f'.repeat(32) },
  ...{ threads: 4, connections: 28_000, families: [4, 6] },
  ...{ clock: { offsetMs: -12.5, uncertaintyMs: 0.4 }, load: 0.25 },
};

/** @param drained gets the ids of those that are asked to leave */
export function workforce(present: readonly PresentWorker[], drained: string[] = []): Workforce {
  return {
    list: () => present,
    drain: (id) => {
      drained.push(id);
      return Promise.resolve();
    },
  };
}
