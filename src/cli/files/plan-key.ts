/**
 * Key that signs saved plans of the embedded service. The key is derived from a secret of the user, and from the path
 * and identity of the project directory. The secret is in a file outside the project, so that the project cannot
 * replace the secret.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { createStateFile, fileIdentityOf, hasStateFile, readSecretFile } from '../../disk/state-file.ts';
import { allowedRootOf, isInsideDirectory, realDirectory } from '../../disk/untrusted-file.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { createDataDirectory } from './data-directory.ts';

const PLAN_KEY_FILE = 'plan-key';

/**
 * Creates the secret of the user if it does not exist.
 * @throws ProblemError LT_CLI_PATH if the secret cannot be read or created.
 */
export function planKeyOf(context: Context, project: string): Secret {
  const directory = realDirectory(project);
  const location = JSON.stringify([directory, fileIdentityOf(directory)]);
  const state = stateDirectoryOf(context);
  if (isInsideDirectory(allowedRootOf(directory), state))
    throw unusableKeyError(
      `the plan signing key cannot be in "${state}", because a checkout or an archive of the project could contain it`,
      'set XDG_STATE_HOME to a directory outside the project',
    );
  const key = readOrCreateUserKey(context, state).reveal();
  return new Secret(PLAN_KEY_FILE, createHmac('sha256', key).update(location).digest('hex'));
}

function readOrCreateUserKey(context: Context, directory: string): Secret {
  createDataDirectory(context, directory);
  const path = join(directory, PLAN_KEY_FILE);
  let text: string;
  try {
    // Another process may create the file first, so its content is read in any case.
    if (!hasStateFile(path)) createStateFile(path, `${randomBytes(32).toString('hex')}\n`);
    text = readSecretFile(path, 1024)?.toString('utf8').trim() ?? '';
  } catch (error) {
    throw unusableKeyError(`the plan signing key "${path}" cannot be used: ${reasonOf(error)}`);
  }
  if (/^[0-9a-f]{64}$/.test(text)) return new Secret(PLAN_KEY_FILE, text);
  throw unusableKeyError(
    `"${path}" does not contain a plan signing key`,
    'delete the file to create a new key',
  );
}

/** Returns the directory for this user's state, as defined by the XDG Base Directory Specification. */
function stateDirectoryOf({ env }: Context): string {
  const named = env['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(named)) return join(realDirectory(named), 'loadtests');
  const home = env['HOME'] ?? env['USERPROFILE'] ?? '';
  if (isAbsolute(home)) return join(realDirectory(join(home, '.local', 'state')), 'loadtests');
  throw unusableKeyError(
    'the plan signing key has no location: neither XDG_STATE_HOME nor HOME is an absolute path',
    'set XDG_STATE_HOME to an absolute path',
  );
}

function unusableKeyError(message: string, fix: string | null = null): ProblemError {
  const alternative = 'set LOADTESTS_API_KEY to a secret of at least 32 characters to sign plans with it';
  const hint = fix === null ? alternative : `${fix}, or ${alternative}`;
  return new ProblemError(problem('LT_CLI_PATH', message, { hint }));
}
