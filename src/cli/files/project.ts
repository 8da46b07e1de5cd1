import { join, relative, resolve } from 'node:path';
import { MAX_BYTES } from '../../config/text-scan.ts';
import { checkConfig, type CheckedConfig } from '../../config/check-environments.ts';
import { environmentNames } from '../../config/environment-overlay.ts';
import { createUploadReaders } from '../../config/included-files.ts';
import { loadConfig, type ConfigInput, type LoadedConfig } from '../../config/load-config.ts';
import {
  decodeConfig,
  findConfigFile,
  readConfigFile,
  readIncludedFile,
  readRowsBytes,
  type ConfigText,
} from '../../config/read-files.ts';
import { realPath } from '../../disk/untrusted-file.ts';
import { secretsOfSpec } from '../../core/model/test-fields.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import type { Context } from '../terminal/context.ts';
import { DATA_DIRECTORY } from './data-paths.ts';
import type { FileFlags, OutputFiles } from '../terminal/flags.ts';
import { reasonOf } from '../terminal/errors.ts';
import { checkOutputFiles } from './output-files.ts';

/**
 * Loads the configuration file and the baselines of its tests.
 * @throws RefusedOutput if an output file must not be written.
 */
export async function loadProject(
  context: Context,
  flags: FileFlags & OutputFiles,
): Promise<Result<LoadedConfig>> {
  const loaded = await loadWith(loadConfig, context, flags);
  return loaded.ok ? await addBaselines(loaded.value, loaded.warnings) : loaded;
}

export async function loadWithoutBaselines(
  context: Context,
  flags: FileFlags & OutputFiles,
): Promise<Result<LoadedConfig>> {
  return await loadWith(loadConfig, context, flags);
}

/**
 * Checks the configuration file; without `--env`, also in each environment.
 * @remarks In these environments, does not report baselines that are missing or were recorded with a different load.
 * The load may depend on variables that are not set.
 */
export async function checkProject(
  context: Context,
  flags: FileFlags & OutputFiles,
): Promise<Result<CheckedConfig>> {
  const loaded = await loadWith(checkConfig, context, flags);
  if (!loaded.ok) return loaded;
  const checked = await addBaselines(loaded.value, loaded.warnings);
  const others = loaded.value.inEnvironments.filter(hasRegression);
  if (others.length === 0) return checked;
  const { findBaselineProblems } = await import('./baselines.ts');
  const baselineProblems = others.flatMap(findBaselineProblems);
  if (baselineProblems.length === 0) return checked;
  return fail([...(checked.ok ? checked.warnings : checked.problems), ...baselineProblems]);
}

/** To keep startup fast, loads the baseline module only if a test has regression thresholds. */
async function addBaselines<T extends LoadedConfig>(
  config: T,
  warnings: readonly Problem[],
): Promise<Result<T>> {
  if (!hasRegression(config)) return ok(config, warnings);
  const { withBaselines } = await import('./baselines.ts');
  return withBaselines(config, warnings);
}

function hasRegression({ desired }: LoadedConfig): boolean {
  return desired.tests.some(({ regression }) => regression.thresholds.length > 0);
}

async function loadWith<T>(
  load: (input: ConfigInput) => Result<T>,
  context: Context,
  flags: FileFlags & OutputFiles,
): Promise<Result<T>> {
  const file = await readConfigInput(context, flags.file);
  if (!file.ok) return file;
  const included: string[] = [];
  const input = configInput(context, file.value, flags, (path) => included.push(path));
  const loaded = load({ ...input, environment: flags.env ?? null });
  checkOutputFiles(context.directory, flags, included, join(file.value.directory, DATA_DIRECTORY));
  return loaded;
}

/** @param onRead - Called with the path of each included, payload or body file before the file is read. */
export function configInput(
  { env }: Pick<Context, 'env'>,
  file: ConfigText,
  flags: Pick<FileFlags, 'var'>,
  onRead: (path: string) => void = () => undefined,
): Omit<ConfigInput, 'environment'> {
  return {
    file,
    vars: flags.var ?? new Map<string, string>(),
    env,
    readFile: (path) => {
      onRead(path);
      return readIncludedFile(path);
    },
    ...createUploadReaders(file.directory, {
      readBytes: (path) => {
        onRead(path);
        return readRowsBytes(path);
      },
      realPath,
    }),
    realPath,
  };
}

/** Returns the names of the environments; empty if the file cannot be read. The file need not be valid. */
export async function loadEnvironments(
  context: Context,
  named: string | undefined,
): Promise<readonly string[]> {
  const file = await readConfigInput(context, named);
  return file.ok ? environmentNames(file.value) : [];
}

async function readConfigInput(context: Context, named: string | undefined): Promise<Result<ConfigText>> {
  const { directory } = context;
  if (named === '-') return await readStandardInput(context);
  if (named !== undefined)
    return await readConfigFile(resolve(directory, named), { shown: named, directory });
  const found = findConfigFile(directory);
  if (!found.ok) return found;
  return await readConfigFile(found.value, { shown: relative(directory, found.value), directory });
}

async function readStandardInput({ stdin, directory }: Context): Promise<Result<ConfigText>> {
  try {
    return decodeConfig(await stdin.read(MAX_BYTES + 1), { path: '<stdin>', directory });
  } catch (error) {
    const reason = `standard input cannot be read: ${reasonOf(error)}`;
    return fail([problem('LT_CONFIG_UNREADABLE', reason)]);
  }
}

/** Returns the warnings, except those about missing secrets that only unselected tests use. */
export function relevantWarnings(
  { desired, missingSecrets: missing }: LoadedConfig,
  warnings: readonly Problem[],
  selects: (key: string) => boolean,
): readonly Problem[] {
  const named = (isSelected: boolean) =>
    secretNames(desired.tests.filter(({ key }) => selects(key) === isSelected));
  const [selected, others] = [named(true), named(false)];
  const idle = missing.filter(({ name }) => others.has(name) && !selected.has(name));
  const sources = new Set(idle.map(({ source }) => source));
  return warnings.filter(
    ({ code, source }) => code !== 'LT_CONFIG_SECRET_MISSING' || source === null || !sources.has(source),
  );
}

function secretNames(tests: LoadedConfig['desired']['tests']): ReadonlySet<string> {
  return new Set(tests.flatMap(({ spec }) => secretsOfSpec(spec)).map(({ name }) => name));
}

/**
 * Returns an error for each missing secret of the selected tests.
 * @param sends - Selects tests by key.
 */
export function missingSecretErrors(
  config: LoadedConfig,
  sends: (key: string) => boolean,
): readonly Problem[] {
  const sent = secretNames(config.desired.tests.filter(({ key }) => sends(key)));
  return config.missingSecrets
    .filter(({ name }) => sent.has(name))
    .map(({ name, source }) =>
      problem(
        'LT_CONFIG_SECRET_MISSING',
        `"\${secret:${name}}" is not set; set the environment variable ${name}`,
        { source },
      ),
    );
}
