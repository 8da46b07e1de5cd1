/** Codec of workers. */
import { WORKER_STATES, type RegisteredWorker } from '../core/model/worker.ts';
import type { WorkerList } from './generated/worker-list.ts';

/** @param testOf - Returns the test of an active run; null if it is unknown. */
export function encodeWorkers(
  workers: readonly RegisteredWorker[],
  testOf: (resultId: string) => string | null,
): WorkerList {
  return workers.map(({ id, runId, connectedAt, families, clock, lostAt = null, ...worker }) => ({
    worker_id: id,
    name: worker.name,
    version: worker.version,
    protocol: worker.protocol,
    compatible: worker.compatible,
    since: new Date(connectedAt).toISOString(),
    state: worker.state,
    result_id: runId,
    test_id: runId === null ? null : testOf(runId),
    lost_at: lostAt === null ? null : new Date(lostAt).toISOString(),
    threads: worker.threads,
    connections: worker.connections,
    ip_versions: [...families],
    clock_offset_ms: clock.offsetMs,
    clock_uncertainty_ms: clock.uncertaintyMs,
    load: worker.load,
  }));
}

/** Decodes workers. An unknown state is treated as `draining`, because a worker in that state may refuse runs. */
export function decodeWorkers(list: WorkerList): readonly RegisteredWorker[] {
  return list.map((worker) => ({
    id: worker.worker_id,
    name: worker.name,
    version: worker.version,
    protocol: worker.protocol,
    compatible: worker.compatible,
    connectedAt: Date.parse(worker.since),
    state: WORKER_STATES.find((state) => state === worker.state) ?? 'draining',
    runId: worker.result_id,
    threads: worker.threads,
    connections: worker.connections,
    families: ([4, 6] as const).filter((version) => worker.ip_versions.includes(version)),
    clock: { offsetMs: worker.clock_offset_ms, uncertaintyMs: worker.clock_uncertainty_ms },
    load: worker.load,
    ...(worker.lost_at == null ? {} : { lostAt: Date.parse(worker.lost_at) }),
  }));
}
