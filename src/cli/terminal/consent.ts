/** Nothing is written without it. */
import { problem, type Problem } from '../../core/problem.ts';
import type { Context } from './context.ts';

/**
 * Asks on a terminal.
 *
 * @param command what to type to consent without being asked
 * @returns why not, when there is no terminal or the answer is no; null: consented
 */
export async function askConsent(
  context: Context,
  question: string,
  command: string,
): Promise<Problem | null> {
  const { stdin, stderr } = context;
  if (!stdin.isTerminal || !stderr.isTerminal) {
    return problem('LT_CLI_CONSENT', 'this would write to the service, and nobody is here to ask', {
      hint: `to consent: ${command}`,
    });
  }
  const { confirm } = await import('./interactive.ts');
  const answer = await confirm({ message: question, initialValue: false });
  return answer === true ? null : problem('LT_CLI_CONSENT', 'nothing was done');
}

/** A command line that can be pasted into a shell. */
export function shellCommand(words: readonly string[]): string {
  return words
    .map((word) => (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
