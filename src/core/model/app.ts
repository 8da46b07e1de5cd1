/** Apps: target hosts. */
import type { SourceRange } from '../source-location.ts';
import type { Milliseconds } from '../units.ts';
import type { ConnectionOptions } from './connection.ts';
import type { AppId, AppKey } from './ids.ts';
import { authorityOf } from './url.ts';

/** Method of publishing the verification token. */
export type Publish =
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'manual' };

export interface DeclaredApp {
  readonly key: AppKey;
  /** Lowercase host with its non-default port: `127.0.0.1:4080`, `www.example.com`. */
  readonly host: string;
  /** Verification method: `http`, `dns`, or another value, which is passed to the service. */
  readonly method: string;
  readonly publish: Publish;
  readonly wait: Milliseconds;
  /** Connection settings for the host; null for the defaults. */
  readonly connection: ConnectionOptions | null;
  readonly source: SourceRange | null;
}

export interface ObservedApp {
  readonly id: AppId;
  /** Host with its port, unless the scheme implies the port. */
  readonly host: string;
  /** Status of the verification; `unknown` if the service returns no status or an unrecognized one. */
  readonly status: 'verified' | 'unverified' | 'unknown';
}

/** Reports whether a host, with or without its port, is `localhost` or a loopback address. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
}

/** Returns the host without its port, or `localhost` for any host for which `isLoopback` is true. */
export function machineOf(host: string): string {
  return isLoopback(host) ? 'localhost' : host.replace(/:\d+$/, '');
}

/** Returns the app that the service lists for a host, or undefined. A verified app takes precedence over others. */
export function findObservedApp(apps: readonly ObservedApp[], { host }: Pick<DeclaredApp, 'host'>) {
  const matching = apps.filter((app) => app.host === host);
  return matching.find(({ status }) => status === 'verified') ?? matching[0];
}

/** Creates a function that finds the app of a URL, first by host and port, then by host alone. */
export function createAppFinder<App extends { readonly host: string }>(
  apps: readonly App[],
): (url: string) => App | undefined {
  const hosts = new Map<string, App>();
  for (const app of apps) if (!hosts.has(app.host)) hosts.set(app.host, app);
  return (url) => {
    const authority = authorityOf(url);
    if (authority === null) return undefined;
    return hosts.get(authority) ?? hosts.get(authority.replace(/:\d+$/, ''));
  };
}
