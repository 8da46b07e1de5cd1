/** Text styles. Color must not be the only carrier of information. */

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
