/** What only a terminal needs. */
import { createLogUpdate } from 'log-update';
import type { LiveLines } from './context.ts';

export { confirm } from '@clack/prompts';

export function liveLines(stream: NodeJS.WritableStream): LiveLines {
  return createLogUpdate(stream);
}
