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
    return { reason: `is a URL; an app is a host${inUrl === null ? '' : `: "${inUrl}"`}` };
  }
  if (/\{\{|%\{/.test(text)) return { reason: 'holds an expression; the host of an app is fixed' };
  if (text === '' || /[/?#@\\\s]/.test(text) || hasControl(text))
    return { reason: 'is no host; an app is "host" or "host:port"' };
  const url = parseUrl(`http://${text}/`);
  if (url === null || !isPlainHost(url.host))
    return { reason: 'is no host; an app is "host" or "host:port"' };
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
    return { reason: `${shown(text)} is no URL of a request; it must begin with http:// or https://` };
  const [, scheme = '', authority = '', rest = ''] = parts;
  if (/\{\{|%\{/.test(authority)) {
    return {
      reason: `${shown(text)} has an expression in its host; the host is fixed, expressions may follow after it`,
    };
  }
  if (authority.includes('@')) return { reason: 'the URL holds a user name; write it below "credentials"' };
  if (hasControl(text))
    return { reason: `${shown(text)} holds a line break or control character; a URL has none` };
  if (text.includes('\\')) return { reason: `${shown(text)} holds a backslash; write / or %5C` };
  const outside = rest.replaceAll(/\{\{[^{}]*\}\}|%\{[^{}]*\}/g, '');
  if (/\s/.test(outside)) return { reason: `${shown(text)} holds a blank; write %20` };
  const url = parseUrl(`${scheme}://${authority}/`);
  if (url === null || !isPlainHost(url.host) || url.port === '0')
    return { reason: `${shown(text)} has no usable host` };
  const recognised = authorityOf(text) === url.host;
  return {
    url: recognised ? text : `${scheme}://${url.host}${rest}`,
    host: url.host,
    bareHost: url.hostname,
  };
}

/** Reads an absolute http(s) URL without user part, or says in words what is wrong with it. */
export function readHttpUrl(text: string): URL | { readonly reason: string } {
  if (!/^https?:\/\//i.test(text)) return { reason: `${shown(text)} is no http:// or https:// URL` };
  const authority = /^https?:\/\/([^/?#\\]*)/i.exec(text)?.[1] ?? '';
  if (authority.includes('@')) return { reason: 'the URL holds a user name or password; leave it out' };
  const url = hasControl(text) || /[\s\\]/.test(text) ? null : parseUrl(text);
  if (url === null || !isPlainHost(url.host) || url.port === '0')
    return { reason: `${shown(text)} is no URL that can be used` };
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
