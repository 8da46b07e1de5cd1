/**
 * Matching of declared tests with the tests on the service.
 * @see docs/internals/reconciler.md, section 1
 */
import { AWS_HIDDEN, textsOfAws } from '../model/aws-sigv4.ts';
import { HIDDEN_TEXTS } from '../model/connection.ts';
import { PHASES } from '../model/phase.ts';
import type { Sha256 } from '../canonical.ts';
import type { TestId, TestKey } from '../model/ids.ts';
import { testKey } from '../model/ids.ts';
import type { DeclaredTest, LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import type { DesiredState, ObservedState } from '../model/state.ts';
import { TEST_FIELDS, URL_FIELDS } from '../model/test-fields.ts';
import { pointerOf } from '../pointer.ts';
import { isStepEnd, MEMBERS_PER_STEP, type Steps } from '../steps.ts';
import { listedDifferences, unlistedDifferences, type FieldChange } from './differences.ts';
import { compareByFirstStart, type FirstStartTimes } from './duplicates.ts';
import { digestsOf, type Digests } from './digests.ts';
import { readMarker, type Marker } from './ownership-marker.ts';
import { readUnlistedFields, findLostFields, type LostField } from './unlisted-fields.ts';
import { normalizeObserved, normalizeSpec, pointerInUrl } from './normalize.ts';
import { UnmarkedTests } from './unmarked-matches.ts';

/** A test on the service that has the marker of this project and environment. */
export interface OwnTest {
  readonly test: ObservedTest;
  readonly marker: Marker;
}

export type FoundTest =
  | { readonly kind: 'absent' }
  /** `marker` is null if the test was adopted by its ID. `drift` excludes rotated secrets. */
  | {
      readonly kind: 'present';
      readonly test: ObservedTest;
      readonly marker: Marker | null;
      readonly drift: readonly FieldChange[];
      readonly rotated: readonly FieldChange[];
      readonly uncomparedSecrets: readonly string[];
    }
  /**
   * The declared test differs from `test`, as described by `changes`. `test` is the adopted test or the last listed
   * test with the key.
   */
  | { readonly kind: 'other'; readonly test: ObservedTest; readonly changes: readonly FieldChange[] };

export interface Match {
  readonly declared: DeclaredTest;
  readonly digests: Digests;
  readonly found: FoundTest;
  /** Tests with this key that have a different spec or a lower repetition. */
  readonly superseded: readonly OwnTest[];
  /** Tests whose marker differs from the marker of the matched test only in the nonce. */
  readonly duplicates: readonly OwnTest[];
  /** The highest repetition among the tests with this key. */
  readonly repetition: number;
  /** Reason why the `id` in the file has no effect; null if it has an effect, is unnecessary, or is not set. */
  readonly adoptionFailure: AdoptionFailure | null;
  /** Fields of the adopted test that the file does not contain and that a replacement would lose. */
  readonly lostFields: readonly LostField[];
}

export type AdoptionFailure =
  | { readonly kind: 'missing' }
  /** According to its marker, the test belongs to another key in the file. */
  | { readonly kind: 'taken'; readonly by: TestKey };

export interface Matching {
  readonly matches: readonly Match[];
  /** Tests of this project and environment whose key was removed from the file. */
  readonly orphaned: readonly OwnTest[];
  readonly damaged: readonly ObservedTest[];
  /** Number of tests that are not adopted and have no marker of this project and environment. */
  readonly unmanaged: number;
  readonly unmarked: UnmarkedTests;
}

/**
 * Matches declared tests with tests on the service. Yields after each step, because accounts may contain tens of
 * thousands of tests.
 */
export function* matchTests(desired: DesiredState, observed: ObservedState, sha256: Sha256): Steps<Matching> {
  const own = new Map<TestKey, OwnTest[]>();
  const declaredKeys = new Set(desired.tests.map((declared) => declared.key));
  const adopters = new Map(desired.tests.map(({ adopt, key }) => [adopt, key]));
  /** Tests that another key adopts and whose own key was removed from the file. */
  const pinned = new Map<TestKey, OwnTest>();
  const owners = new Map<TestId, TestKey>();
  const adoptable = new Map<TestId | null, ObservedTest>();
  const unmarked = new UnmarkedTests();
  const damaged: ObservedTest[] = [];
  let unmanaged = 0;
  for (const [index, test] of observed.tests.entries()) {
    if (isStepEnd(index)) yield;
    const reading = readMarker(test.notes);
    if (adopters.has(test.id)) {
      adoptable.set(test.id, test);
    } else {
      unmarked.add(test, reading);
      if (reading.kind === 'damaged') damaged.push(test);
    }
    if (reading.kind === 'marker' && isOurs(reading.marker, desired)) {
      const key = testKey(reading.marker.key);
      const now = desired.moved.get(key) ?? key;
      const found: OwnTest = { test, marker: reading.marker };
      const adopter = adopters.get(test.id) ?? now;
      const tests = own.get(now);
      if (declaredKeys.has(now)) owners.set(test.id, now);
      if (adopter !== now && !declaredKeys.has(now)) pinned.set(adopter, found);
      else if (tests === undefined) own.set(now, [found]);
      else tests.push(found);
    } else if (!adopters.has(test.id)) {
      unmanaged++;
    }
  }
  const { firstStartTimes } = observed;
  const matches: Match[] = [];
  let compared = 0;
  for (const declared of desired.tests) {
    const candidates = own.get(declared.key) ?? [];
    compared += candidates.length;
    if (compared > MEMBERS_PER_STEP) {
      yield;
      compared = 0;
    }
    const adopted = adoptable.get(declared.adopt);
    const match = matchTest({ declared, candidates, adopted, owners, firstStartTimes, sha256 });
    const other = pinned.get(declared.key);
    matches.push(other === undefined ? match : { ...match, superseded: [other, ...match.superseded] });
  }
  // An adopted test belongs to the adopting key, regardless of its marker.
  const used = new Set(matches.flatMap(({ found }) => (found.kind === 'present' ? [found.test.id] : [])));
  const withoutUsed = (tests: readonly OwnTest[]) => tests.filter(({ test }) => !used.has(test.id));
  const orphaned = [...own].flatMap(([key, tests]) => (declaredKeys.has(key) ? [] : withoutUsed(tests)));
  return {
    matches: matches.map((match) => ({ ...match, superseded: withoutUsed(match.superseded) })),
    orphaned,
    damaged,
    unmanaged,
    unmarked,
  };
}

function isOurs(marker: Marker, desired: DesiredState): boolean {
  return marker.project === desired.project && marker.environment === desired.environment;
}

function matchTest(input: {
  readonly declared: DeclaredTest;
  readonly candidates: readonly OwnTest[];
  /** The test that the file adopts; undefined if it adopts none, or if the test does not exist on the service. */
  readonly adopted: ObservedTest | undefined;
  /** Declared keys of the tests with a marker of this project and environment. */
  readonly owners: ReadonlyMap<TestId, TestKey>;
  readonly firstStartTimes: FirstStartTimes;
  readonly sha256: Sha256;
}): Match {
  const { declared, candidates, adopted, owners } = input;
  const digests = digestsOf(declared.spec, input.sha256);
  const fields = normalizeSpec(declared.spec);
  const equal = candidates.filter(
    ({ marker }) => marker.listed === digests.listed && marker.unlisted === digests.unlisted,
  );
  const highest = highestRepetition(equal);
  const used = equal
    .filter(({ marker }) => marker.repetition === highest)
    .sort(compareByFirstStart(input.firstStartTimes));
  const [current, ...duplicates] = used;
  const usedTests = new Set(used);
  const superseded = candidates.filter((one) => !usedTests.has(one));
  const lostFields = lostFieldsOfAdopted(input);
  const base = {
    declared,
    digests,
    superseded,
    duplicates,
    repetition: highestRepetition(candidates),
    adoptionFailure: null,
    lostFields,
  };
  if (current !== undefined) {
    const { changes, unknown } = listedDifferences(normalizeObserved(current.test), fields);
    const drift = changes.filter((change) => change.rotated !== true);
    const rotated = changes.filter((change) => change.rotated === true);
    const uncomparedSecrets = [...unknown, ...passwordsOf(declared.spec)];
    return { ...base, found: { kind: 'present', ...current, drift, rotated, uncomparedSecrets } };
  }
  if (declared.adopt !== null) {
    if (adopted === undefined)
      return { ...base, adoptionFailure: { kind: 'missing' }, found: { kind: 'absent' } };
    const owner = owners.get(adopted.id) ?? declared.key;
    if (owner !== declared.key)
      return { ...base, adoptionFailure: { kind: 'taken', by: owner }, found: { kind: 'absent' } };
    const { changes: listed, unknown, urls } = listedDifferences(normalizeObserved(adopted), fields);
    const changes = [
      ...listed,
      ...unlistedChangesOfAdopted(adopted, declared, { urls, sha256: input.sha256 }),
    ];
    const uncomparedSecrets = [...unknown, ...passwordsOf(declared.spec)];
    const found: FoundTest =
      changes.length === 0
        ? { kind: 'present', test: adopted, marker: null, drift: [], rotated: [], uncomparedSecrets }
        : { kind: 'other', test: adopted, changes };
    return { ...base, found };
  }
  const last = candidates.at(-1);
  if (last === undefined) return { ...base, found: { kind: 'absent' } };
  const { changes: listed, urls } = listedDifferences(normalizeObserved(last.test), fields);
  const unlisted = unlistedDifferences(last.marker, declared.spec, { urls, sha256: input.sha256 });
  const changes = [...listed, ...unlisted];
  return { ...base, found: { kind: 'other', test: last.test, changes } };
}

function highestRepetition(tests: readonly OwnTest[]): number {
  return tests.reduce((highest, { marker }) => Math.max(highest, marker.repetition), 0);
}

/**
 * Returns the fields that a replacement of the adopted test would lose. Returns none if another test was already
 * created for the key.
 */
function lostFieldsOfAdopted({
  declared,
  candidates,
  adopted,
  sha256,
}: Pick<
  Parameters<typeof matchTest>[0],
  'declared' | 'candidates' | 'adopted' | 'sha256'
>): readonly LostField[] {
  if (adopted === undefined || candidates.some((own) => own.test.id !== adopted.id)) return [];
  const reading = readMarker(adopted.notes);
  return findLostFields(
    readUnlistedFields(adopted, reading.kind === 'marker' ? reading.marker : null, sha256),
    declared,
  );
}

/**
 * Returns the changes in unlisted fields of an adopted test. Compares the error threshold and the variables only if the
 * file sets them.
 */
function unlistedChangesOfAdopted(
  test: ObservedTest,
  { spec }: DeclaredTest,
  options: Parameters<typeof unlistedDifferences>[2],
): FieldChange[] {
  const reading = readMarker(test.notes);
  if (reading.kind !== 'marker') return [];
  return unlistedDifferences(reading.marker, spec, options, {
    errorThreshold: spec.errorThreshold !== null,
    variables: spec.targets.some((target) => target.variables !== null),
    jsonBody: true,
  });
}

/** Returns pointers to passwords and keys, which cannot be compared because services do not return them. */
function passwordsOf(spec: LoadTestSpec): readonly string[] {
  const inUrls = (targets: LoadTestSpec['targets']) =>
    targets.flatMap(({ credentials, awsSigv4 }, index) => [
      ...(credentials === null || credentials.password === ''
        ? []
        : [pointerInUrl(index, pointerOf([URL_FIELDS.credentials.name, 'password']))]),
      ...(awsSigv4 === null ? [] : textsOfAws(awsSigv4))
        .filter(({ name }) => AWS_HIDDEN.includes(name))
        .map(({ name }) => pointerInUrl(index, pointerOf([URL_FIELDS.awsSigv4.name, name]))),
    ]);
  const inPhases = PHASES.flatMap((name) =>
    inUrls(spec[name]?.targets ?? []).map((pointer) => pointerOf([name]) + pointer),
  );
  const inConnections = (spec.connection ?? []).flatMap(({ host, options }) =>
    HIDDEN_TEXTS.flatMap((name) =>
      options[name] === undefined ? [] : [pointerOf([TEST_FIELDS.connection.name, host, name])],
    ),
  );
  return [...inUrls(spec.targets), ...inPhases, ...inConnections];
}
