/** Comparison of numbers, for conditions and thresholds. */

/**
 * Comparison operators. Longer operators come first, because `parseComparison` uses the first operator that matches.
 */
export const OPERATORS = ['<=', '>=', '==', '!=', '<', '>'] as const;

export type Operator = (typeof OPERATORS)[number];

const COMPARE: Readonly<Record<Operator, (actual: number, operand: number) => boolean>> = {
  '<': (actual, operand) => actual < operand,
  '<=': (actual, operand) => actual <= operand,
  '>': (actual, operand) => actual > operand,
  '>=': (actual, operand) => actual >= operand,
  '==': (actual, operand) => actual === operand,
  '!=': (actual, operand) => actual !== operand,
};

export function compareNumbers(actual: number, operator: Operator, operand: number): boolean {
  return COMPARE[operator](actual, operand);
}
