/** Conversion of single values in the file to typed quantities, with a specific message for each invalid value. */
import type { Code } from '../core/codes.ts';
import { problem, type Problem } from '../core/problem.ts';
import { quote } from '../core/quote.ts';
import type { SourceRange } from '../core/source-location.ts';
import { formatDuration, milliseconds, parseDuration, type Milliseconds } from '../core/units.ts';
import type { IsComplete } from './partial-tree.ts';
import type { UploadReaders } from './included-files.ts';
import type { TreeLocations } from './config-tree.ts';

export interface LoweringContext extends UploadReaders {
  readonly locations: TreeLocations;
  /**
   * Reports whether the map or list at a pointer is complete. Rules about absent keys apply only to complete maps and
   * lists.
   */
  readonly isComplete: IsComplete;
  readonly problems: Problem[];
}

export interface Field<T> {
  readonly value: T | undefined;
  readonly pointer: string;
  readonly name: string;
}

export function fieldOf<T extends object, K extends keyof T & string>(
  from: T,
  key: K,
  pointer: string,
): Field<Exclude<T[K], undefined>> {
  // An absent key has the value undefined, which `Field` allows.
  return {
    value: from[key] as Exclude<T[K], undefined> | undefined,
    pointer: `${pointer}/${key}`,
    name: key,
  };
}

export function addError(to: LoweringContext, code: Code, message: string, at: string | SourceRange): null {
  const source = typeof at === 'string' ? to.locations.value(at) : at;
  to.problems.push(problem(code, message, { source }));
  return null;
}

export function addWarning(to: LoweringContext, message: string, at: string | SourceRange | null): void {
  const source = typeof at === 'string' ? to.locations.value(at) : at;
  to.problems.push(problem('LT_CONFIG_VALUE', message, { severity: 'warning', source }));
}

export interface NumberBounds {
  readonly min: number;
  readonly max?: number;
}

export function lowerInteger(
  to: LoweringContext,
  field: Field<number | string>,
  bounds: NumberBounds,
): number | null {
  const number = lowerNumber(to, field, bounds);
  if (number === null || Number.isSafeInteger(number)) return number;
  if (Number.isInteger(number)) {
    const message = `"${field.value ?? ''}" is too large; "${field.name}" must be at most ${Number.MAX_SAFE_INTEGER}`;
    return addError(to, 'LT_CONFIG_VALUE', message, field.pointer);
  }
  return addError(
    to,
    'LT_CONFIG_VALUE',
    `"${field.value ?? ''}" is not a whole number; "${field.name}" must be a whole number`,
    field.pointer,
  );
}

/**
 * Lowers a number or a numeric string. Numeric strings are accepted, because the values of environment variables are
 * strings.
 */
export function lowerNumber(
  to: LoweringContext,
  field: Field<number | string>,
  bounds: NumberBounds,
): number | null {
  const { value, name, pointer } = field;
  if (value === undefined) return null;
  const number = typeof value === 'number' ? value : /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : null;
  if (number === null)
    return addError(
      to,
      'LT_CONFIG_SHAPE',
      `${quote(value)} is not a number; ${adviceOnNumber(value, field, bounds)}`,
      pointer,
    );
  const { min, max } = bounds;
  if (number < min)
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `"${value}" is too small; "${name}" must be at least ${min}`,
      pointer,
    );
  if (max !== undefined && number > max) {
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `"${value}" is too large; "${name}" must be at most ${max}`,
      pointer,
    );
  }
  return number;
}

function adviceOnNumber(
  value: number | string,
  { name }: Field<number | string>,
  { max }: NumberBounds,
): string {
  const text = String(value).trim();
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1];
  if (percent !== undefined && max === 100) return `"${name}" is already a percentage; write ${percent}`;
  const grouped = /^\d{1,3}(?:[,_ ']\d{3})+$/.test(text);
  return grouped ? `write ${text.replaceAll(/\D/g, '')}` : `"${name}" must be a number`;
}

export function lowerFlag(to: LoweringContext, field: Field<boolean | string>): boolean | null {
  const { value, name, pointer } = field;
  if (value === undefined) return null;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  return addError(
    to,
    'LT_CONFIG_SHAPE',
    `${quote(value)} is not a valid value; "${name}" must be true or false`,
    pointer,
  );
}

export interface DurationRule {
  /** Unit of a number without a unit; null if a unit is required. */
  readonly bare: 's' | 'ms' | null;
  /** Smallest unit in the API. Values must be whole multiples of this unit. */
  readonly unit: 's' | 'ms';
  readonly min: number;
}

/** Longest delay of a Node.js timer, in ms. */
const MAX_DURATION_MS = 2_147_483_647;

export function lowerDuration(
  to: LoweringContext,
  field: Field<number | string>,
  rule: DurationRule,
): Milliseconds | null {
  const { value, name, pointer } = field;
  if (value === undefined) return null;
  const duration = readDuration(value, rule);
  if (duration === null) {
    const units = 'a string with units, such as "90s" or "1m30s"';
    const accepted =
      rule.bare === null
        ? units
        : `a number of ${rule.bare === 's' ? 'seconds' : 'milliseconds'} or ${units}`;
    const suggestion = typeof value === 'string' ? suggestDuration(value) : null;
    const advice = suggestion === null ? `"${name}" must be ${accepted}` : `write "${suggestion}"`;
    return addError(to, 'LT_CONFIG_VALUE', `${quote(value)} is not a valid duration; ${advice}`, pointer);
  }
  if (duration > MAX_DURATION_MS)
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `"${value}" is too long; "${name}" must be at most ${MAX_DURATION_MS}ms (about 24 days and 20 hours)`,
      pointer,
    );
  const step = rule.unit === 's' ? 1000 : 1;
  if (duration % step !== 0) {
    const unit = rule.unit === 's' ? 'seconds' : 'milliseconds';
    const near = Math.max(step, Math.round(duration / step) * step);
    const text = rule.unit === 's' ? `${near / 1000}s` : `${near}ms`;
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `"${value}" is not a whole number of ${unit}; "${name}" must be in whole ${unit}, such as ${text}`,
      pointer,
    );
  }
  if (duration < rule.min) {
    const min = rule.unit === 's' ? `${rule.min / 1000}s` : `${rule.min}ms`;
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `"${value}" is too short; "${name}" must be at least ${min}`,
      pointer,
    );
  }
  warnOfUnit(to, field, { value, duration, rule });
  return duration;
}

/** Patterns for other names of units, each with the name in the file. */
const OTHER_UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ms|msecs?|millis|milliseconds?)$/, 'ms'],
  [/^(?:s|secs?|seconds?)$/, 's'],
  [/^(?:m|mins?|minutes?)$/, 'm'],
  [/^(?:h|hrs?|hours?)$/, 'h'],
  [/^(?:d|days?)$/, 'd'],
];

/** Converts a string such as `1 min`, `1h 30M` or `5 seconds`; null if it is not a duration. */
function suggestDuration(text: string): string | null {
  if (text.length > 40 || !/^(?:\s*\d+(?:\.\d+)?\s*[a-z]+)+\s*$/i.test(text)) return null;
  const parts = Array.from(text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi), ([, digits = '', word = '']) => {
    const unit = OTHER_UNITS.find(([form]) => form.test(word.toLowerCase()))?.[1];
    return unit === undefined ? null : digits + unit;
  });
  const suggestion = parts.join('');
  return parts.includes(null) || parseDuration(suggestion) === null ? null : suggestion;
}

/** A number of ms without a unit below this value was probably meant in seconds. */
const MIN_BARE_MS = 100;
/** A number of seconds without a unit that is a multiple of 1,000 and at least this value was probably meant in ms. */
const MAX_BARE_S = 10_000;

/** Warns if a number without a unit was probably meant to be in a different unit. */
function warnOfUnit(
  to: LoweringContext,
  { name, pointer }: Field<number | string>,
  lowered: { readonly value: number | string; readonly duration: Milliseconds; readonly rule: DurationRule },
): void {
  const { value, duration, rule } = lowered;
  if (!isBareNumber(value)) return;
  const number = Number(value);
  const short = rule.bare === 'ms' && number > 0 && number < MIN_BARE_MS;
  const long = rule.bare === 's' && number >= MAX_BARE_S && number % 1000 === 0;
  if (!short && !long) return;
  const [counted, meant] = short ? ['milliseconds', 'seconds'] : ['seconds', 'milliseconds'];
  const other = formatDuration(milliseconds(short ? number * 1000 : number));
  const own = formatDuration(duration);
  const message = `"${value}" is ${own}, because a "${name}" without a unit is in ${counted}; write "${other}" if you mean ${meant}, otherwise "${own}"`;
  addWarning(to, message, pointer);
}

function isBareNumber(value: number | string): boolean {
  return typeof value === 'number' || /^\d+(?:\.\d+)?$/.test(value);
}

function readDuration(value: number | string, rule: DurationRule): Milliseconds | null {
  if (typeof value === 'string' && !isBareNumber(value)) return parseDuration(value.trim());
  const number = Number(value);
  if (rule.bare === null || number < 0) return null;
  // Rounds to 1 ns, which removes the rounding errors of the multiplication.
  return milliseconds(Number((number * (rule.bare === 's' ? 1000 : 1)).toFixed(6)));
}

/** Matches control characters such as CR, LF and NUL. */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

export function hasControl(text: string): boolean {
  return CONTROL_CHARACTERS.test(text);
}
