/**
 * Text colors, as a parameter, so that output to files and in unit tests contains no colors. Color alone
 * never conveys information.
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
