/** Colours for a terminal. */
import type { Paint } from '../../report/paint.ts';

/** The codes that this paint writes, and no others. */
// oxlint-disable-next-line no-control-regex -- codes of colour begin with one
export const COLOR_CODES = /(\u001b\[(?:1|2|22|3[12356]|39)m)/;

/** What paints is loaded only where there are colours: pipes and files have none, and start sooner. */
export async function loadPaint(): Promise<Paint> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
