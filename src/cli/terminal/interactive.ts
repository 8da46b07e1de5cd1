/** Prompts and live lines for terminals. */
import { confirm } from '@clack/prompts';
import { createLogUpdate } from 'log-update';
import type { LiveLines } from './context.ts';

/**
 * Asks for confirmation. The default answer is no. Callers pass stderr as `output`, because stdout may be a
 * file.
 */
export async function askConfirmation(output: NodeJS.WriteStream, question: string): Promise<boolean> {
  return (await confirm({ message: question, initialValue: false, output, withGuide: false })) === true;
}

/**
 * Creates live lines on a terminal.
 * @param toVisible - Makes text safe to display, because live lines bypass `Output`.
 */
export function createLiveLines(stream: NodeJS.WriteStream, toVisible: (text: string) => string): LiveLines {
  const update = createLogUpdate(stream);
  let drawn: string | null = null;
  return Object.assign(
    (text: string) => {
      if (text === drawn) return;
      // Clears and redraws the lines in one write, because log-update does not reposition lines when lines
      // are added or removed.
      stream.cork();
      update.clear();
      update(toVisible(text));
      stream.uncork();
      drawn = text;
    },
    {
      clear: () => {
        update.clear();
        drawn = null;
      },
      done: () => update.done(),
    },
  );
}
