/** Colours as an argument, so that texts in tests and files have none. Meaning never rests on them. */

type Colour = (text: string) => string;

export type Paint = Readonly<
  Record<'red' | 'yellow' | 'green' | 'cyan' | 'magenta' | 'dim' | 'bold', Colour>
>;

const plain: Colour = (text) => text;

export const NO_PAINT: Paint = {
  red: plain,
  yellow: plain,
  green: plain,
  cyan: plain,
  magenta: plain,
  dim: plain,
  bold: plain,
};
