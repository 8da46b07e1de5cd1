/** The key that signs saved plans where the account has none that lasts: a file of the data directory. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { createStateFile, hasStateFile, readSecretFile } from '../../disk/state-file.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { createDataDirectory } from './data-directory.ts';
import { PLAN_KEY_FILE } from './data-paths.ts';

/** Reads the key, or makes it, with its directory. Errors: ProblemError LT_CLI_PATH. */
export function readOrCreatePlanKey(context: Context, directory: string): Secret {
  createDataDirectory(context, directory);
  const path = join(directory, PLAN_KEY_FILE);
  let text: string;
  try {
    // Whoever was faster has made it.
    if (!hasStateFile(path)) createStateFile(path, `${randomBytes(32).toString('hex')}\n`);
    text = readSecretFile(path, 1024)?.toString('utf8').trim() ?? '';
  } catch (error) {
    throw unusableKeyError(`the key that signs plans, "${path}", cannot be used: ${reasonOf(error)}`);
  }
  if (/^[0-9a-f]{64}$/.test(text)) return new Secret(PLAN_KEY_FILE, text);
  throw unusableKeyError(`"${path}" is not a key that signs plans; delete it to have a new one made`);
}

function unusableKeyError(message: string): ProblemError {
  const hint = 'or set LOADTESTS_API_KEY to a secret of at least 32 characters, which then signs plans';
  return new ProblemError(problem('LT_CLI_PATH', message, { hint }));
}
