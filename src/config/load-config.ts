/** loadConfig: the steps from text to what is wanted, in a row. It reads nothing itself. */
import { problem, type Problem } from '../core/problem.ts';
import type { DesiredState } from '../core/model/state.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { applyDefaults, defaultsExceedBounds } from './defaults.ts';
import { chooseEnvironment } from './environment-overlay.ts';
import type { ConfigFile } from './generated/config-file.ts';
import { completeness, omitNodes } from './partial-tree.ts';
import { createFileReader, type ReadRows } from './included-files.ts';
import { interpolate, type InterpolationInput, type MissingSecret } from './interpolate.ts';
import type { ServiceConfig, WebServerConfig } from './lower-service.ts';
import { lowerConfig } from './lower-config.ts';
import { parseWithFixes } from './yaml-parser.ts';
import {
  childOf,
  createLocator,
  createTreeLocations,
  toPlainValue,
  sortProblems,
  type ConfigNode,
  type LocateSpan,
  type MapNode,
} from './config-tree.ts';
import { checkShape } from './validate-shape.ts';
import type { ConfigText } from './read-files.ts';

export type { ServiceConfig, WebServerConfig };

export interface ConfigInput {
  readonly file: ConfigText;
  /** `--env NAME`. */
  readonly environment: string | null;
  /** `--var k=v`. */
  readonly vars: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file; throws where there is none. */
  readonly readFile: (absolutePath: string) => string;
  /** The payload file of a path as the file writes it; once each. */
  readonly readRows: ReadRows;
  /** The path with every symbolic link resolved; throws where there is nothing. */
  readonly realPath: (absolutePath: string) => string;
}

export interface LoadedConfig {
  readonly file: ConfigText;
  readonly desired: DesiredState;
  /** Null: the file says nothing about a service. */
  readonly service: ServiceConfig | null;
  readonly webServer: WebServerConfig | null;
  /** Secrets that are asked for and not set; commands that send need them all. */
  readonly missingSecrets: readonly MissingSecret[];
}

/**
 * Reads a configuration.
 *
 * Errors: all problems, in the order of the file. What one stage finds wrong is taken out before the next one, which
 *         concludes nothing from what is missing there. Secrets that are not set are warnings.
 */
export function loadConfig(input: ConfigInput): Result<LoadedConfig> {
  const read = readConfig(input.file);
  if (read.root === null) return fail(sortProblems(read.syntaxProblems));
  const { environment } = input;
  const judged = evaluateConfig({ ...read, root: read.root }, createLoadContext(input), {
    environment,
    unsetSeverity: 'error',
  });
  return toResult(judged.loaded, [...judged.problems, ...judged.unused.values()]);
}

/** The text of the file as values. */
export interface ParsedConfig<Root = MapNode> {
  readonly root: Root;
  /** Values that are no valid YAML, each told in `slips`. */
  readonly wrong: ReadonlySet<ConfigNode>;
  readonly syntaxProblems: readonly Problem[];
  readonly text: string;
  readonly locate: LocateSpan;
}

/** Shape: `root` is null where nothing can be made of the text. */
export function readConfig({ path, text }: ConfigText): ParsedConfig<MapNode | null> {
  const { problems: syntaxProblems, ...read } = parseWithFixes(text, createLocator(path, text));
  return { ...read, syntaxProblems };
}

/** What a file is filled in with, each included file being read once. */
export interface LoadContext extends Omit<ConfigInput, 'environment'> {
  readonly readIncluded: InterpolationInput['readText'];
}

export function createLoadContext(input: ConfigInput): LoadContext {
  return { ...input, readIncluded: createFileReader(input.file.directory, input) };
}

/** In which environment the file is judged, and what a variable of the process means there that is not set. */
export type EnvironmentChoice = Pick<ConfigInput, 'environment'> & Pick<InterpolationInput, 'unsetSeverity'>;

export interface EvaluatedConfig {
  /** Null where it cannot be known. Of no use where a problem is an error, or a variable is missing. */
  readonly loaded: LoadedConfig | null;
  readonly problems: readonly Problem[];
  /** As it was judged, before the defaults are filled in. */
  readonly root: MapNode;
  /** Each `--var` that nothing in the file uses. */
  readonly unused: ReadonlyMap<string, Problem>;
}

export function evaluateConfig(
  read: ParsedConfig,
  input: LoadContext,
  choice: EnvironmentChoice,
): EvaluatedConfig {
  const { wrong, syntaxProblems, text, locate } = read;
  const { environment } = choice;
  const chosen = chooseEnvironment(read.root, environment, locate);
  if (!chosen.ok)
    return {
      loaded: null,
      problems: [...syntaxProblems, ...chosen.problems],
      root: read.root,
      unused: new Map(),
    };
  const filled = interpolate(chosen.value, {
    ...{ text, locate, vars: input.vars, env: input.env },
    unsetSeverity: choice.unsetSeverity,
    readText: input.readIncluded,
  });
  const { missingSecrets, unused } = filled;
  const known = omitNodes(filled.root, new Set([...wrong, ...filled.unresolved]));
  const { problems: misshapen, ...rest } = checkShape(known, locate);
  const found = [
    ...syntaxProblems,
    ...filled.problems,
    ...missingSecrets.map(missingSecretWarning),
    ...misshapen,
  ];

  if (defaultsExceedBounds(rest.root)) {
    const message =
      'the file exceeds 16 MiB or 1,000,000 values once "defaults" are filled into every test and URL';
    const source = createTreeLocations(rest.root, locate).key('/defaults');
    const problems = [...found, problem('LT_CONFIG_UNREADABLE', message, { source })];
    return { loaded: null, problems, root: rest.root, unused };
  }
  const root = applyDefaults(rest.root);
  // Checked just above, or taken out; defaults move values about and change none.
  const config = toPlainValue(root) as ConfigFile;
  const lowered = lowerConfig(config, {
    locations: createTreeLocations(root, locate),
    isComplete: completeness(rest),
    readRows: input.readRows,
    testKeys: keysOf(childOf(filled.root, 'tests')),
    environment,
    remoteByEnvironment: (input.env['LOADTESTS_BASE_URL'] ?? '') !== '',
  });
  const problems = [...found, ...(lowered.ok ? lowered.warnings : lowered.problems)];
  return {
    loaded: lowered.ok ? { file: input.file, ...lowered.value, missingSecrets } : null,
    ...{ problems, root: rest.root, unused },
  };
}

/** Problems in the order of the file; errors leave nothing to go on with. */
export function toResult<T>(loaded: T | null, found: readonly Problem[]): Result<T> {
  const problems = sortProblems(found);
  const failed = problems.some(({ severity }) => severity === 'error');
  return loaded === null || failed ? fail(problems) : ok(loaded, problems);
}

function keysOf(node: ConfigNode | null): ReadonlySet<string> {
  return new Set(node?.kind === 'map' ? node.entries.keys() : []);
}

function missingSecretWarning({ name, source }: MissingSecret): Problem {
  const message = `"\${secret:${name}}" is not set; set the environment variable ${name} before running tests`;
  return problem('LT_CONFIG_SECRET_MISSING', message, { severity: 'warning', source });
}
