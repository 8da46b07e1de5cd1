/** Validation of a configuration file in one or all of its environments. */
import { problem, type Problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { environmentNamesIn, evaluateInEach, withOverlayOf } from './environment-overlay.ts';
import {
  toResult,
  evaluateConfig,
  loadConfig,
  readConfig,
  createLoadContext,
  type ConfigInput,
  type LoadedConfig,
  type ParsedConfig,
} from './load-config.ts';
import { problemKeyOf, sortProblems } from './config-tree.ts';

export interface CheckedConfig extends LoadedConfig {
  /**
   * Names of the checked environments. If no environment was selected, the file was also checked without an
   * environment.
   */
  readonly environments: readonly string[];
  /** Configurations in these environments; empty if an environment was selected. */
  readonly inEnvironments: readonly LoadedConfig[];
}

/**
 * Loads a configuration in the selected environment, or without an environment if none is selected. If no environment
 * is selected, also checks the configuration in the declared environments.
 * @remarks Problems that also occur without an environment are reported once, with their original message. The messages
 * of other problems name the environments in which the problems occur. In environments that were not selected, an unset
 * environment variable is a warning, and values that refer to the variable are not checked.
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
  const context = createLoadContext(input);
  const evaluate = (environment: string | null) =>
    evaluateConfig({ ...read, root: withOverlayOf(root, environment) }, context, {
      environment,
      unsetSeverity: environment === null ? 'error' : 'warning',
    });
  const own = evaluate(null);
  const known = environmentNamesIn(root);
  const inEach = evaluateInEach(known, evaluate);
  const environments = [...inEach.keys()];
  const checked = [...inEach.values()];
  const unused = [...own.unused].filter(([name]) => checked.every((one) => one.unused.has(name)));
  const inEnvironments = checked.map(({ loaded }) => loaded).filter((loaded) => loaded !== null);
  return toResult(own.loaded && { ...own.loaded, environments, inEnvironments }, [
    ...own.problems,
    ...withEnvironmentNames(own.problems, inEach),
    ...unused.map(([, found]) => found),
    ...uncheckedWarning({ ...read, root }, known, environments.length),
  ]);
}

/**
 * Returns the problems that occur only in environments. Each problem is returned once, and its message begins with the
 * names of its environments.
 */
function withEnvironmentNames(
  own: readonly Problem[],
  inEach: ReadonlyMap<string, { readonly problems: readonly Problem[] }>,
): readonly Problem[] {
  const ofFile = new Set(own.map(problemKeyOf));
  const found = new Map<string, { readonly problem: Problem; readonly names: Set<string> }>();
  for (const [name, { problems }] of inEach) {
    for (const one of problems) {
      const key = problemKeyOf(one);
      if (ofFile.has(key)) continue;
      const entry = found.get(key);
      if (entry === undefined) found.set(key, { problem: one, names: new Set([name]) });
      else entry.names.add(name);
    }
  }
  return [...found.values()].map(({ problem: one, names }) => ({
    ...one,
    message: `in ${namesText([...names])}: ${one.message}`,
  }));
}

const MAX_LISTED_NAMES = 5;

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED_NAMES).map((name) => JSON.stringify(name));
  const rest = names.length - shown.length;
  if (rest > 0) return `the environments ${shown.join(', ')} and ${rest} more`;
  const last = shown.pop() ?? '';
  return shown.length === 0 ? `the environment ${last}` : `the environments ${shown.join(', ')} and ${last}`;
}

function uncheckedWarning(
  { root, locate }: ParsedConfig,
  known: readonly string[],
  checked: number,
): readonly Problem[] {
  const first = known[checked];
  if (first === undefined) return [];
  const at = root.entries.get('environments')?.keySpan ?? { start: 0, end: 1 };
  const message = `only ${checked} of ${known.length} environments were checked because the file is large; check the others by name, for example with --env ${JSON.stringify(first)}`;
  return [problem('LT_CONFIG_ENVIRONMENT', message, { severity: 'warning', source: locate(at) })];
}
