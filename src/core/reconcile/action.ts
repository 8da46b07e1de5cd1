/** Actions of a plan. */
import type { Code } from '../codes.ts';
import type { RunVerdict } from '../model/run-verdict.ts';
import type { DeclaredApp } from '../model/app.ts';
import type { Address, AppId, TestId } from '../model/ids.ts';
import type { DeclaredTest, ObservedTest, RunnableTest } from '../model/load-test.ts';
import type { RunResult } from '../run-record/run-result.ts';
import type { TestState } from '../model/test-state.ts';
import type { FieldChange } from './differences.ts';
import type { Digests } from './digests.ts';
import type { Marker } from './ownership-marker.ts';

export type Action =
  | RegisterAction
  | VerifyAction
  | CreateAction
  | RunAction
  | StopAction
  | BlockedAction
  | DeferredAction
  | NoOpAction;

export type Verb = Action['verb'];

interface ActionBase {
  readonly address: Address;
  /** A short explanation, for display; null if the verb is sufficient. */
  readonly note: string | null;
}

export interface RegisterAction extends ActionBase {
  readonly verb: 'register';
  readonly app: DeclaredApp;
}

export interface VerifyAction extends ActionBase {
  readonly verb: 'verify';
  readonly app: DeclaredApp;
  /** ID of the app; null if this plan registers it. */
  readonly appId: AppId | null;
}

/** A `replace` action leaves the superseded tests on the service. */
export interface CreateAction extends ActionBase {
  readonly verb: 'create' | 'replace';
  readonly test: DeclaredTest;
  /** ID of the test with which the declared test was compared; null for `create`. */
  readonly replaces: TestId | null;
  /** The test with the ID in `replaces`, as listed by the service; null for `create`. */
  readonly previous: ObservedTest | null;
  readonly digests: Digests;
  readonly repetition: number;
  readonly changes: readonly FieldChange[];
}

export interface RunAction extends ActionBase {
  readonly verb: 'run';
  readonly test: RunnableTest;
  readonly observed: ObservedTest;
  /** Pointers to fields whose secrets could not be compared with the file. */
  readonly uncomparedSecrets: readonly string[];
}

export interface StopAction extends ActionBase {
  readonly verb: 'stop';
  readonly observed: ObservedTest;
}

export interface BlockedAction extends ActionBase {
  readonly verb: 'blocked';
  readonly test: DeclaredTest;
  readonly reason: string;
  /** Code of the reported problem. */
  readonly code: Code;
  readonly hint: string | null;
}

/** A create or replace action that `--no-run` defers because it would start load. */
export interface DeferredAction extends ActionBase {
  readonly verb: 'deferred';
  readonly test: DeclaredTest;
  readonly changes: readonly FieldChange[];
}

export interface NoOpAction extends ActionBase {
  readonly verb: 'no-op';
  readonly test: DeclaredTest;
  readonly observed: ObservedTest;
  readonly state: TestState;
  /** Verdict of the last run; null if the service does not return results. */
  readonly verdict: RunVerdict | null;
  /** The most recent result; null if there is none. */
  readonly result: RunResult | null;
  /** Marker of a test that exists more than once; null if it exists once or was adopted. */
  readonly duplicateMarker: Marker | null;
  readonly uncomparedSecrets: readonly string[];
}

export function startsLoad(action: Action): boolean {
  if (action.verb === 'create' || action.verb === 'replace') return action.test.spec.scheduledAt === null;
  return action.verb === 'run';
}

/** Reports whether an action counts as a change in `has_changes`. */
export function isChange({ verb }: { readonly verb: Verb }): boolean {
  return verb !== 'blocked' && verb !== 'deferred' && verb !== 'no-op';
}
