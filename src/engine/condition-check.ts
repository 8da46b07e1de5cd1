/** Compiler of conditions on the values of JSON members and variables. */
import { compareNumbers } from '../core/model/comparison.ts';
import {
  isCondition,
  onlyVariableOf,
  parseComparison,
  parseNumber,
  type Condition,
  type ExpectedValue,
  type VariableCondition,
} from '../core/model/condition.ts';
import { MAX_PATTERN_LENGTH } from '../core/model/pattern.ts';
import { compileTemplate } from '../core/model/template.ts';
import { compileMatcher, quotePattern, type Matcher } from '../pattern/pattern.ts';
import { isScalar } from './body-content.ts';
import { toText, type SlotIndexes, type SlotValues } from './request-template.ts';

/** Reports whether a value meets a condition; `value` is undefined for a missing member or variable. */
export type CheckValue = (value: unknown, values: SlotValues) => boolean;

/** Constant text, or a function that inserts the values of variables and returns null if a variable has no value. */
export type CompiledText = string | ((values: SlotValues) => string | null);

interface ValueType {
  readonly equals: (value: unknown, expected: number | boolean | null) => boolean;
  readonly numberOf: (value: unknown) => number | null;
  readonly lengthOf: (value: unknown) => number | null;
}

const JSON_VALUE: ValueType = {
  equals: (value, expected) => value === expected,
  numberOf: (value) => (typeof value === 'number' ? value : null),
  lengthOf,
};

/**
 * Interprets the values of variables, which are text. Text in the form of a number is treated as a number. To determine
 * a length, the JSON text of a list or map is treated as that list or map.
 */
const TEXT_VALUE: ValueType = {
  equals: (value, expected) => value === String(expected),
  numberOf: (value) => parseNumber(String(value)),
  lengthOf: (value) => lengthOf(listOrMapOf(String(value)) ?? value),
};

function listOrMapOf(text: string): unknown {
  if (!/^[[{]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function compileVariableConditions(
  conditions: readonly VariableCondition[],
  slots: SlotIndexes,
): (values: SlotValues) => boolean {
  const checks = conditions.map(({ name, value }) => ({
    index: slots.variable(name),
    check: compileExpected(value, slots, TEXT_VALUE),
  }));
  return (values) =>
    checks.every(({ index, check }) => {
      const value = values[index];
      return check(value === undefined ? undefined : toText(value), values);
    });
}

export function compileExpected(
  expected: ExpectedValue,
  slots: SlotIndexes,
  type: ValueType = JSON_VALUE,
): CheckValue {
  if (isCondition(expected)) return compileCondition(expected, slots, type);
  if (typeof expected !== 'string') return (value) => value !== undefined && type.equals(value, expected);
  const render = compileText(expected, slots);
  if (typeof render === 'string') return (value) => value === render;
  // If the expected value consists of one variable, numbers and booleans are compared as text, because the value of a
  // variable is text.
  return onlyVariableOf(expected) === null
    ? (value, values) => value === render(values)
    : (value, values) => {
        const text = textOfScalar(value);
        return text !== undefined && text === render(values);
      };
}

function compileCondition(condition: Condition, slots: SlotIndexes, type: ValueType): CheckValue {
  const { exists, length, number, oneOf, matches, not } = condition;
  const checks: CheckValue[] = [];
  if (length !== undefined) checks.push(compileComparison(length, slots, type.lengthOf));
  if (number !== undefined) checks.push(compileComparison(number, slots, type.numberOf));
  if (oneOf !== undefined) {
    const accepted = oneOf.map((one) => compileExpected(one, slots, type));
    checks.push((value, values) => accepted.some((check) => check(value, values)));
  }
  if (matches !== undefined) {
    const match = compileMatch(matches, slots);
    checks.push((value, values) => {
      const text = textOfScalar(value);
      return text !== undefined && match(text.slice(0, MAX_MATCHED_LENGTH), values);
    });
  }
  if (not !== undefined) {
    const excluded = compileExpected(not, slots, type);
    checks.push((value, values) => !excluded(value, values));
  }
  if (exists === false) return (value) => value === undefined;
  return (value, values) => value !== undefined && checks.every((check) => check(value, values));
}

/** Maximum length, in characters, of the prefix that a pattern is matched against. */
const MAX_MATCHED_LENGTH = 65_536;

function compileComparison(
  text: string,
  slots: SlotIndexes,
  numberOf: (value: unknown) => number | null,
): CheckValue {
  const comparison = parseComparison(text);
  if (comparison === null) throw new Error(`Bug: the comparison "${text}" was not validated`);
  const { operator, operand } = comparison;
  const render = compileText(operand, slots);
  const constant = typeof render === 'string' ? parseNumber(render) : null;
  return (value, values) => {
    const actual = numberOf(value);
    const expected = typeof render === 'string' ? constant : parseNumber(render(values) ?? '');
    return actual !== null && expected !== null && compareNumbers(actual, operator, expected);
  };
}

function lengthOf(value: unknown): number | null {
  if (typeof value === 'string') return countCharacters(value);
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : null;
}

function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Low surrogates are not counted, so that a surrogate pair counts as one character.
    if (code < 0xdc00 || code > 0xdfff) count++;
  }
  return count;
}

function textOfScalar(value: unknown): string | undefined {
  return isScalar(value) && value !== null ? String(value) : undefined;
}

export function compileText(text: string, slots: SlotIndexes): CompiledText {
  const { constants, names } = compileTemplate(text);
  if (names.length === 0) return constants.join('');
  const indexes = names.map((name) => slots.variable(name));
  return (values) => {
    let rendered = constants[0] ?? '';
    for (let index = 0; index < indexes.length; index++) {
      const value = values[indexes[index] ?? -1];
      if (value === undefined) return null;
      rendered += toText(value) + (constants[index + 1] ?? '');
    }
    return rendered;
  };
}

/** Maximum number of compiled patterns that are cached for one pattern with variables. */
const MAX_CACHED_PATTERNS = 100;

/**
 * Compiles a pattern in which the values of variables are matched verbatim. Values whose total length exceeds
 * `MAX_PATTERN_LENGTH` do not match, because the resulting pattern would be slow.
 */
export function compileMatch(
  pattern: string,
  slots: SlotIndexes,
): (text: string, values: SlotValues) => boolean {
  const { constants, names } = compileTemplate(pattern);
  if (names.length === 0) {
    // Compiles the pattern on first use, so that compiling a job only to validate it does not compile its patterns.
    let matcher: Matcher | null = null;
    return (text) => (matcher ??= compileMatcher(pattern))(text);
  }
  const indexes = names.map((name) => slots.variable(name));
  const cache = new Map<string, Matcher | null>();
  return (text, values) => {
    let rendered = constants[0] ?? '';
    let inserted = 0;
    for (let index = 0; index < indexes.length; index++) {
      const value = values[indexes[index] ?? -1];
      if (value === undefined) return false;
      inserted += value.length;
      if (inserted > MAX_PATTERN_LENGTH) return false;
      rendered += quotePattern(toText(value)) + (constants[index + 1] ?? '');
    }
    let matcher = cache.get(rendered);
    if (matcher === undefined) {
      matcher = tryCompile(rendered);
      if (cache.size === MAX_CACHED_PATTERNS) cache.clear();
      cache.set(rendered, matcher);
    }
    return matcher?.(text) ?? false;
  };
}

/** Returns null if inserted values make the pattern invalid, such as `[{{x}}]` with an empty value. */
function tryCompile(pattern: string): Matcher | null {
  try {
    return compileMatcher(pattern);
  } catch {
    return null;
  }
}
