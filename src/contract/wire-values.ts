/**
 * Readers for IDs and maps, which services encode in several ways. For example, some services send IDs as numbers.
 */
import { isRemoteId } from '../core/model/ids.ts';
import { isObject, objectOf } from '../core/unknown-value.ts';
import { UnusableResponse } from './unusable-response.ts';

/**
 * Reads an ID and checks that it is safe in the path of a URL.
 *
 * @param index - Index of the record in its list; null if it is not in a list.
 * @throws UnusableResponse if the ID is invalid.
 */
export function readId<T>(
  value: string | number,
  field: string,
  make: (text: string) => T,
  index: number | null = null,
): T {
  const text = String(value);
  // JSON parsing may have rounded a large number, which would then be the ID of a different record.
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
 * Reads a list with at least one member; null if it is absent, or if the service uses the field for another purpose.
 * @param read - Reads a member; null if it is not usable.
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
 * Returns the members of a map, with their values as strings. Also accepts the older list form `[{key, value}]`. Any
 * other value counts as an empty map.
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

/**
 * An empty list that records without fields share. This saves memory, because a list may contain a hundred thousand
 * records.
 */
const NO_FIELDS: readonly WireField[] = [];

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? '' : jsonText(value);
}

/** Returns a value as JSON text, or an empty string if the value is nested too deeply. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The RangeError is a stack overflow: a value from JSON.parse has no cycles, so only its nesting can cause the
    // error.
    if (error instanceof RangeError) return '';
    throw error;
  }
}
