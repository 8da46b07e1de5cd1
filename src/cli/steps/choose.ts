/** Keys of the file that a command line names, as they are or as patterns. */
import type { LoadedConfig } from '../../config/load.ts';
import { matchesAny } from '../../core/glob.ts';
import type { DeclaredApp } from '../../core/model/app.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { nearestKey } from '../../schema/nearest.ts';
import { usageError } from '../terminal/errors.ts';

interface Held {
  readonly keys: readonly string[];
  readonly where: 'in the file' | 'on the service';
}

/** Patterns that match no key are most likely misspelt. Errors: ProblemError LT_CLI_NO_SUCH_TEST. */
export function checkTests({ desired }: LoadedConfig, patterns: readonly string[]): void {
  checkHeldTests(inFile(desired.tests), patterns);
}

export function checkHeldTests(tests: Held, patterns: readonly string[]): void {
  const lost = unmatched('test', tests, patterns);
  if (lost !== null)
    throw new ProblemError(problem('LT_CLI_NO_SUCH_TEST', lost.message, { hint: lost.hint }));
}

/** The same of apps. Errors: ProblemError LT_CLI_USAGE. */
export function checkApps(config: LoadedConfig, patterns: readonly string[]): void {
  const lost = unmatched('app', inFile(config.desired.apps), patterns);
  if (lost !== null) throw usageError(lost.message, lost.hint);
}

function inFile(declared: readonly { readonly key: string }[]): Held {
  return { keys: declared.map(({ key }) => key), where: 'in the file' };
}

/** No pattern chooses all. */
export function chosenApps({ desired }: LoadedConfig, patterns: readonly string[]): readonly DeclaredApp[] {
  return patterns.length === 0 ? desired.apps : desired.apps.filter(({ key }) => matchesAny(patterns, key));
}

/** What to say of the first pattern that matches none; null: each matches one. */
function unmatched(
  kind: 'app' | 'test',
  { keys, where }: Held,
  patterns: readonly string[],
): { readonly message: string; readonly hint: string } | null {
  const pattern = patterns.find((one) => !keys.some((key) => matchesAny([one], key)));
  if (pattern === undefined) return null;
  const near = nearestKey(pattern, keys);
  const all = keys.length === 0 ? `there are no ${kind}s` : `the ${kind}s are ${keys.join(', ')}`;
  return {
    message: `no ${kind} ${where} matches "${pattern}"`,
    hint: near === null ? all : `did you mean "${near}"?`,
  };
}
