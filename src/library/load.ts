/** The file, for a program. */
import type { LoadedConfig } from '../config/load-config.ts';
import { loadProject } from '../cli/files/project.ts';
import type { Result } from '../core/result.ts';
import { createLibraryContext, type Env } from './context.ts';

export interface LoadOptions {
  /** Path of the file, from `directory`. Left out: loadtests.yaml, looked for from `directory` upwards. */
  readonly file?: string;
  /** Left out: the working directory. */
  readonly directory?: string;
  /** An environment of the file. */
  readonly environment?: string;
  /** Variables of the file, by name. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Where `${env:NAME}` and `${secret:NAME}` are looked up; left out: the variables of the process. */
  readonly env?: Env;
}

/**
 * Reads, checks and fills in a file. Nothing is sent.
 *
 * Shape:  `ok: true` with the configuration and warnings, or `ok: false` with all problems, each with its
 *         code, its message and its place in the file. A secret that is not set is a warning.
 * Errors: none for what a file or the disk can be; those are problems.
 */
export async function load(options: LoadOptions = {}): Promise<Result<LoadedConfig>> {
  const { file, environment, vars } = options;
  return await loadProject(createLibraryContext(options), {
    ...(file === undefined ? {} : { file }),
    ...(environment === undefined ? {} : { env: environment }),
    ...(vars === undefined ? {} : { var: new Map(Object.entries(vars)) }),
  });
}
