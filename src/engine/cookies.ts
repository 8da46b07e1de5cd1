/** Cookies of one pass. Mutable on purpose: most passes have none, and those that do set them as they go. */

/** Whose answer sets a cookie, and whose request may have it. */
export interface CookiePlace {
  /** In lower case. */
  readonly hostname: string;
  /** Without query. */
  readonly path: string;
  readonly secure: boolean;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly hostname: string;
  readonly path: string;
  readonly secure: boolean;
}

/** More than a browser would send are a mistake of the target, or its malice. */
const MOST_COOKIES = 50;
const MOST_LINE = 4096;

/**
 * What a client has been given within its pass, and gives back to the same host.
 *
 * Shape:  a cookie goes back to exactly the host that set it, to paths at or below its own, and over TLS only if it is
 *         marked so. Not done, since a pass is short and goes to its own hosts: cookies for a whole domain (one whose
 *         Domain is not the host itself is refused), times at which a cookie ends later (one that ends now or before is
 *         removed), SameSite, partitions, and the meaning of name prefixes.
 * Source: RFC 6265, sections 5.1.4 (paths), 5.2 (attributes), 5.3 (storing) and 5.4 (sending).
 */
export class CookieJar {
  readonly #cookies: Cookie[] = [];

  /** Takes the value of a `Set-Cookie` header. `now`: wall time in ms. */
  take(line: string, from: CookiePlace, now: number): void {
    if (line.length > MOST_LINE) return;
    const [pair = '', ...rest] = line.split(';');
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals)).trim();
    if (name === '') return;
    const attributes = new Map(rest.map(attributeOf));
    const domain = attributes.get('domain')?.replace(/^\./, '').toLowerCase() ?? '';
    if (domain !== '' && domain !== from.hostname) return;
    const secure = attributes.has('secure');
    if (secure && !from.secure) return;
    const given = attributes.get('path') ?? '';
    const path = given.startsWith('/') ? given : folderOf(from.path);
    const old = this.#cookies.findIndex(
      (cookie) => cookie.name === name && cookie.hostname === from.hostname && cookie.path === path,
    );
    // Nobody who could only listen on a plain connection may replace what came over TLS.
    if (this.#cookies[old]?.secure === true && !from.secure) return;
    if (hasEnded(attributes, now)) {
      if (old >= 0) this.#cookies.splice(old, 1);
      return;
    }
    const cookie = { name, value: pair.slice(equals + 1).trim(), hostname: from.hostname, path, secure };
    if (old >= 0) this.#cookies[old] = cookie;
    else if (this.#cookies.length < MOST_COOKIES) this.#cookies.push(cookie);
  }

  /** The pairs for a request, `a=1; b=2`, those of longer paths first; empty when there are none. */
  pairsFor(to: CookiePlace): string {
    return this.#cookies
      .filter(
        ({ hostname, path, secure }) =>
          hostname === to.hostname && (to.secure || !secure) && isBelow(to.path, path),
      )
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }
}

function attributeOf(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  return equals < 0
    ? [text.trim().toLowerCase(), '']
    : [text.slice(0, equals).trim().toLowerCase(), text.slice(equals + 1).trim()];
}

/** Max-Age counts where both are given; what cannot be read does not. */
function hasEnded(attributes: ReadonlyMap<string, string>, now: number): boolean {
  const age = attributes.get('max-age') ?? '';
  if (/^-?\d+$/.test(age)) return Number(age) <= 0;
  return Date.parse(attributes.get('expires') ?? '') <= now;
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

function isBelow(path: string, folder: string): boolean {
  return (
    path.startsWith(folder) &&
    (path.length === folder.length || folder.endsWith('/') || path[folder.length] === '/')
  );
}
