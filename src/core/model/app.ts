/** An app: a target host. */
import type { SourceRange } from '../source-location.ts';
import type { Milliseconds } from '../units.ts';
import type { AppId, AppKey } from './ids.ts';
import { authorityOf } from './url.ts';

/** How the verification token gets where the service looks for it. */
export type Publish =
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'manual' };

export interface DeclaredApp {
  readonly key: AppKey;
  /** Lower-case host with its non-default port: `127.0.0.1:4080`, `www.example.com`. */
  readonly host: string;
  /** `http`, `dns`, or a word that is passed on to the service. */
  readonly method: string;
  readonly publish: Publish;
  /** How long verification is tried. */
  readonly wait: Milliseconds;
  readonly source: SourceRange | null;
}

export interface ObservedApp {
  readonly id: AppId;
  /** Without a port that a scheme implies. A service may have the same host more than once. */
  readonly host: string;
  /** `unknown` where the service's records show no status, or a word we do not know. */
  readonly status: 'verified' | 'unverified' | 'unknown';
}

/** Whether a host, with or without its port, is this machine by its very name. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
}

/** What a service has of a host; of several the one that is verified. */
export function findObservedApp(apps: readonly ObservedApp[], { host }: Pick<DeclaredApp, 'host'>) {
  const there = apps.filter((app) => app.host === host);
  return there.find(({ status }) => status === 'verified') ?? there[0];
}

/** Finds the app that a URL belongs to: the one named like its host and port, else the one named like its bare host. */
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
