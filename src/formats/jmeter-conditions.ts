/** Conditions of JMeter and Taurus on variables, such as `"${state}" == "done"` or `${__jexl3(${count} > 3)}`. */
import type { SourcePosition } from '../core/intake/intake.ts';
import { isCondition, type VariableCondition } from '../core/model/condition.ts';
import type { FlowRequests } from './flow-requests.ts';
import { variableName } from './names.ts';

const FUNCTION = /^\$\{__(?:jexl[23]?|groovy|javaScript)\((.*)\)\}$/s;

const VARIABLE = String.raw`(?:["']?\$\{([\w.-]+)\}["']?|vars\.get\(\s*["']([\w.-]+)["']\s*\))`;

const COMPARISON = new RegExp(
  String.raw`^${VARIABLE}\s*(==|!=|<=|>=|<|>)\s*(?:"([^"$]*)"|'([^'$]*)'|(-?\d+(?:\.\d+)?)|(true|false))$`,
);
const METHOD = new RegExp(String.raw`^(!?)${VARIABLE}\.equals\(\s*["']([^"'$]*)["']\s*\)$`);
const ALONE = new RegExp(String.raw`^(!?)${VARIABLE}$`);

/** Returns the conditions; null if a condition is not supported, or if two conditions use the same variable. */
export function conditionsOf(expression: string): readonly VariableCondition[] | null {
  const text = (FUNCTION.exec(expression.trim())?.[1] ?? expression).replaceAll(/\\([,"'])/g, '$1').trim();
  const found = text
    .replace(/,\s*$/, '')
    .split('&&')
    .map((part) => conditionOf(part.trim()));
  const conditions = found.filter((one) => one !== null);
  const names = new Set(conditions.map(({ name }) => name));
  return conditions.length === found.length && names.size === found.length ? conditions : null;
}

function conditionOf(text: string): VariableCondition | null {
  const [, plain, method, operator = '', double, single, number, flag] = COMPARISON.exec(text) ?? [];
  const compared = plain ?? method;
  if (compared !== undefined) {
    const name = variableName(compared);
    const value = double ?? single ?? number ?? flag ?? '';
    if (operator === '==') return { name, value };
    if (operator === '!=') return { name, value: { not: value } };
    return number === undefined && !/^-?\d+(?:\.\d+)?$/.test(value)
      ? null
      : { name, value: { number: `${operator} ${value}` } };
  }
  const [, negation, first, second, equal] = METHOD.exec(text) ?? [];
  const called = first ?? second;
  if (called !== undefined && equal !== undefined)
    return { name: variableName(called), value: negation === '!' ? { not: equal } : equal };
  const [, not, one, other] = ALONE.exec(text) ?? [];
  const only = one ?? other;
  return only === undefined
    ? null
    : { name: variableName(only), value: not === '!' ? { not: 'true' } : 'true' };
}

export function negated({ name, value }: VariableCondition): VariableCondition {
  if (!isCondition(value)) return { name, value: { not: value } };
  const { exists, not, ...others } = value;
  if (exists === undefined || not === undefined) return { name, value: not ?? { not: others } };
  return { name, value: not };
}

/** Maximum number of repetitions for a loop in which the number is variable. */
export const MAX_REPETITIONS = 100;

/**
 * Adds a loop that is repeated while the condition is met.
 * @param isKnown - False if the variable can have a value only after the first repetition, which is then unconditional.
 */
export function repeatWhile(
  condition: VariableCondition,
  into: FlowRequests,
  { at, isKnown }: { readonly at: SourcePosition; readonly isKnown: boolean },
  read: () => void,
): void {
  into.change(
    at,
    `the loop ends after at most ${MAX_REPETITIONS} repetitions; to allow more, increase "at_most"`,
  );
  const repeat = { atMost: MAX_REPETITIONS, until: [negated(condition)] };
  into.group(() => ({ at, repeat, ...(isKnown ? { when: [condition] } : {}) }), read);
}
