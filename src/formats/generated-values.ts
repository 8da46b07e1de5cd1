/** Generated values of other tools as expressions of the file. */
import type { IntakeTextPart } from '../core/intake/intake-text.ts';

/** Returns a random whole number of a range. */
export function randomInteger(from: number, to: number): IntakeTextPart {
  const [low, high] = [Math.ceil(Math.min(from, to)), Math.floor(Math.max(from, to))];
  return { expression: `*:${low}-${high}` };
}

/** Returns random letters and digits. */
export function randomText(length: number): IntakeTextPart {
  return { expression: `text:${Math.min(Math.max(1, length), 1000)}` };
}
