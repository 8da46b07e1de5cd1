/** One text for equal values, so that texts and digests can stand for values. */

/** A value that JSON can write. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A digest function, handed in from outside: core has no cryptography of its own. Gives lower-case hex. */
export type Sha256 = (text: string) => string;

/**
 * Writes JSON with sorted keys and no white space.
 *
 * Errors: throws on NaN and infinities, which JSON cannot write.
 */
export function canonical(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`Bug: ${value} in canonical text`);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return '[' + value.map(canonical).join(',') + ']';
  const keys = Object.keys(value).sort();
  return '{' + keys.map((key) => JSON.stringify(key) + ':' + canonical(value[key] ?? null)).join(',') + '}';
}

function isList(value: readonly Json[] | Readonly<Record<string, Json>>): value is readonly Json[] {
  return Array.isArray(value);
}
