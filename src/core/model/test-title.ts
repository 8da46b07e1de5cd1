/** Titles of tests, for display. */
import type { LoadTestSpec } from './load-test.ts';

/** Returns the name of a test, or its first URL without the query, which can be confidential. */
export function titleOf({ name, targets }: Pick<LoadTestSpec, 'name' | 'targets'>): string {
  return name ?? (targets[0]?.url ?? '').replace(/[?#].*$/su, '');
}
