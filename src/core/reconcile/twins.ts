/**
 * Tests that may be the declared ones although they carry no mark: a service may drop notes, or shorten them.
 *
 * Source: docs/design/reconciler.md, section 1, last paragraph.
 */
import type { TestId } from '../model/ids.ts';
import type { DeclaredTest, LoadTestSpec, ObservedTest } from '../model/load-test.ts';
import { shownDifferences } from './differences.ts';
import { plainNotes, readMark } from './mark.ts';
import { normalizeObserved, normalizeSpec, normalizeUrl, type Normalized } from './normalize.ts';

/** The id of a test that may be the declared one; null: there is none. */
export type TwinOf = (declared: DeclaredTest) => TestId | null;

/**
 * @param known ids that the file adopts, and those whose notes are not as the service lists them
 */
export function twinFinder(tests: readonly ObservedTest[], known: ReadonlySet<TestId>): TwinOf {
  const others = tests.filter(({ id }) => !known.has(id));
  // One test with notes shows that they are kept, and one with a whole mark, up to which length.
  const keepsNotes = others.some(({ notes }) => plainNotes(notes) !== null);
  const unmarked = others.filter(({ notes }) => readMark(notes).kind !== 'mark');
  const kept = others.filter(({ notes }) => readMark(notes).kind === 'mark');
  const longest = kept.reduce((most, { notes }) => Math.max(most, notes?.length ?? 0), 0);
  return ({ spec }) => {
    const candidates = unmarked.filter(({ notes }) => {
      if (plainNotes(notes) === null || notes === null) return !keepsNotes;
      return isBeginning(notes, spec) && notes.length >= longest;
    });
    const wanted = normalizeSpec(spec);
    // An account may have tens of thousands.
    const likely = candidates.filter(({ duration }) => duration === spec.duration);
    return likely.find((test) => isAlike(normalizeObserved(test), wanted))?.id ?? null;
  };
}

/** Whether it is worth a look at its bodies: it has no mark, and what is compared first is the same. */
export function mayBeTwin(test: ObservedTest, spec: LoadTestSpec): boolean {
  if (test.duration !== spec.duration || readMark(test.notes).kind === 'mark') return false;
  if (test.notes !== null && !isBeginning(test.notes, spec)) return false;
  const targets = test.targets();
  if (targets.length !== spec.targets.length) return false;
  return spec.targets.every(
    ({ url }, index) => normalizeUrl(url) === normalizeUrl(targets[index]?.url ?? ''),
  );
}

/** Whether notes may be what is left of those that were sent, which end with a mark. */
function isBeginning(notes: string, spec: LoadTestSpec): boolean {
  const plain = plainNotes(notes) ?? '';
  return readMark(notes).kind === 'damaged' || plain === '' || spec.notes?.startsWith(plain) === true;
}

/** The same in all that is listed, but for notes and the values of secrets. */
function isAlike(observed: Normalized, wanted: Normalized): boolean {
  const { changes } = shownDifferences(observed, wanted);
  return changes.every(({ field, rotated }) => field === '/notes' || rotated === true);
}
