/** What a plan says will be done. Applying does these and nothing else. */
import type { Code } from '../codes.ts';
import type { RunVerdict } from '../model/run-verdict.ts';
import type { DeclaredApp } from '../model/app.ts';
import type { Address, AppId, TestId } from '../model/ids.ts';
import type { DeclaredTest, ObservedTest, RunnableTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run-result.ts';
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
  /** A word or two on why, for people; null where the verb says it all. */
  readonly note: string | null;
}

export interface RegisterAction extends ActionBase {
  readonly verb: 'register';
  readonly app: DeclaredApp;
}

export interface VerifyAction extends ActionBase {
  readonly verb: 'verify';
  readonly app: DeclaredApp;
  /** Null: registered by this plan. */
  readonly appId: AppId | null;
}

/** `replace` creates as well; the tests it supersedes stay where they are. */
export interface CreateAction extends ActionBase {
  readonly verb: 'create' | 'replace';
  readonly test: DeclaredTest;
  /** The test that the changes are against; null for create. */
  readonly replaces: TestId | null;
  readonly digests: Digests;
  readonly repetition: number;
  readonly changes: readonly FieldChange[];
}

export interface RunAction extends ActionBase {
  readonly verb: 'run';
  readonly test: RunnableTest;
  readonly observed: ObservedTest;
  /** Fields, by pointer, whose secrets could not be compared with those of the file. */
  readonly uncomparedSecrets: readonly string[];
}

export interface StopAction extends ActionBase {
  readonly verb: 'stop';
  readonly observed: ObservedTest;
  readonly state: TestState;
}

export interface BlockedAction extends ActionBase {
  readonly verb: 'blocked';
  readonly test: DeclaredTest;
  readonly reason: string;
  /** Of the problem that it is; its exit code is that of a command which meets it. */
  readonly code: Code;
  /** What would be right. */
  readonly hint: string | null;
}

/** A create or replace that `--no-run` holds back, since it would start load. */
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
  /** Of its last run; null where the service has no results at all. */
  readonly verdict: RunVerdict | null;
  /** The newest result; null where there is none to give. */
  readonly result: RunResult | null;
  /** The mark of a test that is there more than once; null: it is there once, or was adopted. */
  readonly duplicateMarker: Marker | null;
  /** As for `run`. */
  readonly uncomparedSecrets: readonly string[];
}

export function startsLoad(action: Action): boolean {
  switch (action.verb) {
    case 'create':
    case 'replace':
      return action.test.spec.scheduledAt === null;
    case 'run':
      return true;
    case 'register':
    case 'verify':
    case 'stop':
    case 'blocked':
    case 'deferred':
    case 'no-op':
      return false;
  }
}

/** Whether the action is a change, in the sense of `has_changes`. */
export function isChange({ verb }: { readonly verb: Verb }): boolean {
  return verb !== 'blocked' && verb !== 'deferred' && verb !== 'no-op';
}
