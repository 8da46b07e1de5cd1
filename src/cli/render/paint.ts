import type { Paint } from '../../report/paint.ts';

/** Matches the color codes that `loadPaint` produces. */
// oxlint-disable-next-line no-control-regex -- color codes begin with a control character
export const COLOR_CODES = /(\u001b\[(?:1|2|22|3[12356]|39)m)/;

/** Loads the color functions on demand, to keep startup without colors fast. */
export async function loadPaint(): Promise<Paint> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
