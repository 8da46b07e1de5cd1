/** Single values of the file as quantities, with an exact word where they are none. */
import type { Code } from '../core/codes.ts';
import { problem, type Problem } from '../core/problem.ts';
import type { SourceRange } from '../core/source-location.ts';
import { formatDuration, milliseconds, parseDuration, type Milliseconds } from '../core/units.ts';
import type { IsComplete } from './partial-tree.ts';
import type { ReadRows } from './included-files.ts';
import type { TreeLocations } from './config-tree.ts';

/** What every step of lowering writes to. */
export interface LoweringContext {
  readonly locations: TreeLocations;
  /** What lacks a part is not judged by what it does not say, nor as a whole. */
  readonly isComplete: IsComplete;
  readonly readRows: ReadRows;
  readonly problems: Problem[];
}

/** A value and where it stands. */
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
  // A key that is absent reads as undefined, which every Field allows for.
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

export function addWarning(to: LoweringContext, message: string, pointer: string): void {
  to.problems.push(
    problem('LT_CONFIG_VALUE', message, { severity: 'warning', source: to.locations.value(pointer) }),
  );
}

export interface NumberBounds {
  readonly min: number;
  readonly max?: number;
}

export function lowerWhole(
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

/** A number, also as text: what comes from the environment is text. */
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
  if (percent !== undefined && max === 100) return `"${name}" is a percentage anyway, so write ${percent}`;
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
  /** What a bare number counts; null: a unit must be said. */
  readonly bare: 's' | 'ms' | null;
  /** What the API can carry. */
  readonly unit: 's' | 'ms';
  /** In ms. */
  readonly min: number;
}

/** Timers hold no more than this. */
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
    const wanted =
      rule.bare === null
        ? units
        : `a number of ${rule.bare === 's' ? 'seconds' : 'milliseconds'}, or ${units}`;
    const meant = typeof value === 'string' ? suggestDuration(value) : null;
    const advice = meant === null ? `"${name}" takes ${wanted}` : `write "${meant}"`;
    return addError(to, 'LT_CONFIG_VALUE', `${quote(value)} is not a valid duration; ${advice}`, pointer);
  }
  if (duration > MAX_DURATION_MS)
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `"${value}" is too long; "${name}" must be at most 24 days`,
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
      `"${value}" is not a whole number of ${unit}; the API only takes whole ${unit} for "${name}", such as ${text}`,
      pointer,
    );
  }
  if (duration < rule.min) {
    const least = rule.unit === 's' ? `${rule.min / 1000}s` : `${rule.min}ms`;
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `"${value}" is too short; "${name}" must be at least ${least}`,
      pointer,
    );
  }
  warnOfUnit(to, field, { value, duration, rule });
  return duration;
}

/** Units as people and other tools write them. */
const OTHER_UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ms|msecs?|millis|milliseconds?)$/, 'ms'],
  [/^(?:s|secs?|seconds?)$/, 's'],
  [/^(?:m|mins?|minutes?)$/, 'm'],
  [/^(?:h|hrs?|hours?)$/, 'h'],
  [/^(?:d|days?)$/, 'd'],
];

/** `1 min`, `1h 30M`, `5 seconds` as a duration is written; null where none is meant. */
function suggestDuration(text: string): string | null {
  if (text.length > 40 || !/^(?:\s*\d+(?:\.\d+)?\s*[a-z]+)+\s*$/i.test(text)) return null;
  const parts = Array.from(text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi), ([, digits = '', word = '']) => {
    const unit = OTHER_UNITS.find(([form]) => form.test(word.toLowerCase()))?.[1];
    return unit === undefined ? null : digits + unit;
  });
  const meant = parts.join('');
  return parts.includes(null) || parseDuration(meant) === null ? null : meant;
}

/** A time-out below this, in ms, was most likely meant in seconds. */
const MIN_BARE_MS = 100;
/** A duration of so many whole thousands of seconds, nearly three hours, was most likely meant in ms. */
const MAX_BARE_S = 10_000;

/** With a unit, nothing is asked: that is how a value which is meant is told from a slip. */
function warnOfUnit(
  to: LoweringContext,
  { name, pointer }: Field<number | string>,
  given: { readonly value: number | string; readonly duration: Milliseconds; readonly rule: DurationRule },
): void {
  const { value, duration, rule } = given;
  if (!isBareNumber(value)) return;
  const number = Number(value);
  const short = rule.bare === 'ms' && number > 0 && number < MIN_BARE_MS;
  const long = rule.bare === 's' && number >= MAX_BARE_S && number % 1000 === 0;
  if (!short && !long) return;
  const [counted, meant] = short ? ['milliseconds', 'seconds'] : ['seconds', 'milliseconds'];
  const other = formatDuration(milliseconds(short ? number * 1000 : number));
  const own = formatDuration(duration);
  const message = `"${value}" is ${own}, since a bare "${name}" counts ${counted}; write "${other}" if ${meant} are meant, otherwise "${own}"`;
  addWarning(to, message, pointer);
}

function isBareNumber(value: number | string): boolean {
  return typeof value === 'number' || /^\d+(?:\.\d+)?$/.test(value);
}

function readDuration(value: number | string, rule: DurationRule): Milliseconds | null {
  if (typeof value === 'string' && !isBareNumber(value)) return parseDuration(value.trim());
  const number = Number(value);
  if (rule.bare === null || number < 0) return null;
  // Three places after the point are all that a millisecond has; more would be noise of the multiplication.
  return milliseconds(Number((number * (rule.bare === 's' ? 1000 : 1)).toFixed(6)));
}

/** A value for people, short enough for one line. */
export function quote(value: string | number | boolean): string {
  const text = JSON.stringify(String(value));
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}

/** CR, LF, NUL and their kin: what may stand in no line of a request. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

export function hasControl(text: string): boolean {
  return CONTROL_CHARACTERS.test(text);
}
