/**
 * Baselines: `baselines/[ENV/]KEY.json` beside the file. They are committed and come from pull requests, so they are
 * read and written without any link, and nothing in them is trusted.
 */
import type { LoadedConfig } from '../../config/load.ts';
import { baselineText, readBaseline } from '../../contract/baseline-codec.ts';
import type { Baseline } from '../../core/compare/baseline.ts';
import { falseAlarms } from '../../core/compare/regression.ts';
import type { DeclaredTest } from '../../core/model/load-test.ts';
import type { BaselineState } from '../../core/model/regression.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { loadDigest } from '../../core/reconcile/load-digest.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import { readUnlinked, writeUnlinked, type UnlinkedPlace } from '../../disk/unlinked-file.ts';
import { reasonOf } from '../terminal/errors.ts';
import { sha256 } from './sha256.ts';

const FOLDER = 'baselines';

/** Far more than a hundred runs take. */
const MOST_BYTES = 16 * 1024 * 1024;

function placeOf({ file, desired }: LoadedConfig, key: string): UnlinkedPlace {
  const inner = desired.environment === null ? [FOLDER] : [FOLDER, desired.environment];
  return { folder: file.folder, names: [...inner, `${key}.json`] };
}

/** As people write it. */
function shownOf({ names }: UnlinkedPlace): string {
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
    if (test.regression.limits.length === 0) return test;
    const { state, problem: found } = stateOf(config, test);
    if (found !== null) problems.push(found);
    return { ...test, regression: { ...test.regression, baseline: state } };
  });
  problems.push(...chanceOf(config.desired.tests));
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return fail([...warnings, ...problems]);
  return ok({ ...config, desired: { ...config.desired, tests } }, [...warnings, ...problems]);
}

/** The baselines that are there and cannot be used. */
export function baselineFaults(config: LoadedConfig): readonly Problem[] {
  const found = config.desired.tests
    .filter(({ regression }) => regression.limits.length > 0)
    .map((test) => stateOf(config, test).problem);
  return found.filter((one) => one !== null).filter(({ severity }) => severity === 'error');
}

interface ReadState {
  readonly state: BaselineState | null;
  readonly problem: Problem | null;
}

function stateOf(config: LoadedConfig, test: DeclaredTest): ReadState {
  const place = placeOf(config, test.key);
  const path = shownOf(place);
  const { source = null } = test.regression.limits[0] ?? {};
  const warned = (state: BaselineState, message: string): ReadState => ({
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
    text = textAt(place);
  } catch (error) {
    return {
      state: null,
      problem: refused(path, error instanceof TypeError ? 'it is not UTF-8 text' : reasonOf(error)),
    };
  }
  if (text === null) {
    return warned(
      { kind: 'missing', path },
      `"${test.key}" has "regression" and no baseline yet: there is no ${path}`,
    );
  }
  const read = readBaseline(text, test.key);
  if ('fault' in read) return { state: null, problem: refused(path, read.fault) };
  const { baseline } = read;
  if (baseline.load !== loadDigest(test.spec, sha256)) {
    const message = `the baseline of "${test.key}", ${path}, is of another load than the one that is declared now`;
    return warned({ kind: 'stale', path }, message);
  }
  return { state: { kind: 'read', path, baseline }, problem: null };
}

function refused(path: string, reason: string): Problem {
  const source = { file: path, line: 1, column: 1, length: 1, lineText: '' };
  return problem('LT_CONFIG_BASELINE', `the baseline ${path} cannot be used: ${reason}`, {
    ...{ source, hint: 'delete it, or write it again with "loadtests baseline"' },
  });
}

/** Null where there is none. Errors: RefusedFile; TypeError for what is no text; else the file system's own. */
function textAt(place: UnlinkedPlace): string | null {
  const bytes = readUnlinked(place, MOST_BYTES);
  return bytes === null ? null : new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Writes the baseline of a test. Gives its path, as seen from the folder of the file. Errors: ProblemError LT_CLI_PATH. */
export function writeBaseline(config: LoadedConfig, key: string, baseline: Baseline): string {
  const place = placeOf(config, key);
  const path = shownOf(place);
  try {
    writeUnlinked(place, baselineText(key, baseline));
    return path;
  } catch (error) {
    throw new ProblemError(
      problem('LT_CLI_PATH', `the baseline ${path} cannot be written: ${reasonOf(error)}`),
    );
  }
}

/** Whoever has many limits has false alarms. */
function chanceOf(tests: readonly DeclaredTest[]): readonly Problem[] {
  const limits = tests.flatMap(({ regression }) => regression.limits);
  const chance = falseAlarms(limits.length);
  if (chance === null) return [];
  const message = `the file has ${limits.length} limits below "regression"; chance alone breaks one of them in up to ${chance}% of the times that all are judged by one run each`;
  const { source = null } = limits[0] ?? {};
  const hint = 'keep those that matter, or make more runs with --repeat';
  return [problem('LT_CONFIG_FALSE_POSITIVES', message, { severity: 'warning', source, hint })];
}
