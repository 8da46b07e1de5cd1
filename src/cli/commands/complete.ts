/** The hidden `complete` command: prints one candidate per line. A tab separates a candidate from its description. */
import type { Command } from 'commander';
import { withoutUndefined } from '../../core/present-fields.ts';
import { CODES } from '../../core/codes.ts';
import { LIMIT_NAMES } from '../../core/model/state.ts';
import { printable } from '../../core/printable.ts';
import { SCHEMA_NAMES } from '../../schema/schema-files.ts';
import { commandsOf, findCandidates, type FileNames } from '../steps/completion-candidates.ts';
import type { Context } from '../terminal/context.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { loadEnvironments, loadProject } from '../files/project.ts';
import { SHELLS } from '../render/completion-scripts.ts';

/** Output that makes the shell complete file names. */
const FILE_COMPLETION = ':files';
const FILE_FLAGS = ['-f', '--file'];

export async function complete(
  context: Context,
  program: Command,
  args: readonly string[],
): Promise<Outcome> {
  const candidates = await findCandidates({
    program,
    args,
    names: (line) => readFileNames(context, line),
    environments: async (line) => {
      const file = valueOf(line, FILE_FLAGS);
      return file === '-' ? [] : (await loadEnvironments(context, file)).filter(isNotFlag);
    },
    fixed: {
      code: Object.keys(CODES),
      shell: SHELLS,
      name: SCHEMA_NAMES,
      command: commandsOf(program).map(({ value }) => value),
      '--allow-limit': LIMIT_NAMES,
    },
  });
  if (candidates === 'files') return createOutcome({ text: `${FILE_COMPLETION}\n` });
  const lines = candidates.map(({ value, description }) =>
    description === '' ? value : `${value}\t${printable(description)}`,
  );
  return createOutcome({ text: lines.map((line) => `${line}\n`).join('') });
}

/** Returns the keys of tests and apps that can be arguments; none if the file is missing, invalid or standard input. */
async function readFileNames(context: Context, words: readonly string[]): Promise<FileNames> {
  const file = valueOf(words, FILE_FLAGS);
  const env = valueOf(words, ['--env']);
  if (file === '-') return { tests: [], apps: [] };
  const loaded = await loadProject(context, withoutUndefined({ file, env }));
  if (!loaded.ok) return { tests: [], apps: [] };
  const { tests, apps } = loaded.value.desired;
  return {
    tests: tests.map(({ key }) => key).filter(isNotFlag),
    apps: apps.map(({ key }) => key).filter(isNotFlag),
  };
}

/** The schema also accepts names that look like flags, such as `--yes`. */
function isNotFlag(name: string): boolean {
  return !name.startsWith('-');
}

function valueOf(words: readonly string[], flags: readonly string[]): string | undefined {
  const before = words.slice(0, -1);
  const at = before.findLastIndex((word) => flags.includes(word));
  if (at !== -1) return before[at + 1];
  const assigned = before.findLast((word) => flags.some((flag) => word.startsWith(`${flag}=`)));
  return assigned?.slice(assigned.indexOf('=') + 1);
}
