/** Reading single values as services write them: numbers as text, ids as numbers, four spellings of nothing. */
import { isRemoteId } from '../core/model/ids.ts';
import { UnusableResponse } from './unusable-response.ts';

/**
 * An id, checked before it may enter a path.
 *
 * @param at the record's place in its list, if it is in one
 *
 * Errors: UnusableResponse.
 */
export function readId<T>(
  value: string | number,
  field: string,
  make: (text: string) => T,
  at: number | null = null,
): T {
  const text = String(value);
  // JSON has rounded it already, so it may be the id of something else.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw unusableId('is a number too large to be read exactly', field, at);
  }
  if (!isRemoteId(text)) throw unusableId('has characters that are not allowed in an id', field, at);
  return make(text);
}

function unusableId(reason: string, field: string, at: number | null): UnusableResponse {
  const pointer = at === null ? field : `/${at}${field}`;
  return new UnusableResponse(pointer, `the id at ${pointer} ${reason}`);
}

/** A finite number, also when it came as text; else null. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() === '') return null;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** A text that is not empty; else null. */
export function readString(value: unknown): string | null {
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
      return typeof key === 'string' ? [{ name: key, value: scalarText(text) }] : [];
    });
  }
  if (typeof value !== 'object' || value === null) return NO_FIELDS;
  const entries = Object.entries(value);
  return entries.length === 0
    ? NO_FIELDS
    : entries.map(([name, member]) => ({ name, value: scalarText(member) }));
}

/** Of most records, of which a list may have a hundred thousand. */
const NO_FIELDS: readonly WireField[] = [];

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? '' : jsonText(value);
}

/** A value of an answer as JSON; empty where it nests too deep to be written. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The stack is at its end: a value out of JSON.parse can have no circle.
    if (error instanceof RangeError) return '';
    throw error;
  }
}
