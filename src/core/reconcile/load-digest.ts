/** Digest of the fields that determine the load of a test. */
import type { Sha256 } from '../canonical.ts';
import type { LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import { TEST_FIELDS } from '../model/test-fields.ts';
import { unlistedDifferences, listedDifferences, type FieldChange } from './differences.ts';
import { digestsOf } from './digests.ts';
import type { OwnTest } from './match.ts';
import { normalizeObserved, normalizeSpec, normalizeFull } from './normalize.ts';

const WITHOUT_NON_LOAD_FIELDS = {
  name: null,
  notes: null,
  callback: null,
  callbackEmail: null,
  scheduledAt: null,
} as const satisfies Partial<LoadTestSpec>;

const NON_LOAD_POINTERS = Object.entries(TEST_FIELDS).flatMap(([key, { name }]) =>
  Object.hasOwn(WITHOUT_NON_LOAD_FIELDS, key) ? [`/${name}`] : [],
);

/** Returns a digest that is equal for specs with the same load, regardless of the values of secrets. */
export function loadDigest(spec: LoadTestSpec, sha256: Sha256): string {
  const { listed, unlisted } = digestsOf({ ...spec, ...WITHOUT_NON_LOAD_FIELDS }, sha256);
  return `${listed}.${unlisted}`;
}

export function loadChanges(changes: readonly FieldChange[]): readonly FieldChange[] {
  return changes.filter(({ field, rotated }) => rotated !== true && !NON_LOAD_POINTERS.includes(field));
}

export function loadDifferencesFromSpec(
  { test, marker }: OwnTest,
  spec: LoadTestSpec,
  sha256: Sha256,
): readonly FieldChange[] {
  const { changes, urls } = listedDifferences(normalizeObserved(test), normalizeSpec(spec));
  return loadChanges([...changes, ...unlistedDifferences(marker, spec, { urls, sha256 })]);
}

/** Returns the differences in load between two tests on a service, based on the fields that the service lists. */
export function loadDifferencesBetween(before: ObservedTest, after: ObservedTest): readonly FieldChange[] {
  return loadChanges(listedDifferences(normalizeFull(before), normalizeFull(after)).changes);
}
