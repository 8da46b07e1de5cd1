import { confirm } from '@clack/prompts';
import { createLogUpdate } from 'log-update';
import type { LiveLines } from './context.ts';

/** The default answer is no. */
export async function askConfirmation(output: NodeJS.WriteStream, question: string): Promise<boolean> {
  return (await confirm({ message: question, initialValue: false, output, withGuide: false })) === true;
}

/** @param toVisible - Sanitizes text, because live lines bypass `Output`. */
export function createLiveLines(stream: NodeJS.WriteStream, toVisible: (text: string) => string): LiveLines {
  const update = createLogUpdate(stream);
  let drawn: string | null = null;
  return Object.assign(
    (text: string) => {
      if (text === drawn) return;
      // Clears and redraws the lines, because log-update does not handle a changed number of lines correctly. Corking
      // the stream combines both writes.
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
