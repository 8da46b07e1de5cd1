/**
 * Requests whose URL is the value of a variable. The value is a path on the host of the declared URL, or a URL of a
 * host that another request of the same list uses. Other hosts are neither verified nor part of the planned load.
 */
import { compileTemplate } from './template.ts';

/** Error class of requests whose URL is neither a path nor a URL of a permitted host. */
export const INVALID_URL = 'invalid_url';

export const INVALID_URL_TEXT =
  'the variable for the URL contains neither a path nor a URL on the host of another request';

/**
 * Returns the name of the variable if a path consists of one variable; null for any other path.
 * @param path - path of a parsed URL, in which braces may be escaped
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
 * @param destinations - the declared destination of each request; null for an invalid URL
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
