/** Allow list of Host headers, which prevents DNS rebinding attacks. */
import { interfaceAddresses } from '../egress/address-policies.ts';

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
}

/** Returns the accepted values of the Host header, in lower case. */
export function allowedHosts(address: ServiceAddress): ReadonlySet<string> {
  const names = ['localhost', '127.0.0.1', '[::1]'];
  // A wildcard listener accepts connections at each local address. IP addresses are safe to accept in the Host header,
  // because DNS rebinding requires a host name.
  const others = isWildcard(address.host) ? interfaceAddresses() : [address.host.toLowerCase()];
  names.push(...others.map(bracketIpv6));
  const hosts = new Set<string>();
  for (const name of names) {
    hosts.add(`${name}:${address.port}`);
    if (address.port === 80) hosts.add(name);
  }
  const url = address.publicUrl === null ? null : new URL(address.publicUrl);
  if (url !== null) {
    hosts.add(url.host);
    if (url.port === '') hosts.add(`${url.host}:${url.protocol === 'https:' ? 443 : 80}`);
  }
  return hosts;
}

/**
 * Reports whether a request has an origin-form target and exactly one Host header, with an accepted value.
 *
 * @param request - `rawHeaders` alternates names and values, as in Node.js.
 */
export function hasAllowedHost(
  request: { readonly url: string; readonly rawHeaders: readonly string[] },
  hosts: ReadonlySet<string>,
): boolean {
  // Refuses the absolute form of the request target, because it contains a second host name.
  if (!request.url.startsWith('/')) return false;
  const named = request.rawHeaders.filter(
    (_, index) => index % 2 === 1 && request.rawHeaders[index - 1]?.toLowerCase() === 'host',
  );
  return named.length === 1 && hosts.has(named[0]?.toLowerCase() ?? '');
}

export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function bracketIpv6(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
