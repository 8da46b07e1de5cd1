/** Live lines on a terminal. */
import { createLogUpdate } from 'log-update';
import type { LiveLines } from './context.ts';

export function liveLines(stream: NodeJS.WritableStream): LiveLines {
  return createLogUpdate(stream);
}
