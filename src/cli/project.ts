/** From flags to what the file declares. */
import { dirname, resolve } from 'node:path';
import { loadConfig, type LoadedConfig } from '../config/load.ts';
import { findConfigFile, readConfigFile, readReferencedFile } from '../config/read.ts';
import { problem, type Problem } from '../core/problem.ts';
import type { Result } from '../core/result.ts';
import type { Context } from './context.ts';
import type { FileFlags } from './flags.ts';

/** Reads, checks and fills in the file. `needed` says who is asking. Errors: only as a Result. */
export function loadProject(context: Context, flags: FileFlags): Result<LoadedConfig> {
  const file =
    flags.file === '-' ? { path: '<stdin>', text: context.stdin.readAll(), folder: context.folder } : null;
  throw new Error('Bug: not joined yet');
}

/** A command that sends needs every secret: what was a warning becomes an error. */
export function missingSecrets(config: LoadedConfig): readonly Problem[] {
  return config.missingSecrets.map(({ name, source }) =>
    problem(
      'LT_CONFIG_SECRET_MISSING',
      `the secret "${name}" is not set; set the environment variable ${name}`,
      {
        source,
      },
    ),
  );
}
