/**
 * Colors as a parameter, so that output to files and in tests has none. Colors never carry meaning on their
 * own.
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
