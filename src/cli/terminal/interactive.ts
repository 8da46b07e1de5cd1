/** What only a terminal needs. */
import { confirm } from '@clack/prompts';
import { createLogUpdate } from 'log-update';
import type { LiveLines } from './context.ts';

/**
 * A question with the answer no beforehand. On stderr, since stdout may be a file. Without the guide, a bar that leads
 * from prompt to prompt: there is one, and the bar would stay behind it.
 */
export async function confirmed(output: NodeJS.WriteStream, question: string): Promise<boolean> {
  return (await confirm({ message: question, initialValue: false, output, withGuide: false })) === true;
}

/** `shown`: text as it may be shown; these lines pass no `Output`. */
export function liveLines(stream: NodeJS.WritableStream, shown: (text: string) => string): LiveLines {
  const update = createLogUpdate(stream);
  return Object.assign(
    (text: string) => {
      update(shown(text));
    },
    {
      clear: () => {
        update.clear();
      },
      done: () => {
        update.done();
      },
    },
  );
}
