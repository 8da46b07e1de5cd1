/** Loads a configuration, from text to desired state, without direct I/O. */
import { problem, type Problem } from '../core/problem.ts';
import type { FileContent } from '../core/model/file-content.ts';
import { fail, ok, resultOf, type Result } from '../core/result.ts';
import { applyDefaults, defaultsExceedBounds } from './defaults.ts';
import { chooseEnvironment } from './environment-overlay.ts';
import { createFileContent } from './file-content.ts';
import type { ConfigFile } from './generated/config-file.ts';
import { completeness, omitNodes } from './partial-tree.ts';
import { createFileReader, type FileAccess, type UploadReaders } from './included-files.ts';
import { interpolate, type InterpolationInput, type MissingSecret } from './interpolate.ts';
import { lowerConfig, type LoweredConfig } from './lower-config.ts';
import { parseWithFixes } from './yaml-parser.ts';
import {
  childOf,
  createLocator,
  createTreeLocations,
  keysOf,
  toPlainValue,
  sortProblems,
  type ConfigNode,
  type LocateSpan,
  type MapNode,
} from './config-tree.ts';
import { checkShape } from './validate-shape.ts';
import type { ConfigText } from './read-files.ts';

export interface ConfigInput extends UploadReaders, FileAccess {
  readonly file: ConfigText;
  readonly environment: string | null;
  readonly vars: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface LoadedConfig extends LoweredConfig {
  readonly file: ConfigText;
  readonly missingSecrets: readonly MissingSecret[];
  readonly content: () => FileContent;
}

/**
 * Loads a configuration file.
 * @returns The configuration, or the problems in file order. Unset secrets cause warnings.
 */
export function loadConfig(input: ConfigInput): Result<LoadedConfig> {
  const read = readConfig(input.file);
  if (read.root === null) return fail(sortProblems(read.syntaxProblems));
  const { environment } = input;
  const evaluated = evaluateConfig({ ...read, root: read.root }, createLoadContext(input), {
    environment,
    unsetSeverity: 'error',
  });
  return toResult(evaluated.loaded, [...evaluated.problems, ...evaluated.unused.values()]);
}

export interface ParsedConfig<Root = MapNode> {
  readonly root: Root;
  /** Values with invalid YAML, which `syntaxProblems` reports. */
  readonly invalid: ReadonlySet<ConfigNode>;
  readonly syntaxProblems: readonly Problem[];
  readonly text: string;
  readonly locate: LocateSpan;
}

/** Cache of parsed files, because a comparison evaluates each file in several environments. */
const PARSED = new WeakMap<ConfigText, ParsedConfig<MapNode | null>>();

/** Parses the text of a file once; `root` is null if the text cannot be parsed. */
export function readConfig(file: ConfigText): ParsedConfig<MapNode | null> {
  const known = PARSED.get(file);
  if (known !== undefined) return known;
  const { path, text } = file;
  const { problems: syntaxProblems, ...read } = parseWithFixes(text, createLocator(path, text));
  const parsed = { ...read, syntaxProblems };
  PARSED.set(file, parsed);
  return parsed;
}

export interface LoadContext extends Omit<ConfigInput, 'environment'> {
  readonly readIncluded: InterpolationInput['readText'];
}

export function createLoadContext(input: ConfigInput): LoadContext {
  return { ...input, readIncluded: createFileReader(input.file.directory, input) };
}

export type EnvironmentChoice = Pick<ConfigInput, 'environment'> & Pick<InterpolationInput, 'unsetSeverity'>;

export interface EvaluatedTree {
  readonly problems: readonly Problem[];
  /**
   * Returns the content without invalid values; null if the environment does not exist or the defaults are too large.
   */
  readonly content: (() => FileContent) | null;
  /** The evaluated tree before defaults are applied. */
  readonly root: MapNode;
  /** A warning for each `--var` that the file does not use or declare. */
  readonly unused: ReadonlyMap<string, Problem>;
  /** Lowers the tree; returns null if `content` is null. */
  readonly lower: () => Result<LoadedConfig> | null;
}

export interface EvaluatedConfig extends Omit<EvaluatedTree, 'lower'> {
  /**
   * The configuration; null if errors prevent it from being computed. The configuration is unusable if there is an
   * error or an unset variable.
   */
  readonly loaded: LoadedConfig | null;
}

export function evaluateConfig(
  read: ParsedConfig,
  input: LoadContext,
  choice: EnvironmentChoice,
): EvaluatedConfig {
  const { lower, problems, ...evaluated } = evaluateTree(read, input, choice);
  const lowered = lower();
  if (lowered === null) return { ...evaluated, problems, loaded: null };
  const found = lowered.ok ? lowered.warnings : lowered.problems;
  return { ...evaluated, problems: [...problems, ...found], loaded: lowered.ok ? lowered.value : null };
}

/** Evaluates a file without lowering it. */
export function evaluateTree(
  read: ParsedConfig,
  input: LoadContext,
  choice: EnvironmentChoice,
): EvaluatedTree {
  const { invalid, syntaxProblems, text, locate } = read;
  const { environment } = choice;
  const unknown = { content: null, lower: () => null };
  const chosen = chooseEnvironment(read.root, environment, locate);
  if (!chosen.ok)
    return {
      ...unknown,
      problems: [...syntaxProblems, ...chosen.problems],
      root: read.root,
      unused: new Map(),
    };
  const filled = interpolate(chosen.value, {
    text,
    locate,
    vars: input.vars,
    env: input.env,
    unsetSeverity: choice.unsetSeverity,
    readText: input.readIncluded,
  });
  const { missingSecrets, unused } = filled;
  const known = omitNodes(filled.root, new Set([...invalid, ...filled.unresolved]));
  const { problems: shapeProblems, ...rest } = checkShape(known, locate);
  const problems = [
    ...syntaxProblems,
    ...filled.problems,
    ...missingSecrets.map(missingSecretWarning),
    ...shapeProblems,
  ];

  if (defaultsExceedBounds(rest.root)) {
    const message =
      '"defaults" expand the file to more than 16 MiB or 1,000,000 values; reduce "defaults" or the number of tests';
    const source = createTreeLocations(rest.root, locate).key('/defaults');
    const excess = problem('LT_CONFIG_UNREADABLE', message, { source });
    return { ...unknown, problems: [...problems, excess], root: rest.root, unused };
  }
  const root = applyDefaults(rest.root);
  const content = () => createFileContent(root, { locate, readRows: input.readRows });
  const lower = (): Result<LoadedConfig> => {
    // The cast is valid, because invalid values were removed, and defaults cannot add any.
    const config = toPlainValue(root) as ConfigFile;
    const lowered = lowerConfig(config, {
      locations: createTreeLocations(root, locate),
      isComplete: completeness(rest),
      readRows: input.readRows,
      readBodyFile: input.readBodyFile,
      testKeys: new Set(keysOf(childOf(filled.root, 'tests'))),
      environment,
      remoteByEnvironment: (input.env['LOADTESTS_BASE_URL'] ?? '') !== '',
    });
    if (!lowered.ok) return lowered;
    return ok({ file: input.file, ...lowered.value, missingSecrets, content }, lowered.warnings);
  };
  return { problems, content, root: rest.root, unused, lower };
}

/** Sorts the problems; returns a failure if `loaded` is null or a problem is an error. */
export function toResult<T>(loaded: T | null, found: readonly Problem[]): Result<T> {
  const problems = sortProblems(found);
  return loaded === null ? fail(problems) : resultOf(loaded, problems);
}

function missingSecretWarning({ name, source }: MissingSecret): Problem {
  const message = `"\${secret:${name}}" is not set; set the environment variable ${name} before you run tests`;
  return problem('LT_CONFIG_SECRET_MISSING', message, { severity: 'warning', source });
}
