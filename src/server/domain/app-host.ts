/** The name of an app: a host with its non-default port, in one spelling. */

/** What a host may hold after normalising; braces and percent signs would be variables or tricks. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/;

export interface HostAndPort {
  /** Without brackets. */
  readonly hostname: string;
  /** Null: the default port of whichever scheme. */
  readonly port: number | null;
}

/**
 * Brings `Host[:port]` into the form in which apps are kept.
 *
 * Shape:  lower case, punycode, IPv4 in four parts, without `:80`; as the WHATWG URL standard has it.
 * Errors: null when the text is anything else than a host with or without a port.
 */
export function normalizeAppHost(text: string): string | null {
  // The URL parser would take a path, a user part or a blank off in silence.
  if (/[\s/\\?#@%{}\p{Cc}]/u.test(text) || text.endsWith(':')) return null;
  const url = parseUrl(`http://${text}/`);
  if (url === null || url.port === '0' || !HOST.test(url.hostname)) return null;
  // A dot at the end names the same host a second time.
  if (url.hostname.endsWith('.')) return null;
  return url.host;
}

/** @param host as `normalizeAppHost` gives it */
export function splitHost(host: string): HostAndPort {
  const match = /^(.*?)(?::(\d+))?$/.exec(host.startsWith('[') ? host.slice(host.indexOf(']') + 1) : host);
  const port = match?.[2] === undefined ? null : Number(match[2]);
  const hostname = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : (match?.[1] ?? host);
  return { hostname, port };
}

/** Null where the text is no URL. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
