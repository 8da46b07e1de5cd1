/**
 * Routes of the web UI: the fragment of the address, such as `#/runs/TEST/RESULT`. Browsers never send it to
 * the service.
 */

/** Decoded segments of a route; empty for the overview. */
export type Route = readonly string[];

/**
 * Returns the one-time code of a sign-in link, which is 32 hexadecimal digits; null if the fragment is not a
 * code.
 */
export function signInCodeOf(fragment: string): string | null {
  return /^#?([0-9a-f]{32})$/.exec(fragment)?.[1] ?? null;
}

export function routeOf(fragment: string): Route {
  return fragment
    .replace(/^#?\/*/, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeSegment);
}

/** Returns the encoded address of a route. */
export function linkTo(...route: Route): string {
  return `#/${route.map(encodeURIComponent).join('/')}`;
}

/** Decodes a segment, or returns it unchanged if its escapes are invalid. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
