/**
 * Where a service does not keep notes, the id in the journal's `done` line counts as the mark.
 *
 * Source: docs/design/reconciler.md, section 1, last paragraphs.
 */
import type { TestId } from '../core/model/ids.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { notesWithMark, readNotes, type Mark } from '../core/reconcile/mark.ts';
import type { CreateLine, JournalLine } from './journal.ts';

export interface KnownTests {
  readonly tests: readonly ObservedTest[];
  /** Those whose mark the service did not keep. */
  readonly unmarked: readonly TestId[];
}

/** Puts the marks back that the service dropped or shortened. */
export function withKnownMarks(tests: readonly ObservedTest[], lines: readonly JournalLine[]): KnownTests {
  const done = new Map<TestId, CreateLine>();
  for (const line of lines) {
    if (line.op === 'create' && line.phase === 'done' && line.id !== null) done.set(line.id, line);
  }
  const unmarked: TestId[] = [];
  const restored = tests.map((test) => {
    const line = done.get(test.id);
    // Of an account's thousands of tests few are in the journal.
    if (line === undefined) return test;
    const { own, reading } = readNotes(test.notes);
    if (reading.kind === 'mark') return test;
    unmarked.push(test.id);
    return { ...test, notes: notesWithMark(own, markOf(line)) };
  });
  return { tests: restored, unmarked };
}

function markOf(line: CreateLine): Mark {
  return {
    project: line.p,
    environment: line.e,
    key: keyOfAddress(line.address),
    shown: line.s,
    hidden: line.w,
    repetition: line.r,
    nonce: line.nonce,
  };
}
