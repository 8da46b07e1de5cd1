/** Expressions for numbers that vary between requests: `%{1, 2, 3}`, `%{1:100:2}`, `%{*:1-100}`. */
import { compileTemplate } from './template.ts';

/** A source of random integers from 0 to below a limit. */
export interface RandomSource {
  below(limit: number): number;
}

/** A sequence of numbers with a constant step. A single number is a range of length 1. */
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

/** The content between `%{` and `}`: an infinite sequence that repeats after `length` numbers. */
export interface Expression {
  readonly parts: readonly (Range | RandomNumber)[];
  /** Count of numbers before the sequence repeats. */
  readonly length: number;
}

/**
 * An expression in a string. `text` is the content between the braces; the whole expression begins at index `at` and
 * ends before index `end`.
 */
export interface ExpressionMatch {
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

/**
 * Parses the content between `%{` and `}`. All numbers are integers and may be negative.
 *
 * - `1, 2, 3`: these numbers in order, repeated
 * - `1:100:2`: 1, 3, … 99, as start, end (inclusive) and step (default: 1)
 * - `10:1`: downwards; with a step: `10:1:-3`
 * - `*:1-100`: any integer from 1 to 100
 * - `1, 5:7, *:1-9`: 1, 5, 6, 7, any, 1, 5, …
 *
 * Returns null for any other string, and for a step that is 0 or does not lead to the end.
 * @remarks The syntax is that of the API, which does not specify the repetition.
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

/** Returns the number at an index of the sequence, counted from 0. */
export function numberAt(expression: Expression, index: number, random: RandomSource): number {
  let rest = index % expression.length;
  for (const part of expression.parts) {
    const count = part.kind === 'range' ? part.count : 1;
    if (rest >= count) rest -= count;
    else if (part.kind === 'range') return part.from + rest * part.step;
    else return part.from + random.below(part.to - part.from + 1);
  }
  throw new Error('Bug: an index outside an expression');
}

/**
 * Finds the valid and invalid expressions in a string. `%{{name}}` is a percent sign before a variable and not an
 * expression.
 * @param options.escaped - whether to also accept `%7B`, `%7D` and `%20`, which URL parsers write
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

/** Maximum number of faults that are returned for a string. */
const MAX_FAULTS = 10;

/**
 * Describes the faults of the expressions in a string: at most ten, without repetitions. Used for the file and for
 * the service. A `%{` without a closing brace is a fault, because it would be sent verbatim.
 * @param options - see `findExpressions`
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
  const closed = new Set<number>();
  /** Valid expressions that were already checked. Long strings often repeat the same expression. */
  const valid = new Set<string>();
  for (const { text: content, at } of findExpressions(text, options)) {
    closed.add(at);
    if (valid.has(content)) continue;
    if (parseExpression(content) !== null) {
      valid.add(content);
      continue;
    }
    yield `"%{${truncate(content)}}" is not a valid expression; write it like "%{1, 2, 3}", "%{1:100:2}" or "%{*:1-100}"`;
  }
  const opening = options.escaped === true ? /%(?:\{|%7b)(?!\{|%7b)/gi : /%\{(?!\{)/g;
  for (const { index } of text.matchAll(opening)) {
    if (closed.has(index)) continue;
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
