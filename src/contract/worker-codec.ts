import { formatRfc3339 } from '../core/instant.ts';
import { WORKER_STATES, type RegisteredWorker } from '../core/model/worker.ts';
import type { Label } from './overview-codec.ts';
import type { WorkerList } from './generated/worker-list.ts';

/** Returns the test of a run; null if there is no such run. */
export type TestOfRun = (
  resultId: string,
) => { readonly id: string; readonly label: Pick<Label, 'key' | 'title'> | null } | null;

export function encodeWorkers(workers: readonly RegisteredWorker[], testOf: TestOfRun): WorkerList {
  return workers.map(({ id, runId, connectedAt, families, clock, lostAt = null, ...worker }) => ({
    worker_id: id,
    name: worker.name,
    version: worker.version,
    protocol: worker.protocol,
    compatible: worker.compatible,
    since: formatRfc3339(connectedAt),
    state: worker.state,
    result_id: runId,
    ...testFields(runId === null ? null : testOf(runId)),
    lost_at: formatRfc3339(lostAt),
    threads: worker.threads,
    connections: worker.connections,
    ip_versions: [...families],
    clock_offset_ms: clock.offsetMs,
    clock_uncertainty_ms: clock.uncertaintyMs,
    load: worker.load,
  }));
}

function testFields(test: ReturnType<TestOfRun>) {
  return { test_id: test?.id ?? null, test_name: test?.label?.key ?? test?.label?.title ?? null };
}

/** An unknown state is decoded as `draining`, because such a worker may refuse runs. */
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
