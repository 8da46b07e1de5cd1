/** What this machine gives to the threads of a run, as it is now. */
import { availableParallelism } from 'node:os';
import type { LoadJob } from '../core/load/job.ts';
import type { ThreadRoom } from '../core/load/threads.ts';
import { isOfThisMachine } from '../egress/policies.ts';
import { readCpuQuota } from './cpu-quota.ts';

/** @param taken threads of the runs that go on already */
export function readThreadRoom(job: LoadJob, taken: number): ThreadRoom {
  const addresses = new Set(job.targets.flatMap((target) => target.addresses));
  return {
    cores: availableParallelism(),
    quota: readCpuQuota(),
    taken,
    targetIsHere: [...addresses].some(isOfThisMachine),
  };
}
