/** From flags to what the file declares. */
import { relative } from 'node:path';
import { loadConfig, type LoadedConfig } from '../config/load.ts';
import {
  decodeConfig,
  findConfigFile,
  readConfigFile,
  readIncludedFile,
  resolveLinks,
  type ConfigText,
} from '../config/read.ts';
import { problem, type Problem } from '../core/problem.ts';
import type { Result } from '../core/result.ts';
import type { Context } from './context.ts';
import { sha256 } from './digest.ts';
import type { FileFlags } from './flags.ts';

/** Reads, checks and fills in the file. Errors: only as a Result. */
export function loadProject(context: Context, flags: FileFlags): Result<LoadedConfig> {
  const file = readFile(context, flags.file);
  if (!file.ok) return file;
  return loadConfig({
    file: file.value,
    environment: flags.env ?? null,
    vars: flags.var ?? new Map<string, string>(),
    env: context.env,
    readFile: readIncludedFile,
    realPath: resolveLinks,
  });
}

function readFile(context: Context, named: string | undefined): Result<ConfigText> {
  if (named === '-')
    return decodeConfig(context.stdin.readAll(), { path: '<stdin>', folder: context.folder });
  if (named !== undefined) return readConfigFile(named, named);
  const found = findConfigFile(context.folder);
  return found.ok ? readConfigFile(found.value, relative(context.folder, found.value)) : found;
}

/** A command that sends needs every secret: what was a warning becomes an error. */
export function missingSecrets(config: LoadedConfig): readonly Problem[] {
  return config.missingSecrets.map(({ name, source }) =>
    problem(
      'LT_CONFIG_SECRET_MISSING',
      `"\${secret:${name}}" is not set; set the environment variable ${name}`,
      {
        source,
      },
    ),
  );
}

/** Of the file as it was read and of what was filled in, wherever it lies; secrets stand in it as `***`. */
export function configDigest(config: LoadedConfig): string {
  const filledIn = JSON.stringify(config.desired, (key, value: unknown) =>
    key === 'source' ? undefined : value,
  );
  return sha256(`${config.file.text}\n${filledIn}`);
}
