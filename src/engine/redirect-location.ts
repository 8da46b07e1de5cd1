/** Resolves `Location` values to a path and query. The values are bytes in latin1 characters. */

/** Matches a path and query that a URL parser does not encode. Two slashes at the start would introduce a host. */
const PLAIN_LOCATION = /^\/(?!\/)[\w\-.~!$&()*+,;=:@%/?]*$/;
/** Matches parts that a URL parser may remove: dot segments, and the question mark of an empty query. */
const NORMALIZED_PARTS = /\/(?:\.|%2e)|\?$/i;

/** Returns the path and query of a Location that needs no URL parser; null for any other Location. */
export function readPlainLocation(location: string, origin: string): string | null {
  const path = location.startsWith(`${origin}/`) ? location.slice(origin.length) : location;
  return PLAIN_LOCATION.test(path) && !NORMALIZED_PARTS.test(path) ? path : null;
}

/** Returns the path and query of a Location; null if the Location is invalid or leads to another origin. */
export function resolveLocation(location: string, from: string): string | null {
  const resolved = resolveUrl(location, from);
  return resolved !== null && resolved.origin === parseUrl(from, undefined)?.origin ? resolved.target : null;
}

/**
 * Returns the origin, and the path and query, of a URL reference; null if the reference is invalid or contains user
 * info.
 */
export function resolveUrl(
  reference: string,
  from: string,
): { readonly origin: string; readonly target: string } | null {
  const base = parseUrl(from, undefined);
  if (base === null) return null;
  // Decodes the bytes as UTF-8, which most servers use.
  const url = parseUrl(Buffer.from(reference, 'latin1').toString('utf8'), base);
  if (url?.username !== '' || url.password !== '') return null;
  return { origin: url.origin, target: url.pathname + url.search };
}

function parseUrl(text: string, base: URL | undefined): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
