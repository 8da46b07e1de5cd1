/** Nothing is written without it. */
import { printable } from '../../core/printable.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { commandLine } from './command-line.ts';
import type { Context } from './context.ts';

/**
 * Asks on a terminal, unless it is given already.
 *
 * @returns why not, when there is no terminal or the answer is no; null: consented
 */
export async function consent(
  { stdin, stderr, words, confirm }: Context,
  { question, given }: { readonly question: string; readonly given: boolean },
): Promise<Problem | null> {
  if (given) return null;
  if (!stdin.isTerminal || !stderr.isTerminal) {
    return problem(
      'LT_CLI_CONSENT',
      'this would write to the service, and there is no terminal to ask for consent',
      {
        hint: `to consent: ${commandLine([...words, '--yes'])}`,
      },
    );
  }
  return (await confirm(printable(question)))
    ? null
    : problem('LT_CLI_CONSENT', 'canceled; nothing was changed');
}
