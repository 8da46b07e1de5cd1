/** What operators of `serve` and `worker` keep secret: keys, and addresses that may hold a password. */
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

/** Shorter keys can be found by trying. */
const MIN_KEY_LENGTH = 32;

/** The key that the environment gives; null: none. Errors: ProblemError LT_CLI_WEAK_KEY. */
export function environmentKey({ env }: Pick<Context, 'env'>): Secret | null {
  const text = env['LOADTESTS_API_KEY'];
  if (text === undefined || text === '') return null;
  const hint =
    'set it to a random text, such as "openssl rand -hex 16" prints, or unset it: serve then makes a key';
  return checkKeyStrength(new Secret('LOADTESTS_API_KEY', text), { where: 'LOADTESTS_API_KEY', hint });
}

/**
 * The key in the directory, else a new one that is stored and shown this once.
 *
 * Errors: ProblemError LT_CLI_WEAK_KEY, LT_CLI_PATH.
 */
export function readOrCreateKey(context: Context, directory: string): Secret {
  const known = readStoredKey(directory);
  if (known !== null) return known;
  const path = keyPathOf(directory);
  const key = newKey();
  try {
    replaceStateFile(path, key + '\n');
  } catch (error) {
    throw pathError(`"${path}" cannot be written: ${reasonOf(error)}`);
  }
  writeNote(context, `The API key of this service, shown once and stored in ${path}: ${key}`);
  return new Secret('api-key', key);
}

/** The key that `serve` has stored in its data directory; null: none. Errors: ProblemError LT_CLI_WEAK_KEY, LT_CLI_PATH. */
export function readStoredKey(directory: string): Secret | null {
  const path = keyPathOf(directory);
  const known = readText(path, path);
  if (known === null) return null;
  const hint = 'delete the file to create a new one';
  if (known === '') throw pathError(`"${path}" does not contain an API key`, hint);
  return checkKeyStrength(new Secret(path, known), { where: `the key in "${path}"`, hint });
}

function keyPathOf(directory: string): string {
  return join(directory, 'api-key');
}

function checkKeyStrength(key: Secret, said: { readonly where: string; readonly hint: string }): Secret {
  const { length } = Array.from(key.reveal());
  if (length >= MIN_KEY_LENGTH) return key;
  const text = `${said.where} has ${counted(length, 'character')}; a key that others may try needs at least ${MIN_KEY_LENGTH}`;
  throw new ProblemError(problem('LT_CLI_WEAK_KEY', text, { hint: said.hint }));
}

/** Null: none. What holds a password stands on no command line, which all users of a machine can read. */
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
      '--smtp must not contain a password, since everyone on this machine can read command lines',
      'set LOADTESTS_SMTP instead, or name a file with --smtp-file',
    );
  return smtp;
}

const WORKER_SECRET_FILE = 'LOADTESTS_WORKER_SECRET';

/** What a service and its workers know of each other. Errors: ProblemError LT_CLI_USAGE, LT_CLI_WEAK_KEY. */
export function requireWorkerSecret(context: Pick<Context, 'env'>): Secret {
  const given = environmentWorkerSecret(context);
  if (given !== null) return given;
  throw usageError(
    `${WORKER_SECRET_FILE} is not set, and a worker does only what a service asks for that knows it`,
    'set it to what the service has: "serve --redis" says in which file that is',
  );
}

/**
 * The one in the directory of a service that was given none, else a new one that is stored there.
 *
 * Errors: ProblemError LT_CLI_WEAK_KEY, LT_CLI_PATH.
 */
export function readOrCreateWorkerSecret(context: Context, directory: string): Secret {
  const path = join(directory, 'worker-secret');
  const known = readText(path, path);
  writeNote(context, `Workers need ${WORKER_SECRET_FILE}; this service has it in ${path}`);
  if (known !== null) {
    const hint = 'delete the file to create a new one';
    return checkKeyStrength(new Secret(WORKER_SECRET_FILE, known), {
      where: `the secret in "${path}"`,
      hint,
    });
  }
  const secret = newKey();
  try {
    replaceStateFile(path, secret + '\n');
  } catch (error) {
    throw pathError(`"${path}" cannot be written: ${reasonOf(error)}`);
  }
  return new Secret(WORKER_SECRET_FILE, secret);
}

/** Null: the environment gives none. Errors: ProblemError LT_CLI_WEAK_KEY. */
export function environmentWorkerSecret({ env }: Pick<Context, 'env'>): Secret | null {
  const text = env[WORKER_SECRET_FILE] ?? '';
  if (text === '') return null;
  const hint =
    'set it to a random text, such as "openssl rand -hex 16" prints, for the service and its workers';
  return checkKeyStrength(new Secret(WORKER_SECRET_FILE, text), { where: WORKER_SECRET_FILE, hint });
}

/** The address of a Redis, as a text. Null: none was given. */
export function redisAddressOf(
  { env }: Pick<Context, 'env'>,
  { redis }: { readonly redis?: string },
): string | null {
  if (redis === undefined) return env['LOADTESTS_REDIS'] === '' ? null : (env['LOADTESTS_REDIS'] ?? null);
  if (/\/\/[^/]*:[^/]*@|sentinel_password/.test(redis))
    throw usageError(
      '--redis must not contain a password, since everyone on this machine can read command lines',
      'set LOADTESTS_REDIS instead',
    );
  return redis;
}

/** Files that the operator names may be reached by links, as those are that a cluster mounts. */
function readRelayFile(path: string): string {
  let real: string;
  try {
    real = realPath(path);
  } catch (error) {
    throw pathError(`"${path}" cannot be read: ${reasonOf(error)}`);
  }
  const text = readText(real, path) ?? '';
  if (text === '') throw pathError(`"${path}" does not contain the URL of a mail relay`);
  return text;
}

/** Null: it is not there. */
function readText(path: string, shown: string): string | null {
  try {
    return readStateFile(path, MAX_SECRET_FILE_BYTES)?.toString('utf8').trim() ?? null;
  } catch (error) {
    throw pathError(`"${shown}" cannot be read: ${reasonOf(error)}`);
  }
}

function pathError(text: string, hint: string | null = null): ProblemError {
  return new ProblemError(problem('LT_CLI_PATH', text, { hint }));
}
