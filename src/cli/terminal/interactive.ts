/** What only a terminal needs. */
import { confirm } from '@clack/prompts';
import { createLogUpdate } from 'log-update';
import type { LiveLines } from './context.ts';

/**
 * A question with the answer no beforehand. On stderr, since stdout may be a file. Without the guide, a bar that leads
 * from prompt to prompt: there is one, and the bar would stay behind it.
 */
export async function askConfirmation(output: NodeJS.WriteStream, question: string): Promise<boolean> {
  return (await confirm({ message: question, initialValue: false, output, withGuide: false })) === true;
}

/** `shown`: text as it may be shown; these lines pass no `Output`. */
export function createLiveLines(stream: NodeJS.WriteStream, shown: (text: string) => string): LiveLines {
  const update = createLogUpdate(stream);
  let drawn: string | null = null;
  return Object.assign(
    (text: string) => {
      if (text === drawn) return;
      // Redrawn as a whole, at once: by itself it moves no lines when others are added or go between them.
      stream.cork();
      update.clear();
      update(shown(text));
      stream.uncork();
      drawn = text;
    },
    {
      clear: () => {
        update.clear();
        drawn = null;
      },
      done: () => {
        update.done();
      },
    },
  );
}
