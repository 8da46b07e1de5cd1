/** What operators of `serve` and `worker` keep secret: keys, and addresses that may hold a password. */
import { join, resolve } from 'node:path';
import { counted } from '../../core/counted.ts';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { readOwnFile, replaceOwnFile } from '../../disk/own-file.ts';
import { realPath } from '../../disk/stranger-file.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';
import { note } from '../terminal/report.ts';
import { newKey } from './digest.ts';

const LARGEST_FILE = 4096;

/** Shorter keys can be found by trying. */
const LEAST_KEY = 32;

/** The key that the environment gives; null: none. Errors: ProblemError LT_CLI_WEAK_KEY. */
export function givenKey({ env }: Pick<Context, 'env'>): Secret | null {
  const text = env['LOADTESTS_API_KEY'];
  if (text === undefined || text === '') return null;
  const hint =
    'set it to a random text, such as "openssl rand -hex 16" prints, or unset it: serve then makes a key';
  return strongKey(new Secret('LOADTESTS_API_KEY', text), { where: 'LOADTESTS_API_KEY', hint });
}

/**
 * The key in the folder, else a new one that is stored and shown this once.
 *
 * Errors: ProblemError LT_CLI_WEAK_KEY, LT_CLI_PATH.
 */
export function storedKey(context: Context, folder: string): Secret {
  const known = keyIn(folder);
  if (known !== null) return known;
  const path = keyFile(folder);
  const key = newKey();
  try {
    replaceOwnFile(path, key + '\n');
  } catch (error) {
    throw pathError(`"${path}" cannot be written: ${reasonOf(error)}`);
  }
  note(context, `The API key of this service, shown once and stored in ${path}: ${key}`);
  return new Secret('api-key', key);
}

/** The key that `serve` has stored in its data folder; null: none. Errors: ProblemError LT_CLI_WEAK_KEY, LT_CLI_PATH. */
export function keyIn(folder: string): Secret | null {
  const path = keyFile(folder);
  const known = readText(path, path);
  if (known === null) return null;
  const hint = 'delete the file to create a new one';
  if (known === '') throw pathError(`"${path}" does not contain an API key`, hint);
  return strongKey(new Secret(path, known), { where: `the key in "${path}"`, hint });
}

function keyFile(folder: string): string {
  return join(folder, 'api-key');
}

function strongKey(key: Secret, said: { readonly where: string; readonly hint: string }): Secret {
  const { length } = Array.from(key.reveal());
  if (length >= LEAST_KEY) return key;
  const text = `${said.where} has ${counted(length, 'character')}; a key that others may try needs at least ${LEAST_KEY}`;
  throw new ProblemError(problem('LT_CLI_WEAK_KEY', text, { hint: said.hint }));
}

/** Null: none. What holds a password stands on no command line, which all users of a machine can read. */
export function mailRelay(
  { env, folder }: Pick<Context, 'env' | 'folder'>,
  { smtp, smtpFile }: { readonly smtp?: string; readonly smtpFile?: string },
): string | null {
  if (smtp !== undefined && smtpFile !== undefined)
    throw usageError('--smtp and --smtp-file cannot be combined');
  if (smtpFile !== undefined) return relayIn(resolve(folder, smtpFile));
  if (smtp === undefined) return env['LOADTESTS_SMTP'] === '' ? null : (env['LOADTESTS_SMTP'] ?? null);
  if (URL.canParse(smtp) && new URL(smtp).password !== '')
    throw usageError(
      '--smtp must not contain a password, since everyone on this machine can read command lines',
      'set LOADTESTS_SMTP instead, or name a file with --smtp-file',
    );
  return smtp;
}

const WORKER_SECRET = 'LOADTESTS_WORKER_SECRET';

/** What a service and its workers know of each other. Errors: ProblemError LT_CLI_USAGE, LT_CLI_WEAK_KEY. */
export function givenWorkerSecret(context: Pick<Context, 'env'>): Secret {
  const given = workerSecretIn(context);
  if (given !== null) return given;
  throw usageError(
    `${WORKER_SECRET} is not set, and a worker does only what a service asks for that knows it`,
    'set it to what the service has: "serve --redis" says in which file that is',
  );
}

/**
 * The one in the folder of a service that was given none, else a new one that is stored there.
 *
 * Errors: ProblemError LT_CLI_WEAK_KEY, LT_CLI_PATH.
 */
export function storedWorkerSecret(context: Context, folder: string): Secret {
  const path = join(folder, 'worker-secret');
  const known = readText(path, path);
  note(context, `Workers need ${WORKER_SECRET}; this service has it in ${path}`);
  if (known !== null) {
    const hint = 'delete the file to create a new one';
    return strongKey(new Secret(WORKER_SECRET, known), { where: `the secret in "${path}"`, hint });
  }
  const secret = newKey();
  try {
    replaceOwnFile(path, secret + '\n');
  } catch (error) {
    throw pathError(`"${path}" cannot be written: ${reasonOf(error)}`);
  }
  return new Secret(WORKER_SECRET, secret);
}

/** Null: the environment gives none. Errors: ProblemError LT_CLI_WEAK_KEY. */
export function workerSecretIn({ env }: Pick<Context, 'env'>): Secret | null {
  const text = env[WORKER_SECRET] ?? '';
  if (text === '') return null;
  const hint =
    'set it to a random text, such as "openssl rand -hex 16" prints, for the service and its workers';
  return strongKey(new Secret(WORKER_SECRET, text), { where: WORKER_SECRET, hint });
}

/** The address of a Redis, as a text. Null: none was given. */
export function redisAddress(
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
function relayIn(path: string): string {
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
    return readOwnFile(path, LARGEST_FILE)?.toString('utf8').trim() ?? null;
  } catch (error) {
    throw pathError(`"${shown}" cannot be read: ${reasonOf(error)}`);
  }
}

function pathError(text: string, hint: string | null = null): ProblemError {
  return new ProblemError(problem('LT_CLI_PATH', text, { hint }));
}
