/**
 * Text colors. They are a parameter, so that output to files and in unit tests has none. Information is never
 * expressed by color alone.
 */

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
