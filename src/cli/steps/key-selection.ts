/** Keys of the file that a command line names, as they are or as patterns. */
import type { LoadedConfig } from '../../config/load-config.ts';
import { matchesAny } from '../../core/glob.ts';
import type { DeclaredApp } from '../../core/model/app.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { selects, type PlanOptions } from '../../core/reconcile/plan.ts';
import { nearestKey } from '../../schema/nearest-key.ts';
import { usageError } from '../terminal/errors.ts';

interface KnownKeys {
  readonly keys: readonly string[];
  readonly source: 'in the file' | 'on the service';
}

type Kind = 'app' | 'test';

/** What to say of patterns that lead to nothing. */
interface NoMatch {
  readonly message: string;
  readonly hint: string;
}

/** Of the flags that choose tests: patterns. */
interface Selection extends Pick<PlanOptions, 'only' | 'exclude'> {
  readonly replace?: readonly string[];
}

/** Patterns that match no key are most likely misspelt. Errors: ProblemError LT_CLI_NO_SUCH_TEST. */
export function checkTests({ desired }: LoadedConfig, patterns: readonly string[]): void {
  checkKnownTests(keysInFile(desired.tests), patterns);
}

/** The same of flags, which together leave a test. */
export function checkSelection({ desired }: LoadedConfig, selection: Selection): void {
  checkKnownSelection(keysInFile(desired.tests), selection);
}

export function checkKnownSelection(tests: KnownKeys, { only, exclude, replace = [] }: Selection): void {
  checkKnownTests(tests, [...only, ...exclude, ...replace]);
  const flags = [...only.map((one) => `--only "${one}"`), ...exclude.map((one) => `--exclude "${one}"`)];
  if (flags.length === 0 || tests.keys.some((key) => selects({ only, exclude }, key))) return;
  const message = `no test ${tests.source} is left by ${flags.join(' ')}`;
  throw noSuchTest({ message, hint: allKeysText('test', tests.keys) });
}

function checkKnownTests(tests: KnownKeys, patterns: readonly string[]): void {
  const lost = findUnmatched('test', tests, patterns);
  if (lost !== null) throw noSuchTest(lost);
}

function noSuchTest({ message, hint }: NoMatch): ProblemError {
  return new ProblemError(problem('LT_CLI_NO_SUCH_TEST', message, { hint }));
}

/** The same of apps. Errors: ProblemError LT_CLI_USAGE. */
export function checkApps(config: LoadedConfig, patterns: readonly string[]): void {
  const lost = findUnmatched('app', keysInFile(config.desired.apps), patterns);
  if (lost !== null) throw usageError(lost.message, lost.hint);
}

function keysInFile(declared: readonly { readonly key: string }[]): KnownKeys {
  return { keys: declared.map(({ key }) => key), source: 'in the file' };
}

/** No pattern chooses all. */
export function selectApps({ desired }: LoadedConfig, patterns: readonly string[]): readonly DeclaredApp[] {
  return patterns.length === 0 ? desired.apps : desired.apps.filter(({ key }) => matchesAny(patterns, key));
}

/** What to say of the first pattern that matches none; null: each matches one. */
function findUnmatched(kind: Kind, { keys, source }: KnownKeys, patterns: readonly string[]): NoMatch | null {
  const pattern = patterns.find((one) => !keys.some((key) => matchesAny([one], key)));
  if (pattern === undefined) return null;
  const near = nearestKey(pattern, keys);
  return {
    message: `no ${kind} ${source} matches "${pattern}"`,
    hint: near === null ? allKeysText(kind, keys) : `did you mean "${near}"?`,
  };
}

function allKeysText(kind: Kind, keys: readonly string[]): string {
  return keys.length === 0 ? `there are no ${kind}s` : `the ${kind}s are ${keys.join(', ')}`;
}
