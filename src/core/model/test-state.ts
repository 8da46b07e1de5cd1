/** The current state of a test, as far as its service reports it. */
import type { ObservedTest } from './load-test.ts';
import type { RunResult } from './run-result.ts';

/**
 * The state of a test:
 *
 * - `scheduled`: waits for its start time.
 * - `running`: includes unrecognized statuses, so that an unknown status is never treated as the end.
 * - `ended`: completed.
 * - `unspecified`: the service returns no status.
 */
export type TestState = 'scheduled' | 'running' | 'ended' | 'unspecified';

/**
 * Returns the state of a test.
 * @param now - Milliseconds since the epoch.
 * @see docs/internals/reconciler.md, section 5
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
    case 'unrecognized':
      return 'running';
  }
}

/** Reports whether a test can be stopped: it is running, or its schedule will start it. */
export function isStoppable(state: TestState | null): boolean {
  return state === 'running' || state === 'scheduled';
}

/**
 * Separates the result of the active run from the results of earlier runs. All results are ordered newest
 * first.
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
