/** Canonical JSON: equal values have equal strings, which can be compared instead of the values. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * A function that returns the SHA-256 digest of a text in lowercase hexadecimal. The function is passed as a parameter,
 * because the core layer contains no cryptography.
 */
export type Sha256 = (text: string) => string;

/**
 * Returns JSON with sorted keys and without whitespace.
 * @throws Error if a number is NaN or infinite, because JSON cannot represent it.
 */
export function canonical(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`Bug: JSON cannot contain the number ${value}`);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return '[' + value.map(canonical).join(',') + ']';
  const keys = Object.keys(value).sort();
  return '{' + keys.map((key) => JSON.stringify(key) + ':' + canonical(value[key] ?? null)).join(',') + '}';
}

/** Reports whether a value is a list. `Array.isArray` does not narrow the type of read-only arrays. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
