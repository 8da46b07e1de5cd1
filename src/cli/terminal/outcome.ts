/** How every command ends: one exit code, problems, a text for people, members for machines. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCodeOfProblems, problem, ProblemError, type Problem } from '../../core/problem.ts';
import type { Context } from './context.ts';
import { renderProblems } from '../render/problem.ts';

export interface Outcome {
  readonly exitCode: number;
  readonly problems: readonly Problem[];
  /** For people. */
  readonly text: string;
  /** Added to the document for machines. */
  readonly members: Readonly<Record<string, unknown>>;
}

export interface OutputFlags {
  readonly json?: boolean;
  readonly jsonInto?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

export function outcome(parts: Partial<Outcome>): Outcome {
  const problems = parts.problems ?? [];
  return {
    exitCode: parts.exitCode ?? exitCodeOfProblems(problems),
    problems,
    text: parts.text ?? '',
    members: parts.members ?? {},
  };
}

/** Writes what the flags ask for and gives the exit code. Human text goes to stderr when stdout is the document. */
export function report(context: Context, command: string, ended: Outcome, flags: OutputFlags): number {
  const told = flags.jsonInto === undefined ? ended : writeDocument(context, command, ended, flags.jsonInto);
  const people = flags.json === true ? context.stderr : context.stdout;
  if (flags.quiet !== true || told.exitCode !== 0) people.write(told.text);
  context.stderr.write(renderProblems(told.problems, context.paint));
  if (flags.json === true) context.stdout.write(documentText(command, told));
  return told.exitCode;
}

/** What the outcome is once the document is written, or could not be. */
function writeDocument(context: Context, command: string, ended: Outcome, path: string): Outcome {
  const failed = writeOutput(resolve(context.folder, path), documentText(command, ended));
  return failed === null ? ended : withLoss(ended, failed);
}

/** An outcome of which a part could not be written: what went wrong before keeps its exit code. */
export function withLoss(ended: Outcome, lost: Problem): Outcome {
  return { ...ended, exitCode: exitCodeOfLoss(ended.exitCode), problems: [...ended.problems, lost] };
}

export function exitCodeOfLoss(exitCode: number): number {
  return exitCode === 0 || exitCode === 2 ? 1 : exitCode;
}

function documentText(command: string, ended: Outcome): string {
  return JSON.stringify(documentOf(command, ended), null, 2) + '\n';
}

function documentOf(command: string, ended: Outcome) {
  return {
    format_version: 1,
    command,
    exit_code: ended.exitCode,
    problems: ended.problems.map(({ code, severity, message, hint, source }) => ({
      code,
      severity,
      message,
      file: source?.file ?? null,
      line: source?.line ?? null,
      column: source?.column ?? null,
      hint,
    })),
    ...ended.members,
  };
}

/** Writes a file that the user named; gives a problem when the disk refuses. */
export function writeOutput(path: string, text: string): Problem | null {
  try {
    writeFileSync(path, text);
    return null;
  } catch (error) {
    return problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`);
  }
}

/** The code of a system error; null where it has none. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

/** What a person needs of a system error: words instead of its code, and no stack. */
export function reasonOf(error: unknown): string {
  return REASONS[String(codeOf(error))] ?? (error instanceof Error ? error.message : String(error));
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'it is not allowed',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such file or folder',
  EEXIST: 'a file of that name is there',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links go round in a circle',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left for this user',
  ENXIO: 'it is a socket',
  EPIPE: 'nobody writes to it',
};

/** A file that the command line names to be written, and that must be left as it is. */
export class RefusedOutput extends ProblemError {
  constructor(message: string, hint: string | null = null) {
    super(problem('LT_CLI_PATH', message, { hint }));
  }
}

export function usageError(message: string, hint: string | null = null): ProblemError {
  return new ProblemError(problem('LT_CLI_USAGE', message, { hint }));
}
