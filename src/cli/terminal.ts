/** Live lines on a terminal. */
import { createLogUpdate } from 'log-update';
import type { LiveLines } from './render/progress.ts';

export function liveLines(stream: NodeJS.WritableStream): LiveLines {
  return createLogUpdate(stream);
}
