/** Nothing is written without it. */
import { printable } from '../../core/printable.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { formatCommandLine } from './command-line.ts';
import type { Context } from './context.ts';
import { writeText } from './report.ts';

/**
 * Asks on a terminal, unless it is given already.
 *
 * @param about what was told with `tell`; with `-q` it is shown here, since nobody consents to what was not shown
 * @returns why not, when there is no terminal or the answer is no; null: consented
 */
export async function requestApproval(
  context: Context,
  {
    about = '',
    question,
    given,
  }: { readonly about?: string; readonly question: string; readonly given: boolean },
): Promise<Problem | null> {
  if (given) return null;
  const { stdin, stderr, args, quiet, confirm } = context;
  if (!stdin.isTerminal || !stderr.isTerminal) {
    return problem(
      'LT_CLI_APPROVAL',
      'this would write to the service, and there is no terminal to ask for consent',
      {
        hint: `to consent: ${formatCommandLine([...args, '--yes'])}`,
      },
    );
  }
  if (quiet) writeText({ ...context, quiet: false }, about, { json: true });
  return (await confirm(printable(question)))
    ? null
    : problem('LT_CLI_APPROVAL', 'canceled; nothing was changed');
}
