/** Cookies of one pass. Mutable on purpose: most passes have none, and those that do set them as they go. */

/** Whose answer sets a cookie, and whose request may have it. */
export interface CookieScope {
  /** In lower case. */
  readonly hostname: string;
  /** Without query. */
  readonly path: string;
  readonly secure: boolean;
}

/** `target`: path and query. */
export function createCookieScope(host: Omit<CookieScope, 'path'>, target: string): CookieScope {
  const { hostname, secure } = host;
  const query = target.indexOf('?');
  return { hostname, path: query < 0 ? target : target.slice(0, query), secure };
}

interface Cookie {
  readonly name: string;
  /** As it goes back. */
  readonly pair: string;
  readonly hostname: string;
  readonly path: string;
  readonly secure: boolean;
}

/** More than a browser would send are a mistake of the target, or its malice. */
const MAX_COOKIES = 50;
const MAX_COOKIE_LENGTH = 4096;

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
  /** Those of longer paths first, as they go back. */
  readonly #cookies: Cookie[] = [];
  readonly #reader: CookieAttributeReader;

  /** @param reader one for all jars of a thread */
  constructor(reader: CookieAttributeReader) {
    this.#reader = reader;
  }

  /** Takes the value of a `Set-Cookie` header. `now`: gives wall time in ms. */
  store(line: string, from: CookieScope, now: () => number): void {
    if (line.length > MAX_COOKIE_LENGTH) return;
    const semicolon = line.indexOf(';');
    const end = semicolon < 0 ? line.length : semicolon;
    const equals = line.indexOf('=');
    const name = equals < end ? line.slice(0, Math.max(0, equals)).trim() : '';
    if (name === '') return;
    const attributes = this.#reader.read(line.slice(end + 1));
    const { domain, secure } = attributes;
    if (domain !== '' && domain !== from.hostname) return;
    if (secure && !from.secure) return;
    const { hostname } = from;
    const path = attributes.path.startsWith('/') ? attributes.path : defaultPathOf(from.path);
    const old = this.#find(name, hostname, path);
    // Nobody who could only listen on a plain connection may replace what came over TLS.
    if (this.#cookies[old]?.secure === true && !from.secure) return;
    if (isExpired(attributes, now)) {
      if (old >= 0) this.#cookies.splice(old, 1);
      return;
    }
    const cookie = { name, pair: `${name}=${line.slice(equals + 1, end).trim()}`, hostname, path, secure };
    if (old >= 0) this.#cookies[old] = cookie;
    else if (this.#cookies.length < MAX_COOKIES) this.#add(cookie);
  }

  /** The pairs for a request, `a=1; b=2`, those of longer paths first; empty when there are none. */
  pairsFor(to: CookieScope): string {
    let pairs = '';
    for (const { hostname, path, secure, pair } of this.#cookies) {
      if (hostname !== to.hostname || (secure && !to.secure) || !matchesPath(to.path, path)) continue;
      pairs = pairs === '' ? pair : `${pairs}; ${pair}`;
    }
    return pairs;
  }

  /** −1 for none. */
  #find(name: string, hostname: string, path: string): number {
    for (let index = 0; index < this.#cookies.length; index++) {
      const cookie = this.#cookies[index];
      if (cookie?.name === name && cookie.hostname === hostname && cookie.path === path) return index;
    }
    return -1;
  }

  #add(cookie: Cookie): void {
    const shorter = this.#cookies.findIndex(({ path }) => path.length < cookie.path.length);
    this.#cookies.splice(shorter < 0 ? this.#cookies.length : shorter, 0, cookie);
  }
}

/** Of several attributes with one name the last one counts. */
interface CookieAttributes {
  /** In lower case, without a dot in front; empty for none. */
  readonly domain: string;
  readonly path: string;
  readonly secure: boolean;
  readonly maxAge: string;
  readonly expires: string;
}

/** Reads attributes. Most targets send the same ones with each cookie: the latest are not read again. */
export class CookieAttributeReader {
  #text = '';
  #attributes = readAttributes('');

  /** @param text what follows the pair, without the semicolon */
  read(text: string): CookieAttributes {
    if (text !== this.#text) {
      this.#text = text;
      this.#attributes = readAttributes(text);
    }
    return this.#attributes;
  }
}

function readAttributes(text: string): CookieAttributes {
  let [domain, path, maxAge, expires] = ['', '', '', ''];
  let secure = false;
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals < 0 ? part.length : equals).trim();
    const value = equals < 0 ? '' : part.slice(equals + 1).trim();
    switch (name.toLowerCase()) {
      case 'domain':
        domain = value.replace(/^\./, '').toLowerCase();
        break;
      case 'path':
        path = value;
        break;
      case 'secure':
        secure = true;
        break;
      case 'max-age':
        maxAge = value;
        break;
      case 'expires':
        expires = value;
        break;
    }
  }
  return { domain, path, secure, maxAge, expires };
}

/** Max-Age counts where both are given; what cannot be read does not. */
function isExpired({ maxAge, expires }: CookieAttributes, now: () => number): boolean {
  if (maxAge !== '' && /^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0;
  return expires !== '' && Date.parse(expires) <= now();
}

function defaultPathOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

function matchesPath(path: string, directory: string): boolean {
  return (
    path.startsWith(directory) &&
    (path.length === directory.length || directory.endsWith('/') || path[directory.length] === '/')
  );
}
