/** What the service shows of an operation whose outcome is unknown. Sends nothing but GET. */
import { CallError } from '../core/call-error.ts';
import type { ResultId, TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { digestOfFields } from '../core/reconcile/digests.ts';
import { readMark, type Mark } from '../core/reconcile/mark.ts';
import { normalizeObserved } from '../core/reconcile/normalize.ts';
import type { Listed, ServicePort } from '../core/ports/service-port.ts';
import type { CreateLine, JournalLine, StartLine } from './journal.ts';
import { wholeTest } from './whole-tests.ts';
import type { World } from './world.ts';

export interface SeenTest {
  readonly id: TestId;
  /** As the service writes it. */
  readonly status: string;
}

export interface Evidence {
  readonly line: JournalLine;
  /** Tests that carry the mark of this very operation. */
  readonly withNonce: readonly SeenTest[];
  /** Other tests of the same project, environment and key. */
  readonly sameKey: readonly SeenTest[];
  /** Tests without a mark whose fields are those that a create sent: a service may drop notes. */
  readonly alike: readonly SeenTest[];
  /** Results that were not there before a start; null where the service has none to list, or for a create. */
  readonly newResults: readonly ResultId[] | null;
  /** The list may be one page of several: absence proves nothing then. */
  readonly perhapsCut: boolean;
}

/** Errors: CallError. */
export async function evidenceOf(
  line: JournalLine,
  list: Listed<ObservedTest>,
  world: Pick<World, 'service' | 'sha256'>,
): Promise<Evidence> {
  return line.op === 'create' ? await ofCreate(line, list, world) : await ofStart(line, list, world.service);
}

async function ofCreate(
  line: CreateLine,
  { items, perhapsCut }: Listed<ObservedTest>,
  world: Pick<World, 'service' | 'sha256'>,
): Promise<Evidence> {
  const own = items.flatMap((test) => {
    const mark = markOf(test);
    return mark !== null && sameKey(mark, line) ? [{ test, mark }] : [];
  });
  const withNonce = own.filter(({ mark }) => mark.nonce === line.nonce).map(({ test }) => seen(test));
  const others = own.filter(({ mark }) => mark.nonce !== line.nonce).map(({ test }) => seen(test));
  const unmarked = items.filter((test) => markOf(test) === null);
  const alike = (await withFieldsOf(line, unmarked, world)).map(seen);
  return { line, withNonce, sameKey: others, alike, newResults: null, perhapsCut };
}

async function ofStart(
  line: StartLine,
  { items, perhapsCut }: Listed<ObservedTest>,
  service: ServicePort,
): Promise<Evidence> {
  const test = items.find(({ id }) => id === line.id);
  const before = line.before ?? [];
  const results = await service.listResults(line.id).catch(noneWhen404);
  const newResults = results?.map(({ id }) => id).filter((id) => !before.includes(id)) ?? null;
  const withNonce = test === undefined ? [] : [seen(test)];
  return { line, withNonce, sameKey: [], alike: [], newResults, perhapsCut };
}

function noneWhen404(error: unknown): null {
  if (error instanceof CallError && error.status === 404) return null;
  throw error;
}

function seen({ id, status }: ObservedTest): SeenTest {
  return { id, status };
}

/** Those whose fields are the ones that a create sent. Errors: CallError. */
export async function withFieldsOf(
  line: CreateLine,
  tests: readonly ObservedTest[],
  { service, sha256 }: Pick<World, 'service' | 'sha256'>,
): Promise<readonly ObservedTest[]> {
  const alike: ObservedTest[] = [];
  for (const test of tests) {
    // One after the other, since each may be large.
    const whole = await wholeTest(test, service);
    if (digestOfFields(normalizeObserved(whole), sha256) === line.s) alike.push(test);
  }
  return alike;
}

export function markOf(test: ObservedTest): Mark | null {
  const reading = readMark(test.notes);
  return reading.kind === 'mark' ? reading.mark : null;
}

/** Whether a mark is of the project, environment and key that a line of the journal is about. */
export function sameKey(mark: Mark, line: JournalLine): boolean {
  return mark.project === line.p && mark.environment === line.e && `test.${mark.key}` === line.address;
}
