/** What a status word of the service means for us. */
import type { ObservedTest } from './load-test.ts';

/**
 * - `scheduled`: waits for its time; it is not running.
 * - `running`: also every word we do not know, so that nothing unknown is ever taken for an end.
 * - `ended`: complete.
 * - `unsaid`: the service's records show no status.
 */
export type TestState = 'scheduled' | 'running' | 'ended' | 'unsaid';

/**
 * @param now milliseconds since the epoch
 * Source: the reconciler's design, section 5.
 */
export function stateOf(test: Pick<ObservedTest, 'status' | 'scheduledAt'>, now: number): TestState {
  const status = test.status.trim().toLowerCase();
  if (status === '') return 'unsaid';
  if (status === 'complete') return 'ended';
  if (status === 'pending' && test.scheduledAt !== null && test.scheduledAt > now) return 'scheduled';
  return 'running';
}

/** Whether a status is one of the words that such services document. */
export function isKnownStatus(status: string): boolean {
  return ['', 'pending', 'running', 'complete'].includes(status.trim().toLowerCase());
}
