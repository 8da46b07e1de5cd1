/** Colours as an argument, so that texts in tests and files have none. Meaning never rests on them. */
import { Chalk } from 'chalk';

type Colour = (text: string) => string;

export interface Paint {
  readonly red: Colour;
  readonly yellow: Colour;
  readonly green: Colour;
  readonly cyan: Colour;
  readonly magenta: Colour;
  readonly dim: Colour;
  readonly bold: Colour;
}

export function createPaint(coloured: boolean): Paint {
  return new Chalk({ level: coloured ? 1 : 0 });
}
