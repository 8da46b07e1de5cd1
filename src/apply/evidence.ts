/** What the service shows of an operation whose outcome is unknown. Sends nothing but GET. */
import { CallError } from '../core/call-error.ts';
import type { ResultId, TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { digestOfFields } from '../core/reconcile/digests.ts';
import { readMarker, type Marker } from '../core/reconcile/ownership-marker.ts';
import { normalizeObserved } from '../core/reconcile/normalize.ts';
import type { Listing, ServicePort } from '../core/ports/service-port.ts';
import type { CreateLine, JournalLine, StartLine } from './journal.ts';
import { fetchFullTest } from './full-tests.ts';
import type { ApplyContext } from './apply-context.ts';

export interface KnownTest {
  readonly id: TestId;
  /** As the service writes it. */
  readonly status: string;
}

export interface Evidence {
  readonly line: JournalLine;
  /** Tests that carry the mark of this very operation. */
  readonly withNonce: readonly KnownTest[];
  /** Other tests of the same project, environment and key. */
  readonly sameKey: readonly KnownTest[];
  /** Tests without a mark whose fields are those that a create sent: a service may drop notes. */
  readonly unmarkedMatches: readonly KnownTest[];
  /** Results that were not there before a start; null where the service has none to list, or for a create. */
  readonly newResults: readonly ResultId[] | null;
  /** The list may be one page of several: absence proves nothing then. */
  readonly maybeTruncated: boolean;
}

/** Errors: CallError. */
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
  const withNonce = own
    .filter(({ marker }) => marker.nonce === line.nonce)
    .map(({ test }) => toKnownTest(test));
  const others = own.filter(({ marker }) => marker.nonce !== line.nonce).map(({ test }) => toKnownTest(test));
  const unmarked = items.filter((test) => markerOf(test) === null);
  const unmarkedMatches = (await findTestsWithFields(line, unmarked, context)).map(toKnownTest);
  return { line, withNonce, sameKey: others, unmarkedMatches, newResults: null, maybeTruncated };
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
  const withNonce = test === undefined ? [] : [toKnownTest(test)];
  return { line, withNonce, sameKey: [], unmarkedMatches: [], newResults, maybeTruncated };
}

function nullOnNotFound(error: unknown): null {
  if (error instanceof CallError && error.status === 404) return null;
  throw error;
}

function toKnownTest({ id, status }: ObservedTest): KnownTest {
  return { id, status };
}

/** Those whose fields are the ones that a create sent. Errors: CallError. */
export async function findTestsWithFields(
  line: CreateLine,
  tests: readonly ObservedTest[],
  { service, sha256 }: Pick<ApplyContext, 'service' | 'sha256'>,
): Promise<readonly ObservedTest[]> {
  const alike: ObservedTest[] = [];
  for (const test of tests) {
    // One after the other, since each may be large.
    const whole = await fetchFullTest(test, service);
    if (digestOfFields(normalizeObserved(whole), sha256) === line.s) alike.push(test);
  }
  return alike;
}

export function markerOf(test: ObservedTest): Marker | null {
  const reading = readMarker(test.notes);
  return reading.kind === 'mark' ? reading.marker : null;
}

/** Whether a mark is of the project, environment and key that a line of the journal is about. */
export function hasSameKey(marker: Marker, line: JournalLine): boolean {
  return marker.project === line.p && marker.environment === line.e && `test.${marker.key}` === line.address;
}
