/** How every command ends: one exit code, problems, a text for people, a document for machines. */
import { exitCodeOfProblems, type Problem } from '../../core/problem.ts';
import type { CommandBody, Records } from '../../core/report/command-report.ts';

export interface Outcome {
  readonly exitCode: number;
  readonly problems: readonly Problem[];
  /** For people. */
  readonly text: string;
  /**
   * What was asked for as it is, where that is a text: a schema, a script, a file. It goes to stdout, and text for
   * people to stderr. With `--json` the document holds it. Null: nothing of that kind.
   */
  readonly rawOutput: string | null;
  /** For machines: what the document adds to its envelope; null where there is nothing to report. */
  readonly body: CommandBody | null;
  /** Whole records of runs whose document has less of them, for reporters. */
  readonly records: Records;
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
  };
}

/** An outcome of which a part could not be written: what went wrong before keeps its exit code. */
export function withOutputLoss(ended: Outcome, lost: Problem): Outcome {
  const exitCode = lost.severity === 'error' ? exitCodeOfLoss(ended.exitCode) : ended.exitCode;
  return { ...ended, exitCode, problems: [...ended.problems, lost] };
}

export function exitCodeOfLoss(exitCode: number): number {
  return exitCode === 0 || exitCode === 2 ? 1 : exitCode;
}
