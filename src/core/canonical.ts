/** Canonical JSON, in which equal values have equal strings. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Returns the SHA-256 digest of a text in lowercase hexadecimal. Callers pass this function, because the core layer
 * contains no cryptography.
 */
export type Sha256 = (text: string) => string;

/**
 * Returns JSON with sorted keys and without whitespace.
 * @throws Error if a number is not finite.
 */
export function canonical(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`Bug: JSON cannot contain the number ${value}`);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return '[' + value.map(canonical).join(',') + ']';
  const keys = Object.keys(value).sort();
  return '{' + keys.map((key) => JSON.stringify(key) + ':' + canonical(value[key] ?? null)).join(',') + '}';
}

/** Like `Array.isArray`, which does not narrow the type of read-only arrays. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
