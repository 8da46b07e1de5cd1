/**
 * Checks for duplicates during an execution. They run after each request, until the service can no longer
 * execute the request late.
 */
import type { ObservedTest } from '../../core/model/load-test.ts';
import { ProblemError, type Problem } from '../../core/problem.ts';
import type { ApplyContext } from '../apply-context.ts';
import type { Outcomes } from '../outcomes.ts';
import { DuplicateRuns } from './duplicate-runs.ts';
import { Duplicates } from './duplicates.ts';

/** Result of a check for duplicates. */
interface DuplicateCheck {
  /** The listed tests; null if the list was not read. */
  readonly items: readonly ObservedTest[] | null;
  /** Error of the check; null if it succeeded. */
  readonly problem: Problem | null;
}

export class DuplicateWatch {
  readonly tests: Duplicates;
  readonly runs: DuplicateRuns;
  readonly #context: ApplyContext;
  readonly #outcomes: Outcomes;
  /** True to repeat the checks while runs are awaited. */
  readonly #repeats: boolean;
  /** Time of the last request that may be executed twice, on the monotonic clock. */
  #lastSent = 0;
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

  /**
   * Checks after each create and start, so that duplicates do not load the host for long. Returns the listed
   * tests; null if they were not read.
   */
  async checkAfterRequest(): Promise<readonly ObservedTest[] | null> {
    this.#lastSent = this.#context.clock.monotonic();
    const { items } = await this.#check();
    if (this.#repeats) this.#watches.push(this.#repeatCheck(this.#lastSent));
    return items;
  }

  /** Repeats the check while runs are awaited, until the service can no longer execute the request late. */
  async #repeatCheck(sent: number): Promise<void> {
    const { clock, settle } = this.#context;
    const { signal } = this.#ended;
    try {
      for (let pause = 2000; ; pause *= 2) {
        const remaining = sent + settle - clock.monotonic();
        if (remaining <= 0) break;
        await clock.sleep(Math.min(pause, remaining), signal);
        // A later request has its own loop, which covers all requests.
        if (signal.aborted || this.#lastSent !== sent) break;
        await this.#check();
      }
    } catch (error) {
      this.#outcomes.haltForBug(error);
    }
  }

  /** Runs one check at a time, so that no test is stopped twice. */
  async #check(): Promise<DuplicateCheck> {
    const check = this.#pendingCheck.then(async () => await this.#checkExclusively());
    this.#pendingCheck = check.catch(() => undefined);
    return await check;
  }

  /** Performs one check. If a read fails, the next check repeats it. */
  async #checkExclusively(): Promise<DuplicateCheck> {
    if (this.#outcomes.isHalted) return { items: null, problem: null };
    try {
      const items = this.tests.hasAny ? await this.tests.check() : null;
      if (this.runs.hasAny) await this.runs.check();
      return { items, problem: null };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { items: null, problem: error.problem };
    }
  }

  /** Ends the repeated checks and adds the problems of a last check to the outcomes. */
  async end(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#watches);
    const { problem } = await this.#check();
    if (problem !== null) this.#outcomes.problems.push({ ...problem, severity: 'warning' });
    for (const { address, problem: found } of [...this.tests.problems(), ...this.runs.problems()]) {
      this.#outcomes.add(address, found);
    }
  }
}
