/** Generated values of other tools as expressions of the file. */
import { parseExpression } from '../core/model/expression.ts';
import type { IntakeTextPart } from '../core/intake/intake-text.ts';

/** A value, and the reason why it differs from that of the source; null if it does not. */
export interface GeneratedValue {
  readonly part: IntakeTextPart;
  readonly loss: string | null;
}

/** A random whole number of a range. */
export function randomInteger(from: number, to: number): GeneratedValue {
  const [low, high] = [Math.ceil(Math.min(from, to)), Math.floor(Math.max(from, to))];
  return { part: { expression: `*:${low}-${high}` }, loss: null };
}

/**
 * A value that an expression may not exist for. In that case, it is replaced by a random number.
 * @param expression - For example `uuid` or `text:8`.
 */
export function generated(expression: string, what: string): GeneratedValue {
  if (parseExpression(expression) !== null) return { part: { expression }, loss: null };
  return {
    part: { expression: '*:100000000-999999999' },
    loss: `${what} becomes a random number, because the file has no expression for it`,
  };
}
