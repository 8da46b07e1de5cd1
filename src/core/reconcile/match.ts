/**
 * Pairs declared tests with the ones on the service.
 *
 * Source: docs/internals/reconciler.md, section 1.
 */
import type { Sha256 } from '../canonical.ts';
import type { TestId, TestKey } from '../model/ids.ts';
import { testKey } from '../model/ids.ts';
import type { DeclaredTest, LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import type { DesiredState, ObservedState } from '../model/state.ts';
import { URL_FIELDS } from '../model/test-fields.ts';
import { pointerOf } from '../pointer.ts';
import { listedDifferences, unlistedDifferences, type FieldChange } from './differences.ts';
import { compareByFirstStart } from './duplicates.ts';
import { digestsOf, type Digests } from './digests.ts';
import { readMarker, type Marker } from './ownership-marker.ts';
import { readUnlistedFields, findLostFields, type LostField } from './unlisted-fields.ts';
import { normalizeObserved, normalizeSpec, pointerInUrl } from './normalize.ts';

/** A test of ours on the service. */
export interface OwnTest {
  readonly test: ObservedTest;
  readonly marker: Marker;
}

export type FoundTest =
  /** Nothing of this key is there. */
  | { readonly kind: 'absent' }
  /** The wanted one is there, by its mark, or (null) adopted by its id. `drift`: its listed fields no longer agree. */
  | {
      readonly kind: 'present';
      readonly test: ObservedTest;
      readonly marker: Marker | null;
      readonly drift: readonly FieldChange[];
      /** Fields whose secrets have other values now. */
      readonly rotated: readonly FieldChange[];
      /** Fields, by pointer, whose secrets could not be compared. */
      readonly uncomparedSecrets: readonly string[];
    }
  /** Only others are there; changes are against the last of them in the service's list. */
  | { readonly kind: 'other'; readonly test: ObservedTest; readonly changes: readonly FieldChange[] };

export interface Match {
  readonly declared: DeclaredTest;
  readonly digests: Digests;
  readonly found: FoundTest;
  /** Ours of this key with another spec, or a lower repetition. */
  readonly superseded: readonly OwnTest[];
  /** Ours with the very same mark but for the nonce; the one that counts is not among them. */
  readonly duplicates: readonly OwnTest[];
  /** The highest repetition of this key. */
  readonly repetition: number;
  /** Why the file's `id` is not followed though nothing else of this key counts; null: it is, or there is none. */
  readonly adoptionFailure: AdoptionFailure | null;
  /** What a replacement would not have of the adopted test: the file does not give it. */
  readonly lostFields: readonly LostField[];
}

export type AdoptionFailure =
  /** The service has no such test. */
  | { readonly kind: 'missing' }
  /** By its mark it is that of another key of the file. */
  | { readonly kind: 'taken'; readonly by: TestKey };

export interface Matching {
  readonly matches: readonly Match[];
  /** Ours, of this project and environment, whose key left the file. */
  readonly orphaned: readonly OwnTest[];
  readonly damaged: readonly ObservedTest[];
  /** Without our mark, or of other projects or environments. */
  readonly unmanaged: number;
}

export function matchTests(desired: DesiredState, observed: ObservedState, sha256: Sha256): Matching {
  const own = new Map<TestKey, OwnTest[]>();
  const declaredKeys = new Set(desired.tests.map((declared) => declared.key));
  const adopters = new Map(desired.tests.map(({ adopt, key }) => [adopt, key]));
  /** Marked by a key that left the file, adopted by another: they count for that one alone. */
  const pinned = new Map<TestKey, OwnTest>();
  const owners = new Map<TestId, TestKey>();
  const damaged: ObservedTest[] = [];
  let unmanaged = 0;
  for (const test of observed.tests) {
    const reading = readMarker(test.notes);
    if (reading.kind === 'damaged' && !adopters.has(test.id)) damaged.push(test);
    if (reading.kind === 'mark' && isOurs(reading.marker, desired)) {
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
  const matches = desired.tests.map((declared) => {
    const match = matchTest({ declared, candidates: own.get(declared.key) ?? [], owners, observed, sha256 });
    const other = pinned.get(declared.key);
    return other === undefined ? match : { ...match, superseded: [other, ...match.superseded] };
  });
  // What is adopted counts for the key that adopts it, whatever its mark says.
  const adopted = new Set(
    matches.flatMap(({ declared, found }) =>
      found.kind === 'present' && found.test.id === declared.adopt ? [found.test.id] : [],
    ),
  );
  const left = (tests: readonly OwnTest[]) => tests.filter(({ test }) => !adopted.has(test.id));
  const orphaned = [...own].flatMap(([key, tests]) => (declaredKeys.has(key) ? [] : left(tests)));
  return {
    matches: matches.map((match) => ({ ...match, superseded: left(match.superseded) })),
    orphaned,
    damaged,
    unmanaged,
  };
}

function isOurs(marker: Marker, desired: DesiredState): boolean {
  return marker.project === desired.project && marker.environment === desired.environment;
}

function matchTest(given: {
  readonly declared: DeclaredTest;
  readonly candidates: readonly OwnTest[];
  /** The declared keys of tests with our mark. */
  readonly owners: ReadonlyMap<TestId, TestKey>;
  readonly observed: ObservedState;
  readonly sha256: Sha256;
}): Match {
  const { declared, candidates, owners, observed } = given;
  const wanted = digestsOf(declared.spec, given.sha256);
  const fields = normalizeSpec(declared.spec);
  const repetition = Math.max(0, ...candidates.map(({ marker }) => marker.repetition));
  const equal = candidates.filter(
    ({ marker }) => marker.listed === wanted.listed && marker.unlisted === wanted.unlisted,
  );
  const highest = Math.max(0, ...equal.map(({ marker }) => marker.repetition));
  const [counting, ...duplicates] = equal
    .filter(({ marker }) => marker.repetition === highest)
    .sort(compareByFirstStart(observed.firstStartTimes));
  const superseded = candidates.filter((one) => one !== counting && !duplicates.includes(one));
  const lostFields = lostFieldsOfAdopted(given);
  const base = {
    declared,
    digests: wanted,
    superseded,
    duplicates,
    repetition,
    adoptionFailure: null,
    lostFields,
  };
  if (counting !== undefined) {
    const { changes, unknown } = listedDifferences(normalizeObserved(counting.test), fields);
    const drift = changes.filter((change) => change.rotated !== true);
    const rotated = changes.filter((change) => change.rotated === true);
    const uncomparedSecrets = [...unknown, ...passwordsOf(declared.spec)];
    return { ...base, found: { kind: 'present', ...counting, drift, rotated, uncomparedSecrets } };
  }
  if (declared.adopt !== null) {
    const test = observed.tests.find((one) => one.id === declared.adopt);
    if (test === undefined)
      return { ...base, adoptionFailure: { kind: 'missing' }, found: { kind: 'absent' } };
    const owner = owners.get(test.id) ?? declared.key;
    // It cannot count for both.
    if (owner !== declared.key)
      return { ...base, adoptionFailure: { kind: 'taken', by: owner }, found: { kind: 'absent' } };
    const { changes: shown, unknown, urls } = listedDifferences(normalizeObserved(test), fields);
    const changes = [...shown, ...unlistedChangesOfAdopted(test, declared, { urls, sha256: given.sha256 })];
    const uncomparedSecrets = [...unknown, ...passwordsOf(declared.spec)];
    const found: FoundTest =
      changes.length === 0
        ? { kind: 'present', test, marker: null, drift: [], rotated: [], uncomparedSecrets }
        : { kind: 'other', test, changes };
    return { ...base, found };
  }
  const last = candidates.at(-1);
  if (last === undefined) return { ...base, found: { kind: 'absent' } };
  const { changes: shown, urls } = listedDifferences(normalizeObserved(last.test), fields);
  const hidden = unlistedDifferences(last.marker, declared.spec, { urls, sha256: given.sha256 });
  const changes = [...shown, ...hidden];
  return { ...base, found: { kind: 'other', test: last.test, changes } };
}

/** Where the file has created a test of this key, it has said all. */
function lostFieldsOfAdopted({
  declared,
  candidates,
  observed,
  sha256,
}: Pick<
  Parameters<typeof matchTest>[0],
  'declared' | 'candidates' | 'observed' | 'sha256'
>): readonly LostField[] {
  if (declared.adopt === null) return [];
  const test = observed.tests.find(({ id }) => id === declared.adopt);
  if (test === undefined || candidates.some((own) => own.test.id !== test.id)) return [];
  const reading = readMarker(test.notes);
  return findLostFields(
    readUnlistedFields(test, reading.kind === 'mark' ? reading.marker : null, sha256),
    declared,
  );
}

/** Of an adopted test only its mark can tell hidden fields; those that the file does not give are not compared. */
function unlistedChangesOfAdopted(
  test: ObservedTest,
  declared: DeclaredTest,
  around: Parameters<typeof unlistedDifferences>[2],
): FieldChange[] {
  const reading = readMarker(test.notes);
  if (reading.kind !== 'mark') return [];
  const { spec } = declared;
  const given = (field: string) =>
    field === '/error_threshold'
      ? spec.errorThreshold !== null
      : spec.targets.some((target) => target.variables !== null);
  return unlistedDifferences(reading.marker, spec, around).filter((change) => given(change.field));
}

/** Passwords are never compared: services do not give them back. */
function passwordsOf({ targets }: LoadTestSpec): readonly string[] {
  return targets.flatMap(({ credentials }, index) =>
    credentials === null || credentials.password === ''
      ? []
      : [pointerInUrl(index, pointerOf([URL_FIELDS.credentials.name, 'password']))],
  );
}
