/**
 * Detects and stops duplicates: several tests whose markers differ at most in the nonce. Causes are concurrent create
 * requests, and requests that are executed late or twice.
 * @see docs/internals/reconciler.md, section 4.1, step 8
 */
import { testAddress, testKey, type Address, type TestId } from '../../core/model/ids.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { isStoppable, stateOf } from '../../core/model/test-state.ts';
import { ProblemError, problem, type Problem } from '../../core/problem.ts';
import { formatDuration, milliseconds } from '../../core/units.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { compareByFirstStart, firstStartOf, type FirstStartTimes } from '../../core/reconcile/duplicates.ts';
import type { OwnTest } from '../../core/reconcile/match.ts';
import { isSameCreation, type Marker } from '../../core/reconcile/ownership-marker.ts';
import { readListedResults } from '../observation/history.ts';
import { listClosedDuplicates } from '../observation/known-tests.ts';
import { stopTest } from '../tests/stop-test.ts';
import { markerOf, recordOfMarker } from './evidence.ts';
import type { ApplyContext } from '../apply-context.ts';

/** Tests whose markers differ at most in the nonce. The first test is used. */
export interface DuplicateGroup {
  readonly tests: readonly OwnTest[];
  /** False if a later check may select a different test. */
  readonly isDecided: boolean;
  readonly firstStarts: FirstStartTimes;
}

/**
 * Returns the groups of duplicates among the tests.
 * @param isSettled - True if the list is complete. The order in each group is then final, even if the first start of a
 * test is unknown.
 * @throws CallError
 */
export async function findDuplicates(
  items: readonly ObservedTest[],
  isRelevant: (marker: Marker) => boolean,
  context: Pick<ApplyContext, 'service' | 'clock'>,
  isSettled = false,
): Promise<readonly DuplicateGroup[]> {
  const groups: OwnTest[][] = [];
  for (const test of items) {
    const marker = markerOf(test);
    if (marker === null || !isRelevant(marker)) continue;
    const group = groups.find(([first]) => first !== undefined && isSameCreation(first.marker, marker));
    if (group === undefined) groups.push([{ test, marker }]);
    else group.push({ test, marker });
  }
  const duplicates: DuplicateGroup[] = [];
  for (const group of groups.filter(({ length }) => length > 1)) {
    const ids = group.map(({ test }) => test.id);
    const { firstStarts, hasResults } = await readFirstStarts(ids, context.service);
    const isWaiting = group.every(({ test }) => stateOf(test, context.clock.now()) === 'scheduled');
    const isDecided = isSettled || !hasResults || isWaiting || ids.every((id) => firstStarts.has(id));
    duplicates.push({ tests: group.toSorted(compareByFirstStart(firstStarts)), isDecided, firstStarts });
  }
  return duplicates;
}

/** Returns the known times of first starts, and whether the service provides results. @throws CallError */
export async function readFirstStarts(
  ids: readonly TestId[],
  service: Pick<ServicePort, 'listResults'>,
): Promise<{ readonly firstStarts: FirstStartTimes; readonly hasResults: boolean }> {
  const firstStarts = new Map<TestId, number>();
  let hasResults = false;
  for (const id of ids) {
    const results = await readListedResults(service, id);
    hasResults ||= results !== null;
    const first = firstStartOf(results ?? []);
    if (first !== null) firstStarts.set(id, first);
  }
  return { firstStarts, hasResults };
}

export class Duplicates {
  readonly #context: ApplyContext;
  /** Markers of tests that this command created, or found instead of creating them. */
  readonly #created: Marker[] = [];
  readonly #ownIds: TestId[] = [];
  /** Markers of duplicates that the plan has already reported. */
  readonly #known: Marker[] = [];
  /** Times at which duplicates were stopped, in ms since the epoch. The clock of the service is used if possible. */
  readonly #stopped = new Map<TestId, number>();
  readonly #listed = new Set<TestId>();
  readonly #failed = new Map<TestId, Problem>();
  #found: readonly DuplicateGroup[] = [];

  constructor(context: ApplyContext) {
    this.#context = context;
  }

  get hasAny(): boolean {
    return this.#created.length + this.#known.length > 0;
  }

  /** @param id - ID of the test; null if another process created the test. */
  add(marker: Marker, id: TestId | null): void {
    this.#created.push(marker);
    if (id !== null) this.#ownIds.push(id);
  }

  get areAllListed(): boolean {
    return this.#ownIds.every((id) => this.#listed.has(id));
  }

  addKnown(marker: Marker): void {
    this.#known.push(marker);
  }

  /**
   * Stops active duplicates if their nonce is in the journal and their group is decided. Returns the listed tests.
   * @throws CallError
   */
  async check(isSettled: boolean): Promise<readonly ObservedTest[]> {
    const { items } = await this.#context.service.listTests();
    for (const { id } of items) this.#listed.add(id);
    const markers = [...this.#created, ...this.#known];
    const isRelevant = (marker: Marker) => markers.some((one) => isSameCreation(one, marker));
    this.#found = await findDuplicates(items, isRelevant, this.#context, isSettled);
    const ownNonces = new Set(this.#context.journal.lines().map((line) => line.nonce));
    for (const { tests, isDecided } of this.#found) {
      if (!isDecided) continue;
      for (const { test, marker } of tests.slice(1)) {
        if (ownNonces.has(marker.nonce) && this.#isActive(test)) await this.#stop(test);
      }
    }
    return items;
  }

  async #stop(test: ObservedTest): Promise<void> {
    try {
      const after = await stopTest(test, this.#context, 10_000);
      if (isStoppable(after.state)) return;
      const { service, clock } = this.#context;
      this.#stopped.set(test.id, service.serviceTime() ?? clock.now());
      this.#failed.delete(test.id);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#failed.set(test.id, error.problem);
    }
  }

  #isActive(test: ObservedTest): boolean {
    return !this.#stopped.has(test.id) && isStoppable(stateOf(test, this.#context.clock.now()));
  }

  problems(): readonly { readonly address: Address; readonly problem: Problem }[] {
    return this.#found.flatMap((group) => {
      const [first] = group.tests;
      if (first === undefined) return [];
      const address = testAddress(testKey(first.marker.key));
      const failed = group.tests.flatMap(({ test }) => this.#failed.get(test.id) ?? []);
      const found = this.#problemOf(group, first.marker);
      return [...failed, ...(found === null ? [] : [found])].map((one) => ({ address, problem: one }));
    });
  }

  #loadText(stopped: readonly OwnTest[], firstStarts: FirstStartTimes): string {
    const times = stopped.flatMap(({ test: { id } }) => {
      const [start, stop] = [firstStarts.get(id), this.#stopped.get(id)];
      return start === undefined || stop === undefined
        ? []
        : [formatDuration(milliseconds(Math.max(0, stop - start)))];
    });
    if (times.length === 0) return '; the service does not show how much additional load was generated';
    return `; ${times.length === 1 ? 'it' : 'they'} generated additional load for ${times.join(' and ')}`;
  }

  #problemOf({ tests, isDecided, firstStarts }: DuplicateGroup, marker: Marker): Problem | null {
    const others = tests.slice(1);
    const active = others.filter(({ test }) => this.#isActive(test));
    const stopped = others.filter(({ test }) => this.#stopped.has(test.id));
    const count = tests.length === 2 ? 'twice' : `${tests.length} times`;
    const head = `test.${marker.key} exists ${count}`;
    if (active.length > 0) {
      const text = isDecided
        ? `${head}: ${subjectText(active, 'is', 'are')} still running or scheduled`
        : `${head}, and the service does not show which test started first: ${idsText(tests)}`;
      const stop = `loadtests stop ${active.map(({ test }) => `id:${test.id}`).join(' ')}`;
      const hint = `if no other client stops the ${active.length === 1 ? 'duplicate' : 'duplicates'}, run: ${stop}`;
      return problem('LT_PLAN_DUPLICATE', text, { hint });
    }
    if (stopped.length > 0) {
      const load = this.#loadText(stopped, firstStarts);
      return problem('LT_PLAN_DUPLICATE', `${head}: ${subjectText(stopped, 'was', 'were')} stopped${load}`);
    }
    if (this.#known.some((one) => isSameCreation(one, marker))) return null;
    const times = others.length === 1 ? 'one more time' : `${others.length} more times`;
    const text = `${head}: ${subjectText(others, 'has', 'have')} ended, so the load of the test was generated ${times}`;
    return problem('LT_PLAN_DUPLICATE', text, {
      severity: 'warning',
      hint: 'to clear this warning, run "loadtests recover"',
    });
  }
}

/** Returns text such as `the duplicates ID2, ID3 are`. */
function subjectText(duplicates: readonly OwnTest[], singular: string, plural: string): string {
  const [noun, verb] = duplicates.length === 1 ? ['duplicate', singular] : ['duplicates', plural];
  return `the ${noun} ${idsText(duplicates)} ${verb}`;
}

function idsText(tests: readonly OwnTest[]): string {
  return tests.map(({ test }) => test.id).join(', ');
}

export interface ExplainedDuplicate {
  readonly address: Address;
  readonly usedId: TestId;
  readonly id: TestId;
  /** False if the duplicate is still running or scheduled. */
  readonly closed: boolean;
}

/**
 * Records inactive duplicates as closed in the journal, so that commands no longer report them. Returns the duplicates
 * that were not yet recorded as closed.
 * @throws CallError
 */
export async function closeDuplicates(
  items: readonly ObservedTest[],
  context: ApplyContext,
): Promise<readonly ExplainedDuplicate[]> {
  const { journal, clock } = context;
  const { service, p, e } = journal.identity;
  const closed = listClosedDuplicates(journal.lines());
  const duplicates = await findDuplicates(
    items,
    (marker) => marker.project === p && marker.environment === e,
    context,
  );
  return duplicates.flatMap(({ tests: [first, ...others] }) => {
    if (first === undefined) return [];
    const open = others.filter(({ test }) => !closed.has(test.id));
    return open.map(({ test: { id, ...test }, marker }) => {
      const isInactive = !isStoppable(stateOf(test, clock.now()));
      const address = testAddress(testKey(marker.key));
      if (isInactive) {
        // The tests may have the same nonce. The ID is added, because the journal line of the used test must not
        // change.
        const nonce = `${marker.nonce}.${id}`;
        const record = recordOfMarker({ ...marker, nonce }, service);
        journal.write({ ...record, phase: 'duplicate', id, at: clock.now() });
      }
      return { address, usedId: first.test.id, id, closed: isInactive };
    });
  });
}
