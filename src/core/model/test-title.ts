/** Titles of tests, for display. */
import type { LoadTestSpec } from './load-test.ts';

/** Returns the name of a test or, if it has none, its first URL without the query, which may be confidential. */
export function titleOf({ name, targets }: Pick<LoadTestSpec, 'name' | 'targets'>): string {
  return name ?? (targets[0]?.url ?? '').replace(/[?#].*$/su, '');
}
