/** Where the reader is: the fragment of the address, `#/runs/TEST/RESULT`. The service never gets it. */

/** The decoded parts of a place: none for the overview. */
export type Route = readonly string[];

/** The one-time code that a link ends in: 128 bits as the service writes them. Null: there is none. */
export function signInCodeOf(fragment: string): string | null {
  return /^#?([0-9a-f]{32})$/.exec(fragment)?.[1] ?? null;
}

export function routeOf(fragment: string): Route {
  return fragment
    .replace(/^#?\/*/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decodeSegment);
}

/** Fit for the address of a link. */
export function linkTo(...place: Route): string {
  return `#/${place.map(encodeURIComponent).join('/')}`;
}

/** Somebody may have cut the address anywhere. */
function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
