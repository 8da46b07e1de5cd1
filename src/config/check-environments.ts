/** The file in each of its environments: what is wrong in which. */
import { problem, type Problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { sizeWithDefaults } from './defaults.ts';
import { environmentNamesIn, withOverlayOf } from './environment-overlay.ts';
import {
  toResult,
  evaluateConfig,
  loadConfig,
  readConfig,
  createLoadContext,
  type ConfigInput,
  type EvaluatedConfig,
  type LoadedConfig,
  type ParsedConfig,
} from './load-config.ts';
import { sortProblems } from './config-tree.ts';

export interface CheckedConfig extends LoadedConfig {
  /** The environments that were checked; beside the file without one, where none was chosen. */
  readonly environments: readonly string[];
  /** The file in each of those beside the one that it is read in, as far as it is known there. */
  readonly inEnvironments: readonly LoadedConfig[];
}

/**
 * Reads a configuration in the environment that was chosen, else without one, and judges it in each of its environments
 * as well.
 *
 * Shape:  a problem of the file itself is told once, as it is; others say in which environments they are. Nobody chose
 *         these, so a variable of the process that is not set there is a warning, and what it stands for is not judged.
 */
export function checkConfig(input: ConfigInput): Result<CheckedConfig> {
  if (input.environment === null) return checkEnvironments(input);
  const loaded = loadConfig(input);
  return loaded.ok
    ? ok({ ...loaded.value, environments: [input.environment], inEnvironments: [] }, loaded.warnings)
    : loaded;
}

function checkEnvironments(input: ConfigInput): Result<CheckedConfig> {
  const { root, ...read } = readConfig(input.file);
  if (root === null) return fail(sortProblems(read.syntaxProblems));
  const around = createLoadContext(input);
  const judge = (environment: string | null) =>
    evaluateConfig({ ...read, root: withOverlayOf(root, environment) }, around, {
      environment,
      unsetSeverity: environment === null ? 'error' : 'warning',
    });
  const own = judge(null);
  const known = environmentNamesIn(root);
  const inEach = checkInEach(known, judge);
  const environments = inEach.map(({ name }) => name);
  const unused = [...own.unused].filter(([name]) => inEach.every((judged) => judged.unused.has(name)));
  const inEnvironments = inEach.map(({ loaded }) => loaded).filter((loaded) => loaded !== null);
  return toResult(own.loaded && { ...own.loaded, environments, inEnvironments }, [
    ...own.problems,
    ...withEnvironmentNames(own.problems, inEach),
    ...unused.map(([, found]) => found),
    ...uncheckedWarning({ ...read, root }, known, environments.length),
  ]);
}

/** Each of these problems once, with the environments that it is in; without those of the file itself. */
function withEnvironmentNames(
  own: readonly Problem[],
  inEach: readonly { readonly name: string; readonly problems: readonly Problem[] }[],
): readonly Problem[] {
  const ofFile = new Set(own.map(problemKeyOf));
  const found = new Map<string, { readonly problem: Problem; readonly names: Set<string> }>();
  for (const { name, problems } of inEach) {
    for (const one of problems) {
      const identity = problemKeyOf(one);
      if (ofFile.has(identity)) continue;
      const before = found.get(identity);
      if (before === undefined) found.set(identity, { problem: one, names: new Set([name]) });
      else before.names.add(name);
    }
  }
  return [...found.values()].map(({ problem: one, names }) => ({
    ...one,
    message: `in ${namesText([...names])}: ${one.message}`,
  }));
}

function problemKeyOf({ code, message, source }: Problem): string {
  return `${code} ${source?.line ?? 0}:${source?.column ?? 0} ${message}`;
}

const MAX_LISTED_NAMES = 5;

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED_NAMES).map((name) => JSON.stringify(name));
  const rest = names.length - shown.length;
  if (rest > 0) return `the environments ${shown.join(', ')} and ${rest} more`;
  const last = shown.pop() ?? '';
  return shown.length === 0 ? `the environment ${last}` : `the environments ${shown.join(', ')} and ${last}`;
}

/** Values that are judged in all environments together: a file of 3 kB can hold nearly as many, and twenty of them. */
const MAX_CHECKED_VALUES = 1_000_000;

/** Those of the file in its order, up to that bound; at least one of them. */
function checkInEach<T extends Pick<EvaluatedConfig, 'root'>>(
  names: readonly string[],
  judge: (name: string) => T,
): readonly (T & { readonly name: string })[] {
  const judged: (T & { readonly name: string })[] = [];
  let values = 0;
  for (const name of names) {
    if (values > MAX_CHECKED_VALUES) break;
    const one = judge(name);
    values += sizeWithDefaults(one.root).values;
    judged.push({ ...one, name });
  }
  return judged;
}

function uncheckedWarning(
  { root, locate }: ParsedConfig,
  known: readonly string[],
  checked: number,
): readonly Problem[] {
  const first = known[checked];
  if (first === undefined) return [];
  const at = root.entries.get('environments')?.keySpan ?? { start: 0, end: 1 };
  const message = `no more than ${checked} of ${known.length} environments are checked at once in a file of this size; check others by name, such as --env ${JSON.stringify(first)}`;
  return [problem('LT_CONFIG_ENVIRONMENT', message, { severity: 'warning', source: locate(at) })];
}
