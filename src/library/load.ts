import type { LoadedConfig } from '../config/load-config.ts';
import { loadProject } from '../cli/files/project.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import type { Result } from '../core/result.ts';
import { createLibraryContext, type Env } from './context.ts';

export interface LoadOptions {
  /**
   * Path of the configuration file, relative to `directory`; default: loadtests.yaml in `directory` or the
   * nearest parent directory.
   */
  readonly file?: string;
  /** Base directory for `file`; default: the working directory. */
  readonly directory?: string;
  /** Name of an environment in the file. */
  readonly environment?: string;
  /** Values for the variables of the file, by name. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Source of `${env:NAME}` and `${secret:NAME}`; default: the environment of the process. */
  readonly env?: Env;
}

/**
 * Reads and validates a configuration file and resolves its references. Sends no requests.
 * @returns `ok: true` with the configuration and warnings, or `ok: false` with the problems. A secret that is not set
 * causes a warning. Errors in the file and file system errors are returned as problems, not thrown.
 */
export async function load(options: LoadOptions = {}): Promise<Result<LoadedConfig>> {
  const { file, environment, vars } = options;
  const flags = { file, env: environment, var: vars && new Map(Object.entries(vars)) };
  return await loadProject(createLibraryContext(options), withoutUndefined(flags));
}
