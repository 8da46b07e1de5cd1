/** Numbers that vary from request to request: `%{1, 2, 3}`, `%{1:100:2}`, `%{*:1-100}`. */
import type { Random } from './random.ts';
import { compileTemplate } from './template.ts';

/** A single number is a range of one. */
interface Range {
  readonly kind: 'range';
  readonly from: number;
  readonly step: number;
  readonly count: number;
}

interface RandomNumber {
  readonly kind: 'random';
  readonly from: number;
  readonly to: number;
}

/** What stands between `%{` and `}`: an endless sequence that comes round after `length` numbers. */
export interface Expression {
  readonly parts: readonly (Range | RandomNumber)[];
  /** Numbers until the first one comes again. */
  readonly length: number;
}

/** An expression in a text: `text` stands between the braces, all of it from `at` to below `end`. */
export interface ExpressionMatch {
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

/**
 * Reads what stands between `%{` and `}`.
 *
 *     1, 2, 3        each in turn, then from the beginning
 *     1:100:2        1, 3, … 99: from, to (itself included when it is hit) and step, which is 1 when left out
 *     10:1           downwards; with a step: 10:1:-3
 *     *:1-100        any whole number from 1 to 100
 *     1, 5:7, *:1-9  one after the other: 1, 5, 6, 7, any, 1, 5, …
 *
 * Shape:  all numbers are whole and may be negative.
 * Errors: null for anything else; also for a step of 0 or one that leads away from the end.
 * Source: the service's expression syntax; that it begins again is our choice, the service does not say.
 */
export function parseExpression(text: string): Expression | null {
  const parts: (Range | RandomNumber)[] = [];
  let length = 0;
  for (const item of text.split(',')) {
    const part = randomOf(item.trim()) ?? rangeOf(item.trim());
    if (part === null) return null;
    parts.push(part);
    length += part.kind === 'range' ? part.count : 1;
  }
  return Number.isSafeInteger(length) ? { parts, length } : null;
}

/** The number at a place of the sequence, which is counted from 0. */
export function numberAt(expression: Expression, place: number, random: Random): number {
  let left = place % expression.length;
  for (const part of expression.parts) {
    const count = part.kind === 'range' ? part.count : 1;
    if (left >= count) left -= count;
    else if (part.kind === 'range') return part.from + left * part.step;
    else return part.from + random.below(part.to - part.from + 1);
  }
  throw new Error('Bug: a place outside an expression');
}

/**
 * Finds the expressions of a text, right or wrong. `%{{name}}` is none, but a percent sign before a variable.
 *
 * Shape: `escaped`: braces and spaces may also stand as `%7B`, `%7D` and `%20`, as URL parsers write them.
 */
export function findExpressions(
  text: string,
  options: { readonly escaped?: boolean } = {},
): readonly ExpressionMatch[] {
  const escaped = options.escaped === true;
  const pattern = escaped ? /%(?:\{|%7b)((?:(?!%7b|%7d)[^{}])*)(?:\}|%7d)/gi : /%\{([^{}]*)\}/g;
  return Array.from(text.matchAll(pattern), (match) => ({
    text: escaped ? (match[1] ?? '').replaceAll('%20', ' ') : (match[1] ?? ''),
    at: match.index,
    end: match.index + match[0].length,
  }));
}

/** Nobody reads more of one text, and a text may consist of nothing else. */
const MAX_FAULTS = 10;

/**
 * What is wrong with the expressions of a text, in words; one rule for the file and for the service. A `%{` that nothing
 * ends is wrong as well: it would be sent as it is, and nobody means that.
 *
 * Shape:  each fault once, and ten at most.
 *
 * @param options see `findExpressions`
 */
export function faultsOfExpressions(
  text: string,
  options: { readonly escaped?: boolean } = {},
): readonly string[] {
  const faults = new Set<string>();
  for (const constant of compileTemplate(text, options).constants) {
    for (const fault of faultsIn(constant, options)) {
      faults.add(fault);
      if (faults.size === MAX_FAULTS) return [...faults];
    }
  }
  return [...faults];
}

function* faultsIn(text: string, options: { readonly escaped?: boolean }): Iterable<string> {
  const ended = new Set<number>();
  /** A long text is mostly the same one again and again. */
  const right = new Set<string>();
  for (const { text: inside, at } of findExpressions(text, options)) {
    ended.add(at);
    if (right.has(inside)) continue;
    if (parseExpression(inside) !== null) {
      right.add(inside);
      continue;
    }
    yield `"%{${truncate(inside)}}" is not a valid expression; write it like "%{1, 2, 3}", "%{1:100:2}" or "%{*:1-100}"`;
  }
  const opening = options.escaped === true ? /%(?:\{|%7b)(?!\{|%7b)/gi : /%\{(?!\{)/g;
  for (const { index } of text.matchAll(opening)) {
    if (ended.has(index)) continue;
    yield `"${truncate(text.slice(index))}" begins an expression without a closing "}"`;
  }
}

function truncate(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function randomOf(text: string): RandomNumber | null {
  const match = /^\*\s*:\s*(-?\d+)\s*-\s*(-?\d+)$/.exec(text);
  if (match === null) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return areExact(from, to, to - from + 1) && from <= to ? { kind: 'random', from, to } : null;
}

function rangeOf(text: string): Range | null {
  const match = /^(-?\d+)(?:\s*:\s*(-?\d+)(?:\s*:\s*(-?\d+))?)?$/.exec(text);
  if (match === null) return null;
  const from = Number(match[1]);
  const to = match[2] === undefined ? from : Number(match[2]);
  const step = match[3] === undefined ? (to < from ? -1 : 1) : Number(match[3]);
  if (step === 0 || !areExact(from, to, step, to - from)) return null;
  const count = Math.floor((to - from) / step) + 1;
  return count >= 1 ? { kind: 'range', from, step, count } : null;
}

function areExact(...numbers: readonly number[]): boolean {
  return numbers.every((number) => Number.isSafeInteger(number));
}
