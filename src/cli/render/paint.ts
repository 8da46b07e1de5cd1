/** Colours as an argument, so that texts in tests and files have none. Meaning never rests on them. */
import { styleText } from 'node:util';

type Colour = (text: string) => string;
type Style = 'red' | 'yellow' | 'green' | 'cyan' | 'magenta' | 'dim' | 'bold';

export type Paint = Readonly<Record<Style, Colour>>;

export function createPaint(coloured: boolean): Paint {
  // Whether colours are wanted is known by now; Node would ask its own standard output.
  const colour = (style: Style): Colour =>
    coloured ? (text) => styleText(style, text, { validateStream: false }) : (text) => text;
  return {
    red: colour('red'),
    yellow: colour('yellow'),
    green: colour('green'),
    cyan: colour('cyan'),
    magenta: colour('magenta'),
    dim: colour('dim'),
    bold: colour('bold'),
  };
}
