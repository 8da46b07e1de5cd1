/** Readers for values that services encode in several ways, such as IDs and maps. */
import { isRemoteId } from '../core/model/ids.ts';
import { isObject, objectOf } from '../core/unknown-value.ts';
import { UnusableResponse } from './unusable-response.ts';

/**
 * Reads an ID that is safe in the path of a URL.
 * @param index - Index of the record in its list; null if the record is not in a list.
 * @throws UnusableResponse if the ID is invalid.
 */
export function readId<T>(
  value: string | number,
  field: string,
  make: (text: string) => T,
  index: number | null = null,
): T {
  const text = String(value);
  // JSON parsing may have rounded a large number to the ID of a different record.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw unusableId('is not an integer below 2^53, so it cannot be read exactly', field, index);
  }
  if (!isRemoteId(text))
    throw unusableId('must consist of 1 to 128 letters, digits, hyphens and underscores', field, index);
  return make(text);
}

function unusableId(reason: string, field: string, index: number | null): UnusableResponse {
  const pointer = index === null ? field : `/${index}${field}`;
  return new UnusableResponse(pointer, `the ID at "${pointer}" ${reason}`);
}

/**
 * Reads a list. Returns null if the field is absent or empty, or if the service uses the field for another purpose.
 * @param read - Returns null if a member is not usable.
 */
export function readList<T>(value: unknown, read: (member: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const members = value.map((member: unknown) => read(member)).filter((member) => member !== null);
  return members.length === value.length ? members : null;
}

export interface WireField {
  readonly name: string;
  readonly value: string;
}

/**
 * Returns the members of a map, with values as strings. Also accepts the older list form `[{key, value}]`. Any other
 * value counts as an empty map.
 */
export function readMap(value: unknown): readonly WireField[] {
  if (Array.isArray(value)) {
    return value.flatMap((member: unknown) => {
      const { key, value: text } = objectOf(member);
      return typeof key === 'string' ? [{ name: key, value: scalarText(text) }] : [];
    });
  }
  if (!isObject(value)) return NO_FIELDS;
  const entries = Object.entries(value);
  return entries.length === 0
    ? NO_FIELDS
    : entries.map(([name, member]) => ({ name, value: scalarText(member) }));
}

/** Shared, to save memory in lists with a hundred thousand records. */
const NO_FIELDS: readonly WireField[] = [];

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? '' : jsonText(value);
}

/** Returns a value as JSON text; an empty string if the value is nested too deeply. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // A RangeError is a stack overflow, which only deep nesting can cause, because a value from JSON.parse has no
    // cycles.
    if (error instanceof RangeError) return '';
    throw error;
  }
}
