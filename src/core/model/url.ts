/** URLs and hosts as the WHATWG URL standard reads them: one reading for the file, the service and the engine's jobs. */

/** Only what is used of the standard's class. It is pure, and the same in Node and in browsers. */
interface StandardUrl {
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
}

// Core compiles without the types of Node and of browsers, where this class is declared.
declare const URL: { new (text: string): StandardUrl; canParse(text: string): boolean };

/** A URL of a request, read. */
export interface ReadUrl {
  readonly secure: boolean;
  /** Host with non-default port, as apps are named. */
  readonly authority: string;
  /** The same without the port; IPv6 in brackets. */
  readonly bareHost: string;
  readonly port: number;
  /** Path and query as they are sent, but for variables; the parser may have escaped the braces of these. */
  readonly path: string;
}

/**
 * Reads a URL that a request can be sent to.
 *
 * Errors: null where it is not absolute http(s), has a user part, or a host that is not plain.
 */
export function readUrl(text: string): ReadUrl | null {
  // A backslash is a slash to some readers of URLs and not to others, so it may not decide where the host ends.
  const parts = /^(https?):\/\/([^/?#\\@]+)((?:[/?][^#]*)?)(?:#.*)?$/is.exec(text);
  if (parts === null || CONTROL.test(text)) return null;
  const [, scheme = '', host = '', rest = ''] = parts;
  const origin = parse(`${scheme}://${host}/`);
  if (origin === null || !isPlainHost(origin)) return null;
  const secure = origin.protocol === 'https:';
  const base = `${origin.protocol}//${origin.host}`;
  const url = new URL(rest.startsWith('/') ? base + rest : `${base}/${rest}`);
  return {
    secure,
    authority: origin.host,
    bareHost: origin.hostname,
    port: origin.port === '' ? (secure ? 443 : 80) : Number(origin.port),
    path: url.pathname + url.search,
  };
}

/**
 * Host with non-default port of a URL, lower case, as apps are named; null when it is no http(s) URL.
 *
 * Shape: without the standard's class, which is slow: an account lists tens of thousands of URLs. Where a host is
 *        written so that the standard reads it otherwise, `readUrl` says how; the file's URLs are respelt so.
 */
export function authorityOf(url: string): string | null {
  const match = /^(https?):\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:@]+)(?::(\d+))?(?=[/?#]|$)/i.exec(url);
  if (match === null) return null;
  const defaultPort = match[1]?.toLowerCase() === 'https' ? '443' : '80';
  const host = (match[2] ?? '').toLowerCase();
  const port = match[3];
  return port === undefined || port === defaultPort ? host : `${host}:${Number(port)}`;
}

/** What is wrong with the URL of a request, as the end of a sentence; null when it can be sent. */
export function faultOfRequestUrl(text: string): string | null {
  const authority = authorityIn(text);
  if (authority !== null && /\{\{|%\{/.test(authority)) {
    return 'has an expression in its host; expressions are only allowed after the host';
  }
  if (authority?.includes('@') === true) {
    return 'contains a user name or password; use "credentials" instead';
  }
  return faultOfUrl(text, text.replaceAll(/\{\{[^{}]*\}\}|%\{[^{}]*\}/g, ''));
}

/** What is wrong with a URL that is called as it stands, as the end of a sentence; null when nothing is. */
export function faultOfPlainUrl(text: string): string | null {
  if (authorityIn(text)?.includes('@') === true) return 'contains a user name or password; remove it';
  return faultOfUrl(text, text);
}

/** @param outside of what is filled in later, where blanks mean nothing */
function faultOfUrl(text: string, outside: string): string | null {
  if (CONTROL.test(text)) return 'contains a line break or control character';
  if (/\s/.test(outside)) return 'contains a space; write %20';
  // The scheme first: what lacks it is often no URL at all.
  if (!/^https?:\/\/[^/?#]/i.test(text)) return 'is not a valid URL; it must begin with http:// or https://';
  if (text.includes('\\')) return 'contains a backslash; write / or %5C';
  return readUrl(text) === null ? 'has no valid host' : null;
}

function authorityIn(text: string): string | null {
  return /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? null;
}

/** A URL for people: without its user part, and without its query and fragment, which may hold keys. */
export function displayUrl(url: string): string {
  // In one that cannot be read, a password may have begun what looks like the path.
  const user = readUrl(url) === null ? /^([a-z][a-z0-9+.-]*:\/\/)?.*@/is : /^(https?:\/\/)[^/?#]*@/i;
  const text = JSON.stringify(url.replace(user, '$1***@').split(/[?#]/, 1)[0] ?? '');
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}

/** The host of an app, read. */
export interface ReadHost {
  /** As apps are kept: lower case, punycode, IPv4 in four parts, without a port that a scheme implies. */
  readonly host: string;
  /** Without its port; IPv6 in brackets. */
  readonly hostname: string;
}

/** Reads `host[:port]`, or says what is wrong with it, as the end of a sentence. */
export function readAppHost(text: string): ReadHost | { readonly fault: string } {
  if (/\{\{|%\{/.test(text)) return { fault: 'contains an expression, but the host of an app must be fixed' };
  // The URL parser would take a path, a user part or a blank off in silence.
  const url = /[\s/\\?#@%{}\p{Cc}]/u.test(text) || text.endsWith(':') ? null : parse(`http://${text}/`);
  // A dot at the end names the same host a second time.
  if (url === null || !isPlainHost(url) || url.hostname.endsWith('.')) {
    return { fault: 'is not a valid host; write "host" or "host:port"' };
  }
  return { host: withoutImpliedPort(url.host), hostname: url.hostname };
}

/** `host:80` and `host:443` stand for the host itself, however a request spells it. */
export function withoutImpliedPort(host: string): string {
  return host.replace(/:(?:80|443)$/, '');
}

/** Whether a host, without its port, is this machine by its very name or address. */
export function isLocalHost(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/.test(
    hostname,
  );
}

/** Hosts the URL parser lets through and no resolver knows would reach messages and plans. */
function isPlainHost({ host, hostname, port }: StandardUrl): boolean {
  // DNS allows 253; brackets and the port come on top.
  return port !== '0' && host.length <= 261 && /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/.test(hostname);
}

function parse(text: string): StandardUrl | null {
  return URL.canParse(text) ? new URL(text) : null;
}

const CONTROL = /\p{Cc}/u;
