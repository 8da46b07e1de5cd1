/** Comparison of numbers, for conditions and thresholds. */

/** Operators, longer ones first. */
export const OPERATORS = ['<=', '>=', '==', '!=', '<', '>'] as const;

export type Operator = (typeof OPERATORS)[number];

export function compareNumbers(actual: number, operator: Operator, operand: number): boolean {
  switch (operator) {
    case '<':
      return actual < operand;
    case '<=':
      return actual <= operand;
    case '>':
      return actual > operand;
    case '>=':
      return actual >= operand;
    case '==':
      return actual === operand;
    case '!=':
      return actual !== operand;
  }
}
