/** What a service would hold after a file was applied: one side of comparing two files, without a service. */
import type { Sha256 } from '../canonical.ts';
import { appId, testId, type TestId } from '../model/ids.ts';
import type { DeclaredTest, ObservedTarget, ObservedTest, TargetSpec } from '../model/load-test.ts';
import type { DesiredState, ObservedState } from '../model/state.ts';
import { digestsOf } from './digests.ts';
import { notesWithMarker } from './ownership-marker.ts';

/**
 * Apps are verified, tests carry their marks, and what has no time of its own has run.
 *
 * @param now milliseconds since the epoch
 */
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
  around: { readonly sha256: Sha256; readonly now: number; readonly index: number },
): ObservedTest {
  const { listed, unlisted } = digestsOf(spec, around.sha256);
  const mark = { project, environment, key, listed, unlisted, repetition: 0, nonce: 'applied0' };
  const armed = spec.scheduledAt !== null && spec.scheduledAt > around.now;
  return {
    ...spec,
    id: adopt ?? idOf(key, around.index),
    status: armed ? 'pending' : 'complete',
    statusKind: armed ? 'pending' : 'complete',
    // An adopted test is known by its id; nobody has marked it.
    notes: adopt === null ? notesWithMarker(spec.notes, mark) : spec.notes,
    targets: () => spec.targets.map(toListedTarget),
    bodies: 'whole',
  };
}

/** For people, where a plan names a test by its id. */
function idOf(key: string, index: number): TestId {
  return testId(/^[A-Za-z0-9_-]+$/.test(key) ? key : `test-${index}`);
}

function toListedTarget(target: TargetSpec): ObservedTarget {
  return {
    ...target,
    credentials: target.credentials && { login: target.credentials.login, password: null },
    headers: target.headers ?? [],
    params: target.params ?? [],
  };
}
