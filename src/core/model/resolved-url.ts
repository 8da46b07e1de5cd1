/**
 * Requests whose URL is the value of a variable, such as a link in a response. The value is a path on the host of the
 * declared URL, or a URL of a host to which another request of the same list is sent. Requests to other hosts are
 * impossible, because only these hosts were verified and are part of the planned load.
 */
import { compileTemplate } from './template.ts';

/** Error class of requests whose URL is a value that is neither a path nor a URL of a permitted host. */
export const INVALID_URL = 'invalid_url';

/** Reason for the error `INVALID_URL`, as the end of a sentence. */
export const INVALID_URL_TEXT =
  'the value of its URL is neither a path nor a URL of a host to which other requests of the test are sent';

/**
 * Returns the variable of a path that consists of one variable; null for any other path.
 * @param path - Path of a parsed URL, in which braces may be escaped.
 */
export function urlVariableOf(path: string): string | null {
  const { constants, names } = compileTemplate(path, { escaped: true });
  const [name = null] = names;
  return names.length === 1 && constants[0] === '/' && constants[1] === '' ? name : null;
}

export function originOf({
  secure,
  authority,
}: {
  readonly secure: boolean;
  readonly authority: string;
}): string {
  return `${secure ? 'https' : 'http'}://${authority}`;
}

/**
 * Returns the possible destinations of each request: its own, or all destinations if a variable determines its URL.
 * @param destinations - The declared destination of each request; null for an invalid URL.
 */
export function possibleDestinations<Destination>(
  targets: readonly { readonly resolveUrl: boolean | null }[],
  destinations: readonly (Destination | null)[],
): readonly (readonly Destination[])[] {
  const all = destinations.filter((one) => one !== null);
  return targets.map(({ resolveUrl }, index) => {
    const own = destinations[index] ?? null;
    return resolveUrl === true ? all : own === null ? [] : [own];
  });
}
