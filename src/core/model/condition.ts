/** Conditions on a value in a JSON body or on a variable. */
import { OPERATORS, type Operator } from './comparison.ts';
import { compileTemplate } from './template.ts';

export type JsonScalar = string | number | boolean | null;

/** A value must meet all conditions. Strings may contain `{{name}}`. */
export interface Condition {
  /** False if the value must be absent. All other members require the value to exist. */
  readonly exists?: boolean;
  /** Comparison with the number of characters, items or members, such as `>= 1`. */
  readonly length?: string;
  /** Comparison with a number, such as `> 0`. */
  readonly number?: string;
  readonly oneOf?: readonly JsonScalar[];
  /** RE2 pattern that must match a part of the value. */
  readonly matches?: string;
  /** Excluded value, or conditions that must not all be met. These conditions cannot contain `exists` or `not`. */
  readonly not?: ExpectedValue;
}

export type ExpectedValue = JsonScalar | Condition;

export interface VariableCondition {
  readonly name: string;
  readonly value: ExpectedValue;
}

export function isCondition(expected: ExpectedValue): expected is Condition {
  return typeof expected === 'object' && expected !== null;
}

export interface Comparison {
  readonly operator: Operator;
  /** A number, or a single variable such as `{{count}}`. */
  readonly operand: string;
}

/**
 * Parses a comparison such as `> 0` or `!= {{count}}`; the default operator is `==`. Returns null for any other text.
 */
export function parseComparison(text: string): Comparison | null {
  const trimmed = text.trim();
  const operator = OPERATORS.find((one) => trimmed.startsWith(one));
  const operand = trimmed.slice(operator?.length ?? 0).trim();
  return parseNumber(operand) !== null || onlyVariableOf(operand) !== null
    ? { operator: operator ?? '==', operand }
    : null;
}

/** Formats a comparison in its canonical notation. Returns other text unchanged. */
export function comparisonText(written: string | number): string {
  const comparison = parseComparison(String(written));
  return comparison === null ? String(written) : `${comparison.operator} ${comparison.operand}`;
}

/** Parses a decimal number with an optional fraction and exponent; returns null for any other text. */
export function parseNumber(text: string): number | null {
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

/** Returns the name of the variable if the text consists of one `{{name}}`; otherwise null. */
export function onlyVariableOf(text: string): string | null {
  const { constants, names } = compileTemplate(text);
  const [name, ...others] = names;
  return name !== undefined && others.length === 0 && constants.join('') === '' ? name : null;
}

/** A string of a condition, with its path within the condition in the file. */
export interface ConditionText {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Returns the strings of an expected value that may contain variables. */
export function textsOfExpected(expected: ExpectedValue): readonly ConditionText[] {
  if (typeof expected === 'string') return [{ path: [], text: expected }];
  if (!isCondition(expected)) return [];
  const { length, number, oneOf = [], matches, not } = expected;
  const text = (name: string, value: string | undefined): readonly ConditionText[] =>
    value === undefined ? [] : [{ path: [name], text: value }];
  return [
    ...text('length', length),
    ...text('number', number),
    ...oneOf.flatMap((value, index) =>
      typeof value === 'string' ? [{ path: ['one_of', index], text: value }] : [],
    ),
    ...text('matches', matches),
    ...(not === undefined ? [] : textsOfExpected(not)).map((one) => ({ ...one, path: ['not', ...one.path] })),
  ];
}

/** Formats an expected value: `"paid"`, `length >= 1 and not "open"`. */
export function expectedValueText(expected: ExpectedValue): string {
  if (!isCondition(expected)) return JSON.stringify(expected);
  const { exists, length, number, oneOf, matches, not } = expected;
  return [
    ...(exists === undefined ? [] : [exists ? 'any value' : 'no value']),
    ...(length === undefined ? [] : [`length ${length}`]),
    ...(number === undefined ? [] : [`a number ${number}`]),
    ...(oneOf === undefined ? [] : [`one of ${oneOf.map((value) => JSON.stringify(value)).join(', ')}`]),
    ...(matches === undefined ? [] : [`a value that matches ${JSON.stringify(matches)}`]),
    ...(not === undefined ? [] : [`not ${expectedValueText(not)}`]),
  ].join(' and ');
}

/** Returns the YAML condition that was probably meant by a string such as `!= null`; null for other strings. */
export function conditionMeantBy(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '*') return '{ exists: true }';
  const [, operator, operand = ''] = /^(!=|==|[<>]=?)\s*(.+)$/.exec(trimmed) ?? [];
  if (operator === undefined) return null;
  if (/^(?:null|undefined|nil|none)$/i.test(operand) || operand === "''" || operand === '""')
    return `{ exists: ${String(operator === '!=')} }`;
  const comparison = parseComparison(trimmed);
  if (comparison !== null) return `{ number: '${comparisonText(trimmed)}' }`;
  return operator === '!=' ? `{ not: ${operand} }` : null;
}
