/** Full records of runs, for reporters that need more than the metrics. */
import { CallError } from '../../core/call-error.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { Records } from '../../core/report/command-report.ts';
import { forEachConcurrent } from '../concurrency.ts';
import type { DoneRun } from './runs.ts';

/** Time in ms after which the read of a record is not retried. */
const MAX_READ_MS = 5000;

/**
 * Reads the full records of ended runs, because lists omit long fields. Records that are already
 * full or cannot be read are omitted.
 * @param options.interrupted - No read starts after this signal.
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
