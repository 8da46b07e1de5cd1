/** The key that signs saved plans where the account has none that lasts: a file of the data folder. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Secret } from '../../core/model/secret.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { createOwnFile, findOwnFile, readOwnSecret } from '../../disk/own-file.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { makeDataFolder } from './data-folder.ts';
import { PLAN_KEY } from './data-names.ts';

/** Reads the key, or makes it, with its folder. Errors: ProblemError LT_CLI_PATH. */
export function planKeyOf(context: Context, folder: string): Secret {
  makeDataFolder(context, folder);
  const path = join(folder, PLAN_KEY);
  let text: string;
  try {
    // Whoever was faster has made it.
    if (!findOwnFile(path)) createOwnFile(path, `${randomBytes(32).toString('hex')}\n`);
    text = readOwnSecret(path, 1024)?.toString('utf8').trim() ?? '';
  } catch (error) {
    throw unusable(`the key that signs plans, "${path}", cannot be used: ${reasonOf(error)}`);
  }
  if (/^[0-9a-f]{64}$/.test(text)) return new Secret(PLAN_KEY, text);
  throw unusable(`"${path}" is not a key that signs plans; delete it to have a new one made`);
}

function unusable(message: string): ProblemError {
  const hint = 'or set LOADTESTS_API_KEY to a secret of at least 32 characters, which then signs plans';
  return new ProblemError(problem('LT_CLI_PATH', message, { hint }));
}
