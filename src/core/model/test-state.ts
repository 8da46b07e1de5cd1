/** The current state of a test, as far as the service reports it. */
import type { ObservedTest } from './load-test.ts';

/**
 * `running` includes unrecognized statuses, so that an unknown status is never treated as the end of a run.
 * `unspecified`: the service returns no status.
 */
export type TestState = 'scheduled' | 'running' | 'ended' | 'unspecified';

/**
 * Returns the current state of a test.
 * @param now - milliseconds since the epoch
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

export function isStoppable(state: TestState | null): boolean {
  return state === 'running' || state === 'scheduled';
}
