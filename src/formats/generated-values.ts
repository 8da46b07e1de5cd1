import { parseExpression } from '../core/model/expression.ts';
import type { IntakeTextPart } from '../core/intake/intake-text.ts';

/** Returns an expression for a random integer. The bounds are inclusive and can be in any order. */
export function randomInteger(from: number, to: number): IntakeTextPart {
  const [low, high] = [Math.ceil(Math.min(from, to)), Math.floor(Math.max(from, to))];
  return { expression: `*:${low}-${high}` };
}

/**
 * Returns an expression for random text of the given characters. If `characters` is null or unsupported, uses letters
 * and digits.
 */
export function randomText(min: number, max: number = min, characters: string | null = null): IntakeTextPart {
  const [shortest, longest] = [min, max].map((length) => Math.min(Math.max(1, length), 1000));
  const lengths = shortest === longest ? `${shortest}` : `${shortest}-${longest}`;
  // Spaces at the end of an expression are ignored, so they are moved to the start.
  const alphabet = characters?.replace(/^(.*?)( +)$/s, '$2$1');
  const expression = `text:${lengths}${alphabet === undefined ? '' : `:${alphabet}`}`;
  return { expression: parseExpression(expression) === null ? `text:${lengths}` : expression };
}
