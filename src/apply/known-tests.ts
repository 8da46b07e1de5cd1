/**
 * The tests of a service: those that it lists, and those that the journal or the file names by their ids.
 *
 * Shape:  a list may lag, be cut off, or lack our marks. An id that a create was answered with counts as a mark.
 * Source: docs/internals/reconciler.md, sections 1 and 4.1.
 */
import { CallError } from '../core/call-error.ts';
import type { TestId } from '../core/model/ids.ts';
import { isRemoteId, keyOfAddress } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import type { Listing, ServicePort } from '../core/ports/service-port.ts';
import { notesWithMarker, readNotes, type Marker } from '../core/reconcile/ownership-marker.ts';
import { forEachConcurrent } from './concurrency.ts';
import type { CreateLine, JournalLine } from './journal.ts';
import { computeBackoff, isKeyRefusal } from './write-retry.ts';
import type { ApplyContext } from './apply-context.ts';

export interface KnownTests {
  readonly tests: readonly ObservedTest[];
  /** Those whose mark the service did not keep. */
  readonly unmarked: readonly TestId[];
  /** Of those that were created: the service says that they are not there. */
  readonly missing: readonly CreateLine[];
}

/** What is known beside the list. */
export interface KnownIds {
  readonly lines: readonly JournalLine[];
  /** Ids that the file adopts. */
  readonly adopted: readonly TestId[];
}

/** Asks for what the list does not show, and puts marks back that were dropped or shortened. Errors: CallError. */
export async function withKnownTests(
  { items }: Listing<ObservedTest>,
  service: ServicePort,
  named: KnownIds,
): Promise<KnownTests> {
  const done = createdTestsById(named.lines);
  const unlisted = await fetchUnlistedTests(items, service, [...done.keys(), ...named.adopted]);
  const unmarked: TestId[] = [];
  const tests = [...items, ...unlisted].map((test) => {
    const line = done.get(test.id);
    // Of an account's thousands of tests few are in the journal.
    if (line === undefined) return test;
    const { own, reading } = readNotes(test.notes);
    if (reading.kind === 'mark') return test;
    unmarked.push(test.id);
    return { ...test, notes: notesWithMarker(own, markerOf(line)) };
  });
  const there = new Set(tests.map(({ id }) => id));
  const missing = [...done].flatMap(([id, line]) => (there.has(id) ? [] : [line]));
  return { tests, unmarked, missing };
}

/** Those that were created and not found to be gone since, by their ids. */
function createdTestsById(lines: readonly JournalLine[]): ReadonlyMap<TestId, CreateLine> {
  const done = new Map<TestId, CreateLine>();
  for (const line of lines) {
    if (line.op !== 'create' || line.phase !== 'done' || line.id === null) continue;
    // Whatever stands in the file enters a path of the service.
    if (isRemoteId(line.id)) done.set(line.id, line);
  }
  return done;
}

/** Doubles that are explained: nobody needs to be told of them again. */
export function listClosedDuplicates(lines: readonly JournalLine[]): readonly TestId[] {
  return lines.flatMap(({ op, phase, id }) =>
    op === 'create' && phase === 'doubled' && id !== null ? [id] : [],
  );
}

/** How many are asked for at once. */
const MAX_CONCURRENT = 4;

/** Tests that are there although the list does not show them. Errors: CallError. */
export async function fetchUnlistedTests(
  listed: readonly ObservedTest[],
  service: Pick<ServicePort, 'getTest'>,
  ids: readonly TestId[],
): Promise<readonly ObservedTest[]> {
  const shown = new Set(listed.map(({ id }) => id));
  const unlisted = [...new Set(ids)].filter((id) => !shown.has(id));
  const found: ObservedTest[] = [];
  await forEachConcurrent(unlisted, MAX_CONCURRENT, async (id) => {
    const test = await findTest(service, id);
    if (test !== null) found.push(test);
  });
  return found;
}

/** Null: the service says that there is none. Errors: CallError. */
async function findTest(service: Pick<ServicePort, 'getTest'>, id: TestId): Promise<ObservedTest | null> {
  try {
    return (await service.getTest(id)).test;
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return null;
    throw error;
  }
}

/**
 * Asks again for tests that are said not to be there, until the service has had its time.
 *
 * Shape:  gives whether one of them is there after all. Those that stay away are written to the journal as gone, so
 *         that nobody asks for them again.
 */
export async function confirmMissing(lines: readonly CreateLine[], context: ApplyContext): Promise<boolean> {
  if (lines.length === 0) return false;
  const ids = lines.map(({ id }) => id).filter((id) => id !== null);
  const addresses = [...new Set(lines.map(({ address }) => address))].join(', ');
  const text = `the service does not find what it created for ${addresses}; asking again before it is created anew`;
  if (context.settle > 0) context.emit({ kind: 'note', text });
  if (!(await areStillMissing(ids, context))) return !context.interrupted.aborted;
  for (const line of lines) context.journal.write({ ...line, phase: 'gone', at: context.clock.now() });
  return false;
}

/** Whether none of them is found for as long as the service may take; also false at a signal. Errors: CallError. */
async function areStillMissing(ids: readonly TestId[], context: ApplyContext): Promise<boolean> {
  const { clock, service, interrupted } = context;
  const deadline = clock.monotonic() + context.settle;
  for (let attempt = 1; ; attempt++) {
    const left = deadline - clock.monotonic();
    try {
      if ((await fetchUnlistedTests([], service, ids)).length > 0 || interrupted.aborted) return false;
      if (left <= 0) return true;
    } catch (error) {
      // A read that failed is never "gone".
      if (!(error instanceof CallError) || isKeyRefusal(error) || left <= 0) throw error;
    }
    await clock.sleep(Math.min(Math.max(left, 0), computeBackoff(attempt, context)), interrupted);
  }
}

function markerOf(line: CreateLine): Marker {
  return {
    project: line.p,
    environment: line.e,
    key: keyOfAddress(line.address),
    listed: line.s,
    unlisted: line.w,
    repetition: line.r,
    nonce: line.nonce,
  };
}
