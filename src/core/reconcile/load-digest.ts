/** What of a test makes its load: runs of another load are not compared. */
import type { Sha256 } from '../canonical.ts';
import type { LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import { TEST_FIELDS } from '../model/test-fields.ts';
import { unlistedDifferences, listedDifferences, type FieldChange } from './differences.ts';
import { digestsOf } from './digests.ts';
import type { OwnTest } from './match.ts';
import { normalizeObserved, normalizeSpec, normalizeFull } from './normalize.ts';

/** All that is said of a test and not of its load. */
const NON_LOAD_FIELDS = ['name', 'notes', 'callback', 'callbackEmail', 'scheduledAt'] as const;

/** The same for every spec of the same load. No secret is in it. */
export function loadDigest(spec: LoadTestSpec, sha256: Sha256): string {
  const beside = { name: null, notes: null, callback: null, callbackEmail: null, scheduledAt: null } as const;
  const { listed, unlisted } = digestsOf({ ...spec, ...beside } satisfies NonLoadFields, sha256);
  return `${listed}.${unlisted}`;
}

type NonLoadFields = LoadTestSpec & Readonly<Record<(typeof NON_LOAD_FIELDS)[number], null>>;

/** Of the changes between two specs those that make another load. */
export function loadChanges(changes: readonly FieldChange[]): readonly FieldChange[] {
  const beside = NON_LOAD_FIELDS.map((key) => `/${TEST_FIELDS[key].name}`);
  return changes.filter(({ field, rotated }) => rotated !== true && !beside.includes(field));
}

/** What makes the load of a test on the service another one than a declared one; none: it is the same. */
export function loadDifferencesFromSpec(
  { test, marker }: OwnTest,
  spec: LoadTestSpec,
  sha256: Sha256,
): readonly FieldChange[] {
  const { changes, urls } = listedDifferences(normalizeObserved(test), normalizeSpec(spec));
  return loadChanges([...changes, ...unlistedDifferences(marker, spec, { urls, sha256 })]);
}

/** What makes the loads of two tests on a service different ones; none: they are the same, as far as it shows them. */
export function loadDifferencesBetween(before: ObservedTest, after: ObservedTest): readonly FieldChange[] {
  return loadChanges(listedDifferences(normalizeFull(before), normalizeFull(after)).changes);
}
