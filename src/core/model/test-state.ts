/** What a test does now, as far as its service tells. */
import type { ObservedTest } from './load-test.ts';
import type { RunResult } from './run-result.ts';

/**
 * - `scheduled`: waits for its time; it is not running.
 * - `running`: also where the status is a word we do not know, so that nothing unknown is ever taken for an end.
 * - `ended`: complete.
 * - `unspecified`: the service's records show no status.
 */
export type TestState = 'scheduled' | 'running' | 'ended' | 'unspecified';

/**
 * @param now milliseconds since the epoch
 * Source: docs/internals/reconciler.md, section 5.
 */
export function stateOf(test: Pick<ObservedTest, 'statusKind' | 'scheduledAt'>, now: number): TestState {
  switch (test.statusKind) {
    case 'unspecified':
      return 'unspecified';
    case 'complete':
      return 'ended';
    case 'pending':
      return test.scheduledAt !== null && test.scheduledAt > now ? 'scheduled' : 'running';
    case 'running':
    case 'unrecognised':
      return 'running';
  }
}

/** Whether there is something to stop: load that runs, or that a time will start. */
export function isStoppable(state: TestState | null): boolean {
  return state === 'running' || state === 'scheduled';
}

/** The results, newest first, without that of the run that goes on, which stands apart. */
export function separateRunningResult(
  state: TestState,
  results: readonly RunResult[],
): { readonly current: RunResult | null; readonly ended: readonly RunResult[] } {
  const [newest, ...earlier] = results;
  if (state !== 'running' || newest === undefined || newest.status === 'ready')
    return { current: null, ended: results };
  return { current: newest, ended: earlier };
}
