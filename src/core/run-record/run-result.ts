import type { Json } from '../canonical.ts';
import type { ResultId } from '../model/ids.ts';
import type { RunVerdict } from '../model/run-verdict.ts';
import type { TestState } from '../model/test-state.ts';
import type { RunRecord } from './run-record.ts';

export interface RunResult {
  readonly id: ResultId;
  /** `other` is any status that loadtests does not recognize. */
  readonly status: 'ready' | 'not_ready' | 'other';
  /** The verdict that was published to the service; null if there is none. */
  readonly verdict: RunVerdict | null;
  readonly record: RunRecord;
  readonly json: Readonly<Record<string, Json>>;
}

/**
 * Separates the result of the active run from the other results.
 * @param results - ordered newest first
 */
export function separateRunningResult(
  state: TestState,
  results: readonly RunResult[],
): { readonly current: RunResult | null; readonly ended: readonly RunResult[] } {
  const [newest, ...earlier] = results;
  if (state !== 'running' || newest === undefined || newest.status === 'ready')
    return { current: null, ended: results };
  return { current: newest, ended: earlier };
}
