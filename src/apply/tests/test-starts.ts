import { CallError } from '../../core/call-error.ts';
import type { TestId } from '../../core/model/ids.ts';
import type { ObservedTest, RunnableTest } from '../../core/model/load-test.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import type { CreateAction, RunAction } from '../../core/reconcile/action.ts';
import { unmarkedProblem } from '../../core/reconcile/plan-problems.ts';
import type { ApplyContext } from '../apply-context.ts';
import { refuseUnavailableTargets } from '../apps/available-targets.ts';
import type { Outcomes } from '../outcomes.ts';
import type { Runs } from '../runs/runs.ts';
import type { DuplicateWatch } from '../uncertainty/duplicate-watch.ts';
import { markerOf } from '../uncertainty/evidence.ts';
import { isKeyRefusal } from '../uncertainty/sending.ts';
import { createTest } from './create-test.ts';
import { startRun } from './start-run.ts';

interface StartDependencies {
  readonly context: ApplyContext;
  readonly outcomes: Outcomes;
  readonly runs: Runs;
  readonly duplicates: DuplicateWatch;
  readonly allowUnmarked: boolean;
}

export class TestStarts {
  /** Tests that were not started, so that tests that need them cannot start either. */
  readonly failed = new Set<RunnableTest>();
  readonly idsToPin: { readonly key: string; readonly id: TestId }[] = [];
  readonly #context: ApplyContext;
  readonly #outcomes: Outcomes;
  readonly #runs: Runs;
  readonly #duplicates: DuplicateWatch;
  readonly #allowUnmarked: boolean;
  /** List that consecutive create requests share; null if the next request must read the list. */
  #listCache: readonly ObservedTest[] | null = null;
  #notesDropped = false;

  constructor({ context, outcomes, runs, duplicates, allowUnmarked }: StartDependencies) {
    this.#context = context;
    this.#outcomes = outcomes;
    this.#runs = runs;
    this.#duplicates = duplicates;
    this.#allowUnmarked = allowUnmarked;
  }

  /** Ends a sequence of create requests that share a list. */
  endSequence(): void {
    this.#listCache = null;
  }

  /** Creates or starts a test. Returns a function that waits for the run; null if no run starts now. */
  async start(action: CreateAction | RunAction): Promise<(() => Promise<void>) | null> {
    try {
      await refuseUnavailableTargets(action.test, this.#context);
      return action.verb === 'run' ? await this.#startExisting(action) : await this.#create(action);
    } catch (error) {
      this.#listCache = null;
      this.failed.add(action.test);
      this.#outcomes.fail(action, error);
      if (this.#outcomes.of(action) === 'unknown') this.#runs.unfinished.add(action.test);
      return null;
    }
  }

  async #startExisting(action: RunAction): Promise<(() => Promise<void>) | null> {
    this.#listCache = null;
    const { id } = action.observed;
    const started = await startRun(action.observed, action.address, this.#context);
    const { resultId, priorResults, startedByUs, sentAt } = started;
    if (started.journalProblem !== null) this.#outcomes.add(action.address, started.journalProblem);
    if (startedByUs) {
      this.#duplicates.runs.add({ address: action.address, id, priorResults: started.knownResults });
      this.#listCache = await this.#duplicates.checkAfterRequest();
    }
    this.#outcomes.end(
      action,
      { outcome: 'done', id, resultId },
      startedByUs ? `started ${id}` : `${id} is already running`,
    );
    return () =>
      this.#runs.watch({
        test: action.test,
        id,
        resultId,
        priorResults,
        isRerun: true,
        startedByUs,
        sentAt,
      });
  }

  async #create(action: CreateAction): Promise<(() => Promise<void>) | null> {
    const { test } = action;
    if (this.#notesDropped && !this.#allowUnmarked) {
      throw new ProblemError(
        problem('LT_PLAN_BLOCKED', `"${test.key}" is not created: the service does not store notes`, {
          source: test.source,
          hint: 'first add the printed "id:" lines to the file, or pass --allow-unmarked to create the test anyway',
        }),
      );
    }
    const created = await createTest(action, this.#context, () => this.#listForCreates());
    const { id, resultId, createdByUs, sentAt } = created;
    if (created.journalProblem !== null) this.#outcomes.add(action.address, created.journalProblem);
    this.#duplicates.tests.add(created.marker, createdByUs ? id : null);
    this.#outcomes.end(
      action,
      { outcome: 'done', id, resultId },
      createdByUs ? `created ${id}` : `already exists as ${id}`,
    );
    await this.#checkNotes(action, id);
    this.#listCache = await this.#duplicates.checkAfterRequest();
    if (test.spec.scheduledAt !== null) return null;
    return () =>
      this.#runs.watch({
        test,
        id,
        resultId,
        priorResults: [],
        isRerun: false,
        startedByUs: createdByUs,
        sentAt,
      });
  }

  /** Reuses the list, because reading a large list takes a long time. */
  async #listForCreates(): Promise<readonly ObservedTest[]> {
    this.#listCache ??= (await this.#context.service.listTests()).items;
    return this.#listCache;
  }

  /** Checks whether the service stored the ownership marker of a created test. */
  async #checkNotes({ address, test }: CreateAction, id: TestId): Promise<void> {
    try {
      const read = await this.#context.service.getTest(id);
      if (markerOf(read.test) !== null) return;
      this.#notesDropped = true;
      this.idsToPin.push({ key: test.key, id });
      const severity = this.#allowUnmarked ? 'warning' : 'error';
      this.#outcomes.add(address, unmarkedProblem(test, id, severity));
    } catch (error) {
      // A failed read does not change the outcome of the action, because the test exists.
      if (!(error instanceof CallError)) throw error;
      if (isKeyRefusal(error)) this.#outcomes.record(address, error);
    }
  }
}
