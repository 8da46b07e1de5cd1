/** Parsing of URLs and hosts according to the WHATWG URL standard. */
import { quote } from '../quote.ts';

/** Members of the class `URL`, which has no side effects and is the same in Node.js and in browsers. */
interface StandardUrl {
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
}

// The type declarations of Node.js and of browsers include this class, but the core layer is compiled without
// them.
declare const URL: { new (text: string): StandardUrl; canParse(text: string): boolean };

export interface ReadUrl {
  readonly secure: boolean;
  /** Host with its port, unless it is the default port of the scheme. */
  readonly authority: string;
  /** Host without the port. IPv6 addresses are in brackets. */
  readonly bareHost: string;
  readonly port: number;
  /** Path and query, before variables are replaced. The parser may have percent-encoded the braces of variables. */
  readonly path: string;
}

/**
 * Parses an absolute http(s) URL; returns null if it contains user information or control characters, or is invalid.
 */
export function readUrl(text: string): ReadUrl | null {
  // Some parsers treat a backslash as a slash, so a host must not be followed by a backslash.
  const parts = /^(https?):\/\/([^/?#\\@]+)((?:[/?][^#]*)?)(?:#.*)?$/is.exec(text);
  if (parts === null || CONTROL.test(text)) return null;
  const [, scheme = '', host = '', rest = ''] = parts;
  const origin = parse(`${scheme}://${host}/`);
  if (origin === null || !isPlainHost(origin)) return null;
  const secure = origin.protocol === 'https:';
  const url = new URL(`${origin.protocol}//${origin.host}${rest}`);
  return {
    secure,
    authority: origin.host,
    bareHost: origin.hostname,
    port: portOf(origin),
    path: url.pathname + url.search,
  };
}

export function portOf({ port, protocol }: { readonly port: string; readonly protocol: string }): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/**
 * Returns the lowercase host of an http(s) URL with its non-default port; null for other URLs.
 * @remarks The class `URL` is too slow for the tens of thousands of URLs in an account.
 */
export function authorityOf(url: string): string | null {
  const match = /^(https?):\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:@]+)(?::(\d+))?(?=[/?#]|$)/i.exec(url);
  if (match === null) return null;
  const defaultPort = match[1]?.toLowerCase() === 'https' ? '443' : '80';
  const host = (match[2] ?? '').toLowerCase();
  const port = match[3];
  return port === undefined || port === defaultPort ? host : `${host}:${Number(port)}`;
}

/** Returns the error in a request URL as the end of a sentence; null if the URL is valid. */
export function faultOfRequestUrl(text: string): string | null {
  const authority = authorityIn(text);
  if (/\{\{|%\{/.test(authority)) {
    return 'has a variable or an expression in its host; use variables and expressions only after the host';
  }
  if (authority.includes('@')) {
    return 'contains a user name or password; use "credentials" instead';
  }
  if (/^\{\{[^{}]+\}\}$/.test(text))
    return 'is a variable, but no earlier request has a URL with a host; begin the URL with http:// or https://';
  if (text.startsWith('{{'))
    return 'begins with a variable; a variable must be the whole URL, or follow the host of the URL';
  return faultOfUrl(text, text.replaceAll(/\{\{[^{}]*\}\}|%\{[^{}]*\}/g, ''));
}

/** Returns the error in a URL without variables as the end of a sentence; null if the URL is valid. */
export function faultOfPlainUrl(text: string): string | null {
  if (authorityIn(text).includes('@')) return 'contains a user name or password; remove it';
  return faultOfUrl(text, text);
}

/**
 * Returns the error in a URL as the end of a sentence; null if the URL is valid.
 * @param outside - the text outside of expressions, which may contain spaces
 */
function faultOfUrl(text: string, outside: string): string | null {
  if (CONTROL.test(text)) return 'contains a line break or control character';
  if (/\s/.test(outside)) return 'contains a space; write %20';
  // Checks the scheme before the rest of the URL, because text without a scheme is often not a URL.
  if (!/^https?:\/\/[^/?#]/i.test(text)) return 'is not a valid URL; it must begin with http:// or https://';
  if (text.includes('\\')) return 'contains a backslash; write / or %5C';
  return readUrl(text) === null ? 'has no valid host' : null;
}

function authorityIn(text: string): string {
  return /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
}

/** Quotes and truncates a URL for messages, without user information, query or fragment, which can contain secrets. */
export function displayUrl(url: string): string {
  // In a URL that cannot be parsed, the apparent path may be part of a password.
  const shown = readUrl(url) === null ? url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@') : url;
  return quote(shown.replace(/[?#].*/s, ''));
}

export interface ReadHost {
  /** Normalized host: in lower case and Punycode, IPv4 in four parts, and without a port that a scheme implies. */
  readonly host: string;
  /** Host without the port. IPv6 addresses are in brackets. */
  readonly hostname: string;
}

/** Parses `host[:port]`. If it is invalid, returns the error as the end of a sentence. */
export function readAppHost(text: string): ReadHost | { readonly fault: string } {
  if (/\{\{|%\{/.test(text))
    return { fault: 'contains a variable or an expression, but the host of an app must be constant' };
  // Without this check, the URL parser would accept a path, user information or a space, which would then be lost.
  const url = /[\s/\\?#@%{}\p{Cc}]/u.test(text) || text.endsWith(':') ? null : parse(`http://${text}/`);
  // A final dot would create a second name for the same host.
  if (url === null || !isPlainHost(url) || url.hostname.endsWith('.')) {
    return { fault: 'is not a valid host; write "host" or "host:port"' };
  }
  return { host: withoutImpliedPort(url.host), hostname: url.hostname };
}

/** Removes port 80 or 443, because an app host with either port identifies the same app as the host without a port. */
export function withoutImpliedPort(host: string): string {
  return host.replace(/:(?:80|443)$/, '');
}

/**
 * Reports whether a host, with or without a port, is an IP address in its usual form. IPv6 addresses must be in
 * brackets.
 */
export function isLiteralAddress(host: string): boolean {
  const read = readAppHost(host);
  return (
    !('fault' in read) &&
    read.host === withoutImpliedPort(host.toLowerCase()) &&
    /^\[|^\d+(?:\.\d+){3}$/.test(read.hostname)
  );
}

/** Reports whether a host, without its port, is a name or address of the local machine. */
export function isLocalHost(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/.test(
    hostname,
  );
}

/** Reports whether a host has the form of a DNS name or IP address. */
function isPlainHost({ host, hostname, port }: StandardUrl): boolean {
  // DNS names have at most 253 characters; the remaining characters are for brackets and the port.
  return port !== '0' && host.length <= 261 && /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/.test(hostname);
}

function parse(text: string): StandardUrl | null {
  return URL.canParse(text) ? new URL(text) : null;
}

const CONTROL = /\p{Cc}/u;
