/** What a test is called for people. */
import type { LoadTestSpec } from './load-test.ts';

/** Its name, or its first URL without the query, which may hold what only the target should see. */
export function titleOf({ name, targets }: Pick<LoadTestSpec, 'name' | 'targets'>): string {
  return name ?? (targets[0]?.url ?? '').replace(/[?#].*$/su, '');
}
