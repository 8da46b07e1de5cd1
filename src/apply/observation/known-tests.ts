/**
 * Tests in the list of a service, and unlisted tests that the journal or the file references by ID.
 * @remarks A list may be outdated, truncated or without markers. The ID from a create response identifies a test as
 * reliably as a marker.
 * @see docs/internals/reconciler.md, sections 1 and 4.1
 */
import { CallError } from '../../core/call-error.ts';
import type { ObservedApp } from '../../core/model/app.ts';
import type { AppId, TestId } from '../../core/model/ids.ts';
import { isRemoteId } from '../../core/model/ids.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import type { Listing, ServicePort } from '../../core/ports/service-port.ts';
import { notesWithMarker, plainNotes } from '../../core/reconcile/ownership-marker.ts';
import { mayBeTruncated } from '../../core/reconcile/stored-notes.ts';
import { forEachConcurrent } from '../concurrency.ts';
import { markerOf, sentMarker, sentNotes } from '../uncertainty/evidence.ts';
import type { CreateLine, JournalLine } from '../uncertainty/journal.ts';
import { nullOnNotFound } from '../uncertainty/lookups.ts';
import { computeBackoff, isKeyRefusal } from '../uncertainty/sending.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface KnownTests {
  readonly tests: readonly ObservedTest[];
  /** Created tests whose marker the service did not store. */
  readonly unmarked: readonly TestId[];
  /** Journal lines of created tests that do not exist on the service. */
  readonly missing: readonly CreateLine[];
}

export interface KnownIds {
  readonly lines: readonly JournalLine[];
  readonly adopted: readonly TestId[];
}

/** Adds unlisted tests, and restores markers that the service dropped or truncated. @throws CallError */
export async function withKnownTests(
  { items }: Listing<ObservedTest>,
  service: ServicePort,
  known: KnownIds,
): Promise<KnownTests> {
  const done = createdTestsById(known.lines);
  const unlisted = await fetchUnlistedTests(items, service, [...done.keys(), ...known.adopted]);
  const unmarked: TestId[] = [];
  const tests = [...items, ...unlisted].map((test) => {
    const line = done.get(test.id);
    if (line === undefined || markerOf(test) !== null) return test;
    unmarked.push(test.id);
    const sent = sentNotes(line, test);
    const own = mayBeTruncated(test.notes, sent) ? sent : plainNotes(test.notes);
    return { ...test, notes: notesWithMarker(own, sentMarker(line)) };
  });
  const missing = new Map(done);
  for (const { id } of tests) missing.delete(id);
  return { tests, unmarked, missing: [...missing.values()] };
}

/**
 * Adds apps with the given IDs that exist but are not listed.
 * @throws CallError
 */
export async function withKnownApps(
  listed: readonly ObservedApp[],
  service: Pick<ServicePort, 'getApp'>,
  ids: readonly AppId[],
): Promise<readonly ObservedApp[]> {
  return [...listed, ...(await fetchUnlisted(listed, ids, async (id) => await service.getApp(id)))];
}

/** Returns the journal lines of created tests, by test ID. Omits tests that are recorded as gone. */
function createdTestsById(lines: readonly JournalLine[]): ReadonlyMap<TestId, CreateLine> {
  const done = new Map<TestId, CreateLine>();
  for (const line of lines) {
    if (line.op !== 'create' || line.phase !== 'done' || line.id === null) continue;
    // The ID becomes part of a URL path, and the journal may have been modified.
    if (isRemoteId(line.id)) done.set(line.id, line);
  }
  return done;
}

export function listClosedDuplicates(lines: readonly JournalLine[]): ReadonlySet<TestId> {
  return new Set(
    lines.flatMap(({ op, phase, id }) =>
      op === 'create' && phase === 'duplicate' && id !== null ? [id] : [],
    ),
  );
}

const MAX_CONCURRENT = 4;

/** Returns tests with the given IDs that exist but are not listed. @throws CallError */
export async function fetchUnlistedTests(
  listed: readonly ObservedTest[],
  service: Pick<ServicePort, 'getTest'>,
  ids: readonly TestId[],
): Promise<readonly ObservedTest[]> {
  return await fetchUnlisted(listed, ids, async (id) => (await service.getTest(id)).test);
}

async function fetchUnlisted<Item extends { readonly id: string }>(
  listed: readonly Item[],
  ids: readonly Item['id'][],
  read: (id: Item['id']) => Promise<Item>,
): Promise<readonly Item[]> {
  const unlisted = new Set(ids);
  for (const { id } of listed) unlisted.delete(id);
  const found: Item[] = [];
  await forEachConcurrent([...unlisted], MAX_CONCURRENT, async (id) => {
    const item = await read(id).catch(nullOnNotFound);
    if (item !== null) found.push(item);
  });
  return found;
}

/**
 * Repeats the read of missing tests until the settle time has passed. If all tests remain missing, records them as
 * gone, so that later commands ignore them.
 * @returns True if at least one of the tests exists; false otherwise, and after a signal.
 */
export async function confirmMissing(lines: readonly CreateLine[], context: ApplyContext): Promise<boolean> {
  if (lines.length === 0) return false;
  const ids = lines.map(({ id }) => id).filter((id) => id !== null);
  const addresses = [...new Set(lines.map(({ address }) => address))].join(', ');
  const text = `the service does not list the test of ${addresses}, which was created earlier; checking again before re-creating it`;
  if (context.settle > 0) context.emit({ kind: 'note', text });
  if (!(await areStillMissing(ids, context))) return !context.interrupted.aborted;
  for (const line of lines) context.journal.write({ ...line, phase: 'gone', at: context.clock.now() });
  return false;
}

/**
 * Returns false as soon as a test exists or a signal has arrived; true after the settle time.
 * @throws CallError
 */
async function areStillMissing(ids: readonly TestId[], context: ApplyContext): Promise<boolean> {
  const { clock, service, interrupted } = context;
  const deadline = clock.monotonic() + context.settle;
  for (let attempt = 1; ; attempt++) {
    const remaining = deadline - clock.monotonic();
    try {
      if ((await fetchUnlistedTests([], service, ids)).length > 0 || interrupted.aborted) return false;
      if (remaining <= 0) return true;
    } catch (error) {
      // A failed read is repeated, because it does not prove that the tests are missing.
      if (!(error instanceof CallError) || isKeyRefusal(error) || remaining <= 0) throw error;
    }
    await clock.sleep(Math.min(Math.max(remaining, 0), computeBackoff(attempt, context)), interrupted);
  }
}
