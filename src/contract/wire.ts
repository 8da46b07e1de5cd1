/** Reading single values as services write them: numbers as text, ids as numbers, four spellings of nothing. */
import { isRemoteId } from '../core/model/ids.ts';
import { UnusableAnswer } from './unusable-answer.ts';

/** An id, checked before it may enter a path. Errors: UnusableAnswer. */
export function readId<T>(value: string | number, field: string, make: (text: string) => T): T {
  const text = String(value);
  // JSON has rounded it already, so it may be the id of something else.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new UnusableAnswer(field, `the id at ${field} is a number too large to be read exactly`);
  }
  if (!isRemoteId(text)) throw new UnusableAnswer(field, `the id at ${field} has characters that no id has`);
  return make(text);
}

/** A finite number, also when it came as text; else null. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() === '') return null;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** A text that is not empty; else null. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export interface WireField {
  readonly name: string;
  readonly value: string;
}

/** The members of a map as text; also of the older list form `[{key, value}]`. Anything else is none. */
export function readMap(value: unknown): readonly WireField[] {
  if (Array.isArray(value)) {
    return value.flatMap((member: unknown) => {
      if (typeof member !== 'object' || member === null) return [];
      const { key, value: text } = member as { key?: unknown; value?: unknown };
      return typeof key === 'string' ? [{ name: key, value: textOf(text) }] : [];
    });
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, member]) => ({ name, value: textOf(member) }));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
