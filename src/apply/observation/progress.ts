import { CallError } from '../../core/call-error.ts';
import type { RunProgress } from '../../core/load/run-report.ts';
import type { TestId } from '../../core/model/ids.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { stateOf } from '../../core/model/test-state.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { forEachConcurrent } from '../concurrency.ts';

/** Returns the progress of running tests. Omits tests without progress data. */
export async function readProgress(
  tests: readonly ObservedTest[],
  service: ServicePort,
  { now, parallelism }: { readonly now: number; readonly parallelism: number },
): Promise<ReadonlyMap<TestId, RunProgress>> {
  const running = tests.filter((test) => stateOf(test, now) === 'running');
  const found = new Map<TestId, RunProgress>();
  await forEachConcurrent(running, parallelism, async ({ id }) => {
    const progress = await progressOf(id, service);
    if (progress !== null) found.set(id, progress);
  });
  return found;
}

/** Returns the progress of a test; null if there is no progress or the test cannot be read. */
async function progressOf(id: TestId, service: ServicePort): Promise<RunProgress | null> {
  try {
    return (await service.getTest(id)).progress;
  } catch (error) {
    if (error instanceof CallError) return null;
    throw error;
  }
}
