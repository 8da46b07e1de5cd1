/** Expressions for varying values: numbers, such as `%{1:100:2}`, and generated values, such as `%{uuid}`. */
import { adviceOnExpression } from './expression-advice.ts';
import { formatRfc3339 } from '../instant.ts';
import { compileTemplate, UNESCAPED } from './template.ts';
import { isVariableName } from './variable.ts';

/** A source of random integers; `below` returns an integer from 0 to `limit - 1`. */
export interface RandomSource {
  below(limit: number): number;
}

/** A single number is a range of length 1. */
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

/** An infinite sequence of numbers whose parts repeat after `length` numbers. */
export interface NumberSequence {
  readonly kind: 'numbers';
  readonly parts: readonly (Range | RandomNumber)[];
  readonly length: number;
}

/** A value that is independent of earlier values of the same expression. */
export type GeneratedValue =
  | { readonly kind: 'uuid' }
  /** Between `min` and `max` random characters of an alphabet. */
  | {
      readonly kind: 'characters';
      readonly alphabet: readonly string[];
      readonly min: number;
      readonly max: number;
    }
  /** A decimal number with `places` decimal places; `from` and `to` are in units of the last place. */
  | { readonly kind: 'decimal'; readonly from: number; readonly to: number; readonly places: number }
  | { readonly kind: 'pick'; readonly choices: readonly string[] }
  /** The current time plus an offset in ms. */
  | { readonly kind: 'now'; readonly offset: number; readonly format: TimeFormat }
  | { readonly kind: 'client' }
  | { readonly kind: 'iteration' };

type TimeFormat = 'rfc3339' | 'date' | 'unix' | 'unix_ms';

/** A random item of the JSON list that a variable contains. */
interface ListItemExpression {
  readonly kind: 'item';
  readonly list: string;
}

export type Expression = NumberSequence | GeneratedValue | ListItemExpression;

/** An expression in a string, from index `at` to index `end` (excluded); `text` is the content between the braces. */
export interface ExpressionMatch {
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

/**
 * Parses the content between `%{` and `}`. In sequences, all numbers are integers and may be negative.
 *
 * - `1, 2, 3`: these numbers in order, repeated
 * - `1:100:2`: 1, 3, … 99, as start, end (inclusive) and step (default: 1)
 * - `10:1`: downwards; with a step: `10:1:-3`
 * - `*:1-100`: a random integer from 1 to 100
 * - `1, 5:7, *:1-9`: 1, 5, 6, 7, a random integer, 1, 5, …
 * - `uuid`, `text:8`, `hex:16`, `digits:6`, `decimal:0.5-99.99`, `pick:red,green`, `client`, `iteration`
 * - `text:5-10`, with a random length; `text:8:abc` and `text:5-10:abc`, with only these characters
 * - `item:ids`, an item of the list in the variable `ids`
 * - `now`, `now:unix`, `now:unix_ms`, `now:date`, `now+1h`, `now-2d:date`
 *
 * Returns null for any other string, and for a step that is 0 or leads away from the end.
 * @remarks The syntax of sequences is that of the API, which does not specify the repetition.
 */
export function parseExpression(text: string): Expression | null {
  return parseGenerated(text) ?? parseSequence(text);
}

type NamedExpression = GeneratedValue | ListItemExpression;

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  text: LETTERS_AND_DIGITS,
  hex: '0123456789abcdef',
  digits: '0123456789',
};

/** Maximum number of random characters that an expression can generate. */
const MAX_LENGTH = 1000;

function parseGenerated(text: string): NamedExpression | null {
  const [, name = '', argument = ''] = /^\s*([a-z]+)(.*?)\s*$/s.exec(text) ?? [];
  switch (name) {
    case 'uuid':
    case 'client':
    case 'iteration':
      return argument === '' ? { kind: name } : null;
    case 'text':
    case 'hex':
    case 'digits':
      return charactersOf(argument, name);
    case 'item': {
      const list = argument.slice(1).trim();
      return argument.startsWith(':') && isVariableName(list) ? { kind: 'item', list } : null;
    }
    case 'decimal':
      return decimalOf(argument);
    case 'pick': {
      if (!argument.startsWith(':')) return null;
      const choices = argument
        .slice(1)
        .split(',')
        .map((choice) => choice.trim());
      return choices.includes('') ? null : { kind: 'pick', choices };
    }
    case 'now':
      return timeOf(argument);
    default:
      return null;
  }
}

function charactersOf(argument: string, name: string): GeneratedValue | null {
  const match = /^:\s*(\d{1,4})(?:\s*-\s*(\d{1,4}))?(?::([^"\\\p{Cc}]+))?$/u.exec(argument);
  if (match === null) return null;
  const [, shortest = '', longest = shortest, characters] = match;
  const [min, max] = [Number(shortest), Number(longest)];
  if (characters !== undefined && name !== 'text') return null;
  const alphabet = Array.from(characters ?? ALPHABETS[name] ?? '');
  return min >= 1 && min <= max && max <= MAX_LENGTH ? { kind: 'characters', alphabet, min, max } : null;
}

function decimalOf(argument: string): GeneratedValue | null {
  const match = /^:\s*(-?\d+(?:\.(\d{1,9}))?)\s*-\s*(-?\d+(?:\.(\d{1,9}))?)$/.exec(argument);
  if (match === null) return null;
  const places = Math.max(match[2]?.length ?? 0, match[4]?.length ?? 0);
  const [from, to] = [match[1], match[3]].map((bound) => Math.round(Number(bound) * 10 ** places)) as [
    number,
    number,
  ];
  return areExact(from, to, to - from + 1) && from <= to ? { kind: 'decimal', from, to, places } : null;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Maximum distance of a generated time from the current time: 100 years, so that the year has four digits. */
const MAX_OFFSET = 36_525 * 86_400_000;

function timeOf(argument: string): GeneratedValue | null {
  const match = /^(?:([+-])\s*(\d{1,15})(ms|s|m|h|d))?(?::(unix_ms|unix|date))?$/.exec(argument);
  if (match === null) return null;
  const [, sign, count = '0', unit = 'ms', format] = match;
  const offset = Number(count) * (UNITS[unit] ?? 0);
  if (offset > MAX_OFFSET) return null;
  return {
    kind: 'now',
    offset: sign === '-' ? -offset : offset,
    format: (format as TimeFormat | undefined) ?? 'rfc3339',
  };
}

function parseSequence(text: string): NumberSequence | null {
  const parts: (Range | RandomNumber)[] = [];
  let length = 0;
  for (const item of text.split(',')) {
    const part = randomOf(item.trim()) ?? rangeOf(item.trim());
    if (part === null) return null;
    parts.push(part);
    length += part.kind === 'range' ? part.count : 1;
  }
  return Number.isSafeInteger(length) ? { kind: 'numbers', parts, length } : null;
}

/** Returns the number at an index of the sequence, counted from 0. */
export function numberAt(expression: NumberSequence, index: number, random: RandomSource): number {
  let rest = index % expression.length;
  for (const part of expression.parts) {
    const count = part.kind === 'range' ? part.count : 1;
    if (rest >= count) rest -= count;
    else if (part.kind === 'range') return part.from + rest * part.step;
    else return part.from + random.below(part.to - part.from + 1);
  }
  throw new Error('Bug: the length of a number sequence exceeds the sum of its parts');
}

export interface ValueSource {
  readonly random: RandomSource;
  /** Returns the current time in ms since the epoch. */
  readonly now: () => number;
  readonly client: number;
  readonly iteration: number;
}

export function generateValue(expression: GeneratedValue, source: ValueSource): string {
  const { random } = source;
  switch (expression.kind) {
    case 'uuid':
      return randomUuid(random);
    case 'characters': {
      const { alphabet, min, max } = expression;
      const length = min === max ? min : min + random.below(max - min + 1);
      let text = '';
      for (let count = 0; count < length; count++) text += alphabet[random.below(alphabet.length)] ?? '';
      return text;
    }
    case 'decimal': {
      const { from, to, places } = expression;
      return decimalText(from + random.below(to - from + 1), places);
    }
    case 'pick':
      return expression.choices[random.below(expression.choices.length)] ?? '';
    case 'now':
      return timeText(source.now() + expression.offset, expression.format);
    case 'client':
      return String(source.client);
    case 'iteration':
      return String(source.iteration);
  }
}

/**
 * Returns a random UUID of version 4.
 * @see RFC 9562, section 5.4
 */
function randomUuid(random: RandomSource): string {
  const word = () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const [first, second, third, fourth] = [word(), word(), word(), word()];
  const variant = '89ab'.charAt(Number.parseInt(third.charAt(0), 16) & 3);
  return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-${variant}${third.slice(1, 4)}-${third.slice(4)}${fourth}`;
}

/** Formats a value in units of the last decimal place, without rounding. */
function decimalText(value: number, places: number): string {
  if (places === 0) return String(value);
  const digits = String(Math.abs(value)).padStart(places + 1, '0');
  return `${value < 0 ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function timeText(instant: number, format: TimeFormat): string {
  switch (format) {
    case 'unix':
      return String(Math.floor(instant / 1000));
    case 'unix_ms':
      return String(Math.floor(instant));
    case 'date':
      return formatRfc3339(Math.floor(instant)).slice(0, 10);
    case 'rfc3339':
      return formatRfc3339(Math.floor(instant));
  }
}

/** Reports whether every value of an expression is a JSON number. */
export function isNumeric(expression: Expression): boolean {
  if (expression.kind === 'now') return expression.format === 'unix' || expression.format === 'unix_ms';
  return ['numbers', 'decimal', 'client', 'iteration'].includes(expression.kind);
}

/** Returns the names of the variables that the `item` expressions in a string refer to. */
export function listNamesIn(text: string, options: { readonly escaped?: boolean } = {}): readonly string[] {
  if (!text.includes('item')) return [];
  return compileTemplate(text, options).constants.flatMap((constant) =>
    findExpressions(constant, options).flatMap(({ text: content }) => {
      const expression = parseExpression(content);
      return expression?.kind === 'item' ? [expression.list] : [];
    }),
  );
}

/** Reports whether a string contains an expression for a generated value, such as `%{uuid}`. */
export function hasGenerated(text: string, options: { readonly escaped?: boolean } = {}): boolean {
  if (!text.includes('%')) return false;
  return compileTemplate(text, options).constants.some((constant) =>
    findExpressions(constant, options).some(({ text: content }) => parseGenerated(content) !== null),
  );
}

/**
 * Finds the expressions in a string, valid or not. `%{{name}}` is a percent sign and a variable, not an expression.
 * @param options.escaped - whether to also accept `%7B`, `%7D` and `%20`, which URL parsers write
 */
export function findExpressions(
  text: string,
  options: { readonly escaped?: boolean } = {},
): readonly ExpressionMatch[] {
  const escaped = options.escaped === true;
  const pattern = escaped ? /%(?:\{|%7b)((?:(?!%7b|%7d)[^{}])*)(?:\}|%7d)/gi : EXPRESSION;
  return Array.from(text.matchAll(pattern), (match) => ({
    text: escaped ? decodeEscapes(match[1] ?? '') : (match[1] ?? ''),
    at: match.index,
    end: match.index + match[0].length,
  }));
}

const EXPRESSION = new RegExp(String.raw`${UNESCAPED}%\{([^{}]*)\}`, 'g');
const OPENING = new RegExp(String.raw`${UNESCAPED}%\{(?!\{)`, 'g');

/** Decodes percent-encoded characters; if the encoding is invalid, decodes only `%20`. */
function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll('%20', ' ');
  }
}

const MAX_FAULTS = 10;

/**
 * Describes the faults of the expressions in a string: at most ten, without repetitions. A `%{` without a closing brace
 * is a fault, because it would be sent verbatim.
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
  /** Valid expressions, to parse each expression only once. */
  const valid = new Set<string>();
  for (const { text: content, at } of findExpressions(text, options)) {
    closed.add(at);
    if (valid.has(content)) continue;
    if (parseExpression(content) !== null) {
      valid.add(content);
      continue;
    }
    yield `"%{${truncate(content)}}" is not a valid expression; ${adviceOnExpression(content)}`;
  }
  const literal = options.escaped === true ? '' : ', or write "\\%{" for a literal "%{"';
  const opening = options.escaped === true ? /%(?:\{|%7b)(?!\{|%7b)/gi : OPENING;
  for (const { index } of text.matchAll(opening)) {
    if (closed.has(index)) continue;
    yield `"${truncate(text.slice(index))}" begins an expression that has no closing "}"; add the brace${literal}`;
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
