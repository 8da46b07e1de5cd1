/** Writes a starter file; never over an existing one. */
import { join } from 'node:path';
import { starterText } from '../../config/starter.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { appendLine, writeNewFile } from '../../disk/output-file.ts';
import type { Context } from '../terminal/context.ts';
import { EDITOR_SCHEMA, projectName } from '../files/new-file.ts';
import { codeOf, reasonOf, usageError } from '../terminal/errors.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';

const IGNORED = '.loadtests/';

export function init(context: Context): Outcome {
  const path = join(context.folder, 'loadtests.yaml');
  try {
    writeNewFile(path, starterText({ project: projectName(context.folder), schema: EDITOR_SCHEMA }));
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw usageError('"loadtests.yaml" already exists and is not overwritten');
    throw new ProblemError(problem('LT_CLI_PATH', `"${path}" cannot be written: ${reasonOf(error)}`));
  }
  const ignored = ignoreDataFolder(context.folder);
  const also = ignored.added ? ` and added ${IGNORED} to .gitignore` : '';
  return outcome({
    problems: ignored.problems,
    text: `Wrote loadtests.yaml${also}.\nNext: loadtests plan\n`,
    body: { command: 'init', file: path },
  });
}

function ignoreDataFolder(folder: string): {
  readonly added: boolean;
  readonly problems: readonly Problem[];
} {
  const path = join(folder, '.gitignore');
  try {
    const added = appendLine(path, IGNORED);
    return { added, problems: [] };
  } catch (error) {
    const message = `"${path}" cannot be written: ${reasonOf(error)}`;
    const hint = `git would track ${IGNORED}; add it to .gitignore`;
    return { added: false, problems: [problem('LT_CLI_DISK', message, { severity: 'warning', hint })] };
  }
}
