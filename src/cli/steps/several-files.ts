/** Runs a command for each of several configuration files, one after another, with one report. */
import { resolve } from 'node:path';
import { createReport } from '../../core/report/command-report.ts';
import { createProjectsBody } from '../../core/report/several-projects.ts';
import { exitCodeOf, problem, ProblemError, type Problem } from '../../core/problem.ts';
import { printable } from '../../core/printable.ts';
import { findMatchingFiles } from '../../disk/matching-files.ts';
import { realPath } from '../../disk/untrusted-file.ts';
import { loadSummary } from '../../report/plan-text.ts';
import { requestedReporters } from '../../report/reporters.ts';
import { loadProject } from '../files/project.ts';
import type { Context } from '../terminal/context.ts';
import { usageError } from '../terminal/errors.ts';
import type { FileFlags, OutputFiles, OutputFlags } from '../terminal/flags.ts';
import { createOutcome, outcomeOfError, type Outcome } from '../terminal/outcome.ts';
import { writeText } from '../terminal/report.ts';

type Flags = FileFlags & OutputFiles & OutputFlags;

/**
 * Runs a command for each file in the flags. For fewer than two files, the outcome is that of the command. Otherwise, it
 * contains the outcome of each file, and the exit code is the worst one.
 *
 * @throws ProblemError if a pattern matches no file, or the files cannot be used together.
 */
export async function forEachFile<Given extends Flags>(
  context: Context,
  command: 'validate' | 'plan' | 'apply',
  given: { readonly flags: Given; readonly run: (flags: Given) => Promise<Outcome> },
): Promise<Outcome> {
  const { flags, run } = given;
  const files = expandFiles(context, flags.files ?? []);
  const [first, ...others] = files;
  if (first === undefined) return await run(flags);
  if (others.length === 0) return await run({ ...flags, file: first });
  refuseFlags(command, flags);
  const invalid = await checkTogether(context, flags, files);
  // No load starts if one of the files is not valid.
  if (command === 'apply' && invalid.length > 0) return createOutcome({ problems: invalid });
  const ended: { readonly file: string; readonly outcome: Outcome }[] = [];
  for (const [index, file] of files.entries()) {
    if (context.interruption.exitCode() !== null) break;
    const head = `[${index + 1}/${files.length}] ${printable(file)}\n`;
    if (command === 'apply') writeText(context, `${head}\n`, flags);
    const outcome = await run({ ...flags, file }).catch((error: unknown) => outcomeOfError(error, context));
    const text = outcome.text === '' ? 'There is no result; see the errors below.\n' : outcome.text;
    ended.push({ file, outcome: { ...outcome, text: `${head}\n${text}` } });
  }
  return combine(command, ended, files.slice(ended.length));
}

/** Returns the paths of the files; a file that is named twice occurs once. */
function expandFiles({ directory }: Context, named: readonly string[]): readonly string[] {
  const found = named.flatMap((pattern) => {
    const paths = findMatchingFiles(directory, pattern);
    if (paths.length > 0) return paths;
    const message = `no file matches "${pattern}"`;
    throw new ProblemError(problem('LT_CONFIG_NOT_FOUND', message, { hint: 'correct the pattern of -f' }));
  });
  const byPath = new Map(found.map((path) => [realPathOf(resolve(directory, path)), path]));
  return [...byPath.values()];
}

/** Returns the path without symbolic links; the path itself if it does not exist. */
function realPathOf(path: string): string {
  try {
    return realPath(path);
  } catch {
    return path;
  }
}

/**
 * Refuses flags that apply only to one file.
 * @throws ProblemError LT_CLI_USAGE for a flag that applies only to one file.
 */
function refuseFlags(command: string, flags: Flags): void {
  const out = flags.out === undefined ? [] : ['--out'];
  const reports = command === 'apply' ? requestedReporters(flags).filter(isForOneFile) : [];
  const [flag] = [...out, ...reports.map((name) => `--${name}`)];
  if (flag !== undefined)
    throw usageError(`${flag} applies to one configuration file`, 'run the command once for each file');
  if (flags.files?.includes('-') === true)
    throw usageError('standard input cannot be combined with other files');
}

function isForOneFile(name: string): boolean {
  return name !== 'markdown' && name !== 'github';
}

/**
 * Returns the problems of files that cannot be loaded.
 * @throws ProblemError LT_CLI_USAGE if two files declare the same project.
 */
async function checkTogether(
  context: Context,
  flags: Flags,
  files: readonly string[],
): Promise<readonly Problem[]> {
  const byProject = new Map<string, string>();
  const problems: Problem[] = [];
  for (const file of files) {
    const loaded = await loadProject(context, { ...flags, file });
    if (!loaded.ok) {
      problems.push(...loaded.problems);
      continue;
    }
    const { project } = loaded.value.desired;
    const other = byProject.get(project);
    if (other !== undefined)
      throw usageError(
        `"${other}" and "${file}" both declare the project "${project}"`,
        'the project is part of the identity of a test; give each file its own project',
      );
    byProject.set(project, file);
  }
  return problems;
}

function combine(
  command: 'validate' | 'plan' | 'apply',
  ended: readonly { readonly file: string; readonly outcome: Outcome }[],
  interrupted: readonly string[],
): Outcome {
  const outcomes = ended.map(({ outcome }) => outcome);
  const body = createProjectsBody(
    command,
    ended.map(({ file, outcome }) => ({ file, report: createReport(command, outcome) })),
  );
  return createOutcome({
    exitCode: exitCodeOf(outcomes.map(({ exitCode }) => exitCode)),
    problems: outcomes.flatMap(({ problems }) => problems),
    text: `${outcomes.map(({ text }) => text).join('\n')}${interruptedText(interrupted)}${'load' in body ? `\nAll projects: ${loadSummary(body.load)}.\n` : ''}`,
    body,
    records: new Map(outcomes.flatMap(({ records }) => [...records])),
  });
}

function interruptedText(files: readonly string[]): string {
  return files.length === 0
    ? ''
    : `\nNot started because of the interruption: ${printable(files.join(', '))}.\n`;
}
