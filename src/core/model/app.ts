/** An app: a target host. */
import type { SourceRange } from '../source.ts';
import type { Milliseconds } from '../units.ts';
import type { AppId, AppKey } from './ids.ts';

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
  readonly host: string;
  /** `unknown` where the service's records show no status, or a word we do not know. */
  readonly status: 'verified' | 'unverified' | 'unknown';
}
