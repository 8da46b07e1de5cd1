/** Which Host headers are answered: the defence against names that an attacker points at this machine. */
import { networkInterfaces } from 'node:os';

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
}

/** The values of the Host header that are answered, lower case; all others are refused before routing. */
export function allowedHosts(at: ServiceAddress): ReadonlySet<string> {
  const names = ['localhost', '127.0.0.1', '[::1]'];
  // Whoever reaches a wildcard by address has typed the address: no name can be rebound to it.
  const others = isWildcard(at.host) ? localAddresses() : [at.host.toLowerCase()];
  names.push(...others.map(bracketIpv6));
  const hosts = new Set<string>();
  for (const name of names) {
    hosts.add(`${name}:${at.port}`);
    if (at.port === 80) hosts.add(name);
  }
  const url = at.publicUrl === null ? null : new URL(at.publicUrl);
  if (url !== null) {
    hosts.add(url.host);
    if (url.port === '') hosts.add(`${url.host}:${url.protocol === 'https:' ? 443 : 80}`);
  }
  return hosts;
}

/**
 * Tells whether a request names one of our hosts, once.
 *
 * Shape:  rawHeaders as Node gives them: names and values in turn.
 */
export function hasAllowedHost(
  request: { readonly url: string; readonly rawHeaders: readonly string[] },
  hosts: ReadonlySet<string>,
): boolean {
  // An absolute-form target names a host a second time, and only proxies are sent one.
  if (!request.url.startsWith('/')) return false;
  const named = request.rawHeaders.filter(
    (_, index) => index % 2 === 1 && request.rawHeaders[index - 1]?.toLowerCase() === 'host',
  );
  return named.length === 1 && hosts.has(named[0]?.toLowerCase() ?? '');
}

export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Every address of this machine. */
export function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map((entry) => entry.address),
  );
}

function bracketIpv6(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
