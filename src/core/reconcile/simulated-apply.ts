/** Simulates the content of a service after a file was applied, to compare two files. */
import type { Sha256 } from '../canonical.ts';
import { appId, testId, type TestId } from '../model/ids.ts';
import type { DeclaredTest, ObservedTarget, ObservedTest, TargetSpec } from '../model/load-test.ts';
import { bodyFieldsOf } from '../model/request-body.ts';
import type { DesiredState, ObservedState } from '../model/state.ts';
import { digestsOf } from './digests.ts';
import { notesWithMarker } from './ownership-marker.ts';

/** Returns the state of a service after an apply: apps are verified, and tests without a future start time have run. */
export function simulateApply(desired: DesiredState, sha256: Sha256, now: number): ObservedState {
  return {
    apps: desired.apps.map(({ host }, index) => ({ id: appId(`app-${index}`), host, status: 'verified' })),
    tests: desired.tests.map((test, index) => simulateTest(test, desired, { sha256, now, index })),
    maybeTruncated: false,
    firstStartTimes: new Map(),
  };
}

function simulateTest(
  { key, spec, adopt }: DeclaredTest,
  { project, environment }: DesiredState,
  context: { readonly sha256: Sha256; readonly now: number; readonly index: number },
): ObservedTest {
  const { listed, unlisted } = digestsOf(spec, context.sha256);
  const marker = { project, environment, key, listed, unlisted, repetition: 0, nonce: 'applied0' };
  const isScheduled = spec.scheduledAt !== null && spec.scheduledAt > context.now;
  return {
    ...spec,
    id: adopt ?? idOf(key, context.index),
    status: isScheduled ? 'pending' : 'complete',
    statusKind: isScheduled ? 'pending' : 'complete',
    // An adopted test is recognized by its ID and has no marker.
    notes: adopt === null ? notesWithMarker(spec.notes, marker) : spec.notes,
    targets: (limit) => spec.targets.slice(0, limit).map(toListedTarget),
    setup: spec.setup && { ...spec.setup, targets: spec.setup.targets.map(toListedTarget) },
    teardown: spec.teardown && { ...spec.teardown, targets: spec.teardown.targets.map(toListedTarget) },
    bodies: 'whole',
  };
}

/** Returns a readable ID for display in plans. */
function idOf(key: string, index: number): TestId {
  return testId(/^[A-Za-z0-9_-]+$/.test(key) ? key : `test-${index}`);
}

function toListedTarget(target: TargetSpec): ObservedTarget {
  const body = bodyFieldsOf(target.body);
  return {
    ...target,
    ...body,
    credentials: target.credentials && { login: target.credentials.login, password: null },
    awsSigv4: target.awsSigv4 && { ...target.awsSigv4, secretAccessKey: null, sessionToken: null },
    headers: target.headers ?? [],
    params: body.params ?? [],
  };
}
