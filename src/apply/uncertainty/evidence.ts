/** Evidence on the service for an operation with an unknown outcome. Sends only GET requests. */
import { keyOfAddress, testAddress, testKey, type ResultId } from '../../core/model/ids.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { digestOfFields } from '../../core/reconcile/digests.ts';
import {
  notesWithMarker,
  readMarker,
  readNotes,
  type Marker,
} from '../../core/reconcile/ownership-marker.ts';
import { normalizeObserved } from '../../core/reconcile/normalize.ts';
import { mayBeTruncated } from '../../core/reconcile/stored-notes.ts';
import type { Listing, ServicePort } from '../../core/ports/service-port.ts';
import type { CreateLine, JournalLine, StartLine } from './journal.ts';
import { nullOnNotFound } from './lookups.ts';
import { fetchFullTest } from '../observation/full-tests.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface Evidence {
  readonly line: JournalLine;
  /** Tests with the nonce of the create request. For a start request, the test to start, if listed. */
  readonly withNonce: readonly ObservedTest[];
  /** Other tests of the same project, environment and key. */
  readonly sameKey: readonly ObservedTest[];
  /** Tests with the fields of the create request, but without a marker, which the service may have dropped. */
  readonly unmarkedMatches: readonly ObservedTest[];
  /** Results since the start request; null for a create request or if the service returns no results. */
  readonly newResults: readonly ResultId[] | null;
  /** True if the list may be incomplete, so that a missing test proves nothing. */
  readonly maybeTruncated: boolean;
}

/** @throws CallError if the service cannot be read. */
export async function readEvidence(
  line: JournalLine,
  list: Listing<ObservedTest>,
  context: Pick<ApplyContext, 'service' | 'sha256'>,
): Promise<Evidence> {
  return line.op === 'create'
    ? await readCreateEvidence(line, list, context)
    : await readStartEvidence(line, list, context.service);
}

async function readCreateEvidence(
  line: CreateLine,
  { items, maybeTruncated }: Listing<ObservedTest>,
  context: Pick<ApplyContext, 'service' | 'sha256'>,
): Promise<Evidence> {
  const own = items.flatMap((test) => {
    const marker = markerOf(test);
    return marker !== null && hasSameKey(marker, line) ? [{ test, marker }] : [];
  });
  const withNonce = own.filter(({ marker }) => marker.nonce === line.nonce).map(({ test }) => test);
  const sameKey = own.filter(({ marker }) => marker.nonce !== line.nonce).map(({ test }) => test);
  const unmarked = items.filter((test) => markerOf(test) === null);
  const unmarkedMatches = await findTestsWithFields(line, unmarked, context);
  return { line, withNonce, sameKey, unmarkedMatches, newResults: null, maybeTruncated };
}

async function readStartEvidence(
  line: StartLine,
  { items, maybeTruncated }: Listing<ObservedTest>,
  service: ServicePort,
): Promise<Evidence> {
  const test = items.find(({ id }) => id === line.id);
  const before = line.before ?? [];
  const results = await service.listResults(line.id).catch(nullOnNotFound);
  const newResults = results?.map(({ id }) => id).filter((id) => !before.includes(id)) ?? null;
  const withNonce = test === undefined ? [] : [test];
  return { line, withNonce, sameKey: [], unmarkedMatches: [], newResults, maybeTruncated };
}

/**
 * Returns tests that have the fields of the create request and whose notes may have been truncated.
 * @throws CallError
 */
export async function findTestsWithFields(
  line: CreateLine,
  tests: readonly ObservedTest[],
  { service, sha256 }: Pick<ApplyContext, 'service' | 'sha256'>,
): Promise<readonly ObservedTest[]> {
  const matches: ObservedTest[] = [];
  for (const test of tests) {
    const own = sentNotes(line, test);
    if (!mayBeTruncated(test.notes, own)) continue;
    // Tests are read one after another, because request bodies may be large.
    const full = await fetchFullTest(test, service);
    const sent = { ...full, notes: notesWithMarker(own, sentMarker(line)) };
    if (digestOfFields(normalizeObserved(sent), sha256) === line.s) matches.push(test);
  }
  return matches;
}

/** Returns the notes in the journal; if the line has none, the notes on the service. */
export function sentNotes({ notes }: CreateLine, test: ObservedTest): string | null {
  return notes === undefined ? readNotes(test.notes).own : notes;
}

/** Returns the members of a journal line that record a marker. `sentMarker` returns the marker again. */
export function recordOfMarker(
  marker: Marker,
  service: string,
): Omit<CreateLine, 'phase' | 'id' | 'notes' | 'at' | 'up' | 'result'> {
  return {
    op: 'create',
    service,
    p: marker.project,
    e: marker.environment,
    address: testAddress(testKey(marker.key)),
    s: marker.listed,
    w: marker.unlisted,
    r: marker.repetition,
    nonce: marker.nonce,
  };
}

export function sentMarker(line: CreateLine): Marker {
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

export function markerOf(test: ObservedTest): Marker | null {
  const reading = readMarker(test.notes);
  return reading.kind === 'marker' ? reading.marker : null;
}

export function hasSameKey(marker: Marker, line: JournalLine): boolean {
  return marker.project === line.p && marker.environment === line.e && `test.${marker.key}` === line.address;
}
