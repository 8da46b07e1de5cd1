/** Colours for a terminal. */
import type { Paint } from '../../report/paint.ts';

/** What paints is loaded only where there are colours: pipes and files have none, and start sooner. */
export async function loadPaint(): Promise<Paint> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
