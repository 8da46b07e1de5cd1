/** Key that signs saved plans of the embedded service: a file in the data directory. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { createStateFile, hasStateFile, readSecretFile } from '../../disk/state-file.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { createDataDirectory } from './data-directory.ts';
import { PLAN_KEY_FILE } from './data-paths.ts';

/**
 * Reads the key, or creates it with its directory.
 *
 * @throws ProblemError LT_CLI_PATH if the key cannot be used.
 */
export function readOrCreatePlanKey(context: Context, directory: string): Secret {
  createDataDirectory(context, directory);
  const path = join(directory, PLAN_KEY_FILE);
  let text: string;
  try {
    // Another process may have created the key in the meantime.
    if (!hasStateFile(path)) createStateFile(path, `${randomBytes(32).toString('hex')}\n`);
    text = readSecretFile(path, 1024)?.toString('utf8').trim() ?? '';
  } catch (error) {
    throw unusableKeyError(`the plan signing key "${path}" cannot be used: ${reasonOf(error)}`);
  }
  if (/^[0-9a-f]{64}$/.test(text)) return new Secret(PLAN_KEY_FILE, text);
  throw unusableKeyError(`"${path}" is not a plan signing key; delete it to create a new one`);
}

function unusableKeyError(message: string): ProblemError {
  const hint =
    'alternatively, set LOADTESTS_API_KEY to a secret of at least 32 characters to sign plans with it';
  return new ProblemError(problem('LT_CLI_PATH', message, { hint }));
}
