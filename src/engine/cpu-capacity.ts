/** CPU capacity that is currently available to the threads of a run. */
import { availableParallelism } from 'node:os';
import type { LoadJob } from '../core/load/load-job.ts';
import type { CpuCapacity } from '../core/load/thread-count.ts';
import { isLocalAddress } from '../egress/address-policies.ts';
import { readCpuQuota } from './cpu-quota.ts';

/** @param threadsInUse - Threads of the runs in progress. */
export function readCpuCapacity(job: LoadJob, threadsInUse: number): CpuCapacity {
  const addresses = new Set(job.targets.flatMap((target) => target.addresses));
  return {
    cores: availableParallelism(),
    quota: readCpuQuota(),
    threadsInUse,
    targetIsLocal: [...addresses].some(isLocalAddress),
  };
}
