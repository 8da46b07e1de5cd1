/** How every command ends: one exit code, problems, a text for people, members for machines. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCodeOf, exitCodeOfProblems, problem, ProblemError, type Problem } from '../core/problem.ts';
import type { Context } from './context.ts';
import { renderProblems } from './render/problem.ts';

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
  const people = flags.json === true ? context.stderr : context.stdout;
  if (flags.quiet !== true || ended.exitCode !== 0) people.write(ended.text);
  context.stderr.write(renderProblems(ended.problems, context.paint));
  const document = JSON.stringify(documentOf(command, ended), null, 2) + '\n';
  if (flags.json === true) context.stdout.write(document);
  if (flags.jsonInto === undefined) return ended.exitCode;
  const failed = writeOutput(resolve(context.folder, flags.jsonInto), document);
  if (failed === null) return ended.exitCode;
  context.stderr.write(renderProblems([failed], context.paint));
  return exitCodeOf([ended.exitCode, 1]);
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

/** The words of a system error, without its stack. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function usageError(message: string, hint: string | null = null): ProblemError {
  return new ProblemError(problem('LT_CLI_USAGE', message, { hint }));
}
