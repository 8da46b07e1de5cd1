/** Log of `serve` and `worker` on stderr, with one JSON line per event. */
import { pino } from 'pino';
import { printableJson } from '../../core/printable.ts';
import type { Context } from './context.ts';

export function openJsonLog(context: Pick<Context, 'stderr'>) {
  return pino(
    { base: null },
    {
      write: (line) => context.stderr.write(printableJson(line)),
    },
  );
}
