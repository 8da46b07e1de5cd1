/** Keys of the file that a command line names, as they are or as patterns. */
import type { LoadedConfig } from '../../config/load.ts';
import { matchesAny } from '../../core/glob.ts';
import type { DeclaredApp } from '../../core/model/app.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { nearestKey } from '../../schema/nearest.ts';
import { usageError } from '../terminal/errors.ts';

/** Patterns that match no key are most likely misspelt. Errors: ProblemError LT_CLI_NO_SUCH_TEST. */
export function checkTests({ desired }: LoadedConfig, patterns: readonly string[]): void {
  const lost = unmatched('test', desired.tests, patterns);
  if (lost !== null)
    throw new ProblemError(problem('LT_CLI_NO_SUCH_TEST', lost.message, { hint: lost.hint }));
}

/** The same of apps. Errors: ProblemError LT_CLI_USAGE. */
export function checkApps({ desired }: LoadedConfig, patterns: readonly string[]): void {
  const lost = unmatched('app', desired.apps, patterns);
  if (lost !== null) throw usageError(lost.message, lost.hint);
}

/** No pattern chooses all. */
export function chosenApps({ desired }: LoadedConfig, patterns: readonly string[]): readonly DeclaredApp[] {
  return patterns.length === 0 ? desired.apps : desired.apps.filter(({ key }) => matchesAny(patterns, key));
}

/** What to say of the first pattern that matches none; null: each matches one. */
function unmatched(
  kind: 'app' | 'test',
  declared: readonly { readonly key: string }[],
  patterns: readonly string[],
): { readonly message: string; readonly hint: string } | null {
  const keys = declared.map(({ key }) => key);
  const pattern = patterns.find((one) => !keys.some((key) => matchesAny([one], key)));
  if (pattern === undefined) return null;
  const near = nearestKey(pattern, keys);
  return {
    message: `no ${kind} in the file matches "${pattern}"`,
    hint: near === null ? `the ${kind}s are ${keys.join(', ')}` : `did you mean "${near}"?`,
  };
}
