/**
 * Unmarked tests that may be declared tests: a service may drop or truncate notes.
 *
 * @see docs/internals/reconciler.md, section 1
 */
import type { TestId } from '../model/ids.ts';
import type { DeclaredTest, LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import { listedDifferences } from './differences.ts';
import { plainNotes, readMarker } from './ownership-marker.ts';
import { normalizeObserved, normalizeSpec, normalizeUrl, type Normalized } from './normalize.ts';

/** Returns the id of an unmarked test that may be the declared one, or null. */
export type FindUnmarkedMatch = (declared: DeclaredTest) => TestId | null;

/**
 * Creates a finder that prepares the tests once: an account may have tens of thousands, and every declared
 * test searches them.
 *
 * @param known - Ids that the file adopts, and ids of tests whose notes the service is known to change.
 */
export function createUnmarkedMatchFinder(
  tests: readonly ObservedTest[],
  known: ReadonlySet<TestId>,
): FindUnmarkedMatch {
  const unmarked = new Map<ObservedTest['duration'], UnmarkedTest[]>();
  let storesNotes = false;
  let longestMarked = 0;
  for (const test of tests) {
    if (known.has(test.id)) continue;
    const notes = readStoredNotes(test.notes);
    // Any test with notes proves that notes are stored. A test with a complete marker proves up to which
    // length.
    storesNotes ||= notes.plain !== null;
    if (notes.kind === 'marker') {
      longestMarked = Math.max(longestMarked, notes.length);
      continue;
    }
    const sameDuration = unmarked.get(test.duration);
    if (sameDuration === undefined) unmarked.set(test.duration, [{ test, notes }]);
    else sameDuration.push({ test, notes });
  }
  return ({ spec }) => {
    const candidates = (unmarked.get(spec.duration) ?? []).filter(({ notes }) => {
      if (notes.plain === null) return !storesNotes;
      return isTruncationOf(notes, spec) && notes.length >= longestMarked;
    });
    const desired = normalizeSpec(spec);
    return candidates.find(({ test }) => hasEqualFields(normalizeObserved(test), desired))?.test.id ?? null;
  };
}

interface UnmarkedTest {
  readonly test: ObservedTest;
  readonly notes: StoredNotes;
}

/** Notes as stored by a service. */
interface StoredNotes {
  readonly plain: string | null;
  readonly length: number;
  readonly kind: ReturnType<typeof readMarker>['kind'];
}

function readStoredNotes(notes: string | null): StoredNotes {
  return { plain: plainNotes(notes), length: notes?.length ?? 0, kind: readMarker(notes).kind };
}

/**
 * Reports whether the bodies of a test need to be compared: it has no marker, and equal duration, notes and
 * URLs.
 */
export function isPossibleMatch(test: ObservedTest, spec: LoadTestSpec): boolean {
  if (test.duration !== spec.duration) return false;
  const notes = readStoredNotes(test.notes);
  if (notes.kind === 'marker' || !isTruncationOf(notes, spec)) return false;
  const targets = test.targets();
  if (targets.length !== spec.targets.length) return false;
  return spec.targets.every(
    ({ url }, index) => normalizeUrl(url) === normalizeUrl(targets[index]?.url ?? ''),
  );
}

/** Reports whether notes can be a truncated form of the notes that were sent, which end with a marker. */
function isTruncationOf({ plain, kind }: StoredNotes, spec: LoadTestSpec): boolean {
  return kind === 'damaged' || plain === null || spec.notes?.startsWith(plain) === true;
}

/** Reports whether all listed fields are equal, except for notes and the values of secrets. */
function hasEqualFields(observed: Normalized, desired: Normalized): boolean {
  const { changes } = listedDifferences(observed, desired);
  return changes.every(({ field, rotated }) => field === '/notes' || rotated === true);
}
