/** What a status word of the service means for us. */
import type { ObservedTest } from './load-test.ts';
import type { RunResult } from './run.ts';

/**
 * - `scheduled`: waits for its time; it is not running.
 * - `running`: also every word we do not know, so that nothing unknown is ever taken for an end.
 * - `ended`: complete.
 * - `unsaid`: the service's records show no status.
 */
export type TestState = 'scheduled' | 'running' | 'ended' | 'unsaid';

/**
 * @param now milliseconds since the epoch
 * Source: docs/design/reconciler.md, section 5.
 */
export function stateOf(test: Pick<ObservedTest, 'status' | 'scheduledAt'>, now: number): TestState {
  const status = test.status.trim().toLowerCase();
  if (status === '') return 'unsaid';
  if (status === 'complete') return 'ended';
  if (status === 'pending' && test.scheduledAt !== null && test.scheduledAt > now) return 'scheduled';
  return 'running';
}

/** The results, newest first, without that of the run that goes on, which stands apart. */
export function resultsByEnd(
  state: TestState,
  results: readonly RunResult[],
): { readonly current: RunResult | null; readonly ended: readonly RunResult[] } {
  const [newest, ...earlier] = results;
  if (state !== 'running' || newest === undefined || newest.status === 'ready')
    return { current: null, ended: results };
  return { current: newest, ended: earlier };
}

/** Whether a status is one of the words that such services document. */
export function isKnownStatus(status: string): boolean {
  return ['', 'pending', 'running', 'complete'].includes(status.trim().toLowerCase());
}
