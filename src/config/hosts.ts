/** Hosts as apps are named, and URLs as they are given. WHATWG decides what a host is. */
import { authorityOf } from '../core/model/load-test.ts';
import { hasControl, quote } from './quantities.ts';

export interface ReadHost {
  /** Lower-case host with its non-default port. */
  readonly host: string;
  /** The port was written though it is a default one. */
  readonly droppedPort: string | null;
}

/** Reads `host[:port]`, or says in words why it is none. */
export function readHost(text: string): ReadHost | { readonly reason: string } {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const inUrl = authorityOf(text);
    return { reason: `is a URL, but an app is a host${inUrl === null ? '' : `: "${inUrl}"`}` };
  }
  if (/\{\{|%\{/.test(text))
    return { reason: 'contains an expression, but the host of an app must be fixed' };
  if (text === '' || /[/?#@\\\s]/.test(text) || hasControl(text))
    return { reason: 'is not a valid host; write "host" or "host:port"' };
  const url = parseUrl(`http://${text}/`);
  if (url === null || !isPlainHost(url.host))
    return { reason: 'is not a valid host; write "host" or "host:port"' };
  const port = /:(\d+)$/.exec(text)?.[1] ?? null;
  const isDefault = port !== null && (Number(port) === 80 || Number(port) === 443);
  return { host: isDefault ? url.hostname : url.host, droppedPort: isDefault ? port : null };
}

export interface ReadTarget {
  /** As written; the host respelt only where its written form would not be recognised. */
  readonly url: string;
  readonly host: string;
  readonly bareHost: string;
}

/** Reads the URL of a request, or says in words what is wrong with it. */
export function readTarget(text: string): ReadTarget | { readonly reason: string } {
  const parts = /^(https?):\/\/([^/?#]*)([^]*)$/i.exec(text);
  if (parts === null)
    return { reason: `${shown(text)} is not a valid URL; it must begin with http:// or https://` };
  const [, scheme = '', authority = '', rest = ''] = parts;
  if (/\{\{|%\{/.test(authority)) {
    return {
      reason: `${shown(text)} has an expression in its host; expressions are only allowed after the host`,
    };
  }
  if (authority.includes('@')) return { reason: 'the URL contains a user name; use "credentials" instead' };
  if (hasControl(text))
    return {
      reason: `${shown(text)} contains a line break or control character, which is not allowed in a URL`,
    };
  if (text.includes('\\')) return { reason: `${shown(text)} contains a backslash; write / or %5C` };
  const outside = rest.replaceAll(/\{\{[^{}]*\}\}|%\{[^{}]*\}/g, '');
  if (/\s/.test(outside)) return { reason: `${shown(text)} contains a space; write %20` };
  const url = parseUrl(`${scheme}://${authority}/`);
  if (url === null || !isPlainHost(url.host) || url.port === '0')
    return { reason: `${shown(text)} has no valid host` };
  const recognised = authorityOf(text) === url.host;
  return {
    url: recognised ? text : `${scheme}://${url.host}${rest}`,
    host: url.host,
    bareHost: url.hostname,
  };
}

/** Reads an absolute http(s) URL without user part, or says in words what is wrong with it. */
export function readHttpUrl(text: string): URL | { readonly reason: string } {
  if (!/^https?:\/\//i.test(text)) return { reason: `${shown(text)} is not an http:// or https:// URL` };
  const authority = /^https?:\/\/([^/?#\\]*)/i.exec(text)?.[1] ?? '';
  if (authority.includes('@')) return { reason: 'the URL contains a user name or password; remove it' };
  const url = hasControl(text) || /[\s\\]/.test(text) ? null : parseUrl(text);
  if (url === null || !isPlainHost(url.host) || url.port === '0')
    return { reason: `${shown(text)} is not a valid URL` };
  return url;
}

/** Hosts the URL parser lets through and no resolver knows would reach messages and plans. */
function isPlainHost(host: string): boolean {
  // DNS allows 253; brackets and the port come on top.
  return host !== '' && host.length <= 261 && /^[a-z0-9._:[\]-]+$/.test(host);
}

/** The part after "?" may hold keys. */
function shown(url: string): string {
  return quote(url.replace(/\/\/[^/?#]*@/, '//***@').split('?', 1)[0] ?? '');
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
