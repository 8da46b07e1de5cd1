/** The desired and the observed state, from which a plan is created. */
import type { Milliseconds } from '../units.ts';
import type { DeclaredApp, ObservedApp } from './app.ts';
import type { TestId, TestKey } from './ids.ts';
import type { DeclaredTest, ObservedTest } from './load-test.ts';

export interface Limits {
  readonly maxConnections: number | null;
  readonly maxDuration: Milliseconds | null;
  /** Patterns of the permitted hosts, with `*`; null permits any host. */
  readonly hosts: readonly string[] | null;
}

export const LIMIT_NAMES = ['max_connections', 'max_duration', 'hosts'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

export interface DesiredState {
  readonly project: string;
  readonly environment: string | null;
  readonly apps: readonly DeclaredApp[];
  readonly tests: readonly DeclaredTest[];
  /** Current keys of renamed tests, by previous key. */
  readonly moved: ReadonlyMap<TestKey, TestKey>;
  readonly limits: Limits;
}

export interface ObservedState {
  readonly apps: readonly ObservedApp[];
  readonly tests: readonly ObservedTest[];
  /** True if the list may be one page of several, so that a test that is not in the list may still exist. */
  readonly maybeTruncated: boolean;
  /** First start of tests that have equal markers, in ms since the epoch by the clock of the service. */
  readonly firstStartTimes: ReadonlyMap<TestId, number>;
}
