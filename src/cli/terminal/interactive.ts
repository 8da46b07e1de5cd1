/** What only a terminal needs. */
import { createLogUpdate } from 'log-update';
import type { LiveLines } from './context.ts';

export { confirm } from '@clack/prompts';

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
