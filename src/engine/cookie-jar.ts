/** Cookies of one iteration. */

/** Host and path of a response that sets a cookie, or of a request that may contain the cookie. */
export interface CookieScope {
  /** Host name in lower case. */
  readonly hostname: string;
  /** Path without the query. */
  readonly path: string;
  readonly secure: boolean;
}

/** @param target - Path with the query. */
export function createCookieScope(host: Omit<CookieScope, 'path'>, target: string): CookieScope {
  const { hostname, secure } = host;
  const query = target.indexOf('?');
  return { hostname, path: query < 0 ? target : target.slice(0, query), secure };
}

interface Cookie {
  readonly name: string;
  /** `name=value`, as sent. */
  readonly pair: string;
  readonly hostname: string;
  readonly path: string;
  readonly secure: boolean;
}

/** Maximum number of cookies per jar, and maximum length of a `Set-Cookie` value, as protection from faulty targets. */
const MAX_COOKIES = 50;
const MAX_COOKIE_LENGTH = 4096;

/**
 * A cookie is sent only to the exact host that set it, and only to its own path and the paths below that path. A secure
 * cookie is sent only over TLS.
 *
 * A cookie whose Domain attribute is not the host itself is refused. A cookie that has already expired is removed, but
 * future expiry times are ignored. SameSite, partitions and name prefixes are also ignored.
 * @see RFC 6265, sections 5.1.4 (paths), 5.2 (attributes), 5.3 (storing) and 5.4 (sending)
 */
export class CookieJar {
  /** Cookies in the order in which they are sent, longer paths first. */
  readonly #cookies: Cookie[] = [];
  readonly #reader: CookieAttributeReader;

  constructor(reader: CookieAttributeReader) {
    this.#reader = reader;
  }

  copy(): CookieJar {
    const jar = new CookieJar(this.#reader);
    jar.#cookies.push(...this.#cookies);
    return jar;
  }

  /**
   * Processes a `Set-Cookie` value: stores, replaces, removes or ignores the cookie. `now` returns the wall time in ms.
   */
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
    const index = this.#find(name, hostname, path);
    // A response without TLS must not replace a secure cookie.
    if (this.#cookies[index]?.secure === true && !from.secure) return;
    if (isExpired(attributes, now)) {
      if (index >= 0) this.#cookies.splice(index, 1);
      return;
    }
    const cookie = { name, pair: `${name}=${line.slice(equals + 1, end).trim()}`, hostname, path, secure };
    if (index >= 0) this.#cookies[index] = cookie;
    else if (this.#cookies.length < MAX_COOKIES) this.#add(cookie);
  }

  /** Returns the cookies for a request, such as `a=1; b=2`, longer paths first; an empty string if there are none. */
  pairsFor(to: CookieScope): string {
    let pairs = '';
    for (const { hostname, path, secure, pair } of this.#cookies) {
      if (hostname !== to.hostname || (secure && !to.secure) || !matchesPath(to.path, path)) continue;
      pairs = pairs === '' ? pair : `${pairs}; ${pair}`;
    }
    return pairs;
  }

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

/** If an attribute is repeated, its last value applies. */
interface CookieAttributes {
  /** Domain in lower case, without a leading dot; empty if the attribute is absent. */
  readonly domain: string;
  readonly path: string;
  readonly secure: boolean;
  readonly maxAge: string;
  readonly expires: string;
}

/**
 * Parser of cookie attributes that caches the latest result, because many targets send the same attributes with each
 * cookie.
 */
export class CookieAttributeReader {
  #text = '';
  #attributes = readAttributes('');

  /** @param text - Part of the `Set-Cookie` value after the first semicolon. */
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

/** Reports whether a cookie has already expired. Max-Age takes precedence over Expires; invalid values are ignored. */
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
