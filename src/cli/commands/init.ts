/** Writes a starter file; never over an existing one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { starterText } from '../../config/starter.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import type { Context } from '../context.ts';
import { EDITOR_SCHEMA, projectName } from '../new-file.ts';
import { outcome, reasonOf, usageError, type Outcome } from '../outcome.ts';

const IGNORED = '.loadtests/';

export function init(context: Context): Outcome {
  const path = join(context.folder, 'loadtests.yaml');
  try {
    writeFileSync(path, starterText({ project: projectName(context.folder), schema: EDITOR_SCHEMA }), {
      flag: 'wx',
    });
  } catch (error) {
    if (existsSync(path)) throw usageError('"loadtests.yaml" is there already, and is never overwritten');
    throw new ProblemError(problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`));
  }
  const ignored = ignoreDataFolder(context.folder);
  const also = ignored ? ` and added ${IGNORED} to .gitignore` : '';
  return outcome({ text: `Wrote loadtests.yaml${also}.\nNext: loadtests plan\n`, members: { file: path } });
}

/** Gives whether something was added. */
function ignoreDataFolder(folder: string): boolean {
  const path = join(folder, '.gitignore');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (text.split('\n').some((line) => line.trim() === IGNORED)) return false;
  writeFileSync(path, text + (text === '' || text.endsWith('\n') ? '' : '\n') + IGNORED + '\n');
  return true;
}
