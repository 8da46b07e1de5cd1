/** The `init` command: creates a starter configuration file and adds `.loadtests/` to .gitignore. */
import { join } from 'node:path';
import { starterText } from '../../config/starter-file.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { codeOf } from '../../core/unknown-value.ts';
import { appendLine, writeNewFile } from '../../disk/output-file.ts';
import type { Context } from '../terminal/context.ts';
import { EDITOR_SCHEMA_PATH, projectNameOf } from '../files/new-config-file.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';

const IGNORE_ENTRY = '.loadtests/';

export function init(context: Context): Outcome {
  const path = join(context.directory, 'loadtests.yaml');
  try {
    writeNewFile(
      path,
      starterText({ project: projectNameOf(context.directory), schema: EDITOR_SCHEMA_PATH }),
    );
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw usageError('"loadtests.yaml" already exists and is not overwritten');
    throw new ProblemError(problem('LT_CLI_PATH', `"${path}" cannot be written: ${reasonOf(error)}`));
  }
  const ignored = ignoreDataDirectory(context.directory);
  const also = ignored.added ? ` and added ${IGNORE_ENTRY} to .gitignore` : '';
  return createOutcome({
    problems: ignored.problems,
    text: `Wrote loadtests.yaml${also}.\nNext: loadtests plan\n`,
    body: { command: 'init', file: path },
  });
}

function ignoreDataDirectory(directory: string): {
  readonly added: boolean;
  readonly problems: readonly Problem[];
} {
  const path = join(directory, '.gitignore');
  try {
    const added = appendLine(path, IGNORE_ENTRY);
    return { added, problems: [] };
  } catch (error) {
    const message = `"${path}" cannot be written: ${reasonOf(error)}`;
    const hint = `add ${IGNORE_ENTRY} to .gitignore, so that git ignores this directory`;
    return { added: false, problems: [problem('LT_CLI_DISK', message, { severity: 'warning', hint })] };
  }
}
