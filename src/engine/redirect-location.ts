/** Where a `Location` leads, as path and query. Values are latin1 characters that stand for bytes. */

/** Characters that a URL parser leaves alone, in a path and in a query; two slashes in front would be a host. */
const PLAIN_LOCATION = /^\/(?!\/)[\w\-.~!$&()*+,;=:@%/?]*$/;
/** What it takes away: dots that are directories, and the mark of a query that is empty. */
const NORMALIZED_PARTS = /\/(?:\.|%2e)|\?$/i;

/** Path and query of a Location that needs no parser, as most do not; null for the others. */
export function readPlainLocation(location: string, origin: string): string | null {
  const path = location.startsWith(`${origin}/`) ? location.slice(origin.length) : location;
  return PLAIN_LOCATION.test(path) && !NORMALIZED_PARTS.test(path) ? path : null;
}

/** Path and query; null where it leads to another origin, or nowhere. */
export function resolveLocation(location: string, from: string): string | null {
  const base = parseUrl(from, undefined);
  if (base === null) return null;
  // As bytes, most of all UTF-8, not as the latin1 that they were read in.
  const url = parseUrl(Buffer.from(location, 'latin1').toString('utf8'), base);
  if (url?.origin !== base.origin || url.username !== '' || url.password !== '') return null;
  return url.pathname + url.search;
}

function parseUrl(text: string, base: URL | undefined): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
