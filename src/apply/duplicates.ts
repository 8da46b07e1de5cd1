/**
 * Two tests of one mark: somebody else won too, or a request was executed late or twice.
 *
 * Source: docs/internals/reconciler.md, section 4.1, step 8.
 */
import { testAddress, testKey, type Address, type TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { isStoppable, stateOf } from '../core/model/test-state.ts';
import { ProblemError, problem, type Problem } from '../core/problem.ts';
import type { ServicePort } from '../core/ports/service-port.ts';
import { compareByFirstStart, firstStartOf, type FirstStartTimes } from '../core/reconcile/duplicates.ts';
import { readMarker, isSameCreation, type Marker } from '../core/reconcile/ownership-marker.ts';
import { readListedResults } from './history.ts';
import { listClosedDuplicates } from './known-tests.ts';
import { stopTest } from './stop-test.ts';
import type { ApplyContext } from './apply-context.ts';

export interface MarkedTest {
  readonly test: ObservedTest;
  readonly marker: Marker;
}

/** Tests of one mark, the one that counts first. */
export interface DuplicateGroup {
  readonly tests: readonly MarkedTest[];
  /** False: what the service shows may still change which of them counts. */
  readonly isDecided: boolean;
}

/** The tests that carry a mark which stands on more than one. Errors: CallError. */
export async function findDuplicates(
  items: readonly ObservedTest[],
  wanted: (marker: Marker) => boolean,
  context: Pick<ApplyContext, 'service' | 'clock'>,
): Promise<readonly DuplicateGroup[]> {
  const groups: MarkedTest[][] = [];
  for (const test of items) {
    const reading = readMarker(test.notes);
    if (reading.kind !== 'mark' || !wanted(reading.marker)) continue;
    const group = groups.find(
      ([first]) => first !== undefined && isSameCreation(first.marker, reading.marker),
    );
    if (group === undefined) groups.push([{ test, marker: reading.marker }]);
    else group.push({ test, marker: reading.marker });
  }
  const duplicates: DuplicateGroup[] = [];
  for (const group of groups.filter(({ length }) => length > 1)) {
    const ids = group.map(({ test }) => test.id);
    const { began, hasResults } = await readFirstStarts(ids, context.service);
    const waiting = group.every(({ test }) => stateOf(test, context.clock.now()) === 'scheduled');
    const isDecided = !hasResults || waiting || ids.every((id) => began.has(id));
    duplicates.push({ tests: group.toSorted(compareByFirstStart(began)), isDecided });
  }
  return duplicates;
}

/** Errors: CallError. */
export async function readFirstStarts(
  ids: readonly TestId[],
  service: Pick<ServicePort, 'listResults'>,
): Promise<{ readonly began: FirstStartTimes; readonly hasResults: boolean }> {
  const began = new Map<TestId, number>();
  let hasResults = false;
  for (const id of ids) {
    const results = await readListedResults(service, id);
    hasResults ||= results !== null;
    const first = firstStartOf(results ?? []);
    if (first !== null) began.set(id, first);
  }
  return { began, hasResults };
}

/** What is known of the doubles of the marks that a command made or met. */
export class Duplicates {
  readonly #context: ApplyContext;
  /** Of tests that this command created or adopted. */
  readonly #created: Marker[] = [];
  /** Of tests that the plan found doubled already, and told of. */
  readonly #known: Marker[] = [];
  readonly #stopped = new Set<TestId>();
  readonly #failed = new Map<TestId, Problem>();
  #found: readonly DuplicateGroup[] = [];

  constructor(context: ApplyContext) {
    this.#context = context;
  }

  get hasAny(): boolean {
    return this.#created.length + this.#known.length > 0;
  }

  add(marker: Marker): void {
    this.#created.push(marker);
  }

  addKnown(marker: Marker): void {
    this.#known.push(marker);
  }

  /** Stops what does not count, if this journal created it. Gives what the service lists. Errors: CallError. */
  async check(): Promise<readonly ObservedTest[]> {
    const { items } = await this.#context.service.listTests();
    const markers = [...this.#created, ...this.#known];
    const wanted = (marker: Marker) => markers.some((one) => isSameCreation(one, marker));
    this.#found = await findDuplicates(items, wanted, this.#context);
    const ours = new Set(this.#context.journal.lines().map((line) => line.nonce));
    for (const { tests, isDecided } of this.#found) {
      if (!isDecided) continue;
      for (const { test, marker } of tests.slice(1)) {
        if (ours.has(marker.nonce) && this.#isArmed(test)) await this.#stop(test);
      }
    }
    return items;
  }

  async #stop(test: ObservedTest): Promise<void> {
    try {
      const after = await stopTest(test, this.#context, 10_000);
      if (isStoppable(after.state)) return;
      this.#stopped.add(test.id);
      this.#failed.delete(test.id);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#failed.set(test.id, error.problem);
    }
  }

  #isArmed(test: ObservedTest): boolean {
    return !this.#stopped.has(test.id) && isStoppable(stateOf(test, this.#context.clock.now()));
  }

  /** What there is to tell, as it stood at the last check. */
  problems(): readonly { readonly address: Address; readonly problem: Problem }[] {
    return this.#found.flatMap((double) => {
      const [first] = double.tests;
      if (first === undefined) return [];
      const address = testAddress(testKey(first.marker.key));
      const failed = double.tests.flatMap(({ test }) => this.#failed.get(test.id) ?? []);
      const told = this.#problemOf(double, first.marker);
      return [...failed, ...(told === null ? [] : [told])].map((one) => ({ address, problem: one }));
    });
  }

  #problemOf({ tests, isDecided }: DuplicateGroup, marker: Marker): Problem | null {
    const others = tests.slice(1);
    const going = others.filter(({ test }) => this.#isArmed(test));
    const stopped = others.filter(({ test }) => this.#stopped.has(test.id));
    const head = `${tests.length} of test.${marker.key} exist`;
    const named = (these: readonly MarkedTest[]) => these.map(({ test }) => test.id).join(', ');
    if (going.length > 0) {
      const text = isDecided
        ? `${head}; ${named(going)} does not count, and still runs or is scheduled`
        : `${head}, and the service does not show which one was first: ${named(tests)}`;
      const hint = `if nobody else stops it: loadtests stop ${going.map(({ test }) => `id:${test.id}`).join(' ')}`;
      return problem('LT_PLAN_DUPLICATE', text, { hint });
    }
    if (stopped.length > 0) {
      return problem(
        'LT_PLAN_DUPLICATE',
        `${head}, ${duplicatesText(others)} was stopped: ${named(stopped)}`,
      );
    }
    // The plan has told of what stood there before.
    if (this.#known.some((one) => isSameCreation(one, marker))) return null;
    const text = `${head}, ${duplicatesText(others)} has ended: ${named(others)}`;
    return problem('LT_PLAN_DUPLICATE', text, { severity: 'warning', hint: '"loadtests recover" closes it' });
  }
}

function duplicatesText(others: readonly MarkedTest[]): string {
  return others.length === 1 ? 'the second' : 'each but the first';
}

/** A test beside the one that counts. */
export interface ExplainedDuplicate {
  readonly address: Address;
  readonly usedId: TestId;
  readonly id: TestId;
  /** False: it still runs or is scheduled. */
  readonly closed: boolean;
}

/** Writes to the journal that doubles which rest need no more telling. Errors: CallError. */
export async function closeDuplicates(
  items: readonly ObservedTest[],
  context: ApplyContext,
): Promise<readonly ExplainedDuplicate[]> {
  const { journal, clock } = context;
  const { service, p, e } = journal.identity;
  const closed = new Set(listClosedDuplicates(journal.lines()));
  const duplicates = await findDuplicates(
    items,
    (marker) => marker.project === p && marker.environment === e,
    context,
  );
  return duplicates.flatMap(({ tests: [first, ...others] }) => {
    if (first === undefined) return [];
    const open = others.filter(({ test }) => !closed.has(test.id));
    return open.map(({ test: { id, ...test }, marker }) => {
      const rests = !isStoppable(stateOf(test, clock.now()));
      const address = testAddress(testKey(marker.key));
      if (rests) {
        const of = { op: 'create', service, p, e, address, s: marker.listed, w: marker.unlisted } as const;
        // A request that was delivered twice made both with one nonce; that of the one that counts stays as it is.
        const nonce = `${marker.nonce}.${id}`;
        journal.write({ ...of, r: marker.repetition, nonce, phase: 'doubled', id, at: clock.now() });
      }
      return { address, usedId: first.test.id, id, closed: rests };
    });
  });
}
