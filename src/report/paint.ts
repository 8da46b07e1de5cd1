/** Colours as an argument, so that texts in tests and files have none. Meaning never rests on them. */

type Color = (text: string) => string;

export type Paint = Readonly<Record<'red' | 'yellow' | 'green' | 'cyan' | 'magenta' | 'dim' | 'bold', Color>>;

const unpainted: Color = (text) => text;

export const NO_PAINT: Paint = {
  red: unpainted,
  yellow: unpainted,
  green: unpainted,
  cyan: unpainted,
  magenta: unpainted,
  dim: unpainted,
  bold: unpainted,
};
