import type { LoadedConfig } from '../../config/load-config.ts';
import { matchesAny } from '../../core/glob.ts';
import type { DeclaredApp } from '../../core/model/app.ts';
import type { DeclaredTest } from '../../core/model/load-test.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { selects, type PlanOptions } from '../../core/reconcile/plan-input.ts';
import { nearestKey } from '../../schema/nearest-key.ts';
import { usageError } from '../terminal/errors.ts';

interface KnownKeys {
  readonly keys: readonly string[];
  readonly source: 'in the file' | 'on the service';
}

type Kind = 'app' | 'test';

interface NoMatch {
  readonly message: string;
  readonly hint: string;
}

interface Selection extends Pick<PlanOptions, 'only' | 'exclude'> {
  readonly replace?: readonly string[];
}

/**
 * Returns the tests that match at least one pattern; all tests if there are no patterns.
 * @throws ProblemError LT_CLI_NO_SUCH_TEST if a pattern matches no test.
 */
export function selectTests({ desired }: LoadedConfig, patterns: readonly string[]): readonly DeclaredTest[] {
  checkKnownTests(keysInFile(desired.tests), patterns);
  return desired.tests.filter(({ key }) => selects({ only: patterns, exclude: [] }, key));
}

/**
 * @throws ProblemError LT_CLI_NO_SUCH_TEST if a pattern matches no test, or `--only` and `--exclude` together select
 * none.
 */
export function checkSelection({ desired }: LoadedConfig, selection: Selection): void {
  checkKnownSelection(keysInFile(desired.tests), selection);
}

export function checkKnownSelection(tests: KnownKeys, { only, exclude, replace = [] }: Selection): void {
  checkKnownTests(tests, [...only, ...exclude, ...replace]);
  const flags = [...only.map((one) => `--only "${one}"`), ...exclude.map((one) => `--exclude "${one}"`)];
  if (flags.length === 0 || tests.keys.some((key) => selects({ only, exclude }, key))) return;
  const message = `no test ${tests.source} matches ${flags.join(' ')}`;
  throw noSuchTest({ message, hint: allKeysText('test', tests) });
}

function checkKnownTests(tests: KnownKeys, patterns: readonly string[]): void {
  const unmatched = findUnmatched('test', tests, patterns);
  if (unmatched !== null) throw noSuchTest(unmatched);
}

function noSuchTest({ message, hint }: NoMatch): ProblemError {
  return new ProblemError(problem('LT_CLI_NO_SUCH_TEST', message, { hint }));
}

/** @throws ProblemError LT_CLI_USAGE if a pattern matches no app. */
export function checkApps(config: LoadedConfig, patterns: readonly string[]): void {
  const unmatched = findUnmatched('app', keysInFile(config.desired.apps), patterns);
  if (unmatched !== null) throw usageError(unmatched.message, unmatched.hint);
}

function keysInFile(declared: readonly { readonly key: string }[]): KnownKeys {
  return { keys: declared.map(({ key }) => key), source: 'in the file' };
}

export function selectApps({ desired }: LoadedConfig, patterns: readonly string[]): readonly DeclaredApp[] {
  return patterns.length === 0 ? desired.apps : desired.apps.filter(({ key }) => matchesAny(patterns, key));
}

function findUnmatched(kind: Kind, known: KnownKeys, patterns: readonly string[]): NoMatch | null {
  const { keys, source } = known;
  const pattern = patterns.find((one) => !keys.some((key) => matchesAny([one], key)));
  if (pattern === undefined) return null;
  const near = nearestKey(pattern, keys);
  return {
    message: `no ${kind} ${source} matches "${pattern}"`,
    hint: near === null ? allKeysText(kind, known) : `did you mean "${near}"?`,
  };
}

function allKeysText(kind: Kind, { keys, source }: KnownKeys): string {
  return keys.length === 0 ? `no ${kind}s exist ${source}` : `${kind}s ${source}: ${keys.join(', ')}`;
}
