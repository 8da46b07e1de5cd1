/** Where the reader is: the fragment of the address, `#/runs/TEST/RESULT`. The service never gets it. */

/** The decoded parts of a place: none for the overview. */
export type Place = readonly string[];

/** The one-time code that a link ends in: 128 bits as the service writes them. Null: there is none. */
export function codeOf(fragment: string): string | null {
  return /^#?([0-9a-f]{32})$/.exec(fragment)?.[1] ?? null;
}

export function placeOf(fragment: string): Place {
  return fragment
    .replace(/^#?\/*/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
}

/** Fit for the address of a link. */
export function linkTo(...place: Place): string {
  return `#/${place.map(encodeURIComponent).join('/')}`;
}

/** Somebody may have cut the address anywhere. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
