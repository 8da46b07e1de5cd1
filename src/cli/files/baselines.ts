/**
 * Baseline files: `baselines/[ENV/]KEY.json` next to the configuration file. The files are untrusted, because a pull
 * request may contain them.
 */
import type { LoadedConfig } from '../../config/load-config.ts';
import { encodeBaseline, readBaseline } from '../../contract/baseline-codec.ts';
import type { Baseline } from '../../core/model/baseline.ts';
import { falsePositiveRate } from '../../core/compare/regression-evaluation.ts';
import type { DeclaredTest } from '../../core/model/load-test.ts';
import type { BaselineState } from '../../core/model/regression.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { loadDigest } from '../../core/reconcile/load-digest.ts';
import { resultOf, type Result } from '../../core/result.ts';
import { readLinkFree, writeLinkFree, type LinkFreePath } from '../../disk/link-free-file.ts';
import { testCommand } from '../terminal/command-line.ts';
import { reasonOf } from '../terminal/errors.ts';
import { sha256 } from './sha256.ts';

const BASELINE_DIRECTORY = 'baselines';

const MAX_BASELINE_BYTES = 16 * 1024 * 1024;

function baselinePathOf({ file, desired }: LoadedConfig, key: string): LinkFreePath {
  const inner =
    desired.environment === null ? [BASELINE_DIRECTORY] : [BASELINE_DIRECTORY, desired.environment];
  return { directory: file.directory, names: [...inner, `${key}.json`] };
}

/** Returns the path relative to the directory of the configuration file, with `/` separators. */
function displayPathOf({ names }: LinkFreePath): string {
  return names.join('/');
}

/** Warns about a baseline that is missing or was recorded with a different load. Fails if a baseline is unusable. */
export function withBaselines<T extends LoadedConfig>(config: T, warnings: readonly Problem[]): Result<T> {
  const problems: Problem[] = [];
  const tests = config.desired.tests.map((test): DeclaredTest => {
    if (test.regression.thresholds.length === 0) return test;
    const { state, problem: found } = readBaselineState(config, test);
    if (found !== null) problems.push(found);
    return { ...test, regression: { ...test.regression, baseline: state } };
  });
  problems.push(...falsePositiveWarning(config.desired.tests));
  return resultOf({ ...config, desired: { ...config.desired, tests } }, [...warnings, ...problems]);
}

/** Returns the problems of baselines that exist but are unusable. */
export function findBaselineProblems(config: LoadedConfig): readonly Problem[] {
  const found = config.desired.tests
    .filter(({ regression }) => regression.thresholds.length > 0)
    .map((test) => readBaselineState(config, test).problem);
  return found.filter((one) => one !== null).filter(({ severity }) => severity === 'error');
}

/** A baseline, with a warning if it is missing or stale; or the error of an unusable baseline. */
type BaselineReading =
  | { readonly state: BaselineState; readonly problem: Problem | null }
  | { readonly state: null; readonly problem: Problem };

export function readBaselineState(config: LoadedConfig, test: DeclaredTest): BaselineReading {
  const location = baselinePathOf(config, test.key);
  const path = displayPathOf(location);
  const { source = null } = test.regression.thresholds[0] ?? {};
  const command = testCommand(['baseline', test.key], config);
  const withWarning = (state: BaselineState, message: string): BaselineReading => ({
    state,
    problem: problem('LT_CONFIG_BASELINE', message, {
      severity: 'warning',
      source,
      hint: `to record a baseline from its latest runs: ${command}`,
    }),
  });
  const unusable = (reason: string) => baselineProblem(path, reason, command);
  let text: string | null;
  try {
    text = readBaselineText(location);
  } catch (error) {
    return {
      state: null,
      problem: unusable(error instanceof TypeError ? 'it is not valid UTF-8' : reasonOf(error)),
    };
  }
  if (text === null) {
    return withWarning(
      { kind: 'missing', path },
      `"${test.key}" uses "regression", but its baseline does not exist: ${path}`,
    );
  }
  const read = readBaseline(text, test.key);
  if ('fault' in read) return { state: null, problem: unusable(read.fault) };
  const { baseline } = read;
  if (baseline.load !== loadDigest(test.spec, sha256)) {
    const message = `the baseline of "${test.key}" was recorded with a different load: ${path}`;
    return withWarning({ kind: 'stale', path }, message);
  }
  return { state: { kind: 'read', path, baseline }, problem: null };
}

function baselineProblem(path: string, reason: string, command: string): Problem {
  const source = { file: path, line: 1, column: 1, length: 1, lineText: '' };
  return problem('LT_CONFIG_BASELINE', `the baseline ${path} cannot be used: ${reason}`, {
    source,
    hint: `delete the file, or record the baseline again: ${command}`,
  });
}

/**
 * Returns the text of a baseline file; null if the file does not exist.
 * @throws RefusedFile if the file is unsafe; TypeError if it is not valid UTF-8; or a file system error.
 */
function readBaselineText(location: LinkFreePath): string | null {
  const bytes = readLinkFree(location, MAX_BASELINE_BYTES);
  return bytes === null ? null : new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/**
 * Returns the path of the file, relative to the directory of the configuration file.
 * @throws ProblemError LT_CLI_PATH if the file cannot be written.
 */
export function writeBaseline(config: LoadedConfig, key: string, baseline: Baseline): string {
  const location = baselinePathOf(config, key);
  const path = displayPathOf(location);
  try {
    writeLinkFree(location, encodeBaseline(key, baseline));
    return path;
  } catch (error) {
    throw new ProblemError(
      problem('LT_CLI_PATH', `the baseline ${path} cannot be written: ${reasonOf(error)}`),
    );
  }
}

function falsePositiveWarning(tests: readonly DeclaredTest[]): readonly Problem[] {
  const thresholds = tests.flatMap(({ regression }) => regression.thresholds);
  const rate = falsePositiveRate(thresholds.length);
  if (rate === null) return [];
  const message = `the file has ${thresholds.length} regression thresholds; with one run of each test, the probability that at least one of them fails by chance is up to ${rate}%`;
  const { source = null } = thresholds[0] ?? {};
  const hint = 'use fewer thresholds, or more runs with --repeat';
  return [problem('LT_CONFIG_FALSE_POSITIVES', message, { severity: 'warning', source, hint })];
}
