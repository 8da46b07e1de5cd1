/** The whole records of runs, for reporters that show more of a run than its figures. */
import { CallError } from '../core/call-error.ts';
import type { ServicePort } from '../core/ports/service-port.ts';
import type { Records } from '../core/report/command-report.ts';
import { forEachConcurrent } from './concurrency.ts';
import type { DoneRun } from './runs.ts';

/** A report comes with what is there. In ms; no other try begins later. */
const MAX_READ_MS = 5000;

/**
 * Of the runs that have less: lists leave out what is long. Each is read once, and what cannot be read is left out.
 *
 * @param interrupted no read begins once it has fired
 */
export async function fetchFullRecords(
  runs: readonly DoneRun[],
  service: Pick<ServicePort, 'getResult'>,
  given: { readonly parallelism: number; readonly interrupted: AbortSignal },
): Promise<Records> {
  const records = new Map<string, DoneRecord>();
  await forEachConcurrent(runs, given.parallelism, async ({ testId, result }) => {
    if (result?.status !== 'ready' || 'timeline' in result.record || given.interrupted.aborted) return;
    try {
      const whole = await service.getResult(testId, result.id, { within: MAX_READ_MS });
      if (whole !== null) records.set(whole.id, whole.record);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
    }
  });
  return records;
}

type DoneRecord = NonNullable<DoneRun['result']>['record'];
