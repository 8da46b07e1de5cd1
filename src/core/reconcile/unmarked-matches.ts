/**
 * Tests that may be the declared ones although they carry no mark: a service may drop notes, or shorten them.
 *
 * Source: docs/internals/reconciler.md, section 1.
 */
import type { TestId } from '../model/ids.ts';
import type { DeclaredTest, LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import { listedDifferences } from './differences.ts';
import { plainNotes, readMarker } from './ownership-marker.ts';
import { normalizeObserved, normalizeSpec, normalizeUrl, type Normalized } from './normalize.ts';

/** The id of a test that may be the declared one; null: there is none. */
export type FindUnmarkedMatch = (declared: DeclaredTest) => TestId | null;

/**
 * @param known ids that the file adopts, and those whose notes are not as the service lists them
 */
export function createUnmarkedMatchFinder(
  tests: readonly ObservedTest[],
  known: ReadonlySet<TestId>,
): FindUnmarkedMatch {
  // An account may have tens of thousands, and each declared test looks for its own: what all of them ask is found out once.
  const unmarked = new Map<ObservedTest['duration'], UnmarkedTest[]>();
  let keepsNotes = false;
  let longest = 0;
  for (const test of tests) {
    if (known.has(test.id)) continue;
    const notes = readStoredNotes(test.notes);
    // One test with notes shows that they are kept, and one with a whole mark, up to which length.
    keepsNotes ||= notes.plain !== null;
    if (notes.kind === 'mark') {
      longest = Math.max(longest, notes.length);
      continue;
    }
    const alike = unmarked.get(test.duration);
    if (alike === undefined) unmarked.set(test.duration, [{ test, notes }]);
    else alike.push({ test, notes });
  }
  return ({ spec }) => {
    const likely = (unmarked.get(spec.duration) ?? []).filter(({ notes }) => {
      if (notes.plain === null) return !keepsNotes;
      return isTruncationOf(notes, spec) && notes.length >= longest;
    });
    const wanted = normalizeSpec(spec);
    return likely.find(({ test }) => hasEqualFields(normalizeObserved(test), wanted))?.test.id ?? null;
  };
}

interface UnmarkedTest {
  readonly test: ObservedTest;
  readonly notes: StoredNotes;
}

/** What a service has left of notes. */
interface StoredNotes {
  readonly plain: string | null;
  readonly length: number;
  readonly kind: ReturnType<typeof readMarker>['kind'];
}

function readStoredNotes(notes: string | null): StoredNotes {
  return { plain: plainNotes(notes), length: notes?.length ?? 0, kind: readMarker(notes).kind };
}

/** Whether it is worth a look at its bodies: it has no mark, and what is compared first is the same. */
export function isPossibleMatch(test: ObservedTest, spec: LoadTestSpec): boolean {
  if (test.duration !== spec.duration) return false;
  const left = readStoredNotes(test.notes);
  if (left.kind === 'mark' || !isTruncationOf(left, spec)) return false;
  const targets = test.targets();
  if (targets.length !== spec.targets.length) return false;
  return spec.targets.every(
    ({ url }, index) => normalizeUrl(url) === normalizeUrl(targets[index]?.url ?? ''),
  );
}

/** Whether notes may be what is left of those that were sent, which end with a mark. */
function isTruncationOf({ plain, kind }: StoredNotes, spec: LoadTestSpec): boolean {
  return kind === 'damaged' || plain === null || spec.notes?.startsWith(plain) === true;
}

/** The same in all that is listed, but for notes and the values of secrets. */
function hasEqualFields(observed: Normalized, wanted: Normalized): boolean {
  const { changes } = listedDifferences(observed, wanted);
  return changes.every(({ field, rotated }) => field === '/notes' || rotated === true);
}
