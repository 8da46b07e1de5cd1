/** loadConfig: the steps from text to what is wanted, in a row. It reads nothing itself. */
import { problem, type Problem } from '../core/problem.ts';
import type { DesiredState } from '../core/model/state.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { applyDefaults, defaultsExceedBounds } from './defaults.ts';
import { chooseEnvironment } from './environment.ts';
import type { ConfigFile } from './generated/config-file.ts';
import { createFileReader } from './included-file.ts';
import { interpolate, type MissingSecret } from './interpolate.ts';
import type { ServiceConfig, WebServerConfig } from './lower-service.ts';
import { lowerConfig } from './lower.ts';
import { readText } from './parse.ts';
import { createLocator, createPlaces, plainOf, sortProblems } from './tree.ts';
import { validateShape } from './validate.ts';
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
 * Errors: all problems of the first stage that finds any, in the order of the file. Filling in and the shape check
 *         are one stage. Secrets that are not set are warnings.
 */
export function loadConfig(input: ConfigInput): Result<LoadedConfig> {
  const { file } = input;
  const {
    root: read,
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
  const found = [...slips, ...filled.problems, ...filled.missingSecrets.map(secretMissing)];
  const shape = validateShape(filled.root, createPlaces(filled.root, locate));
  const broken = found.some(({ severity }) => severity === 'error');
  if (broken || !shape.ok) return fail(sortProblems([...found, ...(shape.ok ? [] : shape.problems)]));

  if (defaultsExceedBounds(filled.root)) {
    const message =
      'the file exceeds 16 MiB or 1,000,000 values once "defaults" are filled into every test and URL';
    const source = createPlaces(filled.root, locate).key('/defaults');
    return fail([problem('LT_CONFIG_UNREADABLE', message, { source })]);
  }
  const root = applyDefaults(filled.root);
  // Checked just above; defaults move values about and change none.
  const config = plainOf(root) as ConfigFile;
  const lowered = lowerConfig(config, {
    places: createPlaces(root, locate),
    environment: input.environment,
    remoteByEnvironment: (input.env['LOADTESTS_BASE_URL'] ?? '') !== '',
  });
  if (!lowered.ok) return fail(sortProblems([...found, ...lowered.problems]));
  const value: LoadedConfig = { file, ...lowered.value, missingSecrets: filled.missingSecrets };
  return ok(value, sortProblems([...found, ...lowered.warnings]));
}

function secretMissing({ name, source }: MissingSecret): Problem {
  const message = `"\${secret:${name}}" is not set; set the environment variable ${name} before running tests`;
  return problem('LT_CONFIG_SECRET_MISSING', message, { severity: 'warning', source });
}
