/**
 * Checks for duplicate tests and runs after each create or start request, and at the end of the command. If the command
 * waits for runs, repeats the check while the service may still execute one of these requests.
 */
import type { ObservedTest } from '../../core/model/load-test.ts';
import { ProblemError, type Problem } from '../../core/problem.ts';
import type { ApplyContext } from '../apply-context.ts';
import type { Outcomes } from '../outcomes.ts';
import { DuplicateRuns } from './duplicate-runs.ts';
import { Duplicates } from './duplicates.ts';

interface DuplicateCheck {
  /** Null if the list was not read. */
  readonly items: readonly ObservedTest[] | null;
  /** Null if the check succeeded. */
  readonly problem: Problem | null;
}

/** Pause between checks before the list has settled, in ms. */
const PAUSE_MS = 500;
/** Growth factor of the pauses after the list has settled. */
const PAUSE_GROWTH = 1.5;

export class DuplicateWatch {
  readonly tests: Duplicates;
  readonly runs: DuplicateRuns;
  readonly #context: ApplyContext;
  readonly #outcomes: Outcomes;
  readonly #repeats: boolean;
  /** Monotonic time after the last create or start request; 0 before the first request. */
  #lastSent = 0;
  /** Monotonic time when each test that this command created had appeared in a list; null until then. */
  #listedAt: number | null = null;
  readonly #watches: Promise<void>[] = [];
  #pendingCheck: Promise<unknown> = Promise.resolve();
  readonly #ended = new AbortController();

  constructor(context: ApplyContext, outcomes: Outcomes, repeats: boolean) {
    this.tests = new Duplicates(context);
    this.runs = new DuplicateRuns(context);
    this.#context = context;
    this.#outcomes = outcomes;
    this.#repeats = repeats;
  }

  /** Returns the listed tests; null if the list was not read. */
  async checkAfterRequest(): Promise<readonly ObservedTest[] | null> {
    this.#lastSent = this.#context.clock.monotonic();
    this.#listedAt = null;
    const { items } = await this.#check();
    if (this.#repeats) this.#watches.push(this.#repeatCheck(this.#lastSent));
    return items;
  }

  /** Repeats the check while the service may still execute the request. */
  async #repeatCheck(sent: number): Promise<void> {
    const { clock, settle } = this.#context;
    const { signal } = this.#ended;
    try {
      for (let pause = PAUSE_MS; ;) {
        const remaining = sent + settle - clock.monotonic();
        if (remaining <= 0) break;
        await clock.sleep(Math.min(pause, remaining), signal);
        if (this.#unsettledTime() <= 0) pause *= PAUSE_GROWTH;
        // A later request has started another loop, which also covers this request.
        if (signal.aborted || this.#lastSent !== sent) break;
        await this.#check();
      }
    } catch (error) {
      this.#outcomes.haltForBug(error);
    }
  }

  /** Checks run one after another, so that no test is stopped twice. */
  async #check(isSettled = false): Promise<DuplicateCheck> {
    const check = this.#pendingCheck.then(async () => await this.#checkExclusively(isSettled));
    this.#pendingCheck = check.catch(() => undefined);
    return await check;
  }

  /** Returns the problem if a request fails. */
  async #checkExclusively(isSettled: boolean): Promise<DuplicateCheck> {
    if (this.#outcomes.isHalted) return { items: null, problem: null };
    try {
      const items = this.tests.hasAny ? await this.tests.check(isSettled) : null;
      if (this.tests.areAllListed) this.#listedAt ??= this.#context.clock.monotonic();
      if (this.runs.hasAny) await this.runs.check();
      return { items, problem: null };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { items: null, problem: error.problem };
    }
  }

  /** Waits until the list has settled or a signal arrives. Then performs a last check and reports the problems. */
  async end(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#watches);
    await this.#awaitSettledList();
    const { problem } = await this.#check(true);
    if (problem !== null) this.#outcomes.problems.push({ ...problem, severity: 'warning' });
    for (const { address, problem: found } of [...this.tests.problems(), ...this.runs.problems()]) {
      this.#outcomes.add(address, found);
    }
  }

  async #awaitSettledList(): Promise<void> {
    const { clock, interrupted } = this.#context;
    while (this.tests.hasAny) {
      const remaining = this.#unsettledTime();
      if (remaining <= 0 || interrupted.aborted || this.#outcomes.isHalted) return;
      await clock.sleep(Math.min(PAUSE_MS, remaining), interrupted);
      await this.#check();
    }
  }

  /**
   * Returns the time until the list is considered complete, in ms.
   * @remarks Lists may be outdated. The lag is estimated from the time that the tests of this command took to appear. A
   * test that another machine created in the meantime may take as long to appear. The list is therefore considered
   * complete after twice the lag, but at most after the settle time.
   */
  #unsettledTime(): number {
    const { clock, settle } = this.#context;
    const lag = this.#listedAt === null ? settle : 2 * (this.#listedAt - this.#lastSent);
    return this.#lastSent + Math.min(settle, lag) - clock.monotonic();
  }
}
