/** loadConfig: the steps from text to what is wanted, in a row. It reads nothing itself. */
import { problem, type Problem } from '../core/problem.ts';
import type { DesiredState } from '../core/model/state.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { applyDefaults, defaultsExceedBounds } from './defaults.ts';
import { chooseEnvironment } from './environment.ts';
import type { ConfigFile } from './generated/config-file.ts';
import { wholeness, without } from './gaps.ts';
import { createFileReader } from './included-file.ts';
import { interpolate, type MissingSecret } from './interpolate.ts';
import type { ServiceConfig, WebServerConfig } from './lower-service.ts';
import { lowerConfig } from './lower.ts';
import { readText } from './parse.ts';
import { childOf, createLocator, createPlaces, plainOf, sortProblems, type ConfigNode } from './tree.ts';
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
  const { file } = input;
  const {
    root: read,
    wrong,
    problems: slips,
    text,
    locate,
  } = readText(file.text, createLocator(file.path, file.text));
  if (read === null) return fail(sortProblems(slips));
  const chosen = chooseEnvironment(read, input.environment, locate);
  if (!chosen.ok) return fail(sortProblems([...slips, ...chosen.problems]));
  const filled = interpolate(chosen.value, {
    text,
    locate,
    vars: input.vars,
    env: input.env,
    readText: createFileReader(file.folder, input),
  });
  const known = without(filled.root, new Set([...wrong, ...filled.wrong]));
  const { problems: misshapen, ...rest } = judgeShape(known, locate);
  const found = [...slips, ...filled.problems, ...filled.missingSecrets.map(secretMissing), ...misshapen];

  if (defaultsExceedBounds(rest.root)) {
    const message =
      'the file exceeds 16 MiB or 1,000,000 values once "defaults" are filled into every test and URL';
    const source = createPlaces(rest.root, locate).key('/defaults');
    return fail(sortProblems([...found, problem('LT_CONFIG_UNREADABLE', message, { source })]));
  }
  const root = applyDefaults(rest.root);
  // Checked just above, or taken out; defaults move values about and change none.
  const config = plainOf(root) as ConfigFile;
  const lowered = lowerConfig(config, {
    places: createPlaces(root, locate),
    isWhole: wholeness(rest),
    testKeys: keysOf(childOf(filled.root, 'tests')),
    environment: input.environment,
    remoteByEnvironment: (input.env['LOADTESTS_BASE_URL'] ?? '') !== '',
  });
  const problems = sortProblems([...found, ...(lowered.ok ? lowered.warnings : lowered.problems)]);
  if (!lowered.ok || problems.some(({ severity }) => severity === 'error')) return fail(problems);
  return ok({ file, ...lowered.value, missingSecrets: filled.missingSecrets }, problems);
}

function keysOf(node: ConfigNode | null): ReadonlySet<string> {
  return new Set(node?.kind === 'map' ? node.entries.keys() : []);
}

function secretMissing({ name, source }: MissingSecret): Problem {
  const message = `"\${secret:${name}}" is not set; set the environment variable ${name} before running tests`;
  return problem('LT_CONFIG_SECRET_MISSING', message, { severity: 'warning', source });
}
