/**
 * Baselines: `baselines/[ENV/]KEY.json` beside the file. They are committed and come from pull requests, so they are
 * read and written without any link, and nothing in them is trusted.
 */
import type { LoadedConfig } from '../../config/load-config.ts';
import { encodeBaseline, readBaseline } from '../../contract/baseline-codec.ts';
import type { Baseline } from '../../core/compare/baseline.ts';
import { falsePositiveRate } from '../../core/compare/regression-evaluation.ts';
import type { DeclaredTest } from '../../core/model/load-test.ts';
import type { BaselineState } from '../../core/model/regression.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { loadDigest } from '../../core/reconcile/load-digest.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import { readLinkFree, writeLinkFree, type LinkFreePath } from '../../disk/link-free-file.ts';
import { reasonOf } from '../terminal/errors.ts';
import { sha256 } from './sha256.ts';

const BASELINE_DIRECTORY = 'baselines';

/** Far more than a hundred runs take. */
const MAX_BASELINE_BYTES = 16 * 1024 * 1024;

function baselinePathOf({ file, desired }: LoadedConfig, key: string): LinkFreePath {
  const inner =
    desired.environment === null ? [BASELINE_DIRECTORY] : [BASELINE_DIRECTORY, desired.environment];
  return { directory: file.directory, names: [...inner, `${key}.json`] };
}

/** As people write it. */
function displayPathOf({ names }: LinkFreePath): string {
  return names.join('/');
}

/**
 * Reads the baselines of all tests with `regression`.
 *
 * Errors: one that is there and cannot be used, as a Result. One that is missing or of another load is a warning.
 */
export function withBaselines<T extends LoadedConfig>(config: T, warnings: readonly Problem[]): Result<T> {
  const problems: Problem[] = [];
  const tests = config.desired.tests.map((test): DeclaredTest => {
    if (test.regression.thresholds.length === 0) return test;
    const { state, problem: found } = readBaselineState(config, test);
    if (found !== null) problems.push(found);
    return { ...test, regression: { ...test.regression, baseline: state } };
  });
  problems.push(...falsePositiveWarning(config.desired.tests));
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return fail([...warnings, ...problems]);
  return ok({ ...config, desired: { ...config.desired, tests } }, [...warnings, ...problems]);
}

/** The baselines that are there and cannot be used. */
export function findBaselineProblems(config: LoadedConfig): readonly Problem[] {
  const found = config.desired.tests
    .filter(({ regression }) => regression.thresholds.length > 0)
    .map((test) => readBaselineState(config, test).problem);
  return found.filter((one) => one !== null).filter(({ severity }) => severity === 'error');
}

interface BaselineReading {
  readonly state: BaselineState | null;
  readonly problem: Problem | null;
}

function readBaselineState(config: LoadedConfig, test: DeclaredTest): BaselineReading {
  const place = baselinePathOf(config, test.key);
  const path = displayPathOf(place);
  const { source = null } = test.regression.thresholds[0] ?? {};
  const warned = (state: BaselineState, message: string): BaselineReading => ({
    state,
    problem: problem('LT_CONFIG_BASELINE', message, {
      ...{
        severity: 'warning',
        source,
        hint: `once its runs are as they should be: loadtests baseline ${test.key}`,
      },
    }),
  });
  let text: string | null;
  try {
    text = readBaselineText(place);
  } catch (error) {
    return {
      state: null,
      problem: baselineProblem(path, error instanceof TypeError ? 'it is not UTF-8 text' : reasonOf(error)),
    };
  }
  if (text === null) {
    return warned(
      { kind: 'missing', path },
      `"${test.key}" has "regression" and no baseline yet: there is no ${path}`,
    );
  }
  const read = readBaseline(text, test.key);
  if ('fault' in read) return { state: null, problem: baselineProblem(path, read.fault) };
  const { baseline } = read;
  if (baseline.load !== loadDigest(test.spec, sha256)) {
    const message = `the baseline of "${test.key}", ${path}, is of another load than the one that is declared now`;
    return warned({ kind: 'stale', path }, message);
  }
  return { state: { kind: 'read', path, baseline }, problem: null };
}

function baselineProblem(path: string, reason: string): Problem {
  const source = { file: path, line: 1, column: 1, length: 1, lineText: '' };
  return problem('LT_CONFIG_BASELINE', `the baseline ${path} cannot be used: ${reason}`, {
    ...{ source, hint: 'delete it, or write it again with "loadtests baseline"' },
  });
}

/** Null where there is none. Errors: RefusedFile; TypeError for what is no text; else the file system's own. */
function readBaselineText(place: LinkFreePath): string | null {
  const bytes = readLinkFree(place, MAX_BASELINE_BYTES);
  return bytes === null ? null : new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Writes the baseline of a test. Gives its path, as seen from the directory of the file. Errors: ProblemError LT_CLI_PATH. */
export function writeBaseline(config: LoadedConfig, key: string, baseline: Baseline): string {
  const place = baselinePathOf(config, key);
  const path = displayPathOf(place);
  try {
    writeLinkFree(place, encodeBaseline(key, baseline));
    return path;
  } catch (error) {
    throw new ProblemError(
      problem('LT_CLI_PATH', `the baseline ${path} cannot be written: ${reasonOf(error)}`),
    );
  }
}

/** Whoever has many limits has false alarms. */
function falsePositiveWarning(tests: readonly DeclaredTest[]): readonly Problem[] {
  const limits = tests.flatMap(({ regression }) => regression.thresholds);
  const chance = falsePositiveRate(limits.length);
  if (chance === null) return [];
  const message = `the file has ${limits.length} limits below "regression"; chance alone breaks one of them in up to ${chance}% of the times that all are judged by one run each`;
  const { source = null } = limits[0] ?? {};
  const hint = 'keep those that matter, or make more runs with --repeat';
  return [problem('LT_CONFIG_FALSE_POSITIVES', message, { severity: 'warning', source, hint })];
}
