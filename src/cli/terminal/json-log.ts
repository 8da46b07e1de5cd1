/** What commands that serve others write to stderr: JSON, one line for each event. */
import { pino } from 'pino';
import { printableJson } from '../../core/printable.ts';
import type { Context } from './context.ts';

export function openJsonLog(context: Pick<Context, 'stderr'>) {
  return pino(
    { base: null },
    {
      write: (line) => {
        context.stderr.write(printableJson(line));
      },
    },
  );
}
