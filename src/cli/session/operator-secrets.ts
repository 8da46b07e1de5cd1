/** Secrets for `serve` and `worker`: keys, and addresses that may contain passwords. */
import { join, resolve } from 'node:path';
import { counted } from '../../core/counted.ts';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { readStateFile, replaceStateFile } from '../../disk/state-file.ts';
import { realPath } from '../../disk/untrusted-file.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';
import { writeNote } from '../terminal/report.ts';
import { newKey } from './signatures.ts';

const MAX_SECRET_FILE_BYTES = 4096;

const MIN_KEY_LENGTH = 32;

/**
 * Returns the API key from the environment; null if the variable is not set or is empty.
 * @throws ProblemError LT_CLI_WEAK_KEY if the key is too short.
 */
export function environmentKey({ env }: Pick<Context, 'env'>): Secret | null {
  const text = env['LOADTESTS_API_KEY'];
  if (text === undefined || text === '') return null;
  const hint =
    'set the variable to a random string, for example from "openssl rand -hex 16", or unset it, so that "serve" generates a key';
  return checkKeyStrength(new Secret('LOADTESTS_API_KEY', text), { name: 'LOADTESTS_API_KEY', hint });
}

/**
 * Returns the key in the data directory. If there is none, creates and stores one, and prints a note.
 * @throws ProblemError LT_CLI_WEAK_KEY or LT_CLI_PATH if the key cannot be used.
 */
export function readOrCreateKey(context: Context, directory: string): Secret {
  const stored = readStoredKey(directory);
  if (stored !== null) return stored;
  const path = keyPathOf(directory);
  const key = storeNewKey(path);
  writeNote(context, `The API key of this service, shown once and stored in ${path}: ${key}`);
  return new Secret('api-key', key);
}

/**
 * Returns the key that `serve` stored in the data directory; null if there is none.
 * @throws ProblemError LT_CLI_WEAK_KEY or LT_CLI_PATH if the key cannot be used.
 */
export function readStoredKey(directory: string): Secret | null {
  const path = keyPathOf(directory);
  const stored = readText(path, path);
  if (stored === null) return null;
  const hint = 'to create a new key, delete the file and restart "loadtests serve"';
  if (stored === '') throw pathError(`"${path}" does not contain an API key`, hint);
  return checkKeyStrength(new Secret(path, stored), { name: `the key in "${path}"`, hint });
}

function keyPathOf(directory: string): string {
  return join(directory, 'api-key');
}

function checkKeyStrength(
  key: Secret,
  { name, hint }: { readonly name: string; readonly hint: string },
): Secret {
  const { length } = Array.from(key.reveal());
  if (length >= MIN_KEY_LENGTH) return key;
  const text = `${name} has ${counted(length, 'character')}; it must have at least ${MIN_KEY_LENGTH}`;
  throw new ProblemError(problem('LT_CLI_WEAK_KEY', text, { hint }));
}

/**
 * Returns the URL of the mail relay; null if none is set. Rejects a password on the command line, because other users
 * can read command lines.
 */
export function readEmailRelay(
  { env, directory }: Pick<Context, 'env' | 'directory'>,
  { smtp, smtpFile }: { readonly smtp?: string; readonly smtpFile?: string },
): string | null {
  if (smtp !== undefined && smtpFile !== undefined)
    throw usageError('--smtp and --smtp-file cannot be combined');
  if (smtpFile !== undefined) return readRelayFile(resolve(directory, smtpFile));
  if (smtp === undefined) return env['LOADTESTS_SMTP'] === '' ? null : (env['LOADTESTS_SMTP'] ?? null);
  if (URL.canParse(smtp) && new URL(smtp).password !== '')
    throw usageError(
      '--smtp must not contain a password, because other users can read command lines',
      'set LOADTESTS_SMTP to the URL, or write the URL to a file and pass --smtp-file FILE',
    );
  return smtp;
}

const WORKER_SECRET_VARIABLE = 'LOADTESTS_WORKER_SECRET';

/**
 * Returns the worker secret from the environment.
 * @throws ProblemError LT_CLI_USAGE if the secret is not set; LT_CLI_WEAK_KEY if the secret is too short.
 */
export function requireWorkerSecret(context: Pick<Context, 'env'>): Secret {
  const secret = environmentWorkerSecret(context);
  if (secret !== null) return secret;
  throw usageError(
    `${WORKER_SECRET_VARIABLE} is not set; a worker needs the secret of its service`,
    'set the variable to the secret of the service; "serve --redis" prints the path of the file that contains the secret',
  );
}

/**
 * Returns the worker secret in the data directory. If there is none, creates and stores one. Prints the path of the
 * file.
 * @throws ProblemError LT_CLI_WEAK_KEY or LT_CLI_PATH if the secret cannot be used.
 */
export function readOrCreateWorkerSecret(context: Context, directory: string): Secret {
  const path = join(directory, 'worker-secret');
  const stored = readText(path, path);
  writeNote(context, `On each worker, set ${WORKER_SECRET_VARIABLE} to the secret in ${path}`);
  if (stored !== null) {
    const hint = 'to create a new secret, delete the file and restart "loadtests serve"';
    return checkKeyStrength(new Secret(WORKER_SECRET_VARIABLE, stored), {
      name: `the secret in "${path}"`,
      hint,
    });
  }
  return new Secret(WORKER_SECRET_VARIABLE, storeNewKey(path));
}

function storeNewKey(path: string): string {
  const key = newKey();
  try {
    replaceStateFile(path, key + '\n');
    return key;
  } catch (error) {
    throw pathError(`"${path}" cannot be written: ${reasonOf(error)}`);
  }
}

/**
 * Returns the worker secret from the environment; null if the variable is not set or is empty.
 * @throws ProblemError LT_CLI_WEAK_KEY if the secret is too short.
 */
export function environmentWorkerSecret({ env }: Pick<Context, 'env'>): Secret | null {
  const text = env[WORKER_SECRET_VARIABLE] ?? '';
  if (text === '') return null;
  const hint =
    'set the variable to a random string, for example from "openssl rand -hex 16"; use the same value for the service and its workers';
  return checkKeyStrength(new Secret(WORKER_SECRET_VARIABLE, text), { name: WORKER_SECRET_VARIABLE, hint });
}

/**
 * Returns the address of the Redis server; null if none is set.
 * @throws ProblemError LT_CLI_USAGE if the command line contains a password.
 */
export function redisAddressOf(
  { env }: Pick<Context, 'env'>,
  { redis }: { readonly redis?: string },
): string | null {
  if (redis === undefined) return env['LOADTESTS_REDIS'] === '' ? null : (env['LOADTESTS_REDIS'] ?? null);
  if (/\/\/[^/]*:[^/]*@|sentinel_password/.test(redis))
    throw usageError(
      '--redis must not contain a password, because other users can read command lines',
      'set LOADTESTS_REDIS to the URL instead',
    );
  return redis;
}

/** Follows symbolic links, because Kubernetes mounts secrets as symbolic links. */
function readRelayFile(path: string): string {
  let real: string;
  try {
    real = realPath(path);
  } catch (error) {
    throw pathError(`"${path}" cannot be read: ${reasonOf(error)}`);
  }
  const text = readText(real, path) ?? '';
  if (text === '') throw pathError(`"${path}" is empty`, 'write the URL of the mail relay to this file');
  return text;
}

function readText(path: string, displayPath: string): string | null {
  try {
    return readStateFile(path, MAX_SECRET_FILE_BYTES)?.toString('utf8').trim() ?? null;
  } catch (error) {
    throw pathError(`"${displayPath}" cannot be read: ${reasonOf(error)}`);
  }
}

function pathError(text: string, hint: string | null = null): ProblemError {
  return new ProblemError(problem('LT_CLI_PATH', text, { hint }));
}
