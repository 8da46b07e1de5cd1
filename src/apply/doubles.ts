/**
 * Two tests of one mark: somebody else won too, or a request was executed late or twice.
 *
 * Source: docs/design/reconciler.md, section 4.1, step 8.
 */
import { testAddress, testKey, type Address, type TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { isArmed, stateOf } from '../core/model/test-state.ts';
import { ProblemError, problem, type Problem } from '../core/problem.ts';
import type { ServicePort } from '../core/ports/service-port.ts';
import { earlierFirst, firstBegan, type Began } from '../core/reconcile/doubles.ts';
import { readMark, sameCreation, type Mark } from '../core/reconcile/mark.ts';
import { resultsOfListed } from './history.ts';
import { closedDoubles } from './known-tests.ts';
import { stopTest } from './stop-test.ts';
import type { World } from './world.ts';

export interface MarkedTest {
  readonly test: ObservedTest;
  readonly mark: Mark;
}

/** Tests of one mark, the one that counts first. */
export interface Double {
  readonly tests: readonly MarkedTest[];
  /** False: what the service shows may still change which of them counts. */
  readonly decided: boolean;
}

/** The tests that carry a mark which stands on more than one. Errors: CallError. */
export async function findDoubles(
  items: readonly ObservedTest[],
  wanted: (mark: Mark) => boolean,
  world: Pick<World, 'service' | 'clock'>,
): Promise<readonly Double[]> {
  const groups: MarkedTest[][] = [];
  for (const test of items) {
    const reading = readMark(test.notes);
    if (reading.kind !== 'mark' || !wanted(reading.mark)) continue;
    const group = groups.find(([first]) => first !== undefined && sameCreation(first.mark, reading.mark));
    if (group === undefined) groups.push([{ test, mark: reading.mark }]);
    else group.push({ test, mark: reading.mark });
  }
  const doubles: Double[] = [];
  for (const group of groups.filter(({ length }) => length > 1)) {
    const ids = group.map(({ test }) => test.id);
    const { began, hasResults } = await readBegan(ids, world.service);
    const waiting = group.every(({ test }) => stateOf(test, world.clock.now()) === 'scheduled');
    const decided = !hasResults || waiting || ids.every((id) => began.has(id));
    doubles.push({ tests: group.toSorted(earlierFirst(began)), decided });
  }
  return doubles;
}

/** Errors: CallError. */
export async function readBegan(
  ids: readonly TestId[],
  service: Pick<ServicePort, 'listResults'>,
): Promise<{ readonly began: Began; readonly hasResults: boolean }> {
  const began = new Map<TestId, number>();
  let hasResults = false;
  for (const id of ids) {
    const results = await resultsOfListed(service, id);
    hasResults ||= results !== null;
    const first = firstBegan(results ?? []);
    if (first !== null) began.set(id, first);
  }
  return { began, hasResults };
}

/** What is known of the doubles of the marks that a command made or met. */
export class Doubles {
  readonly #world: World;
  /** Of tests that this command created or adopted. */
  readonly #made: Mark[] = [];
  /** Of tests that the plan found doubled already, and told of. */
  readonly #met: Mark[] = [];
  readonly #stopped = new Set<TestId>();
  readonly #failed = new Map<TestId, Problem>();
  #found: readonly Double[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get any(): boolean {
    return this.#made.length + this.#met.length > 0;
  }

  add(mark: Mark): void {
    this.#made.push(mark);
  }

  meet(mark: Mark): void {
    this.#met.push(mark);
  }

  /** Stops what does not count, if this journal created it. Gives what the service lists. Errors: CallError. */
  async check(): Promise<readonly ObservedTest[]> {
    const { items } = await this.#world.service.listTests();
    const marks = [...this.#made, ...this.#met];
    const wanted = (mark: Mark) => marks.some((one) => sameCreation(one, mark));
    this.#found = await findDoubles(items, wanted, this.#world);
    const ours = new Set(this.#world.journal.lines().map((line) => line.nonce));
    for (const { tests, decided } of this.#found) {
      if (!decided) continue;
      for (const { test, mark } of tests.slice(1)) {
        if (ours.has(mark.nonce) && this.#armed(test)) await this.#stop(test);
      }
    }
    return items;
  }

  async #stop(test: ObservedTest): Promise<void> {
    try {
      const after = await stopTest(test, this.#world, 10_000);
      if (isArmed(after.state)) return;
      this.#stopped.add(test.id);
      this.#failed.delete(test.id);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#failed.set(test.id, error.problem);
    }
  }

  #armed(test: ObservedTest): boolean {
    return !this.#stopped.has(test.id) && isArmed(stateOf(test, this.#world.clock.now()));
  }

  /** What there is to tell, as it stood at the last check. */
  problems(): readonly { readonly address: Address; readonly problem: Problem }[] {
    return this.#found.flatMap((double) => {
      const [first] = double.tests;
      if (first === undefined) return [];
      const address = testAddress(testKey(first.mark.key));
      const failed = double.tests.flatMap(({ test }) => this.#failed.get(test.id) ?? []);
      const told = this.#problemOf(double, first.mark);
      return [...failed, ...(told === null ? [] : [told])].map((one) => ({ address, problem: one }));
    });
  }

  #problemOf({ tests, decided }: Double, mark: Mark): Problem | null {
    const others = tests.slice(1);
    const going = others.filter(({ test }) => this.#armed(test));
    const stopped = others.filter(({ test }) => this.#stopped.has(test.id));
    const head = `${tests.length} of test.${mark.key} exist`;
    const named = (these: readonly MarkedTest[]) => these.map(({ test }) => test.id).join(', ');
    if (going.length > 0) {
      const text = decided
        ? `${head}; ${named(going)} does not count, and still runs or is scheduled`
        : `${head}, and the service does not show which one was first: ${named(tests)}`;
      const hint = `if nobody else stops it: loadtests stop ${going.map(({ test }) => `id:${test.id}`).join(' ')}`;
      return problem('LT_PLAN_DUPLICATE', text, { hint });
    }
    if (stopped.length > 0) {
      return problem('LT_PLAN_DUPLICATE', `${head}, ${ordinal(others)} was stopped: ${named(stopped)}`);
    }
    // The plan has told of what stood there before.
    if (this.#met.some((one) => sameCreation(one, mark))) return null;
    const text = `${head}, ${ordinal(others)} has ended: ${named(others)}`;
    return problem('LT_PLAN_DUPLICATE', text, { severity: 'warning', hint: '"loadtests recover" closes it' });
  }
}

function ordinal(others: readonly MarkedTest[]): string {
  return others.length === 1 ? 'the second' : 'each but the first';
}

/** A test beside the one that counts. */
export interface ExplainedDouble {
  readonly address: Address;
  readonly counts: TestId;
  readonly id: TestId;
  /** False: it still runs or is scheduled. */
  readonly closed: boolean;
}

/** Writes to the journal that doubles which rest need no more telling. Errors: CallError. */
export async function closeDoubles(
  items: readonly ObservedTest[],
  world: World,
): Promise<readonly ExplainedDouble[]> {
  const { journal, clock } = world;
  const { service, p, e } = journal.identity;
  const closed = new Set(closedDoubles(journal.lines()));
  const doubles = await findDoubles(items, (mark) => mark.project === p && mark.environment === e, world);
  return doubles.flatMap(({ tests: [first, ...others] }) => {
    if (first === undefined) return [];
    const open = others.filter(({ test }) => !closed.has(test.id));
    return open.map(({ test: { id, ...test }, mark }) => {
      const rests = !isArmed(stateOf(test, clock.now()));
      const address = testAddress(testKey(mark.key));
      if (rests) {
        const of = { op: 'create', service, p, e, address, s: mark.shown, w: mark.hidden } as const;
        // A request that was delivered twice made both with one nonce; that of the one that counts stays as it is.
        const nonce = `${mark.nonce}.${id}`;
        journal.write({ ...of, r: mark.repetition, nonce, phase: 'doubled', id, at: clock.now() });
      }
      return { address, counts: first.test.id, id, closed: rests };
    });
  });
}
