/** Both sides of a plan. */
import type { Milliseconds } from '../units.ts';
import type { DeclaredApp, ObservedApp } from './app.ts';
import type { TestId, TestKey } from './ids.ts';
import type { DeclaredTest, ObservedTest } from './load-test.ts';

export interface Limits {
  readonly maxConnections: number | null;
  readonly maxDuration: Milliseconds | null;
  /** Host patterns with `*`; null: any host. */
  readonly hosts: readonly string[] | null;
}

/** The limits by the names that the file has for them. */
export const LIMIT_NAMES = ['max_connections', 'max_duration', 'hosts'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** What the file declares, with its meaning checked. A function that takes it never checks again. */
export interface DesiredState {
  readonly project: string;
  readonly environment: string | null;
  readonly apps: readonly DeclaredApp[];
  readonly tests: readonly DeclaredTest[];
  /** A key that a test had before → the one it has now. */
  readonly moved: ReadonlyMap<TestKey, TestKey>;
  readonly limits: Limits;
}

/** What the service holds, from two whole lists. */
export interface ObservedState {
  readonly apps: readonly ObservedApp[];
  readonly tests: readonly ObservedTest[];
  /** The list may be one page of several: absence proves nothing then. */
  readonly maybeTruncated: boolean;
  /** When the first run of tests that are there more than once began, in ms since the epoch, by the service's clock. */
  readonly firstStartTimes: ReadonlyMap<TestId, number>;
}
