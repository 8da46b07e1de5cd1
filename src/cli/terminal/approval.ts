import { printable } from '../../core/printable.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { formatCommandLine } from './command-line.ts';
import type { Context } from './context.ts';
import { writeProblems, writeText } from './report.ts';

/**
 * Asks the user for approval, unless it has already been given. First writes the warnings. With `-q`, also writes
 * `about`, because users must see the changes that they approve.
 * @returns The problem if there is no terminal or the user declines; null if approved.
 */
export async function requestApproval(
  context: Context,
  {
    about = '',
    warnings = [],
    question,
    approved,
  }: {
    readonly about?: string;
    readonly warnings?: readonly Problem[];
    readonly question: string;
    readonly approved: boolean;
  },
): Promise<Problem | null> {
  if (approved) return null;
  const { stdin, stderr, args, quiet, confirm } = context;
  if (!stdin.isTerminal || !stderr.isTerminal) {
    return problem(
      'LT_CLI_APPROVAL',
      'the command changes the service or starts load and needs approval, but there is no terminal for a prompt',
      {
        hint: `to approve: ${formatCommandLine([...args, '--yes'])}`,
      },
    );
  }
  if (quiet) writeText({ ...context, quiet: false }, about, { json: true });
  writeProblems({ ...context, quiet: false }, warnings);
  return (await confirm(printable(question)))
    ? null
    : problem('LT_CLI_APPROVAL', 'canceled; nothing was changed');
}
