import { CallError } from '../../core/call-error.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { Records } from '../../core/report/command-report.ts';
import { forEachConcurrent } from '../concurrency.ts';
import type { DoneRun } from './runs.ts';

/** Time limit for retries of a read, in ms. */
const MAX_READ_MS = 5000;

/**
 * Reads the full records of ended runs. Omits records that are already full or cannot be read.
 * @param options.interrupted - Signal after which no read starts.
 */
export async function fetchFullRecords(
  runs: readonly DoneRun[],
  service: Pick<ServicePort, 'getResult'>,
  options: { readonly parallelism: number; readonly interrupted: AbortSignal },
): Promise<Records> {
  const records = new Map<string, DoneRecord>();
  await forEachConcurrent(runs, options.parallelism, async ({ testId, result }) => {
    if (result?.status !== 'ready' || 'timeline' in result.json || options.interrupted.aborted) return;
    try {
      const full = await service.getResult(testId, result.id, { within: MAX_READ_MS });
      if (full !== null) records.set(full.id, full.json);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
    }
  });
  return records;
}

type DoneRecord = NonNullable<DoneRun['result']>['json'];
