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
   * Requested output such as a schema or a file; null if there is none. It is written to stdout, and `text` to
   * stderr. With `--json`, the document contains this output.
   */
  readonly rawOutput: string | null;
  /** Members that the JSON document adds to its envelope; null if there is nothing to report. */
  readonly body: CommandBody | null;
  /** Full records of runs for the reporters, if the document contains shorter ones. */
  readonly records: Records;
  /** Commit and time of the document, if they differ from those of the command's CI job; otherwise null. */
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

/** Adds the loss of an output to the outcome. The exit code of an earlier failure is preserved. */
export function withOutputLoss(outcome: Outcome, loss: Problem): Outcome {
  const exitCode = loss.severity === 'error' ? exitCodeOfLoss(outcome.exitCode) : outcome.exitCode;
  return { ...outcome, exitCode, problems: [...outcome.problems, loss] };
}

export function exitCodeOfLoss(exitCode: number): number {
  return exitCode === 0 || exitCode === 2 ? 1 : exitCode;
}

/**
 * Returns the problem for a reached limit on open files.
 * @param code - `EMFILE` for the limit of the process, `ENFILE` for the limit of the machine.
 */
function tooManyFiles(code: 'EMFILE' | 'ENFILE'): Problem {
  const isMachine = code === 'ENFILE';
  const whose = isMachine ? 'the machine' : 'this process';
  return problem('LT_CLI_FILES', `${whose} cannot open more files or connections`, {
    hint: isMachine
      ? 'close other programs, or increase the system-wide limit on open files (Linux: sysctl fs.file-max)'
      : 'increase the limit, for example with "ulimit -n 65536" in the same shell, and run the command again',
  });
}

/** Returns the outcome of a command that threw an error. Prints a stack trace only for a bug. */
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
