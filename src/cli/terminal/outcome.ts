/** Outcome of a command: an exit code, problems, human-readable text and a JSON document. */
import { exitCodeOfProblems, problem, ProblemError, type Problem } from '../../core/problem.ts';
import type { CommandBody, Records } from '../../core/report/command-report.ts';
import type { Origin } from '../../core/report/generated/documents.ts';
import { codeOf, messageOf } from '../../core/unknown-value.ts';
import type { Context } from './context.ts';

export interface Outcome {
  readonly exitCode: number;
  readonly problems: readonly Problem[];
  readonly text: string;
  /**
   * Requested output, such as a schema or a file; null if there is none. This output is written to stdout, and `text`
   * to stderr. With `--json`, stdout contains only the document.
   */
  readonly rawOutput: string | null;
  /** Command-specific members of the JSON document; null if there are none. */
  readonly body: CommandBody | null;
  /** Full records of runs for reporters, if those in the document are shortened. */
  readonly records: Records;
  /** Commit and time of the document; null to use those of the CI job, if any. */
  readonly origin: Origin | null;
}

export function createOutcome(parts: Partial<Outcome>): Outcome {
  const problems = parts.problems ?? [];
  return {
    exitCode: parts.exitCode ?? exitCodeOfProblems(problems),
    problems,
    text: parts.text ?? '',
    rawOutput: parts.rawOutput ?? null,
    body: parts.body ?? null,
    records: parts.records ?? new Map<string, never>(),
    origin: parts.origin ?? null,
  };
}

/** Adds the problem of an output that could not be written. Preserves the exit code of an earlier failure. */
export function withOutputLoss(outcome: Outcome, loss: Problem): Outcome {
  const exitCode = loss.severity === 'error' ? exitCodeOfLoss(outcome.exitCode) : outcome.exitCode;
  return { ...outcome, exitCode, problems: [...outcome.problems, loss] };
}

export function exitCodeOfLoss(exitCode: number): number {
  return exitCode === 0 || exitCode === 2 ? 1 : exitCode;
}

/** @param code - `EMFILE` for the limit of the process, `ENFILE` for the limit of the machine. */
function tooManyFiles(code: 'EMFILE' | 'ENFILE'): Problem {
  const isMachine = code === 'ENFILE';
  const whose = isMachine ? 'the machine' : 'this process';
  return problem('LT_CLI_FILES', `${whose} cannot open more files or connections`, {
    hint: isMachine
      ? 'close other programs, or increase the system-wide limit on open files (Linux: sysctl fs.file-max)'
      : 'increase the limit, for example with "ulimit -n 65536" in the same shell, and run the command again',
  });
}

/** For a bug, prints the stack trace. */
export function outcomeOfError(error: unknown, { stderr }: Pick<Context, 'stderr'>): Outcome {
  if (error instanceof ProblemError) return createOutcome({ problems: [error.problem] });
  const code = codeOf(error);
  if (code === 'EMFILE' || code === 'ENFILE') return createOutcome({ problems: [tooManyFiles(code)] });
  const stack = (error instanceof Error ? error.stack : null) ?? messageOf(error);
  stderr.write(`${stack}\n`);
  const message = messageOf(error);
  return createOutcome({
    problems: [problem('LT_CLI_BUG', message, { hint: 'report this bug, and include the lines above' })],
  });
}
