/** loadConfig: the steps from text to what is wanted, in a row. It reads nothing itself. */
import { problem, type Problem } from '../core/problem.ts';
import type { DesiredState } from '../core/model/state.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { applyDefaults, defaultsExceedBounds } from './defaults.ts';
import { chooseEnvironment } from './environment.ts';
import type { ConfigFile } from './generated/config-file.ts';
import { wholeness, without } from './gaps.ts';
import { createFileReader, type ReadRows } from './included-file.ts';
import { interpolate, type FillIn, type MissingSecret } from './interpolate.ts';
import type { ServiceConfig, WebServerConfig } from './lower-service.ts';
import { lowerConfig } from './lower.ts';
import { readText } from './parse.ts';
import {
  childOf,
  createLocator,
  createPlaces,
  plainOf,
  sortProblems,
  type ConfigNode,
  type Locate,
  type MapNode,
} from './tree.ts';
import { judgeShape } from './validate.ts';
import type { ConfigText } from './read.ts';

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
  if (read.root === null) return fail(sortProblems(read.slips));
  const { environment } = input;
  const judged = judgeConfig({ ...read, root: read.root }, withIncluded(input), {
    environment,
    unset: 'error',
  });
  return conclude(judged.loaded, [...judged.problems, ...judged.unused.values()]);
}

/** The text of the file as values. */
export interface ReadConfig<Root = MapNode> {
  readonly root: Root;
  /** Values that are no valid YAML, each told in `slips`. */
  readonly wrong: ReadonlySet<ConfigNode>;
  readonly slips: readonly Problem[];
  readonly text: string;
  readonly locate: Locate;
}

/** Shape: `root` is null where nothing can be made of the text. */
export function readConfig({ path, text }: ConfigText): ReadConfig<MapNode | null> {
  const { problems: slips, ...read } = readText(text, createLocator(path, text));
  return { ...read, slips };
}

/** What a file is filled in with, each included file being read once. */
export interface Surroundings extends Omit<ConfigInput, 'environment'> {
  readonly readIncluded: FillIn['readText'];
}

export function withIncluded(input: ConfigInput): Surroundings {
  return { ...input, readIncluded: createFileReader(input.file.folder, input) };
}

/** In which environment the file is judged, and what a variable of the process means there that is not set. */
export type Choice = Pick<ConfigInput, 'environment'> & Pick<FillIn, 'unset'>;

export interface JudgedConfig {
  /** Null where it cannot be known. Of no use where a problem is an error, or a variable is missing. */
  readonly loaded: LoadedConfig | null;
  readonly problems: readonly Problem[];
  /** As it was judged, before the defaults are filled in. */
  readonly root: MapNode;
  /** Each `--var` that nothing in the file uses. */
  readonly unused: ReadonlyMap<string, Problem>;
}

export function judgeConfig(read: ReadConfig, input: Surroundings, choice: Choice): JudgedConfig {
  const { wrong, slips, text, locate } = read;
  const { environment } = choice;
  const chosen = chooseEnvironment(read.root, environment, locate);
  if (!chosen.ok)
    return { loaded: null, problems: [...slips, ...chosen.problems], root: read.root, unused: new Map() };
  const filled = interpolate(chosen.value, {
    ...{ text, locate, vars: input.vars, env: input.env },
    unset: choice.unset,
    readText: input.readIncluded,
  });
  const { missingSecrets, unused } = filled;
  const known = without(filled.root, new Set([...wrong, ...filled.wrong]));
  const { problems: misshapen, ...rest } = judgeShape(known, locate);
  const found = [...slips, ...filled.problems, ...missingSecrets.map(secretMissing), ...misshapen];

  if (defaultsExceedBounds(rest.root)) {
    const message =
      'the file exceeds 16 MiB or 1,000,000 values once "defaults" are filled into every test and URL';
    const source = createPlaces(rest.root, locate).key('/defaults');
    const problems = [...found, problem('LT_CONFIG_UNREADABLE', message, { source })];
    return { loaded: null, problems, root: rest.root, unused };
  }
  const root = applyDefaults(rest.root);
  // Checked just above, or taken out; defaults move values about and change none.
  const config = plainOf(root) as ConfigFile;
  const lowered = lowerConfig(config, {
    places: createPlaces(root, locate),
    isWhole: wholeness(rest),
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
export function conclude<T>(loaded: T | null, found: readonly Problem[]): Result<T> {
  const problems = sortProblems(found);
  const failed = problems.some(({ severity }) => severity === 'error');
  return loaded === null || failed ? fail(problems) : ok(loaded, problems);
}

function keysOf(node: ConfigNode | null): ReadonlySet<string> {
  return new Set(node?.kind === 'map' ? node.entries.keys() : []);
}

function secretMissing({ name, source }: MissingSecret): Problem {
  const message = `"\${secret:${name}}" is not set; set the environment variable ${name} before running tests`;
  return problem('LT_CONFIG_SECRET_MISSING', message, { severity: 'warning', source });
}
